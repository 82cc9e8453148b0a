// What people are told of requests, as a poll and the policy leave them for approvers.
import { askVerdict } from '../../nodes/RunAgentSession/policy/rules.ts';
import { planDecisions } from '../../nodes/RunAgentSession/requests/decisions.ts';
import { applyPoll } from '../../nodes/RunAgentSession/requests/requestRecord.ts';
import {
	createSheet,
	type OfferedChoices,
	type Sheet,
} from '../../nodes/RunAgentSession/requests/sheet.ts';
import type { Interaction } from '../../nodes/shared/client/session.ts';
import { session } from './interactions.mts';

export function toSheets(
	pendingInteractions: Interaction[],
	offered: OfferedChoices = {},
): Sheet[] {
	const records = applyPoll([], session({ pendingInteractions }), 1);
	const { undecided } = planDecisions(records, { ballots: [], answers: [] }, () =>
		askVerdict('an approver decides'),
	);
	return undecided.map((each) => createSheet(each, offered));
}
