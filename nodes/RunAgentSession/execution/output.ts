import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import {
	addSession,
	CanceledError,
	hadNoEffect,
	IndeterminateError,
	toNodeError,
	WorkspaceAutomationError,
	type ErrorContext,
} from '../../shared/errors';
import { latestAgentText } from '../../shared/client/session';
import { isTool } from '../../shared/n8n/aiTool';
import { MAX_CUSTOM_VALUE_LENGTH } from '../../shared/n8n/customData';
import { excerpt, toWords } from '../../shared/values';
import { approvalUrl } from '../page/view';
import { formatQuestion } from '../message/question';
import { readSimplify } from '../panel/read';
import { addOrigin, shownRequests } from '../requests/request';
import type { AskedItem, RunResult } from '../session/types';

/** Returns the fields for an approver. The question shows only requests that the item has and that an answer decides. */
function approvalFields(
	{ session, origin = {}, preferences, undecided: all }: RunResult,
	{ ask, undecided }: AskedItem,
	asTool: boolean,
): IDataObject {
	const { sessionId } = session;
	const { projectName, prompt } = origin;
	const shown = shownRequests(undecided.map(({ interaction }) => interaction));
	const { question, approver, reminder } = ask ?? {};
	const isTeam = approver?.name !== undefined;
	const hasChanged = undecided.some(({ record }) => record.voided !== undefined);
	const fields: Record<string, unknown> = {
		// A model can't answer requests, and pays for every word.
		pendingInteractions: asTool ? shown : addOrigin(shown, { projectName, prompt, sessionId }),
		undecided: undecided.map(({ interaction: { id }, because }) => ({
			interactionId: id,
			because,
		})),
		question: formatQuestion({
			...session,
			...origin,
			interactions: shown,
			more: Math.max(0, all.length - shown.length),
			deadline: question?.deadline,
			preferences,
			offersFromNowOn: question?.offersFromNowOn,
			...(isTeam && {
				reader: {
					name: approver.name!,
					needed: question!.needed,
					isReminder: reminder !== undefined,
					hasChanged,
				},
			}),
		}),
		...(isTeam && { approver: { name: approver.name, contact: approver.contact } }),
		...(reminder !== undefined && { reminder }),
		...((reminder !== undefined || approver?.isBackup) && {
			waitingSince: new Date(question!.at).toISOString(),
		}),
	};
	return fields as IDataObject;
}

/**
 * Returns JSON without a key `error`, which n8n's Retry On Fail would treat as a failure.
 * @param isSimple leaves out the fields that only describe the run, and those that the API document doesn't list
 */
export function toJson(
	result: RunResult,
	asTool = false,
	isSimple = false,
	asked?: AskedItem,
): IDataObject {
	const { kind, session, decisions, warnings, rulesToRemember, changes } = result;
	const { pollCount, durationMs } = result;
	const { latestMessage, latestTool, lastActivityAt, more } = session;
	const json: Record<string, unknown> = {
		text: latestAgentText(session),
		// A tool has only one output.
		status: asTool ? toWords(kind).replace(' ', '_') : session.status,
		sessionId: session.sessionId,
		dashboardUrl: session.dashboardUrl,
		...('output' in result && { output: result.output }),
		...(asked && approvalFields(result, asked, asTool)),
		...(kind === 'failed' && { failure: session.error ?? 'The service gave no reason' }),
		...(kind === 'completed' && !isSimple && session.error && { sessionError: session.error }),
		decisions,
		...(kind === 'completed' && rulesToRemember.length > 0 && { rulesToRemember }),
		...(kind === 'completed' && changes.length > 0 && { changes }),
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
	asked = result.asked?.[0],
): IDataObject {
	const isSimple = readSimplify(context, itemIndex);
	const json = toJson(result, isTool(context), isSimple, asked);
	const { approver } = asked?.ask ?? {};
	if (!approver) return json;
	const { resumeUrl } = context.getWorkflowDataProxy(0).$execution as { resumeUrl: string };
	return { ...json, approvalUrl: approvalUrl(resumeUrl, approver.nonce) };
}

/** Returns an item for each approver who is asked now. */
export const toItemsJson = (
	context: IExecuteFunctions,
	itemIndex: number,
	result: RunResult,
): IDataObject[] =>
	(result.asked ?? []).map((asked) => toItemJson(context, itemIndex, result, asked));

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

interface ItemFailure {
	itemIndex: number;
	error: Error;
}

/** An item that didn't fail, with its session */
export interface Sibling {
	itemIndex: number;
	sessionId: string;
	dashboardUrl?: string;
	isRunning: boolean;
}

/** A session of another entry or node of the execution */
export interface Elsewhere {
	sessionId: string;
	node: string;
	state: 'running' | 'completed' | 'failed';
}

const nameSession = ({ sessionId, dashboardUrl }: ErrorContext): string =>
	sessionId ? ` (session ${[sessionId, dashboardUrl].filter(Boolean).join(', ')})` : '';

/** Returns the error of the first item that failed, with all other sessions in its description: the node throws only one. */
export function combineFailures(
	context: IExecuteFunctions,
	[first, ...others]: readonly ItemFailure[],
	siblings: readonly Sibling[],
	elsewhere: readonly Elsewhere[],
): Error {
	const error = toNodeError(context.getNode(), first.error, first.itemIndex);
	const named = others.map(({ itemIndex, error: other }) => {
		const session = nameSession(other instanceof WorkspaceAutomationError ? other.context : {});
		return `Item ${itemIndex}: ${other.message}${session}.`;
	});
	const nameSiblings = (state: 'completed' | 'running') =>
		siblings
			.filter(({ isRunning }) => isRunning === (state === 'running'))
			.map((sibling) => `Item ${sibling.itemIndex}: ${state}${nameSession(sibling)}.`);
	const done = nameSiblings('completed');
	const running = nameSiblings('running');
	const outside = elsewhere.map(({ sessionId, node, state }) => `${sessionId} (${node}, ${state})`);
	error.description = [
		error.description,
		...(named.length > 0 ? ['Other items failed as well.', ...named] : []),
		...(done.length > 0 ? ['Other items have completed. A retry returns them.', ...done] : []),
		...(running.length > 0 ? ['Other sessions run on. A retry continues them.', ...running] : []),
		...(outside.length > 0 ? ['Other sessions of this execution:', `${outside.join(', ')}.`] : []),
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
