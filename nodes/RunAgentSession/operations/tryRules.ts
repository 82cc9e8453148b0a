import type { GenericValue, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { findShapeProblem } from '../../shared/approvals/interaction';
import { createClient } from '../../shared/client/createClient';
import type { ApiClient } from '../../shared/client/operations';
import { readOptionWords } from '../../shared/client/overrides';
import { type Interaction, fetchSession } from '../../shared/client/session';
import { addSession, resultOrError, WorkspaceAutomationError } from '../../shared/errors';
import { toText, isRecord, quote } from '../../shared/values';
import { MAX_PENDING } from '../../shared/limits';
import { passErrorOn } from '../../shared/n8n/aiTool';
import { listEntries, readEntries, type EntryList } from '../../shared/n8n/entries';
import { readTrial } from '../panel/readSettings';
import { askVerdict, createJudge, withoutExpired, type Policy, type Ruling } from '../policy/rules';
import { chooseVerdict, suggestRule, type RememberedRule } from '../requests/decisions';
import type { SettledVerdict } from '../requests/votes';
import { explainRejection } from '../session/poll';

type Trial = (Ruling | SettledVerdict) & {
	because: string;
	/** The request as entered, with any other fields, such as a past decision */
	request: GenericValue;
	/** Approves exactly this request */
	suggestedRule?: RememberedRule;
};

const REQUESTS: EntryList = {
	label: 'Requests',
	noun: 'request',
	help: 'Enter a list such as [{"permission": "bash", "patterns": ["git push"]}], or drag pendingInteractions or decisions of an earlier item here.',
	isRequired: true,
};

const POLICIES: Partial<Record<Policy['mode'], string>> = {
	approve: 'the permission policy approves every request',
	deny: 'the permission policy denies every request',
};

/** Puts the fields that people read first at the beginning. */
function toTrial(triedRequest: unknown, verdict: Ruling | SettledVerdict, { mode }: Policy): Trial {
	const { decision, because = POLICIES[mode] ?? '', decidedBy, ...others } = verdict;
	const suggestedRule = isRecord(triedRequest) ? suggestRule(triedRequest) : undefined;
	return {
		decision,
		because,
		...(decidedBy !== undefined && { decidedBy }),
		// JSON when it was read
		request: triedRequest as GenericValue,
		...others,
		...(suggestedRule && { suggestedRule }),
	} as Trial;
}

/**
 * Decides requests of the service or of `decisions` as in a session. If a request has no options, only the rules are tried.
 * @throws WorkspaceAutomationError if there are none or too many, or if the field isn't JSON
 */
export function tryRules(requests: unknown, policy: Policy, judge = createJudge(policy)): Trial[] {
	return readEntries(REQUESTS, listEntries(REQUESTS, requests), (triedRequest) => {
		if (!isRecord(triedRequest)) return toTrial(triedRequest, judge(triedRequest), policy);
		// A past decision has neither type nor ID. Neither says what the request was for.
		const { type = 'permission', id = 'tried', response } = triedRequest;
		const isPending = triedRequest.type !== undefined && typeof triedRequest.id === 'string';
		const request = isPending ? triedRequest : { ...triedRequest, type, id: toText(id) };
		// Only a pending request has an ID.
		const problem = triedRequest.id === undefined ? undefined : findShapeProblem(triedRequest);
		const ruling = problem === undefined ? judge(request) : askVerdict(problem);
		const verdict = response === undefined ? ruling : chooseVerdict(request, ruling, policy);
		return toTrial(triedRequest, verdict, policy);
	});
}

/** Returns the pending requests of a session. Sends one request, which only reads. @throws WorkspaceAutomationError if there are none */
async function fetchPending(api: ApiClient, sessionId: string): Promise<Interaction[]> {
	const reading = await resultOrError(fetchSession(api, sessionId));
	if (reading instanceof WorkspaceAutomationError)
		throw addSession(explainRejection(reading), { sessionId });
	const { status, dashboardUrl, pendingInteractions } = reading;
	if (pendingInteractions.length > 0) return pendingInteractions.slice(0, MAX_PENDING);
	throw addSession(
		new WorkspaceAutomationError(
			'The session has no pending requests',
			`Choose a session that waits for an approval, or set 'Requests From' to JSON. This one is ${quote(status, 50)}.`,
		),
		{ sessionId, dashboardUrl },
	);
}

/** Shows what a policy decides about requests. Decides nothing. @throws the first item's error, unless On Error continues */
export async function runTryRules(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const items: INodeExecutionData[] = [];
	const comparedTexts = new Set<unknown>();
	let api: ApiClient | undefined;
	for (const itemIndex of context.getInputData().keys()) {
		const pairedItem = { item: itemIndex };
		try {
			const { sessionId, policy, ...trialInput } = readTrial(context, itemIndex);
			if (sessionId !== undefined) {
				api ??= await createClient(context);
				Object.assign(policy, readOptionWords(api));
			}
			const requests =
				sessionId === undefined ? trialInput.requests : await fetchPending(api!, sessionId);
			const current = withoutExpired(policy, Date.now());
			for (const trial of tryRules(requests, current, createJudge(current, comparedTexts)))
				items.push({ json: { ...trial }, pairedItem });
		} catch (thrown) {
			items.push({ json: passErrorOn(context, thrown, itemIndex), pairedItem });
		}
	}
	return [items];
}
