import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import {
	addSession,
	CanceledError,
	hadNoEffect,
	IndeterminateError,
	SessionOverError,
	toNodeError,
	WorkspaceAutomationError,
	type ErrorContext,
} from '../../shared/errors';
import { latestAgentText } from '../../shared/client/session';
import { isTool } from '../../shared/n8n/aiTool';
import { MAX_CUSTOM_VALUE_LENGTH } from '../../shared/n8n/executionDisplay';
import { isPrivateHost } from '../../shared/client/hosts';
import { excerpt, nonEmptyText, omit, toWords } from '../../shared/values';
import type { StandingSession } from './itemRecords';
import { approvalUrl } from '../page/links';
import { formatMessage, formatQuestion } from '../message/approverText';
import { readSimplify } from '../panel/readSettings';
import { isAlone, shownRequests } from '../requests/ballots';
import { addOrigin } from '../requests/answer';
import { createSheet } from '../requests/sheet';
import { viewSession } from '../session/finish';
import type { DecidingRun, SessionRun, AskedItem, SessionOutcome } from '../session/run';

/** Returns the requests of the service. The node's own request about a quiet session is none. */
const requestsOf = ({ undecided }: AskedItem) => undecided.filter(({ record }) => !record.quiet);

/** Returns what approvers are sent, with the link to their page if there is one. It shows only requests that the item has. */
function messageFields(
	{ record, settings, sessionId, undecided: all }: SessionRun,
	asked: AskedItem,
	approvalUrl: string | undefined,
): IDataObject {
	const { ballot, approver, reminder, hasChanged = false } = asked;
	const { deadline, needed = 1, offersFromNowOn } = ballot ?? {};
	const isReminder = reminder !== undefined;
	const shown = shownRequests(asked.undecided);
	const name = approver?.name;
	const isNamed = name !== undefined && !(isAlone(ballot!) && !isReminder && !hasChanged);
	const details = {
		sheets: shown.map((request) =>
			createSheet(request, { preferences: settings.policy, offersFromNowOn }),
		),
		origin: { ...record.origin, sessionId },
		dashboardUrl: record.dashboardUrl,
		approvalUrl,
		more: Math.max(0, all.length - shown.length),
		deadline,
		...(isNamed && { reader: { name, needed } }),
		isReminder,
		hasChanged,
	};
	const question = formatQuestion(details);
	if (approvalUrl === undefined) return { message: question, question };
	return { message: formatMessage(details), approvalUrl, question };
}

/** Returns the fields for an approver beside the message. */
function approvalFields(
	{ record, sessionId }: SessionRun,
	asked: AskedItem,
	asTool: boolean,
): IDataObject {
	const { projectName, prompt } = record.origin ?? {};
	const { ballot, approver, reminder } = asked;
	const shown = shownRequests(requestsOf(asked).map(({ interaction }) => interaction));
	const fields: Record<string, unknown> = {
		// A model can't answer requests, and pays for every word.
		pendingInteractions: asTool ? shown : addOrigin(shown, { projectName, prompt, sessionId }),
		undecided: requestsOf(asked).map(({ interaction: { id }, because }) => ({
			interactionId: id,
			because,
		})),
		...(approver?.name !== undefined && {
			approver: { name: approver.name, contact: approver.contact },
		}),
		...(reminder !== undefined && { reminder }),
		...((reminder !== undefined || approver?.isBackup) && {
			waitingSince: new Date(ballot!.at).toISOString(),
		}),
	};
	return fields as IDataObject;
}

const PRIVATE_LINK =
	"Others may not be able to open approvalUrl, because its host is private. Set n8n's address with N8N_WEBHOOK_URL (WEBHOOK_URL in n8n 1).";

/**
 * Returns JSON without a key `error`, which n8n's Retry On Fail would treat as a failure.
 * @param isSimple leaves out the fields that only describe the run, and those that the API document doesn't list
 * @param link to the page of the approver who is asked
 */
export function toJson(
	run: SessionRun,
	outcome: SessionOutcome,
	asTool = false,
	isSimple = false,
	asked?: AskedItem,
	link?: string,
): IDataObject {
	const { kind } = outcome;
	const view = viewSession(run, kind === 'failed');
	const { session, decisions, rulesToRemember, changes, startedAt, durationMs } = view;
	const { origin, pollCount = 0 } = run.record;
	const { latestMessage, latestTool, lastActivityAt, more } = session;
	const {
		projectId = nonEmptyText(more?.projectId),
		projectName = nonEmptyText(more?.projectName),
		previewUrl,
	} = origin ?? {};
	const isPrivate = link !== undefined && isPrivateHost(new URL(link).hostname);
	const warnings = [
		...view.warnings,
		...(outcome.warnings ?? []),
		...(isPrivate ? [PRIVATE_LINK] : []),
	];
	const { message, ...sent } = asked ? messageFields(run, asked, link) : ({} as IDataObject);
	const json: Record<string, unknown> = {
		// The model reads what a button approves.
		...(asked && !asTool && { message }),
		...sent,
		text: latestAgentText(session),
		...('output' in outcome && { output: outcome.output }),
		// A tool has only one output.
		status: asTool ? toWords(kind).replace(' ', '_') : session.status,
		sessionId: session.sessionId,
		dashboardUrl: session.dashboardUrl,
		...(projectId !== undefined && { projectId }),
		...(projectName !== undefined && { projectName }),
		startedAt: new Date(startedAt).toISOString(),
		durationMs,
		...(kind === 'failed' && { failure: session.error ?? 'The service gave no reason' }),
		...(kind === 'completed' && !isSimple && session.error && { sessionError: session.error }),
		decisions,
		...(kind !== 'failed' && previewUrl !== undefined && { previewUrl }),
		...(kind !== 'needsApproval' && changes.length > 0 && { changes }),
		...(warnings.length > 0 && { warnings }),
		...(kind === 'completed' && rulesToRemember.length > 0 && { rulesToRemember }),
		...(asked && approvalFields(run, asked, asTool)),
		...(!isSimple && { latestMessage, latestTool, lastActivityAt, pollCount }),
	};
	// A field of the service never takes the place of one of ours.
	return (isSimple ? json : { ...json, ...more, ...json }) as IDataObject;
}

