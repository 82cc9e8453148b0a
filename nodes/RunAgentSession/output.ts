import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { WorkspaceAutomationError } from '../shared/base/errors';
import { errorJson, toNodeError } from '../shared/base/nodeErrors';
import { inWords } from '../shared/base/values';
import { isTool } from '../shared/n8n/aiTool';
import { LONGEST_VALUE, trace } from '../shared/n8n/customData';
import { shownRequests, withAbout } from './askedInteractions';
import { hold, type Results } from './failures';
import { approvalUrl } from './page/view';
import { question } from './question';
import type { RunResult } from './run';

/** The node's outputs in their order; a failed session has none, it raises an error. What is parked has to be on the first. */
const OUTPUTS = {
	memory: ['completed', 'needsApproval', 'stillRunning'],
	database: ['stillRunning', 'completed', 'needsApproval'],
} as const;
export type Wait = keyof typeof OUTPUTS;

export const OUTPUT_NAMES = {
	memory: ['Completed', 'Needs Approval', 'Still Running'],
	database: ['Waiting', 'Completed', 'Needs Approval'],
} as const satisfies Record<Wait, readonly string[]>;

/** What a person is asked: the requests that the question shows are those that the item holds and the answer decides. */
function asked({ session, about, projectId, undecided }: RunResult, asTool: boolean) {
	const { sessionId } = session;
	const shown = shownRequests(undecided.map(({ interaction }) => interaction));
	const more = undecided.length - shown.length;
	return {
		// A model answers nothing, and pays for every word.
		pendingInteractions: asTool ? shown : withAbout(shown, { ...about, sessionId }),
		undecided: undecided.map(({ interaction: { id }, because }) => ({
			interactionId: id,
			because,
		})),
		question: question({ ...session, ...about, projectId, interactions: shown, more }),
	};
}

/**
 * The output item of a result. Never has a key `error`: n8n's Retry On Fail would take it for a failure.
 * @param isSimple whether what waits for a person, or is for a model, holds only what decides; other items have ten fields as it is
 */
export function toJson(result: RunResult, asTool = false, isSimple = false): IDataObject {
	const { kind, session, decisions, warnings, pollCount, durationMs } = result;
	const { latestMessage, latestTool, lastActivityAt } = session;
	// A model pays for every word.
	const isShort = isSimple && (asTool || kind === 'needsApproval');
	const json: Record<string, unknown> = {
		sessionId: session.sessionId,
		dashboardUrl: session.dashboardUrl,
		// As a tool there is only one output.
		status: asTool ? inWords(kind).replace(' ', '_') : session.status,
		// Until the agent speaks, the latest message is what it was told.
		text: latestMessage?.role === 'user' ? '' : (latestMessage?.text ?? ''),
		...(kind === 'needsApproval' && asked(result, asTool)),
		...(kind === 'failed' && { failure: session.error ?? 'The service gave no reason' }),
		decisions,
		...(!isShort && { latestMessage, latestTool, lastActivityAt, pollCount, durationMs }),
		...(warnings.length > 0 && { warnings }),
	};
	return json as IDataObject;
}

/**
 * The items of the results on the node's outputs; as a tool only the first is read, so everything goes there.
 * @param holdsFailures whether a failure waits for the sessions that n8n parks
 */
export function toOutputs(
	context: IExecuteFunctions,
	results: Results,
	wait: Wait,
	holdsFailures: boolean,
): INodeExecutionData[][] {
	const [asTool, node, input] = [isTool(context), context.getNode(), context.getInputData()];
	const order: ReadonlyArray<RunResult['kind']> = OUTPUTS[wait];
	const outputs: INodeExecutionData[][] = order.map(() => []);
	const put = (kind: RunResult['kind'], item: number, data: INodeExecutionData) =>
		outputs[asTool ? 0 : order.indexOf(kind)].push({ ...data, pairedItem: { item } });
	// The parameters may speak again of what came in.
	const parked = (item: number, marks: object): INodeExecutionData => ({
		...input[item],
		json: { ...input[item].json, ...(marks as IDataObject) },
	});
	for (const [item, result] of results.entries()) {
		if (result.status === 'rejected' && holdsFailures) {
			put('stillRunning', item, parked(item, hold(result.reason as WorkspaceAutomationError)));
		} else if (result.status === 'rejected') {
			put('completed', item, { json: errorJson(node, toNodeError(node, result.reason, item)) });
		} else {
			const { kind, lookAt, session, question: asked } = result.value;
			const { sessionId, dashboardUrl } = session;
			const isParked = lookAt !== undefined;
			const isSimple = context.getNodeParameter('simplify', item, true) === true;
			const json = toJson(result.value, asTool, isSimple);
			if (asked) json.approvalUrl = approvalUrl(context, asked);
			if (asked || !isParked) put(kind, item, { json });
			if (isParked) put('stillRunning', item, parked(item, { sessionId, dashboardUrl }));
		}
	}
	return outputs;
}

/** Tells n8n's tracing of the sessions, each with what became of it. */
export function tellTracing(context: IExecuteFunctions, results: Results): void {
	const ended = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
	const all = (of: (result: RunResult) => string) => ended.map(of).join().slice(0, LONGEST_VALUE);
	trace(context, {
		'workspaceAutomation.sessions': all(({ session }) => session.sessionId),
		'workspaceAutomation.statuses': all(({ session }) => session.status),
		'workspaceAutomation.decisions': ended.flatMap(({ decisions }) => decisions).length,
	});
}
