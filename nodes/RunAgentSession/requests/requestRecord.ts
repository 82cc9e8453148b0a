import type { Interaction, Session } from '../../shared/client/session';
import { MAX_PENDING } from '../../shared/limits';
import {
	findShapeProblem,
	findUnanswerable,
	isQuestion,
	readQuestionText,
} from '../../shared/approvals/interaction';
import { fingerprint, omit, sortedJson, toText } from '../../shared/values';
import { readWholeRequest, type RememberedRequest } from '../../shared/approvals/rememberedRequest';
import { listEdits, type Edit } from '../changes/change';
import type { RequestVerdict } from './votes';

// One record holds everything that the node knows about a request. Each function takes the records after one event. They are pure.

export type DecisionState = 'sent' | 'confirmed' | 'unconfirmed' | 'gone' | 'refused';

export interface SentDecision {
	verdict: RequestVerdict;
	/** The files that it changes, if it was approved */
	edits?: Edit[];
	/** The whole request, if it was approved from now on */
	remembered?: RememberedRequest;
	/** Milliseconds since 1970 */
	at: number;
	/** `sent` until polls or the end of the session show what came of it. All others are final. */
	state: DecisionState;
	/** True once the service answered it with a 2xx */
	isTaken?: true;
	/** True if an earlier try may have reached the service */
	mayHaveArrived?: true;
	/** When the service first refused it. Kept by retries */
	refusedAt?: number;
	/** Polls since then that still show the request */
	pollsShown: number;
}

/** The facts of a question about a quiet session */
export interface Quiet {
	/** Since when nothing has changed */
	since: number;
	/** The time without activity after which approvers are asked */
	afterMs: number;
	/** What the session did last, in the agent's words */
	latest?: { label: 'Latest tool' | 'Latest message'; text: string };
}

export interface RequestRecord {
	/** The service's interaction ID */
	id: string;
	/** Of everything but the ID */
	contentHash: string;
	/** As the latest poll showed it. Missing once it isn't pending anymore. */
	interaction?: Interaction;
	permission: string;
	patterns: string[];
	/** The beginning of its text, if it's a question */
	question?: string;
	/** Marks the node's own request about a quiet session */
	quiet?: Quiet;
	/** Milliseconds since 1970, like all times here */
	seenAt: number;
	/** When approvers were first asked */
	askedAt?: number;
	decision?: SentDecision;
	/** Readings in a row that showed another ID or content, and when approvers were asked about the first */
	changes?: { count: number; askedAt?: number };
	/** True if another record took its place: a later one of the same ID or content */
	isReplaced?: true;
	/** True if an earlier decision on it had no effect. Only a person decides it again. */
	wasResolved?: true;
}

/** A taken decision whose request is still listed after this time didn't take effect. */
const MAX_UNCONFIRMED_MS = 30_000;
/** Readings in a row with another ID or content after which a request is left to the dashboard */
const MAX_CHANGES = 3;

const MAX_QUESTION_KEPT = 500;

/** Identifies a request: its ID, its content, and when the execution first saw it */
export type RequestKey = string;

export const requestKey = ({
	id,
	contentHash,
	seenAt,
}: Pick<RequestRecord, 'id' | 'contentHash' | 'seenAt'>): RequestKey =>
	fingerprint(JSON.stringify([id, contentHash, seenAt]));

/** Returns whether a request changes with each reading, so that nobody can answer what it says. */
export const isChanging = ({ changes }: RequestRecord): boolean =>
	changes !== undefined && changes.count >= MAX_CHANGES;

/** Returns why only the dashboard can decide a request that changes, or undefined. */
export const findChange = (record: RequestRecord): string | undefined =>
	isChanging(record) ? 'it changes with each reading' : undefined;

/** An agent that asks more often isn't making progress. */
export const MAX_DECISIONS = 1_000;

