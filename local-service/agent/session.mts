// The life of an agent session: a pure function of its script, of what callers did, and of the time.
// Nothing runs in the background. Every read works the state out anew, so it is the same whoever asks, and however often.
import { numberOf } from '../ids.mts';
import { tell, touch, type Course, type Outcome } from './course.mts';
import type { Script } from './directives.mts';
import type { SessionLog, SessionState } from './model.mts';
import { takeStep } from './steps.mts';
import { finalMessage } from './story.mts';

export const abortedError = 'The session was aborted.';

/** The first 1 to 2 seconds a session cannot be found, one more second it is starting; which, hangs on its id. */
export function startup(id: string): { visibleAfter: number; runningAfter: number } {
	const visibleAfter = 1000 + numberOf(`startup:${id}`, 1001);
	return { visibleAfter, runningAfter: visibleAfter + 1000 };
}

interface Turn {
	at: number;
	script: Script;
	/** When it was aborted, if its own end did not come before */
	cutAt: number;
}

/** The state of a session at a moment. Events after it play no part. */
export function sessionAt(log: SessionLog, now: number): SessionState {
	const { visibleAfter, runningAfter } = startup(log.id);
	const turns = turnsOf(log).filter(({ at }) => at <= now);
	const state: SessionState = {
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
	const course: Course = {
		log,
		time: log.createdAt + runningAfter,
		limit: now,
		state,
		toolCount: 0,
		interactionCount: 0,
		always: new Set(),
		turn: { text: '', denied: [], answers: [] },
	};
	for (const event of log.events) {
		if (event.kind === 'message' && event.at <= now) tell(course, 'user', event.text, event.at);
	}
	let abortedAt: number | undefined;
	for (const turn of turns) {
		// What waited in line when the session was aborted is dropped with it
		if (turn.cutAt === abortedAt) continue;
		const outcome = goThrough(course, turn, now);
		if (outcome === 'stopped' && turn.cutAt > now) return state;
		if (outcome === 'stopped') abortedAt = turn.cutAt;
		end(
			course,
			outcome === 'stopped' ? { at: turn.cutAt, error: abortedError } : { at: course.time },
		);
	}
	return state;
}

/** The prompt and each message ask for a turn; a turn begins when the one before it has ended. */
function turnsOf(log: SessionLog): Turn[] {
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

function goThrough(course: Course, turn: Turn, now: number): Outcome {
	const { state } = course;
	course.time = Math.max(course.time, turn.at);
	course.limit = Math.min(now, turn.cutAt);
	course.turn = { text: turn.script.text, denied: [], answers: [] };
	if (course.time > course.limit) return 'stopped';
	delete state.finishedAt;
	delete state.error;
	state.status = 'running';
	touch(course, course.time);
	for (const step of turn.script.steps) {
		const outcome = takeStep(course, step);
		if (outcome !== 'done') return outcome;
	}
	tell(course, 'assistant', finalMessage(course.turn), course.time);
	state.status = 'completed';
	return 'done';
}

/** The end of a turn: of its own accord, or by abort. */
function end(course: Course, { at, error }: { at: number; error?: string }): void {
	const { state } = course;
	course.time = at;
	state.finishedAt = at;
	state.pending = [];
	touch(course, at);
	if (error === undefined) return;
	state.status = 'failed';
	state.error = error;
}
