import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import {
	CanceledError,
	errorJson,
	hadNoEffect,
	IndeterminateError,
	toNodeError,
	addSession,
	WorkspaceAutomationError,
} from '../shared/errors';
import { excerpt, toWords } from '../shared/values';
import { isTool } from '../shared/n8n/aiTool';
import { MAX_CUSTOM_VALUE_LENGTH } from '../shared/n8n/customData';
import { isFromOwnOutput } from './session/pause';
import { shownRequests, addOrigin } from './approval/request';
import { approvalUrl } from './approval/page/view';
import { formatQuestion } from './approval/question';
import { OUTPUTS } from './outputs';
import type { RunResult } from './session/run';

// What leaves the node: items on its outputs, or an error.

/** How n8n keeps the execution while sessions run. */
export type WaitMode = 'memory' | 'database';

export type Results = ReadonlyArray<PromiseSettledResult<RunResult>>;

/** What a person is asked: the requests that the question shows are those that the item holds and the answer decides. */
function approvalFields(
	{ session, origin: about = {}, undecided, question: link }: RunResult,
	asTool: boolean,
) {
	const { sessionId } = session;
	const { projectName, job } = about;
	const shown = shownRequests(undecided.map(({ interaction }) => interaction));
	const more = undecided.length - shown.length;
	return {
		// A model answers nothing, and pays for every word.
		pendingInteractions: asTool ? shown : addOrigin(shown, { projectName, job, sessionId }),
		undecided: undecided.map(({ interaction: { id }, because }) => ({
			interactionId: id,
			because,
		})),
		question: formatQuestion({
			...session,
			...about,
			interactions: shown,
			more,
			deadline: link?.deadline,
		}),
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
		status: asTool ? toWords(kind).replace(' ', '_') : session.status,
		// Until the agent speaks, the latest message is what it was told.
		text: latestMessage?.role === 'user' ? '' : (latestMessage?.text ?? ''),
		...(kind === 'needsApproval' && approvalFields(result, asTool)),
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
	holdsFailures: boolean,
): INodeExecutionData[][] {
	const [asTool, node, input] = [isTool(context), context.getNode(), context.getInputData()];
	const order = Object.keys(OUTPUTS);
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
			const { message, description, context } = result.reason as WorkspaceAutomationError;
			put('stillRunning', item, parked(item, { heldFailure: { message, description, context } }));
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
export function reportToTracing(context: IExecuteFunctions, results: Results): void {
	// n8n 1 knows no tracing, and keeps what it does not know with the execution's data.
	if (!('customData' in context)) return;
	const ended = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
	const all = (of: (result: RunResult) => string) =>
		ended.map(of).join().slice(0, MAX_CUSTOM_VALUE_LENGTH);
	const tracing = {
		'workspaceAutomation.sessions': all(({ session }) => session.sessionId),
		'workspaceAutomation.statuses': all(({ session }) => session.status),
		'workspaceAutomation.decisions': ended.flatMap(({ decisions }) => decisions).length,
	};
	(context as { setMetadata?(metadata: object): void }).setMetadata?.({ tracing });
}

/** What a failed session is reported as. */
export function sessionFailedError(result: RunResult): WorkspaceAutomationError {
	const { session, decisions, warnings } = result;
	const advice = decisions.some(({ decision }) => decision === 'deny')
		? 'A permission that it asked for was denied, which may be why. Look at the session in the dashboard.'
		: 'Look at the session in the dashboard, then run the workflow again or continue the session with a message.';
	const error = new WorkspaceAutomationError(
		`The agent session failed: ${excerpt(session.error ?? 'the service gave no reason', 500)}`,
		[advice, ...warnings].join(' '),
	);
	return addSession(error, { ...session, decisions });
}

/** The error of the first item that failed, which names all the others: the node stops, and nobody else tells of them. */
export function combineFailures(context: IExecuteFunctions, results: Results): Error | undefined {
	const [first, ...others] = results.flatMap((result, itemIndex) =>
		result.status === 'rejected' ? [{ itemIndex, reason: result.reason as Error }] : [],
	);
	if (!first) return undefined;
	const error = toNodeError(context.getNode(), first.reason, first.itemIndex);
	if (others.length === 0) return error;
	const named = others.map(({ itemIndex, reason }) => {
		const { sessionId, dashboardUrl } =
			reason instanceof WorkspaceAutomationError ? reason.context : {};
		const session = sessionId
			? ` (session ${[sessionId, dashboardUrl].filter(Boolean).join(', ')})`
			: '';
		return `Item ${itemIndex}: ${reason.message}${session}.`;
	});
	error.description = [error.description, 'Other items failed as well.', ...named].join(' ');
	return error;
}

/** The error after Stop, which drops all items. It says where nobody knows what became of a request. */
export function canceledError(context: IExecuteFunctions, results: Results): Error {
	const unknown = results.flatMap((result, itemIndex) => {
		const reason: unknown = result.status === 'rejected' && result.reason;
		const isKnown = reason instanceof CanceledError || reason instanceof IndeterminateError;
		return isKnown && !hadNoEffect(reason) ? [`Item ${itemIndex}`] : [];
	});
	const description = `${unknown.join(', ')}: it is not known whether a request that was under way took effect. It may have started a session: look in the dashboard before you run the workflow again.`;
	return new NodeOperationError(context.getNode(), 'The execution was canceled', {
		description: unknown.length > 0 ? description : undefined,
	});
}

/**
 * The failure of an earlier round that an item holds: it failed while n8n parked the sessions of others, and the node fails when they have
 * ended, as it does in memory.
 */
export function heldFailure(
	context: IExecuteFunctions,
	{ json }: INodeExecutionData,
): WorkspaceAutomationError | undefined {
	const { heldFailure: held } = json as { heldFailure?: WorkspaceAutomationError };
	if (!held || !isFromOwnOutput(context)) return undefined;
	return new WorkspaceAutomationError(held.message, held.description ?? '', held.context);
}
