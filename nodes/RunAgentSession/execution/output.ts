import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import {
	addSession,
	CanceledError,
	hadNoEffect,
	IndeterminateError,
	toNodeError,
	WorkspaceAutomationError,
} from '../../shared/errors';
import { latestAgentText } from '../../shared/client/session';
import { isTool } from '../../shared/n8n/aiTool';
import { MAX_CUSTOM_VALUE_LENGTH } from '../../shared/n8n/customData';
import { excerpt, toWords } from '../../shared/values';
import { approvalUrl } from '../approval/page/view';
import { formatQuestion } from '../approval/question';
import { readSimplify } from '../panel/read';
import { exactRules } from '../policy/moreRules';
import { addOrigin, shownRequests } from '../approval/request';
import type { RunResult } from '../session/types';

/** Returns the fields for an approver. The question shows only requests that the item has and that an answer decides. */
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
 * Returns JSON without a key `error`, which n8n's Retry On Fail would treat as a failure.
 * @param isSimple leaves out the fields that only describe the run, and those that the API document doesn't list
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

export function toItemJson(
	context: IExecuteFunctions,
	itemIndex: number,
	result: RunResult,
): IDataObject {
	const isSimple = readSimplify(context, itemIndex);
	const json = toJson(result, isTool(context), isSimple);
	if (result.link) json.approvalUrl = approvalUrl(context, result.link);
	return json;
}

/** Returns one item, or one for each of several approvers. */
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

/** What n8n's tracing gets about a session */
export interface Traced {
	sessionId: string;
	status: string;
	decisions: number;
}

export function reportToTracing(context: IExecuteFunctions, sessions: readonly Traced[]): void {
	// n8n 1 has no tracing, and saves unknown metadata with the execution's data.
	if (!('customData' in context)) return;
	const join = (read: (session: Traced) => string) =>
		sessions.map(read).join().slice(0, MAX_CUSTOM_VALUE_LENGTH);
	const tracing = {
		'workspaceAutomation.sessions': join(({ sessionId }) => sessionId),
		'workspaceAutomation.statuses': join(({ status }) => status),
		'workspaceAutomation.decisions': sessions.reduce((sum, each) => sum + each.decisions, 0),
	};
	(context as { setMetadata?(metadata: object): void }).setMetadata?.({ tracing });
}

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

/** Returns the error of the first item that failed, with all other sessions in its description: the node throws only one. */
export function combineFailures(
	context: IExecuteFunctions,
	[first, ...others]: readonly ItemFailure[],
	completed: ReadonlyArray<{ itemIndex: number; sessionId?: string; dashboardUrl?: string }>,
): Error {
	const error = toNodeError(context.getNode(), first.error, first.itemIndex);
	const named = others.map(({ itemIndex, error: other }) => {
		const { sessionId, dashboardUrl } =
			other instanceof WorkspaceAutomationError ? other.context : {};
		const session = sessionId
			? ` (session ${[sessionId, dashboardUrl].filter(Boolean).join(', ')})`
			: '';
		return `Item ${itemIndex}: ${other.message}${session}.`;
	});
	const done = completed.map(
		({ itemIndex, sessionId, dashboardUrl }) =>
			`Item ${itemIndex}: completed (session ${[sessionId, dashboardUrl].filter(Boolean).join(', ')}).`,
	);
	error.description = [
		error.description,
		...(named.length > 0 ? ['Other items failed as well.', ...named] : []),
		...(done.length > 0 ? ['Other items have completed. A retry returns them.', ...done] : []),
	].join(' ');
	return error;
}

/** Names the items whose last request may have taken effect, and the sessions that couldn't be aborted: Stop drops all items. */
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
