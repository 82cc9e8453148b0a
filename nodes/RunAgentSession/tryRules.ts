import type { GenericValue, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { realClock } from '../shared/client/clock';
import { errorJson, toNodeError, WorkspaceAutomationError } from '../shared/errors';
import { toText, isRecord, isTooDeep } from '../shared/values';
import { continuesOnError, isTool } from '../shared/n8n/aiTool';
import { parseList } from './approval/request';
import { OUTPUTS, outputIndex } from './outputs';
import { readTrial } from './panel/read';
import { suggestRule, withoutExpired, type StoredRule } from './policy/moreRules';
import { decide, judge, type Policy, type Ruling, type Verdict } from './policy/rules';

/** What would become of a request. The option is missing where the request offers none. */
export type Trial = (Ruling | Verdict) & {
	/** The request as it was given, with whatever else came with it, such as what was decided at the time */
	request: GenericValue;
	/** What each rule says about it, up to the one that decides */
	rules?: string[];
	/** The narrowest rule that covers a request which no rule decides */
	suggestedRule?: StoredRule;
};

const REQUESTS_HELP =
	'Enter a list of requests such as [{"permission": "bash", "patterns": ["git push"]}], or drag pendingInteractions or decisions of an earlier item here.';

/**
 * What a policy would do with requests, by the same function that decides in a session. A request is what the service sends
 * (`permission`, `patterns`, `response`) or what an item's `decisions` hold; where it has no options, only the rules are tried.
 * @param requests the field 'Requests': one request or a list of them, as JSON or as its text
 * @throws WorkspaceAutomationError where there are none, or where the field is no JSON
 */
export function tryRules(requests: unknown, policy: Policy): Trial[] {
	const list = parseList(requests);
	if (!list)
		throw new WorkspaceAutomationError("'Requests' isn't a list of requests", REQUESTS_HELP);
	if (list.length === 0) throw new WorkspaceAutomationError("'Requests' is empty", REQUESTS_HELP);
	return list.map((given) => {
		// JSON, as it was read.
		const request = (isTooDeep(given) ? toText(given) : given) as GenericValue;
		if (!isRecord(given) || isTooDeep(given)) return { request, ...decide(given, policy) };
		// Neither type nor ID is told of a past decision, and neither says anything about what it was for.
		const { type = 'permission', id = 'tried', response } = given;
		const decideOrJudge = response === undefined ? judge : decide;
		const rules: string[] = [];
		const verdict = decideOrJudge({ ...given, type, id: toText(id) }, policy, undefined, rules);
		const suggestedRule = suggestRule({ ...given, type, id: toText(id) }, policy);
		return {
			request,
			...verdict,
			...(rules.length > 0 && { rules }),
			...(suggestedRule && { suggestedRule }),
		};
	});
}

/** Runs the operation Try Rules: an item for each request of each input item, on Completed. Nothing is sent. */
export function runTryRules(context: IExecuteFunctions): INodeExecutionData[][] {
	const items = context.getInputData().flatMap((_, itemIndex): INodeExecutionData[] => {
		const pairedItem = { item: itemIndex };
		try {
			const { requests, policy } = readTrial(context, itemIndex);
			const current = withoutExpired(policy, realClock.now());
			return tryRules(requests, current).map((trial) => ({ json: { ...trial }, pairedItem }));
		} catch (thrown) {
			const error = toNodeError(context.getNode(), thrown, itemIndex);
			if (!continuesOnError(context)) throw error;
			return [{ json: errorJson(context.getNode(), error), pairedItem }];
		}
	});
	const outputs: INodeExecutionData[][] = Object.keys(OUTPUTS).map(() => []);
	outputs[isTool(context) ? 0 : outputIndex('completed')] = items;
	return outputs;
}
