import {
	isSameRequest,
	readWholeRequest,
	type RememberedRequest,
} from '../../shared/approvals/rememberedRequest';
import { omit, quote } from '../../shared/values';
import { sumEdits, type Edit } from '../changes/change';
import type { SentDecision, DecisionState, RequestRecord } from './requestRecord';
import type { RequestVerdict } from './votes';

/** A decision in the output's form */
export interface DecisionSummary extends Partial<Omit<RequestVerdict, 'isText'>> {
	interactionId: string;
	permission: string;
	patterns: string[];
	/** `quiet`: the node's own request about a quiet session */
	kind?: 'quiet';
	/** The beginning of a question, and what was answered */
	question?: string;
	answer?: string;
	/** What happened. Only `confirmed` counts as approved or denied. */
	state: DecisionState;
	/** ISO date-time */
	at: string;
}

/** Decides only the same whole request. */
export interface RememberedRule {
	request: RememberedRequest;
	decision: 'approve';
}

/** Returns the rules that approve exactly these requests, each once. */
export const rememberRequests = (requests: readonly RememberedRequest[]): RememberedRule[] =>
	requests
		.filter((request, at) => requests.findIndex((each) => isSameRequest(each, request)) === at)
		.map((request) => ({ request, decision: 'approve' }));

/** Returns the rule that approves exactly this request. Undefined if rules can't read it. */
export function suggestRule(given: Record<string, unknown>): RememberedRule | undefined {
	const request = readWholeRequest(given);
	return request && { request, decision: 'approve' };
}

const WARNINGS: Partial<Record<DecisionState, string>> = {
	sent: 'was sent, and no poll has shown yet what came of it',
	unconfirmed: "couldn't be confirmed: the request was still pending, or the response was lost",
	gone: "wasn't needed: the request was gone before the decision was taken",
	refused: 'was refused by the service',
};

/** An answer is `answer`, because it may be no option. */
function showVerdict(decided: SentDecision['verdict']) {
	const { option, ...verdict } = omit(decided, 'isText');
	return verdict.decision === 'answer' ? { ...verdict, answer: option } : { ...verdict, option };
}

/** Returns the decisions, a warning for each that isn't known to have taken effect, the rules of those made from now on, and the files that they changed. */
export function summarizeDecisions(records: readonly RequestRecord[]): {
	decisions: DecisionSummary[];
	warnings: string[];
	rulesToRemember: RememberedRule[];
	changes: Edit[];
} {
	const decisions = records.flatMap((record): DecisionSummary[] => {
		const { id, permission, patterns, question, quiet, decision } = record;
		if (!decision) return [];
		const { verdict, state, at } = decision;
		return [
			{
				...(quiet && { kind: 'quiet' as const }),
				interactionId: id,
				permission,
				patterns,
				...(question !== undefined && { question }),
				...showVerdict(verdict),
				state,
				at: new Date(at).toISOString(),
			},
		];
	});
	const warnings = decisions.flatMap(({ interactionId, decision, option, answer, state }) =>
		WARNINGS[state] === undefined
			? []
			: `The decision "${decision}" (${quote(option ?? answer, 50)}) about request ${quote(interactionId, 50)} ${WARNINGS[state]}.`,
	);
	const remembered = records.flatMap(({ decision }) => decision?.remembered ?? []);
	const edits = records.flatMap(({ decision }) =>
		decision?.state === 'confirmed' ? (decision.edits ?? []) : [],
	);
	return {
		decisions,
		warnings,
		rulesToRemember: rememberRequests(remembered),
		changes: sumEdits(edits),
	};
}
