// The life of an agent session: a pure function of its script, of what callers did, and of the time.
// Nothing runs in the background. Every read plays the script back from the start, so the result never depends on who reads, or how often.
import { getNumber } from '../ids.mts';
import type { Script } from './directives.mts';
import type { SessionLog, SessionSnapshot } from './model.mts';
import { markActivity, showMessage, type Playback, type StepResult } from './playback.mts';
import { playStep } from './steps.mts';
import { finalMessage } from './story.mts';

const abortedError = 'The session was aborted.';

/**
 * Returns the milliseconds in which a session is unknown to every operation, 1 to 2 seconds, and the end of `starting`, a second later.
 * The exact time follows from its id.
 */
function startup(id: string): { visibleAfter: number; runningAfter: number } {
	const visibleAfter = 1000 + getNumber(`startup:${id}`, 1001);
	return { visibleAfter, runningAfter: visibleAfter + 1000 };
}

interface PlannedTurn {
	at: number;
	script: Script;
	/** Time of the abort, unless it has ended before. `Infinity` without an abort. */
	cutAt: number;
}

/** A session as it is at a moment. Events after that moment play no part. */
export function sessionAt(log: SessionLog, now: number): SessionSnapshot {
	const { visibleAfter, runningAfter } = startup(log.id);
	const turns = getTurns(log).filter(({ at }) => at <= now);
	const snapshot: SessionSnapshot = {
		visible: now >= log.createdAt + visibleAfter,
		status: 'starting',
		interactions: [],
		pending: [],
		message: {
			role: 'user',
			text: log.prompt,
			createdAt: log.createdAt,
			completedAt: log.createdAt,
		},
		activityAt: log.createdAt,
		turns: turns.length,
	};
	const playback: Playback = {
		log,
		time: log.createdAt + runningAfter,
		limit: now,
		snapshot,
		toolCount: 0,
		interactionCount: 0,
		always: new Set(),
		turn: { text: '', denied: [], replies: [] },
	};
	for (const event of log.events) {
		if (event.kind === 'message' && event.at <= now)
			showMessage(playback, 'user', event.text, event.at);
	}
	let abortedAt: number | undefined;
	for (const turn of turns) {
		// An abort also drops the messages that were waiting for their turn
		if (turn.cutAt === abortedAt) continue;
		const result = playTurn(playback, turn, now);
		if (result === 'stopped' && turn.cutAt > now) return snapshot;
		if (result === 'stopped') abortedAt = turn.cutAt;
		endTurn(
			playback,
			result === 'stopped' ? { at: turn.cutAt, error: abortedError } : { at: playback.time },
		);
	}
	return snapshot;
}

/** The prompt and each message start a turn; a turn begins when the one before it has ended. */
function getTurns(log: SessionLog): PlannedTurn[] {
	const cutAfter = (index: number) =>
		log.events.slice(index).find(({ kind }) => kind === 'abort')?.at ?? Infinity;
	return [
		{ at: log.createdAt, script: log.script, cutAt: cutAfter(0) },
		...log.events.flatMap((event, index) =>
			event.kind === 'message'
				? [{ at: event.at, script: event.script, cutAt: cutAfter(index) }]
				: [],
		),
	];
}

function playTurn(playback: Playback, turn: PlannedTurn, now: number): StepResult {
	const { snapshot } = playback;
	playback.time = Math.max(playback.time, turn.at);
	playback.limit = Math.min(now, turn.cutAt);
	playback.turn = { text: turn.script.text, denied: [], replies: [] };
	if (playback.time > playback.limit) return 'stopped';
	delete snapshot.finishedAt;
	delete snapshot.error;
	snapshot.status = 'running';
	markActivity(playback, playback.time);
	for (const step of turn.script.steps) {
		const result = playStep(playback, step);
		if (result !== 'done') return result;
	}
	showMessage(playback, 'assistant', finalMessage(playback.turn), playback.time);
	snapshot.status = 'completed';
	return 'done';
}

/** Ends a turn, normally or, with an `error`, by an abort. */
function endTurn(playback: Playback, { at, error }: { at: number; error?: string }): void {
	const { snapshot } = playback;
	playback.time = at;
	snapshot.finishedAt = at;
	snapshot.pending = [];
	markActivity(playback, at);
	if (error === undefined) return;
	snapshot.status = 'failed';
	snapshot.error = error;
}
