import { NOT_A_LIST, type Interaction, type Session } from '../../shared/client/session';
import { isRecord, omit, toText } from '../../shared/values';
import { readWholeRequest } from '../policy/remembered';
import type { RememberedRequest } from '../policy/rule';
import { listEdits, type Edit } from '../changes/change';
import {
	hashWithout,
	listChanges,
	listJumps,
	MAX_UNSTEADY,
	readContent,
	type Clocks,
	type Content,
} from './content';
import { isQuestion, readQuestionText } from '../../shared/approvals/agentQuestion';
import type { RequestVerdict, Vote } from './votes';

// One record holds everything that the node knows about a request. Each function takes the records after one event. They are pure.

export type DecisionState = 'sent' | 'confirmed' | 'unconfirmed' | 'gone' | 'refused';

export interface SentDecision {
	verdict: RequestVerdict;
	/** The ID for which it was sent. The service may give the request another one later. */
	interactionId?: string;
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
	note?: string;
}

/** The facts of a question about a quiet session */
export interface Quiet {
	/** Since when nothing has changed */
	since: number;
	/** The time without activity after which approvers are asked */
	afterMs: number;
	/** What the session did last, in the agent's words */
	latest?: { label: 'Latest tool' | 'Latest message'; text: string };
	/** If the latest readings failed: the status before them, and its time */
	unread?: { status: string; since: number };
}

export interface RequestRecord {
	/** The service's interaction ID, the latest one */
	id: string;
	/** Of what the first poll showed. Clocks may tick after that */
	contentHash: string;
	/** As the latest poll showed it. Missing once it isn't pending anymore. */
	interaction?: Interaction;
	/** Of the latest poll that showed it: hashes without clocks and without metadata, and what its clocks said */
	steadyHash?: string;
	frameHash?: string;
	clocks?: Clocks;
	readAt?: number;
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
	votes: Vote[];
	decision?: SentDecision;
	/** True if the service gave the same pending request another ID */
	isReissued?: true;
	/** Metadata that changes at each poll, so that nobody can approve what it says */
	unsteady?: string[];
	/** Number of polls in a row in which only the metadata changed */
	changes?: number;
	/** Names of the approvers whose answers to an earlier content of this ID don't count */
	voided?: string[];
	/** True if another record took its place: of the same ID with other content, or of a request that is still pending after its decision */
	isReplaced?: true;
	/** True if an earlier decision on it had no effect. Only a person decides it again. */
	wasResolved?: true;
}

/** A taken decision whose request is still listed after this time didn't take effect. */
export const MAX_UNCONFIRMED_MS = 30_000;
/** Polls in a row with other metadata after which the metadata counts as changing at each poll */
const MIN_CHANGES = 2;

const MAX_QUESTION_KEPT = 500;

const MAX_NAMED = 3;

/** Says which metadata changes with each reading. */
export function describeUnsteady(names: readonly string[]): string {
	const more = names.length - MAX_NAMED;
	const others = names.length < MAX_UNSTEADY ? `${more} more` : 'many more';
	return [...names.slice(0, MAX_NAMED), ...(more > 0 ? [others] : [])].join(' and ');
}

/** Returns whether the next poll may show what came of a decision. */
export const isWaiting = ({ decision }: RequestRecord): boolean =>
	decision?.state === 'sent' && (decision.isTaken === true || decision.pollsShown === 0);

/** Returns whether a request is pending and takes an answer: no decision was sent, or it's not known that the service took it. */
export const isOpen = ({ interaction, decision }: RequestRecord): boolean =>
	interaction !== undefined &&
	(decision === undefined || (decision.state === 'sent' && !decision.isTaken));

/** Returns whether an answer came after the decision that was sent, so that it decided nothing. */
export const isLate = ({ decision }: RequestRecord, { at }: Pick<Vote, 'at'>): boolean =>
	decision !== undefined && at > decision.at;

const isOver = ({ decision }: RequestRecord): boolean =>
	decision !== undefined && ['confirmed', 'gone', 'refused'].includes(decision.state);

/** What a poll shows of one request */
interface Shown {
	interaction: Interaction;
	content: Content | undefined;
}

function newRecord({ interaction, content }: Shown, now: number): RequestRecord {
	const { id, permission, patterns } = interaction;
	return {
		id,
		contentHash: content?.hash ?? '',
		...readingOf({ interaction, content }, now),
		permission: toText(permission ?? ''),
		patterns: Array.isArray(patterns) ? patterns.map(toText) : [],
		...(isQuestion(interaction) && {
			question: readQuestionText(interaction).slice(0, MAX_QUESTION_KEPT),
		}),
		seenAt: now,
		votes: [],
	};
}

/** Returns what a record keeps of the latest reading of its request. */
const readingOf = ({ interaction, content }: Shown, now: number) => ({
	interaction,
	steadyHash: content?.steadyHash,
	frameHash: content?.frameHash,
	clocks: content?.clocks ?? {},
	readAt: now,
});

export const isReadable = ({ type }: Interaction): boolean => type !== NOT_A_LIST;

