import { NOT_A_LIST, type Interaction, type Session } from '../../shared/client/session';
import { omit, toText } from '../../shared/values';
import { readWholeRequest, type RememberedRequest } from '../policy/remembered';
import { listEdits, type Edit } from './change';
import { changedMetadata, contentHash } from './content';
import { isQuestion, readQuestion } from '../../shared/approvals/agentQuestion';
import type { RequestVerdict, Vote } from './votes';

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
	note?: string;
}

export interface RequestRecord {
	/** The service's interaction ID, the latest one */
	id: string;
	contentHash: string;
	/** As the latest poll showed it. Missing once it isn't pending anymore. */
	interaction?: Interaction;
	permission: string;
	patterns: string[];
	/** The beginning of its text, if it's a question */
	question?: string;
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

const isOver = ({ decision }: RequestRecord): boolean =>
	decision !== undefined && ['confirmed', 'gone', 'refused'].includes(decision.state);

function newRecord(interaction: Interaction, hash: string, now: number): RequestRecord {
	const { id, permission, patterns } = interaction;
	return {
		id,
		contentHash: hash,
		interaction,
		permission: toText(permission ?? ''),
		patterns: Array.isArray(patterns) ? patterns.map(toText) : [],
		...(isQuestion(interaction) && {
			question: readQuestion(interaction).text.slice(0, MAX_QUESTION_KEPT),
		}),
		seenAt: now,
		votes: [],
	};
}

export const isReadable = ({ type }: Interaction): boolean => type !== NOT_A_LIST;

/**
 * Returns whether another ID may be the same request's. After a decision it's another request, because agents ask for the same thing
 * again, unless the service is known to change IDs.
 */
const mayHaveOtherId = (record: RequestRecord): boolean =>
	!isOver(record) && (!record.decision || record.isReissued === true);

/** Finds the record of a pending request: the same content, under its ID or under another one. */
function findRecord(
	records: readonly RequestRecord[],
	pending: readonly Interaction[],
	interaction: Interaction,
	taken: ReadonlySet<RequestRecord>,
): RequestRecord | undefined {
	const free = records.filter((record) => !taken.has(record) && !record.isReplaced);
	const isSame = (record: RequestRecord) =>
		record.contentHash === contentHash(interaction, record.unsteady);
	const isListed = ({ id }: RequestRecord) => pending.some((each) => each.id === id);
	return (
		free.find((record) => record.id === interaction.id && isSame(record)) ??
		free.find((record) => !isListed(record) && mayHaveOtherId(record) && isSame(record))
	);
}

/** Returns the records after a poll that returned the session. */
export function applyPoll(
	records: readonly RequestRecord[],
	session: Session,
	now: number,
): RequestRecord[] {
	// A failed session has no pending requests, which proves nothing about earlier decisions.
	if (session.status === 'failed')
		return records.map((record) => endDecision(omit(record, 'interaction'), 'unconfirmed'));
	const pending = session.pendingInteractions;
	const shown = new Map<RequestRecord, RequestRecord>();
	const added: RequestRecord[] = [];
	for (const interaction of pending) {
		const record = findRecord(records, pending, interaction, new Set(shown.keys()));
		if (record) shown.set(record, pollShows(record, interaction, now));
		else added.push(...addRequest(records, shown, pending, interaction, now));
	}
	const known = records.flatMap((record) =>
		reopen(shown.get(record) ?? pollDoesNotShow(record), now),
	);
	return [...known, ...added];
}

/** Finds the record of what a request was in the poll before: under its ID, or with other metadata under an ID that is gone. */
const findChanged = (
	records: readonly RequestRecord[],
	pending: readonly Interaction[],
	interaction: Interaction,
): RequestRecord | undefined =>
	records.find(({ id }) => id === interaction.id && id !== '') ??
	records.find(
		(record) =>
			!record.decision &&
			!pending.some(({ id }) => id === record.id) &&
			changedMetadata(record.interaction!, interaction) !== undefined,
	);

/** Adds a request that no record has, or takes a change of an earlier one that only metadata explains. */
function addRequest(
	records: readonly RequestRecord[],
	shown: Map<RequestRecord, RequestRecord>,
	pending: readonly Interaction[],
	interaction: Interaction,
	now: number,
): RequestRecord[] {
	const hash = contentHash(interaction) ?? '';
	const before = findChanged(
		records.filter((record) => record.interaction && !shown.has(record)),
		pending,
		interaction,
	);
	if (!before) return [newRecord(interaction, hash, now)];
	const names = changedMetadata(before.interaction!, interaction);
	const changes = names ? (before.changes ?? 0) + 1 : 0;
	if (names && changes >= MIN_CHANGES) {
		const unsteady = [...new Set([...(before.unsteady ?? []), ...names])];
		const unsteadyHash = contentHash(interaction, unsteady) ?? '';
		shown.set(before, {
			...before,
			id: interaction.id,
			votes: [],
			contentHash: unsteadyHash,
			interaction,
			unsteady,
			changes,
		});
		return [];
	}
	shown.set(before, { ...pollDoesNotShow(before), isReplaced: true });
	const voided = [...(before.voided ?? []), ...before.votes.flatMap(({ name }) => name ?? [])];
	return [
		{
			...newRecord(interaction, hash, now),
			...(changes > 0 && { changes }),
			...(voided.length > 0 && { voided: [...new Set(voided)] }),
		},
	];
}

function pollShows(record: RequestRecord, interaction: Interaction, now: number): RequestRecord {
	const { decision } = record;
	const isReissued = interaction.id !== record.id && !decision;
	const shown: RequestRecord = {
		...omit(record, 'changes'),
		id: interaction.id,
		interaction,
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
	const isLate = isTaken && now >= at + MAX_UNCONFIRMED_MS;
	// A lost decision may have arrived, and this may be the next request with the same content.
	const mayBeOther = !isTaken && interaction.id !== record.id;
	const isUnsure = current === 'sent' && (isLate || mayBeOther);
	return {
		...shown,
		decision: { ...decision, pollsShown, state: isUnsure ? 'unconfirmed' : current },
	};
}

/** Replaces the record of a request that is still pending although it was resolved, so that approvers are asked again. */
function reopen(record: RequestRecord, now: number): RequestRecord[] {
	const { interaction, decision, contentHash: hash, unsteady, isReissued } = record;
	if (!interaction || decision?.state !== 'unconfirmed') return [record];
	const open = newRecord(interaction, hash, now);
	return [
		{ ...omit(record, 'interaction'), isReplaced: true },
		{
			...open,
			...(unsteady && { unsteady }),
			...(isReissued && { isReissued }),
			wasResolved: true,
		},
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

const isSameRequest = (one: RequestRecord, other: RequestRecord): boolean =>
	one.id === other.id && one.contentHash === other.contentHash && !one.isReplaced;

const change = (
	records: readonly RequestRecord[],
	record: RequestRecord,
	changes: Partial<RequestRecord>,
): RequestRecord[] =>
	records.map((each) => (isSameRequest(each, record) ? { ...each, ...changes } : each));

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
		isSameRequest(each, record) && each.decision
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
		asked.some((each) => isSameRequest(each, record))
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