/** Returns why neither a decision nor an answer to a pending request can be sent, or undefined. @param decided the session's decided requests */
export function reasonToAsk(
	{ interaction, decision }: RequestRecord,
	decided: number,
): string | undefined {
	if (!decision && decided >= MAX_DECISIONS)
		return `${MAX_DECISIONS} requests of this session were decided already`;
	return interaction && (findShapeProblem(interaction) ?? findUnanswerable(interaction));
}

/** Returns since when a request waits for an answer. One that changes with each reading waits since the first of them. */
export const waitingSince = (record: RequestRecord): number | undefined =>
	(isChanging(record) ? record.changes?.askedAt : undefined) ?? record.askedAt;

/** Returns whether the next poll may show what came of a decision. */
export const isWaiting = ({ decision }: RequestRecord): boolean =>
	decision?.state === 'sent' && (decision.isTaken === true || decision.pollsShown === 0);

/** Returns whether a request is pending and takes an answer: no decision was sent, or it's not known that the service took it. */
export const isOpen = ({ interaction, decision }: RequestRecord): boolean =>
	interaction !== undefined &&
	(decision === undefined || (decision.state === 'sent' && !decision.isTaken));

export const isQuietRecord = ({ quiet }: RequestRecord): boolean => quiet !== undefined;

/** Returns the request about a quiet session that approvers may answer. */
export const findQuiet = (records: readonly RequestRecord[]): RequestRecord | undefined =>
	records.find((record) => isQuietRecord(record) && isOpen(record));

/** Returns whether an answer came after the decision that was sent, so that it decided nothing. */
export const isLate = ({ decision }: RequestRecord, { at }: { at: number }): boolean =>
	decision !== undefined && at > decision.at;

/** Returns the hash of everything but the ID. */
const hashContent = (interaction: Interaction): string =>
	fingerprint(sortedJson(interaction, (name, value) => (name === 'id' ? undefined : value)) ?? '');

function newRecord(interaction: Interaction, now: number): RequestRecord {
	const { id, permission, patterns } = interaction;
	return {
		id,
		contentHash: hashContent(interaction),
		interaction,
		permission: toText(permission ?? ''),
		patterns: Array.isArray(patterns) ? patterns.map(toText) : [],
		...(isQuestion(interaction) && {
			question: readQuestionText(interaction).slice(0, MAX_QUESTION_KEPT),
		}),
		seenAt: now,
	};
}

/** Requests that are gone without a decision, and are kept to say so on their page */
const MAX_GONE = 200;

/** Returns the ID under which readings show a request. One that changes with each reading may have had another before. */
const shownId = ({ id, interaction }: RequestRecord): string => interaction?.id ?? id;

const listKnown = (records: readonly RequestRecord[]): Set<string> =>
	new Set(records.flatMap((record) => (record.isReplaced ? [] : shownId(record))));

/** Returns the pending requests that a reading takes: those that have records first. */
export function takePending(
	records: readonly RequestRecord[],
	pending: Interaction[],
): Interaction[] {
	if (pending.length <= MAX_PENDING) return pending;
	const known = listKnown(records);
	const isKnown = ({ id }: Interaction) => known.has(id);
	const ordered = [...pending.filter(isKnown), ...pending.filter((each) => !isKnown(each))];
	return ordered.slice(0, MAX_PENDING);
}

/** Removes the oldest records that nothing is kept of: neither pending nor decided. */
function withoutForgotten(records: readonly RequestRecord[]): RequestRecord[] {
	const isGone = ({ interaction, decision }: RequestRecord) => !interaction && !decision;
	let excess = records.filter(isGone).length - MAX_GONE;
	return records.filter((record) => !isGone(record) || excess-- <= 0);
}

