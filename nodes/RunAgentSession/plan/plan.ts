// The plan of one entry's sessions: what is due now, and when the next thing is. Pure. All times are wall-clock milliseconds.

/** The API document's interval (Polling procedure, 2) */
export const MIN_POLL_MS = 5_000;
const MAX_POLL_MS = 10_000;

/** The wait after a reading, as a share of the time since the session's start or last change */
const SHARE_OF_AGE = 1 / 20;

/** Share added to each wait, so that sessions started together don't poll together */
const JITTER = 1 / 5;

/** Sessions that wait in one process before each of them is polled less often */
const MAX_UNCROWDED = 500;
/** Share subtracted from a crowd's wait, so that sessions that were polled together drift apart */
const CROWDED_JITTER = 1 / 20;

/** Grows with the number of sessions that wait, so that together they send no more requests, until it's 10 seconds. */
function crowdedPollMs(waiting: number, random: number): number {
	if (waiting <= MAX_UNCROWDED) return 0;
	const crowdedMs = (MIN_POLL_MS * waiting) / MAX_UNCROWDED;
	return Math.min(crowdedMs, MAX_POLL_MS) * (1 - random * CROWDED_JITTER);
}

/**
 * Returns the wait while the execution keeps running: 5% of the session's age, from 5 to 10 seconds.
 * @param random from 0 to 1
 * @param waiting sessions that wait in this process
 */
export function pollDelayMs(ageMs: number, random: number, waiting = 1): number {
	const interval = Math.min(MAX_POLL_MS / (1 + JITTER), ageMs * SHARE_OF_AGE);
	const sessionMs = Math.min(MAX_POLL_MS, Math.max(MIN_POLL_MS, interval) * (1 + random * JITTER));
	return Math.max(sessionMs, crowdedPollMs(waiting, random));
}

const FIRST_RETRY_MS = 1_000;
/** One absurd Retry-After silences nobody. */
export const MAX_RETRY_AFTER_MS = 10 * 60_000;

/** Returns the wait after failed polls: 1, 2, 4, ... s, up to that of a good poll, and no less than `Retry-After`. */
export const retryPollMs = (failures: number, goodMs: number, retryAfterMs: number): number =>
	Math.max(retryAfterMs, Math.min(goodMs, FIRST_RETRY_MS * 2 ** (failures - 1)));

/** n8n checks for paused executions every 60 s, 70 s ahead: a shorter pause wakes late. */
export const MIN_PAUSE_MS = 70_000;
const MAX_PAUSE_MS = 10 * 60_000;

/** Returns the wait while the execution pauses: 5% of the time since the session's last change, from 70 s to 10 minutes. */
const pausedDelayMs = (quietMs: number): number =>
	Math.max(MIN_PAUSE_MS, Math.min(MAX_PAUSE_MS, quietMs * SHARE_OF_AGE));

const FIRST_START_MS = 5_000;
const MAX_START_MS = 60_000;

/**
 * Returns the wait after a start that provably wasn't taken: `Retry-After`, otherwise 5, 10, 20, ... s up to a minute.
 * @param retryAfterMs 0 counts as none: the service's time has passed
 */
export const startDelayMs = (failures: number, retryAfterMs = 0): number =>
	retryAfterMs || Math.min(MAX_START_MS, FIRST_START_MS * 2 ** (Math.min(failures, 10) - 1));

/** A time that never comes. JSON has no Infinity. */
export const NEVER = Number.MAX_SAFE_INTEGER;

/** Time that the node keeps reading a session after a change, so that requests within a minute of each other don't cost a pause each */
export const ACTIVE_MS = 75_000;
/** Time from the first of several changes for which the node keeps reading */
export const MAX_ACTIVE_MS = 30 * 60_000;
/** Saves the IDs of sessions right after their start. A shorter pause is unsafe on n8n 1, which saves the status before the data. */
const FIRST_PAUSE_MS = 5_000;
/** What is due within this time is done before a pause. */
const SHORT_PAUSE_MS = MIN_PAUSE_MS / 2;
/** Sessions that start before their IDs are saved: so many may be lost to n8n if it's killed */
const START_SLICE = 10;

/** The wait for a session, as its record has it */
export interface SessionWait {
	/** Its begin, from which ages count */
	since: number;
	/** The latest change, and the first of those that followed each other: a decision or message was sent, or a request was seen */
	changedAt?: number;
	activeSince?: number;
	/** The latest try to read the session, and how many in a row have failed */
	triedAt?: number;
	failures?: number;
	/** The service's Retry-After of the last of them, or of a start that it refused */
	retryAfterMs?: number;
}

/** What the plan knows of a session that hasn't ended. */
export interface PlannedSession extends SessionWait {
	mode: 'running' | 'paused';
	/** Time of the next try to start. Missing once the session has begun */
	startAt?: number;
	/** True if the session existed before, so that it can be read at once */
	isGiven?: boolean;
	/** True if it must be read at once: for a new answer, and before a denial */
	isUrgent: boolean;
	/** Max Wait, an unanswered request, a reminder, or the end of the time for activity, whichever is first */
	timeoutAt: number;
	/** True if no pause has saved its ID yet */
	isUnsaved: boolean;
	/** True while a request is in flight */
	isBusy: boolean;
	/** The project that its session works in, empty if it's unknown. Missing if the node only waits for a session */
	project?: string;
	/** From 0 to 1, another one after each reading */
	random: number;
}

