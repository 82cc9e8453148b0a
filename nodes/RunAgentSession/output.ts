import type { IDataObject, IExecuteFunctions, INode, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import {
	addSession,
	CanceledError,
	hadNoEffect,
	IndeterminateError,
	toNodeError,
	WorkspaceAutomationError,
} from '../shared/errors';
import { latestAgentText } from '../shared/client/session';
import { isTool } from '../shared/n8n/aiTool';
import { MAX_CUSTOM_VALUE_LENGTH } from '../shared/n8n/customData';
import { excerpt, toWords } from '../shared/values';
import { approvalUrl } from './approval/page/view';
import { formatQuestion } from './approval/question';
import { exactRules } from './policy/moreRules';
import { addOrigin, shownRequests } from './approval/request';
import type { RunResult } from './session/types';

// Items and errors of the node.

/**
 * Returns the fields that an approver needs: the requests that the question shows are those that the item has and that an answer decides.
 */
function approvalFields(
	{ session, origin = {}, undecided, preferences, link, reader }: RunResult,
	asTool: boolean,
): IDataObject {
	const { sessionId } = session;
	const { projectName, job } = origin;
	const shown = shownRequests(undecided.map(({ interaction }) => interaction));
	const more = undecided.length - shown.length;
	const fields: Record<string, unknown> = {
		// A model can't answer requests, and pays for every word.
		pendingInteractions: asTool ? shown : addOrigin(shown, { projectName, job, sessionId }),
		undecided: undecided.map(({ interaction: { id }, because }) => ({
			interactionId: id,
			because,
		})),
		question: formatQuestion({
			...session,
			...origin,
			interactions: shown,
			more,
			deadline: link?.deadline,
			preferences,
			offersFromNowOn: link?.offersFromNowOn,
			reader,
		}),
	};
	return fields as IDataObject;
}

/**
 * Returns the JSON of a result. It never has a key `error`, because n8n's Retry On Fail would treat that as a failure.
 * @param isSimple whether to leave out the fields that only describe the run, such as `latestTool` and `pollCount`, and those of the service
 * that the API document doesn't list
 */
export function toJson(result: RunResult, asTool = false, isSimple = false): IDataObject {
	const { kind, session, decisions, warnings, pollCount, durationMs } = result;
	const { latestMessage, latestTool, lastActivityAt, more } = session;
	const rulesToRemember =
		kind === 'completed' ? exactRules(decisions.filter(({ fromNowOn }) => fromNowOn)) : [];
	const json: Record<string, unknown> = {
		sessionId: session.sessionId,
		dashboardUrl: session.dashboardUrl,
		// A tool has only one output.
		status: asTool ? toWords(kind).replace(' ', '_') : session.status,
		text: latestAgentText(session),
		...('output' in result && { output: result.output }),
		...(kind === 'needsApproval' && approvalFields(result, asTool)),
		...(kind === 'failed' && { failure: session.error ?? 'The service gave no reason' }),
		decisions,
		...(rulesToRemember.length > 0 && { rulesToRemember }),
		...(!isSimple && { latestMessage, latestTool, lastActivityAt, pollCount, durationMs }),
		...(warnings.length > 0 && { warnings }),
	};
	// A field of the service never takes the place of one of ours.
	return (isSimple ? json : { ...json, ...more, ...json }) as IDataObject;
}

/** Returns the JSON of an item's result, in the form that the node's parameters choose. */
export function toItemJson(
	context: IExecuteFunctions,
	itemIndex: number,
	result: RunResult,
): IDataObject {
	const isSimple = context.getNodeParameter('simplify', itemIndex, true) === true;
	const json = toJson(result, isTool(context), isSimple);
	if (result.link) json.approvalUrl = approvalUrl(context, result.link);
	return json;
}

/** Returns the JSON of the items of a result: one, or one for each of several approvers. */
export const toItemsJson = (
	context: IExecuteFunctions,
	itemIndex: number,
	{ approverItems, ...result }: RunResult,
): IDataObject[] =>
	approverItems?.map(({ undecided, link, approver, reminder, hasChanged }) => {
		const { approvers, askedAt } = link.team!;
		const { name, contact, nonce, isBackup } = approvers[approver];
		const reader = {
			name,
			needed: link.team!.needed,
			isReminder: reminder !== undefined,
			hasChanged,
		};
		const asked = { ...result, undecided, link: { ...link, nonce }, reader };
		const isLater = reminder !== undefined || isBackup;
		return {
			...toItemJson(context, itemIndex, asked),
			approver: { name, contact },
			...(reminder !== undefined && { reminder }),
			...(isLater && { waitingSince: new Date(askedAt).toISOString() }),
		};
	}) ?? [toItemJson(context, itemIndex, result)];

/** Returns an input item for Still Running: the node's parameters may read its JSON again. */
export const toReturningItem = (
	input: INodeExecutionData,
	itemIndex: number,
	marks: { sessionKey: string },
	json: IDataObject,
	node: INode,
): INodeExecutionData => {
	const item = {
		...input,
		...marks,
		json: { ...input.json, ...json },
		pairedItem: { item: itemIndex },
	};
	// n8n would take an item with an `error` for a failed one: the error output looks at the item, and Retry On Fail at its JSON.
	delete item.error;
	if (node.retryOnFail) delete item.json.error;
	return item;
};

/** Reports the sessions of this run and their states to n8n's tracing. */
export function reportToTracing(context: IExecuteFunctions, results: readonly RunResult[]): void {
	// n8n 1 has no tracing, and saves unknown metadata with the execution's data.
	if (!('customData' in context)) return;
	const join = (read: (result: RunResult) => string) =>
		results.map(read).join().slice(0, MAX_CUSTOM_VALUE_LENGTH);
	const tracing = {
		'workspaceAutomation.sessions': join(({ session }) => session.sessionId),
		'workspaceAutomation.statuses': join(({ session }) => session.status),
		'workspaceAutomation.decisions': results.flatMap(({ decisions }) => decisions).length,
	};
	(context as { setMetadata?(metadata: object): void }).setMetadata?.({ tracing });
}

/** Returns the error for a session that the service reported as failed. */
export function sessionFailedError({
	session,
	decisions,
	warnings,
}: RunResult): WorkspaceAutomationError {
	const advice = decisions.some(({ decision }) => decision === 'deny')
		? 'A request was denied, which may be the reason. Check the session in the dashboard.'
		: 'Check the session in the dashboard. Then run the workflow again, or continue the session with a message.';
	const error = new WorkspaceAutomationError(
		`The agent session failed: ${excerpt(session.error ?? 'the service gave no reason', 500)}`,
		[advice, ...warnings].join(' '),
	);
	return addSession(error, { ...session, decisions });
}

export interface ItemFailure {
	itemIndex: number;
	error: Error;
}

/** Returns the error of the first item that failed, with the others in its description: the node throws only one. */
export function combineFailures(
	context: IExecuteFunctions,
	[first, ...others]: readonly ItemFailure[],
): Error {
	const error = toNodeError(context.getNode(), first.error, first.itemIndex);
	if (others.length === 0) return error;
	const named = others.map(({ itemIndex, error: other }) => {
		const { sessionId, dashboardUrl } =
			other instanceof WorkspaceAutomationError ? other.context : {};
		const session = sessionId
			? ` (session ${[sessionId, dashboardUrl].filter(Boolean).join(', ')})`
			: '';
		return `Item ${itemIndex}: ${other.message}${session}.`;
	});
	error.description = [error.description, 'Other items failed as well.', ...named].join(' ');
	return error;
}

/**
 * Returns the error after Stop, which drops all items. It names the items whose last request may have taken effect, and the sessions
 * that couldn't be aborted.
 */
export function canceledError(
	context: IExecuteFunctions,
	failures: readonly ItemFailure[],
	stillRunning: readonly string[],
): Error {
	const unknown = failures.flatMap(({ itemIndex, error }) => {
		const isSent = error instanceof CanceledError || error instanceof IndeterminateError;
		return isSent && !hadNoEffect(error) ? [`Item ${itemIndex}`] : [];
	});
	const mayHave = `${unknown.join(', ')}: a request may have taken effect. It may have started a session: check the dashboard before you run the workflow again.`;
	const description = [...(unknown.length > 0 ? [mayHave] : []), ...stillRunning].join(' ');
	return new NodeOperationError(context.getNode(), 'The execution was canceled', {
		description: description || undefined,
	});
}