export function toItemJson(
	context: IExecuteFunctions,
	itemIndex: number,
	run: SessionRun,
	outcome: SessionOutcome,
	asked = outcome.asked?.[0],
): IDataObject {
	const isSimple = readSimplify(context, itemIndex);
	const { resumeUrl } = context.getWorkflowDataProxy(0).$execution as { resumeUrl: string };
	const link = asked?.approver && approvalUrl(resumeUrl, asked.approver.nonce);
	return toJson(run, outcome, isTool(context), isSimple, asked, link);
}

/** Returns the fields of an item that fails: all that a completed one has, as far as they're known. */
export function toWorkJson(
	context: IExecuteFunctions,
	itemIndex: number,
	run: SessionRun,
): IDataObject {
	let isSimple = true;
	try {
		isSimple = readSimplify(context, itemIndex);
	} catch {
		// The item fails already.
	}
	return omit(toJson(run, { kind: 'failed' }, isTool(context), isSimple), 'failure');
}

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

export function sessionFailedError(run: DecidingRun): WorkspaceAutomationError {
	const { session, decisions, warnings } = viewSession(run, true);
	const advice = decisions.some(({ decision }) => decision === 'deny')
		? 'A request was denied, which may be the reason. Check the session in the dashboard.'
		: 'Check the session in the dashboard. Then run the workflow again, or continue the session with a message.';
	const error = new SessionOverError(
		`The agent session failed: ${excerpt(session.error ?? 'the service gave no reason', 500)}`,
		[advice, ...warnings].join(' '),
	);
	return addSession(error, { ...session, decisions });
}

interface ItemFailure {
	itemIndex: number;
	error: Error;
}

/** A session with the item that it's of, or the node of another entry */
export type NamedSession = StandingSession & { of: number | string };

const nameSession = ({ sessionId, dashboardUrl }: ErrorContext): string =>
	sessionId ? ` (session ${[sessionId, dashboardUrl].filter(Boolean).join(', ')})` : '';

/** Returns a sentence about an item's earlier tries. Empty without one */
export const nameEarlier = ({ earlierSessions = [] }: ErrorContext): string =>
	earlierSessions.length > 0 ? ` Earlier sessions: ${earlierSessions.join(', ')}.` : '';

/** Returns the error of the first item that failed, with all other sessions in its description: the node throws only one. */
export function combineFailures(
	context: IExecuteFunctions,
	[first, ...others]: readonly ItemFailure[],
	siblings: readonly NamedSession[],
	elsewhere: readonly NamedSession[],
): Error {
	const error = toNodeError(context.getNode(), first.error, first.itemIndex);
	const failedNames = others.map(({ itemIndex, error: other }) => {
		const about = other instanceof WorkspaceAutomationError ? other.context : {};
		return `Item ${itemIndex}: ${other.message}${nameSession(about)}.${nameEarlier(about)}`;
	});
	const nameSiblings = (state: StandingSession['state']) =>
		siblings
			.filter((sibling) => sibling.state === state)
			.map((sibling) => `Item ${sibling.of}: ${state}${nameSession(sibling)}.`);
	const done = nameSiblings('completed');
	const running = nameSiblings('running');
	const outside = elsewhere.map(({ sessionId, of, state }) => `${sessionId} (${of}, ${state})`);
	error.description = [
		error.description,
		...(failedNames.length > 0 ? ['Other items failed as well.', ...failedNames] : []),
		...(done.length > 0 ? ['Other items have completed. A retry returns them.', ...done] : []),
		...(running.length > 0 ? ['Other sessions run on. A retry continues them.', ...running] : []),
		...(outside.length > 0 ? ['Other sessions of this execution:', `${outside.join(', ')}.`] : []),
	].join(' ');
	return error;
}

/** Names the items whose last request may have taken effect, and says of each session what became of it: Stop drops all items. */
export function canceledError(
	context: IExecuteFunctions,
	failures: readonly ItemFailure[],
	sentences: readonly string[],
): Error {
	const unknown = failures.flatMap(({ itemIndex, error }) => {
		const isSent = error instanceof CanceledError || error instanceof IndeterminateError;
		return isSent && !hadNoEffect(error) ? [`Item ${itemIndex}`] : [];
	});
	const mayHave = `${unknown.join(', ')}: a request may have taken effect. It may have started a session: check the dashboard before you run the workflow again.`;
	const description = [...(unknown.length > 0 ? [mayHave] : []), ...sentences].join(' ');
	return new NodeOperationError(context.getNode(), 'The execution was canceled', {
		description: description || undefined,
	});
}