export function applyPoll(
	records: readonly RequestRecord[],
	session: Session,
	now: number,
): RequestRecord[] {
	// A failed session has no pending requests, which proves nothing about earlier decisions.
	if (session.status === 'failed')
		return records.map((record) => endDecision(omit(record, 'interaction'), 'unconfirmed'));
	const { pendingInteractions: pending } = session;
	const shown = new Map(takePending(records, pending).map((each) => [each.id, each]));
	// Requests that the reading left for the next one are still pending.
	const left = new Set(pending.flatMap(({ id }) => (shown.has(id) ? [] : id)));
	const known = listKnown(records);
	const added = [...shown.values()].flatMap((each) =>
		known.has(each.id) ? [] : newRecord(each, now),
	);
	const later = records.flatMap((record) => {
		if (record.isReplaced) return pollDoesNotShow(record);
		if (record.interaction && left.has(shownId(record))) return record;
		const interaction = shown.get(shownId(record)) ?? takeSame(added, record);
		return interaction ? showAgain(record, interaction, now) : pollDoesNotShow(record);
	});
	return withoutForgotten([...later, ...added]);
}

/** Takes the request that has another ID than one that was pending until now, and the same content. */
function takeSame(added: RequestRecord[], { interaction, decision }: RequestRecord) {
	if (!interaction || decision) return undefined;
	const hash = hashContent(interaction);
	const index = added.findIndex(({ contentHash }) => contentHash === hash);
	return index < 0 ? undefined : added.splice(index, 1)[0].interaction;
}

/** Returns the records of a request that a poll shows again. With another ID or content, or after a confirmed decision, it's another request. */
function showAgain(record: RequestRecord, interaction: Interaction, now: number): RequestRecord[] {
	const { decision, id, contentHash } = record;
	if (decision?.state === 'confirmed') return replace(record, newRecord(interaction, now));
	// Until it's known what came of a decision that was taken, its ID shows that one.
	const isHeld = isChanging(record) || (decision?.state === 'sent' && decision.isTaken);
	return isHeld || (id === interaction.id && contentHash === hashContent(interaction))
		? reopen(pollShows(record, interaction, now), now)
		: replace(record, changedRecord(record, interaction, now));
}

const replace = (before: RequestRecord, after: RequestRecord): RequestRecord[] => [
	{ ...pollDoesNotShow(before), isReplaced: true },
	after,
];

function changedRecord(before: RequestRecord, interaction: Interaction, now: number) {
	const { changes = { count: 0 }, askedAt } = before;
	return {
		...newRecord(interaction, now),
		changes: { count: changes.count + 1, askedAt: changes.askedAt ?? askedAt },
	};
}

function pollShows(record: RequestRecord, interaction: Interaction, now: number): RequestRecord {
	const { decision } = record;
	const shown = { ...(isChanging(record) ? record : omit(record, 'changes')), interaction };
	if (!decision) return shown;
	const { isTaken, mayHaveArrived, at, state } = decision;
	const pollsShown = decision.pollsShown + 1;
	// A request that a later poll shows again is still pending.
	const isRefused = state === 'gone' || state === 'refused';
	const isOpenAgain = state === 'unconfirmed' && !isTaken && !mayHaveArrived;
	const current = isRefused ? 'refused' : isOpenAgain ? 'sent' : state;
	const isUnsure = current === 'sent' && isTaken && now >= at + MAX_UNCONFIRMED_MS;
	return {
		...shown,
		decision: { ...decision, pollsShown, state: isUnsure ? 'unconfirmed' : current },
	};
}

/** Replaces the record of a request that is still pending although it was resolved, so that approvers are asked again. */
function reopen(record: RequestRecord, now: number): RequestRecord[] {
	const { interaction, decision } = record;
	return interaction && decision?.state === 'unconfirmed'
		? replace(record, { ...newRecord(interaction, now), wasResolved: true })
		: [record];
}

function pollDoesNotShow(record: RequestRecord): RequestRecord {
	const gone = omit(record, 'interaction');
	const { decision } = record;
	return endDecision(gone, decision?.isTaken ? 'confirmed' : 'unconfirmed');
}

const endDecision = (record: RequestRecord, state: DecisionState): RequestRecord =>
	record.decision?.state === 'sent'
		? { ...record, decision: { ...record.decision, state } }
		: record;

const isSameRecord = (one: RequestRecord, other: RequestRecord): boolean =>
	one.id === other.id && one.contentHash === other.contentHash && !one.isReplaced;

