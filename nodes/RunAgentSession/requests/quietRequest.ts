import {
	latestAgentText,
	messageKey,
	type Interaction,
	type Session,
} from '../../shared/client/session';
import {
	fingerprint,
	nonEmptyText,
	omit,
	parseTimestamp,
	pluralize,
	sortedJson,
} from '../../shared/values';
import { decidedByVotes, type Voting } from './ballots';
import { isQuietRecord, type DecisionState, type Quiet, type RequestRecord } from './requestRecord';
import type { RequestVerdict } from './votes';

// The node's own request about a session that has been quiet. Its record is marked, because nothing of it comes from the service.

/** What readings have shown of a session's activity. Milliseconds since 1970 */
export interface Activity {
	/** Of `lastActivityAt`, the latest message and the latest tool. Missing until a reading shows them */
	hash?: string;
	/** Of the latest reading, to know a message that was sent without one */
	messageKey?: string;
	/** Since when nothing has changed, no request was pending, and no approver chose to keep waiting */
	since: number;
	/** Of the latest reading */
	status?: string;
	/** What the session did last */
	latest?: Quiet['latest'];
}

export const KEEP = 'Keep waiting';
export const MESSAGE = 'Send a message';
export const ABORT = 'Abort the session';
export const QUIET_CHOICES = [KEEP, MESSAGE, ABORT];

const MAX_LATEST_LENGTH = 300;

export const describeSilence = ({ afterMs }: Pick<Quiet, 'afterMs'>): string =>
	`has been quiet for ${pluralize(Math.round(afterMs / 6_000) / 10, 'minute')}`;

export const formatQuiet = (quiet: Pick<Quiet, 'afterMs'>): string =>
	`The session ${describeSilence(quiet)}`;

/** Returns the tool or the agent's message, whichever is later. */
function findLatest(session: Session): Quiet['latest'] {
	const { latestMessage, latestTool } = session;
	const tool = nonEmptyText(latestTool?.title) ?? nonEmptyText(latestTool?.name);
	const message = nonEmptyText(latestAgentText(session));
	const isMessage = parseTimestamp(latestMessage?.createdAt) > parseTimestamp(latestTool?.at);
	const text = (isMessage ? message : tool) ?? tool ?? message;
	const label = text === tool ? 'Latest tool' : 'Latest message';
	return text === undefined ? undefined : { label, text: text.slice(0, MAX_LATEST_LENGTH) };
}

/** Returns the activity after a reading. A change counts from its own time, which lies between the two readings. */
export function readActivity(
	before: Activity,
	session: Session,
	readBefore: number,
	now: number,
): Activity {
	const { lastActivityAt, latestMessage, latestTool, status } = session;
	const hash = fingerprint(sortedJson([lastActivityAt, latestMessage, latestTool]) ?? '');
	const isPending = session.pendingInteractions.length > 0;
	const at = parseTimestamp(lastActivityAt);
	const changedAt = Number.isNaN(at) ? now : Math.min(now, Math.max(readBefore, at));
	const since = isPending ? now : hash === before.hash ? before.since : changedAt;
	return {
		hash,
		messageKey: messageKey(session),
		since: Math.min(since, now),
		status,
		latest: findLatest(session),
	};
}

/** Returns whether activity took the request back before an answer was applied. */
export const isTakenBack = ({ quiet, interaction, decision }: RequestRecord): boolean =>
	quiet !== undefined && interaction === undefined && decision === undefined;

function createRecord(quiet: Quiet, now: number): RequestRecord {
	const id = `quiet-${now}`;
	const question = formatQuiet(quiet);
	const interaction: Interaction = { id, type: 'quiet', question, options: QUIET_CHOICES };
	// No content of the service has such a hash.
	return {
		...{ id, contentHash: id, interaction, quiet, question },
		...{ permission: '', patterns: [], seenAt: now },
	};
}

/** Returns the records with the request about a quiet session. Without one, an open one is taken back. */
export function showQuiet(
	records: readonly RequestRecord[],
	quiet: Quiet | undefined,
	now: number,
): RequestRecord[] {
	const open = records.find((record) => isQuietRecord(record) && record.interaction);
	const isSame = open !== undefined && quiet?.since === open.quiet!.since;
	const after = records.map((record): RequestRecord => {
		if (record !== open) return record;
		if (isSame) return { ...record, quiet };
		return endQuiet([record], 'gone')[0];
	});
	return quiet && !isSame ? [...after, createRecord(quiet, now)] : after;
}

/** Ends the open request. A decision that was sent gets the state. */
export const endQuiet = (
	records: readonly RequestRecord[],
	state: DecisionState,
): RequestRecord[] =>
	records.map((record): RequestRecord => {
		if (!isQuietRecord(record) || !record.interaction) return record;
		const { decision } = record;
		const isSent = decision?.state === 'sent';
		return { ...omit(record, 'interaction'), ...(isSent && { decision: { ...decision, state } }) };
	});

export function decideQuiet(record: RequestRecord, voting: Voting): RequestVerdict | undefined {
	const voted = decidedByVotes(record, voting);
	return voted && { ...voted, decidedBy: 'page' };
}

export const UNANSWERED: RequestVerdict = {
	...{ decision: 'answer', option: ABORT, decidedBy: 'policy', because: 'nobody answered' },
};

export const isAbort = ({ option, isText }: RequestVerdict): boolean => !isText && option === ABORT;

/** Returns whether an approver chose to abort the session: a decision, after which nothing starts another one. */
export const wasAborted = (records: readonly RequestRecord[]): boolean =>
	records.some(
		({ quiet, decision }) =>
			quiet && decision?.verdict.decidedBy === 'page' && isAbort(decision.verdict),
	);