/** Why an execution can't pause: sessions that keep it running, or readings that come within seconds */
type Keep = 'running' | 'active';

/** What other entries and nodes of the execution have planned. */
export interface Others {
	dueAt: number;
	keeps?: Keep;
	/** True once an error is about to end a retry: nothing begins anymore */
	isFailing?: true;
	/** Sessions of the node that have begun and not ended, by project */
	begun?: Record<string, number>;
}

/** Sessions of a node that may be begun and not ended */
export interface SessionLimits {
	total: number;
	perProject: number;
}

export interface Limits {
	sessions: SessionLimits;
	/** Sessions that wait in this process */
	waiting: number;
	/** A person watches a manual execution, and it keeps reading until then */
	watchedUntil: number;
	/** True while approvers have links, and in a wake that an answer caused: it must be short, because n8n answers links with an error meanwhile */
	isQuick: boolean;
}

export interface Plan {
	/** Indexes of the sessions that are due now, longest unread first */
	due: number[];
	/** Time of the next thing */
	dueAt: number;
	keeps?: Keep;
	/** Sessions that have begun, those due to start included, by project */
	begun: Record<string, number>;
}

export const NO_OTHERS: Others = { dueAt: NEVER };

/** Returns the end of the time in which a paused session is read every few seconds. */
function activeUntil(
	{ changedAt, activeSince = changedAt }: PlannedSession,
	{ watchedUntil }: Limits,
): number {
	const active =
		changedAt === undefined ? 0 : Math.min(changedAt + ACTIVE_MS, activeSince! + MAX_ACTIVE_MS);
	return Math.max(active, watchedUntil);
}

/** Returns the time of the next reading, and whether the execution keeps running until then. */
function nextReading(session: PlannedSession, limits: Limits): { at: number; isKept: boolean } {
	const { mode, since, isGiven, triedAt, changedAt = 0, random } = session;
	const { failures = 0, retryAfterMs = 0 } = session;
	const until = mode === 'running' ? NEVER : limits.isQuick ? 0 : activeUntil(session, limits);
	if (triedAt === undefined) {
		const at = since + (isGiven ? 0 : MIN_POLL_MS);
		return { at, isKept: at <= until };
	}
	const goodMs = pollDelayMs(triedAt - since, random, limits.waiting);
	const shortMs = failures === 0 ? goodMs : retryPollMs(failures, goodMs, retryAfterMs);
	if (triedAt + shortMs <= until) return { at: triedAt + shortMs, isKept: true };
	const quietMs = triedAt - Math.max(since, changedAt);
	const longMs =
		failures === 0
			? pausedDelayMs(quietMs)
			: Math.max(
					retryAfterMs,
					Math.min(pausedDelayMs(quietMs), MIN_PAUSE_MS * 2 ** (failures - 1)),
				);
	return { at: triedAt + longMs, isKept: false };
}

interface NextStep {
	at: number;
	isKept: boolean;
}

/**
 * Returns until when a refused start holds up the others: its Retry-After, and at most 10 minutes, because it may concern one project.
 * 0 if the service has taken one since.
 */
function heldUntil(sessions: readonly PlannedSession[]): number {
	const refused = sessions.filter(({ retryAfterMs = 0 }) => retryAfterMs > 0);
	const waits = refused.map(
		({ startAt = 0, retryAfterMs = 0 }) => startAt - Math.max(0, retryAfterMs - MAX_RETRY_AFTER_MS),
	);
	const until = Math.max(0, ...waits);
	const isOver = sessions.some(
		({ startAt, isGiven, since }) => startAt === undefined && !isGiven && since >= until,
	);
	return isOver ? 0 : until;
}

/** Returns when a session needs something: a try to start, a reading, or the end of a timeout, which wins over the shortest pause. */
function nextStep(session: PlannedSession, limits: Limits, startsAt: number): NextStep {
	const { startAt, isUrgent, timeoutAt, triedAt, isBusy } = session;
	if (isBusy) return { at: NEVER, isKept: true };
	if (startAt !== undefined)
		return { at: Math.min(Math.max(startAt, startsAt), timeoutAt), isKept: true };
	if (isUrgent) return { at: 0, isKept: true };
	const reading = nextReading(session, limits);
	// A timeout that a try came after changes nothing by itself.
	const isPassed = triedAt !== undefined && triedAt >= timeoutAt;
	return isPassed || reading.at <= timeoutAt ? reading : { ...reading, at: timeoutAt };
}

/** Returns whether a session is read before a pause, which would be too short otherwise: it's at least halfway to its time. */
const isSoon = ({ triedAt = 0, startAt }: PlannedSession, { at }: NextStep, now: number): boolean =>
	startAt === undefined && at <= now + SHORT_PAUSE_MS && now - triedAt >= SHORT_PAUSE_MS;