/**
 * Returns whether another ID may be the same request's. After a decision it's another request, because agents ask for the same thing
 * again, unless the service is known to change IDs.
 */
const mayHaveOtherId = (record: RequestRecord): boolean =>
	!isOver(record) && (!record.decision || record.isReissued === true);

/** Returns whether a request that a poll shows is the record's: nothing but clocks has changed. */
function isSame(record: RequestRecord, { content }: Shown, now: number): boolean {
	if (!content) return false;
	const { unsteady, contentHash, steadyHash, clocks = {}, readAt = now } = record;
	if (unsteady) return hashWithout(content, unsteady) === contentHash;
	const isSteady = steadyHash === content.steadyHash;
	return isSteady && listJumps(clocks, content.clocks, now - readAt, now).length === 0;
}

/** Returns whether two pending requests differ in nothing but clocks, which show the time of their readings. */
export function looksLike(one: RequestRecord, other: RequestRecord): boolean {
	if (one.unsteady || other.unsteady || one.steadyHash !== other.steadyHash) return false;
	const [first, second] = [one, other].sort((a, b) => (a.readAt ?? 0) - (b.readAt ?? 0));
	const { clocks = {}, readAt = 0 } = second;
	return listJumps(first.clocks ?? {}, clocks, readAt - (first.readAt ?? 0), readAt).length === 0;
}

function groupBy<T>(things: readonly T[], keyOf: (thing: T) => string): Map<string, T[]> {
	const groups = new Map<string, T[]>();
	for (const thing of things) {
		const key = keyOf(thing);
		const group = groups.get(key);
		if (group) group.push(thing);
		else groups.set(key, [thing]);
	}
	return groups;
}

/** Metadata that changes with each reading, in the ways that are compared with requests under other IDs */
const MAX_UNSTEADY_SETS = 5;

/** Returns the record of each request that a poll shows: the same content, under its ID or under another one. Reads each record once. */
function findRecords(
	records: readonly RequestRecord[],
	shown: readonly Shown[],
	now: number,
): Map<RequestRecord, Shown> {
	const found = new Map<RequestRecord, Shown>();
	const listed = new Set(shown.map(({ interaction }) => interaction.id));
	const free = records.filter(({ isReplaced }) => !isReplaced);
	const byId = groupBy(free, ({ id }) => id);
	const unlisted = free.filter((record) => !listed.has(record.id) && mayHaveOtherId(record));
	const byContent = groupBy(unlisted, ({ unsteady, contentHash, steadyHash = '' }) =>
		unsteady ? contentHash : steadyHash,
	);
	const sets = new Map(
		unlisted.flatMap(({ unsteady }) => (unsteady ? [[unsteady.join(), unsteady]] : [])),
	);
	const unsteadySets = [...sets.values()].slice(0, MAX_UNSTEADY_SETS);
	const take = (candidates: readonly RequestRecord[] = [], each: Shown): boolean => {
		const record = candidates.find((one) => !found.has(one) && isSame(one, each, now));
		if (record) found.set(record, each);
		return record !== undefined;
	};
	for (const each of shown) {
		const { content } = each;
		if (!content || take(byId.get(each.interaction.id), each)) continue;
		if (take(byContent.get(content.steadyHash), each)) continue;
		unsteadySets.some((names) => take(byContent.get(hashWithout(content, names)), each));
	}
	return found;
}

/** Requests of a session that have records and are decided at once. The next ones follow when these are gone. */
export const MAX_PENDING = 200;

/** Requests that are gone without a decision, and are kept to say so on their page */
const MAX_GONE = 200;

/** Returns the pending requests that a reading takes: those that have records first. */
export function takePending(
	records: readonly RequestRecord[],
	pending: Interaction[],
): Interaction[] {
	if (pending.length <= MAX_PENDING) return pending;
	const known = new Set(records.flatMap(({ id, isReplaced }) => (isReplaced ? [] : id)));
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
	const shown = takePending(records, pending).map((interaction) => ({
		interaction,
		content: readContent(interaction),
	}));
	const found = findRecords(records, shown, now);
	const after = new Map([...found].map(([record, each]) => [record, pollShows(record, each, now)]));
	const isFound = new Set(found.values());
	const added = addRequests(
		records.filter((record) => record.interaction && !after.has(record)),
		after,
		shown.filter((each) => !isFound.has(each)),
		new Set(pending.map(({ id }) => id)),
		now,
	);
	const unread = new Set(pending.length > shown.length ? pending.map(({ id }) => id) : []);
	const known = records.flatMap((record) => {
		const later = after.get(record);
		// A request that the reading left for the next one is still pending.
		if (!later && record.interaction && unread.has(record.id)) return [record];
		return reopen(later ?? pollDoesNotShow(record), now);
	});
	return withoutForgotten([...known, ...added]);
}

