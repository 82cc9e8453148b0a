import type { GenericValue, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { realClock } from '../../shared/client/clock';
import { errorJson, toNodeError, WorkspaceAutomationError } from '../../shared/errors';
import { toText, isRecord, isTooDeep, parseList } from '../../shared/values';
import { continuesOnError } from '../../shared/n8n/aiTool';
import { readTrial } from '../panel/read';
import { MATCH_BUDGET, type MatchBudget } from '../policy/globs';
import { suggestRule, type RememberedRule } from '../policy/remembered';
import {
	decideRequest,
	applyPolicy,
	withoutExpired,
	type Policy,
	type Ruling,
	type Verdict,
} from '../policy/rules';

type Trial = (Ruling | Verdict) & {
	because: string;
	/** The request as entered, with any other fields, such as a past decision */
	request: GenericValue;
	/** Approves exactly this request */
	suggestedRule?: RememberedRule;
};

const REQUESTS_HELP =
	'Enter a list of requests such as [{"permission": "bash", "patterns": ["git push"]}], or drag pendingInteractions or decisions of an earlier item here.';

const POLICIES: Partial<Record<Policy['mode'], string>> = {
	approve: 'the permission policy approves every request',
	deny: 'the permission policy denies every request',
};

/** Puts the fields that people read first at the beginning. */
function toTrial(given: unknown, verdict: Ruling | Verdict, { mode }: Policy): Trial {
	// JSON when it was read
	const request = (isTooDeep(given) ? toText(given) : given) as GenericValue;
	const { decision, because = POLICIES[mode] ?? '', decidedBy, ...others } = verdict;
	const suggestedRule = isRecord(given) && !isTooDeep(given) ? suggestRule(given) : undefined;
	return {
		decision,
		because,
		...(decidedBy !== undefined && { decidedBy }),
		request,
		...others,
		...(suggestedRule && { suggestedRule }),
	} as Trial;
}

/**
 * Decides requests of the service or of `decisions` as in a session. If a request has no options, only the rules are tried.
 * @param budget shared by all items of a call
 * @throws WorkspaceAutomationError if there are none, or if the field isn't JSON
 */
export function tryRules(
	requests: unknown,
	policy: Policy,
	budget: MatchBudget = { left: MATCH_BUDGET },
): Trial[] {
	const list = parseList(requests);
	if (!list)
		throw new WorkspaceAutomationError("'Requests' isn't a list of requests", REQUESTS_HELP);
	if (list.length === 0) throw new WorkspaceAutomationError("'Requests' is empty", REQUESTS_HELP);
	return list.map((given) => {
		if (!isRecord(given) || isTooDeep(given))
			return toTrial(given, decideRequest(given, policy, budget), policy);
		// A past decision has neither type nor ID. Neither says what the request was for.
		const { type = 'permission', id = 'tried', response } = given;
		const decideOrApply = response === undefined ? applyPolicy : decideRequest;
		return toTrial(
			given,
			decideOrApply({ ...given, type, id: toText(id) }, policy, budget),
			policy,
		);
	});
}

export async function runTryRules(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const budget = { left: MATCH_BUDGET };
	const items = context.getInputData().flatMap((_, itemIndex): INodeExecutionData[] => {
		const pairedItem = { item: itemIndex };
		try {
			const { requests, policy } = readTrial(context, itemIndex);
			const current = withoutExpired(policy, realClock.now());
			return tryRules(requests, current, budget).map((trial) => ({
				json: { ...trial },
				pairedItem,
			}));
		} catch (thrown) {
			const error = toNodeError(context.getNode(), thrown, itemIndex);
			if (!continuesOnError(context)) throw error;
			return [{ json: errorJson(context.getNode(), error), pairedItem }];
		}
	});
	return [items];
}
