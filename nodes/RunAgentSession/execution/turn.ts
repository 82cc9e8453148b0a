import { SessionOverError, throwIfAborted } from '../../shared/errors';
import { FIRST_EFFECTS } from '../../shared/n8n/ledger';
import { readSessionLimits } from '../panel/readSettings';
import {
	NEVER,
	NO_OTHERS,
	pauseUntil,
	plan,
	type PlannedSession,
	type Others,
	type Plan,
} from '../plan/plan';
import { latestAnswerAt, nextAskAt, unansweredAt } from '../requests/ballots';
import { quietAt } from '../session/quiet';
import type { SessionRun } from '../session/run';
import { takeStep } from '../session/step';
import { hasOpenLinks, hasUnheard, listAnswers, recallAnswers } from './itemRecords';
import type { Batch, Item, Wake } from './batch';
import type { Engine } from './engine';
import { hasLeaving, endItem, failItem, keepApproverItems } from './itemEnds';

/** A person who watches a manual execution sees news within seconds for so long. */
const WATCHED_MS = 5 * 60_000;
/** Time in which other sessions that were read together may join the items that leave */
const JOIN_MS = 2_000;
/** A plan goes over all sessions. So the more there are, the longer a turn waits for other requests to end before it plans again. */
const MAX_TOGETHER_MS = 50;
const SESSIONS_A_MS = 50;
/** Time after which an entry that did nothing is due again, at the earliest */
const IDLE_MS = 1_000;

/** Why a run of the node returns to n8n */
export type TurnEnd =
	| { kind: 'ended' }
	| { kind: 'leave'; plan: Others }
	| { kind: 'yield'; plan: Others }
	/** `at`: by the clock of the wake */
	| { kind: 'pause'; plan: Others; at: number };

const isGoing = ({ run, error }: Item): boolean => run !== undefined && !error;

/** The sessions that wait in this process, in all executions. Spares the service too many polls at once. */
let waiting = 0;

/** Carries out the plan of an entry's sessions, until items leave, something else of the execution is due, or nothing is. */
export async function runTurn(batch: Batch, wake: Wake): Promise<TurnEnd> {
	const { context, engine, flights, api } = batch;
	const { clock } = api!;
	const signal = context.getExecutionCancelSignal?.();
	let hasWorked = false;
	let counted = 0;
	let leavingSince: number | undefined;
	let alarm: { at: number; rings: Promise<void> } | undefined;
	try {
		for (;;) {
			throwIfAborted(signal);
			receiveAnswers(batch, wake);
			const now = wake.now();
			const open = batch.items.filter(isGoing);
			waiting += open.length - counted;
			counted = open.length;
			if (open.length === 0) return { kind: 'ended' };
			// A tool's run ends with its outcome: what the agent waits for comes after it.
			const others = batch.canLeave ? engine.readOthers(now) : NO_OTHERS;
			const planned = planEntry(batch, wake, open, now, others);
			const isLeaving = batch.canLeave && hasLeaving(batch, wake);
			if (!isLeaving && planned.due.length > 0) {
				for (const index of planned.due) launch(batch, open[index]);
				hasWorked = true;
			}
			const summary = summarize(planned, flights.size > 0, hasWorked, now);
			leavingSince = isLeaving ? (leavingSince ?? now) : undefined;
			const hasJoined = flights.size === 0 || now >= (leavingSince ?? now) + JOIN_MS;
			if (isLeaving && hasJoined) return { kind: 'leave', plan: summary };
			if (!isLeaving && others.dueAt <= now) return { kind: 'yield', plan: summary };
			if (!isLeaving && !summary.keeps && !others.keeps)
				return { kind: 'pause', plan: summary, at: pauseUntil(planned, others, now) };
			const until = isLeaving ? now + JOIN_MS : Math.min(planned.dueAt, others.dueAt);
			if (until < Math.min(NEVER, alarm?.at ?? NEVER)) {
				const ringsAt = {
					at: until,
					rings: clock.sleep(Math.max(1, Math.ceil(until - now)), signal),
				};
				alarm = ringsAt;
				const forget = () => void (alarm = alarm === ringsAt ? undefined : alarm);
				ringsAt.rings.then(forget, forget);
			}
			const landing = new Promise<void>((resolve) => (batch.onLanding = resolve));
			await Promise.race(alarm ? [alarm.rings, landing] : [landing]);
			const togetherMs = Math.min(MAX_TOGETHER_MS, Math.floor(open.length / SESSIONS_A_MS));
			if (togetherMs > 0) await clock.sleep(togetherMs, signal);
		}
	} finally {
		waiting -= counted;
	}
}

function planEntry(
	batch: Batch,
	{ isByAnswer }: Wake,
	open: readonly Item[],
	now: number,
	others: Others,
): Plan {
	const { context, engine, pauses, asTool } = batch;
	const sessions = open.map((item) => describe(batch, item));
	return plan(sessions, now, others, {
		sessions: (batch.limits ??= readSessionLimits(context)),
		waiting,
		watchedUntil:
			pauses && !asTool && context.getMode() === 'manual' ? watchedUntil(batch, now) : 0,
		// Links are shown while the execution pauses only.
		isQuick: pauses && (isByAnswer || Object.values(engine.contexts).some(hasOpenLinks)),
	});
}