const change = (
	records: readonly RequestRecord[],
	record: RequestRecord,
	changes: Partial<RequestRecord>,
): RequestRecord[] =>
	records.map((each) => (isSameRecord(each, record) ? { ...each, ...changes } : each));

function approvedEdits(
	{ interaction }: RequestRecord,
	{ decision }: RequestVerdict,
): Pick<SentDecision, 'edits'> {
	const edits = decision === 'approve' && interaction ? listEdits(interaction) : [];
	return edits.length > 0 ? { edits } : {};
}

/** Journals a decision that is about to be sent. */
export const recordSending = (
	records: readonly RequestRecord[],
	record: RequestRecord,
	verdict: RequestVerdict,
	now: number,
): RequestRecord[] =>
	change(records, record, {
		decision: {
			verdict,
			...approvedEdits(record, verdict),
			...(verdict.fromNowOn && { remembered: readWholeRequest(record.interaction ?? {}) }),
			at: now,
			state: 'sent',
			pollsShown: 0,
			...(record.decision?.state === 'sent' && { mayHaveArrived: true }),
			...(record.decision?.refusedAt && { refusedAt: record.decision.refusedAt }),
		},
	});

const changeDecision = (
	records: readonly RequestRecord[],
	record: RequestRecord,
	changes: (decision: SentDecision) => Partial<SentDecision>,
): RequestRecord[] =>
	records.map((each) =>
		isSameRecord(each, record) && each.decision
			? { ...each, decision: { ...each.decision, ...changes(each.decision) } }
			: each,
	);

export const recordTaken = (records: readonly RequestRecord[], record: RequestRecord) =>
	changeDecision(records, record, () => ({ isTaken: true }));

/** Takes back a decision that provably wasn't sent. `record` is the request before it. */
export const recordUnsent = (records: readonly RequestRecord[], record: RequestRecord) =>
	change(records, record, { decision: record.decision });

/** Records that the service refused a decision. @param isGone the service doesn't know the request anymore */
export const recordRefused = (
	records: readonly RequestRecord[],
	record: RequestRecord,
	isGone: boolean,
	now: number,
) =>
	changeDecision(records, record, ({ mayHaveArrived, refusedAt = now }) => ({
		state: isGone ? (mayHaveArrived ? 'unconfirmed' : 'gone') : 'refused',
		refusedAt,
	}));

/** Notes that approvers are asked. The time for an answer counts from the first time. */
export const recordAsked = (
	records: readonly RequestRecord[],
	asked: readonly RequestRecord[],
	now: number,
): RequestRecord[] =>
	records.map((record) =>
		asked.some((each) => isSameRecord(each, record))
			? { ...record, askedAt: record.askedAt ?? now }
			: record,
	);

/** Counts the time for an answer to open requests anew. Without a page, they're asked again by their missing time. */
export const recordAskedAgain = (
	records: readonly RequestRecord[],
	askedAt: number | undefined,
): RequestRecord[] =>
	records.map((record) => {
		const { changes } = record;
		if (!isOpen(record) || record.askedAt === undefined) return record;
		return { ...record, askedAt, ...(changes && { changes: { ...changes, askedAt } }) };
	});

/** Makes other requests of those whose answers decided nothing, so that approvers are asked again and these answers don't count. */
export const replaceUndecided = (
	records: readonly RequestRecord[],
	isUndecided: (record: RequestRecord) => boolean,
	now: number,
): RequestRecord[] =>
	records.flatMap((record) =>
		isOpen(record) && isUndecided(record)
			? [
					{ ...omit(record, 'interaction', 'decision'), isReplaced: true as const },
					{ ...record, seenAt: Math.max(now, record.seenAt + 1) },
				]
			: [record],
	);

/** Returns the records of a session that has ended, or that nobody polls anymore. */
export const endRequests = (records: readonly RequestRecord[]): RequestRecord[] =>
	records.map((record) => endDecision(record, 'unconfirmed'));