/** Adds requests that no record has, or takes changes of earlier ones that only metadata explains: under their ID, or under an ID that is gone. */
function addRequests(
	before: readonly RequestRecord[],
	after: Map<RequestRecord, RequestRecord>,
	shown: readonly Shown[],
	listed: ReadonlySet<string>,
	now: number,
): RequestRecord[] {
	const byId = groupBy(before, ({ id }) => id);
	const byFrame = groupBy(
		before.filter(({ id, decision }) => !decision && !listed.has(id)),
		({ frameHash = '' }) => frameHash,
	);
	const takeFree = (candidates: RequestRecord[] = []): RequestRecord | undefined => {
		while (candidates.length > 0) {
			const record = candidates.shift()!;
			if (!after.has(record)) return record;
		}
		return undefined;
	};
	return shown.flatMap((each): RequestRecord[] => {
		const { id } = each.interaction;
		const record =
			(id === '' ? undefined : takeFree(byId.get(id))) ??
			takeFree(byFrame.get(each.content?.frameHash ?? ''));
		return record ? changeRequest(record, after, each, now) : [newRecord(each, now)];
	});
}

/** Returns the record of the changed request. If only its metadata keeps changing, the earlier record stays. */
function changeRequest(
	before: RequestRecord,
	after: Map<RequestRecord, RequestRecord>,
	shown: Shown,
	now: number,
): RequestRecord[] {
	const names = listChangedMetadata(before, shown, now);
	const changes = names.length > 0 ? (before.changes ?? 0) + 1 : 0;
	if (changes >= MIN_CHANGES) {
		const all = new Set([...(before.unsteady ?? []), ...names]);
		const unsteady = [...all].slice(0, MAX_UNSTEADY);
		after.set(before, {
			...before,
			...readingOf(shown, now),
			id: shown.interaction.id,
			votes: [],
			contentHash: hashWithout(shown.content!, unsteady),
			unsteady,
			changes,
		});
		return [];
	}
	after.set(before, { ...pollDoesNotShow(before), isReplaced: true });
	const voided = [...(before.voided ?? []), ...before.votes.flatMap(({ name }) => name ?? [])];
	return [
		{
			...newRecord(shown, now),
			...(changes > 0 && { changes }),
			...(voided.length > 0 && { voided: [...new Set(voided)] }),
		},
	];
}

/** Returns the names of the metadata that changed. None if anything else did. */
function listChangedMetadata(
	{ interaction, frameHash, clocks = {}, readAt = 0 }: RequestRecord,
	{ content }: Shown,
	now: number,
): string[] {
	if (!content || content.frameHash !== frameHash) return [];
	const metadata = isRecord(interaction?.metadata) ? interaction.metadata : {};
	return [
		...listChanges(metadata, content),
		...listJumps(clocks, content.clocks, now - readAt, now),
	];
}

function pollShows(record: RequestRecord, each: Shown, now: number): RequestRecord {
	const { decision } = record;
	const { interaction } = each;
	const isReissued = interaction.id !== record.id && !decision;
	const shown: RequestRecord = {
		...omit(record, 'changes'),
		...readingOf(each, now),
		id: interaction.id,
		...(isReissued && { isReissued: true as const }),
	};
	if (!decision) return shown;
	const { isTaken, mayHaveArrived, at, state } = decision;
	const pollsShown = decision.pollsShown + 1;
	// A request that a later poll shows again is still pending.
	const isRefused = state === 'gone' || state === 'refused';
	const isOpenAgain =
		state === 'confirmed' || (state === 'unconfirmed' && !isTaken && !mayHaveArrived);
	const current = isRefused ? 'refused' : isOpenAgain ? 'sent' : state;
	const isOverdue = isTaken && now >= at + MAX_UNCONFIRMED_MS;
	// A lost decision may have arrived, and this may be the next request with the same content.
	const mayBeOther = !isTaken && interaction.id !== record.id;
	const isUnsure = current === 'sent' && (isOverdue || mayBeOther);
	return {
		...shown,
		decision: { ...decision, pollsShown, state: isUnsure ? 'unconfirmed' : current },
	};
}

/** Replaces the record of a request that is still pending although it was resolved, so that approvers are asked again. */
function reopen(record: RequestRecord, now: number): RequestRecord[] {
	if (!record.interaction || record.decision?.state !== 'unconfirmed') return [record];
	const open = omit(record, 'decision', 'askedAt', 'changes', 'voided');
	return [
		{ ...omit(record, 'interaction'), isReplaced: true },
		{ ...open, seenAt: now, votes: [], wasResolved: true },
	];
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
			interactionId: record.id,
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

/** Notes that approvers are asked. The time for an answer counts from the first time, and earlier answers don't count. */
export const recordAsked = (
	records: readonly RequestRecord[],
	asked: readonly RequestRecord[],
	now: number,
): RequestRecord[] =>
	records.map((record) =>
		asked.some((each) => isSameRecord(each, record))
			? { ...record, votes: [], askedAt: record.askedAt ?? now }
			: record,
	);

/** Saves an approver's answer with a request that is still pending. */
export const recordVotes = (
	records: readonly RequestRecord[],
	record: RequestRecord,
	votes: Vote[],
): RequestRecord[] => change(records, record, { votes });

/** Returns the records of a session that has ended, or that nobody polls anymore. */
export const endRequests = (records: readonly RequestRecord[]): RequestRecord[] =>
	records.map((record) => endDecision(record, 'unconfirmed'));