function watchedUntil({ context }: Batch, now: number): number {
	const state: { watchedSince?: number } = context.getContext('node');
	state.watchedSince = Math.min(state.watchedSince ?? now, now);
	return state.watchedSince + WATCHED_MS;
}

/** Returns when a session that runs needs a decision without a reading: Max Wait, an unanswered request, an approver who is due, or a session that becomes quiet. */
function findTimeout(run: SessionRun): number {
	const { record, wait, settings } = run;
	return Math.min(
		NEVER,
		wait.since + settings.timeouts.maxWaitMs,
		unansweredAt(record.requests, settings.timeouts),
		nextAskAt(run.voting, record.requests),
		quietAt(run),
	);
}

/** Returns the project of a session that the node has begun or begins. Undefined for a session that it only waits for */
function projectOf({ record, settings }: SessionRun): string | undefined {
	const { target } = settings;
	const { sessionId, isGiven = sessionId === undefined, origin = settings.origin } = record;
	// The prompt of a session that continues is its message.
	const isOnlyRead = target.operation === 'continue' && isGiven && origin?.prompt === undefined;
	return isOnlyRead ? undefined : (origin?.projectId ?? '');
}

/** Returns what the plan knows of a session. */
function describeSession(
	run: SessionRun,
	mode: PlannedSession['mode'],
	isBusy: boolean,
): PlannedSession {
	const { record, wait, settings, isUrgent, isUnsaved } = run;
	const stored = run.dependencies.journal.read();
	const random = Math.random();
	const common = { mode, isBusy, isUnsaved, random, project: projectOf(run) };
	if (stored?.state !== 'running') {
		const {
			at = 0,
			since = run.wallTime,
			failure,
		} = (stored?.state === 'waiting' && stored.start) || {};
		const retryAfterMs = 1_000 * (failure?.context.retryAfter ?? 0);
		const timeoutAt = stored ? since + settings.timeouts.maxWaitMs : NEVER;
		return {
			...{ ...common, isUrgent, startAt: at, since, retryAfterMs },
			timeoutAt: Math.min(NEVER, timeoutAt),
		};
	}
	const isUnheard = latestAnswerAt(run.voting) > (record.heardAt ?? 0);
	return {
		...common,
		...wait,
		isGiven: record.isGiven,
		isUrgent: isUrgent || !run.hasBegun || isUnheard,
		timeoutAt: findTimeout(run),
	};
}

/** Returns what the plan knows of an item's session. It changes only when a request begins or ends, or an answer comes. */
const describe = ({ pauses, flights }: Batch, item: Item): PlannedSession =>
	(item.known ??= describeSession(item.run!, pauses ? 'paused' : 'running', flights.has(item)));

/** Returns what others need to know of an entry's plan. */
function summarize(
	{ dueAt, keeps, begun }: Plan,
	isBusy: boolean,
	hasWorked: boolean,
	now: number,
): Others {
	const earliest = isBusy || !hasWorked ? now + IDLE_MS : now;
	const next = isBusy ? Math.min(dueAt, now + IDLE_MS) : dueAt;
	return {
		dueAt: Math.min(NEVER, Math.max(earliest, next)),
		...((keeps || isBusy) && { keeps: keeps ?? ('active' as const) }),
		...(Object.keys(begun).length > 0 && { begun }),
	};
}

/** Makes the entries due whose sessions have an answer that no reading came after. Returns whether there are any. */
export function takeAnswers(engine: Engine, now: number): boolean {
	const { contexts } = engine;
	const answers = listAnswers(contexts);
	const nodes = Object.keys(contexts).filter(
		(key) => key.startsWith('node:') && hasUnheard(contexts[key], answers),
	);
	for (const key of nodes) engine.makeDue(key.replace(/^node:/, ''), now);
	return nodes.length > 0;
}

/** Adds the answers that this process has accepted since the last turn, and that n8n hasn't saved yet. */
function receiveAnswers({ context, engine }: Batch, wake: Wake): void {
	if (!recallAnswers(context.getExecutionId(), engine.contexts)) return;
	takeAnswers(engine, wake.now());
	for (const { items } of wake.batches.values()) for (const item of items) item.known = undefined;
}

/** Begins what is due of an item's session. The run doesn't wait for it. */
function launch(batch: Batch, item: Item): void {
	const flight = takeItemStep(batch, item).finally(() => {
		batch.flights.delete(item);
		item.known = undefined;
		batch.onLanding?.();
	});
	batch.flights.set(item, flight);
	item.known = undefined;
}

async function takeItemStep(batch: Batch, item: Item): Promise<void> {
	const run = item.run!;
	const { ledger } = run.dependencies;
	try {
		const outcome = await takeStep(run);
		if (!outcome) return;
		if (outcome.kind === 'needsApproval') keepApproverItems(batch, item, outcome);
		if (outcome.kind !== 'needsApproval' || batch.asTool) endItem(batch, item, outcome);
	} catch (error) {
		// Another try starts another session, or sends the message of Continue again.
		if (error instanceof SessionOverError)
			for (const effect of FIRST_EFFECTS) await ledger.forget(effect);
		failItem(batch, item, error as Error);
	}
}