const isBegun = ({ startAt, isBusy }: PlannedSession): boolean => startAt === undefined || isBusy;

/** Counts the sessions that have begun, by project. */
function countBegun(sessions: readonly PlannedSession[]): Record<string, number> {
	const begun: Record<string, number> = {};
	for (const each of sessions)
		if (each.project !== undefined && isBegun(each))
			begun[each.project] = (begun[each.project] ?? 0) + 1;
	return begun;
}

/** Returns a function that says whether a start that is due may happen now, and adds it to those that have begun if so. */
function openSlots(
	sessions: readonly PlannedSession[],
	begun: Record<string, number>,
	slice: number,
	canSave: boolean,
	others: Others,
	{ sessions: { total, perProject } }: Limits,
): (session: PlannedSession) => boolean {
	const unsaved = sessions.filter(({ startAt, isUnsaved, isBusy }) =>
		startAt === undefined ? canSave && isUnsaved : isBusy,
	);
	let slotsLeft = slice - unsaved.length;
	const elsewhere = others.begun ?? {};
	return ({ project }) => {
		if (slotsLeft <= 0) return false;
		if (project !== undefined) {
			const counts = [...Object.values(begun), ...Object.values(elsewhere)];
			const inProject = (begun[project] ?? 0) + (elsewhere[project] ?? 0);
			if (counts.reduce((sum, count) => sum + count, 0) >= total) return false;
			if (project !== '' && inProject >= perProject) return false;
			begun[project] = (begun[project] ?? 0) + 1;
		}
		slotsLeft--;
		return true;
	};
}

/**
 * Plans the sessions of one entry. Everything that decides about time is in here.
 * @param others what else the execution has to do
 */
export function plan(
	sessions: readonly PlannedSession[],
	now: number,
	others: Others,
	limits: Limits,
): Plan {
	const begun = countBegun(sessions);
	if (others.isFailing) return { due: [], dueAt: now, begun };
	const isRunning = sessions.some(({ mode }) => mode === 'running');
	// Beside a node that keeps the execution running, no pause saves anything.
	const canSave = !isRunning && others.keeps !== 'running' && limits.watchedUntil <= now;
	const mustSave = canSave && sessions.some(({ isUnsaved }) => isUnsaved);
	const startsAt = heldUntil(sessions);
	const steps = sessions.map((session) => nextStep(session, limits, startsAt));
	const isStart = (index: number) => sessions[index].startAt !== undefined;

	// After a refusal, one start tries whether the service takes it.
	const slice = startsAt > 0 ? 1 : START_SLICE;
	const useSlot = openSlots(sessions, begun, slice, canSave, others, limits);
	const isDue = (index: number): boolean => {
		if (!isStart(index)) return !mustSave || sessions[index].isUrgent;
		return useSlot(sessions[index]);
	};
	// Each start has its turn, so that one that is always refused holds up no other for good.
	const triedAt = (index: number) => sessions[index].startAt ?? 0;
	const inTurn = [...steps.keys()]
		.filter((index) => steps[index].at <= now)
		.sort((one, other) => triedAt(one) - triedAt(other));
	let due = inTurn.filter(isDue);
	const served = new Set(due);
	const waitsForSlot = new Set(inTurn.filter((index) => !served.has(index)));

	const isBusy = sessions.some((each) => each.isBusy);
	const isKept = () =>
		steps.some(
			({ at, isKept: keeps }, index) =>
				keeps &&
				!waitsForSlot.has(index) &&
				at <= now + (isStart(index) ? SHORT_PAUSE_MS : MIN_PAUSE_MS),
		);
	const keeps = isRunning ? 'running' : isBusy || (!mustSave && isKept()) ? 'active' : undefined;
	if (!mustSave && keeps === undefined && others.keeps === undefined && others.dueAt > now) {
		due = sessions.flatMap((session, index) =>
			isSoon(session, steps[index], now) || due.includes(index) ? [index] : [],
		);
	}
	// A session of another entry may end when that entry is due.
	const slotAt = waitsForSlot.size > 0 && others.begun ? others.dueAt : NEVER;
	const taken = new Set([...due, ...waitsForSlot]);
	const nextAt = steps.reduce(
		(least, { at }, index) => (taken.has(index) ? least : Math.min(least, at)),
		slotAt,
	);
	const dueAt = mustSave ? now + FIRST_PAUSE_MS : nextAt;
	const unreadSince = (index: number) => (isStart(index) ? NEVER : (sessions[index].triedAt ?? 0));
	due.sort((one, other) => unreadSince(one) - unreadSince(other));
	return { due, dueAt, ...(keeps && { keeps }), begun };
}

/** Returns when a pausing execution has to wake. n8n checks every minute, so a shorter pause than half of that saves nothing. */
export const pauseUntil = ({ dueAt }: Plan, others: Others, now: number): number => {
	const at = Math.min(dueAt, others.dueAt);
	return dueAt === now + FIRST_PAUSE_MS ? dueAt : Math.max(at, now + SHORT_PAUSE_MS);
};
