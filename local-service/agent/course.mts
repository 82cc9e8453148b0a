// How far the agent has come while its turns are gone through, and the few ways in which it leaves a trace.
import type { SessionLog, SessionState, Tool } from './model.mts';

/** What the agent has said, used and asked so far; filled in while the turns are gone through. */
export interface Course {
	log: SessionLog;
	/** Where in time the agent is */
	time: number;
	/** How far it may go: now, or the abort */
	limit: number;
	state: SessionState;
	toolCount: number;
	interactionCount: number;
	/** What was approved for good: `permission pattern` */
	always: Set<string>;
	turn: { text: string; said?: string; denied: string[]; answers: string[] };
}

/** `stopped`: the limit came first */
export type Outcome = 'done' | 'failed' | 'stopped';

/** Notes a sign of activity. */
export function touch({ state }: Course, at: number): void {
	state.activityAt = Math.max(state.activityAt, at);
}

/** A later message hides an earlier one; `completedAt` is shown once it has come. */
export function tell(
	course: Course,
	role: string,
	text: string,
	createdAt: number,
	completedAt = createdAt,
): void {
	touch(course, createdAt);
	if (completedAt <= course.limit) touch(course, completedAt);
	if (createdAt < course.state.message.createdAt) return;
	course.state.message = {
		role,
		text,
		createdAt,
		...(completedAt <= course.limit && { completedAt }),
	};
}

/** The tool in hand, and since when it has its status. */
export function use(course: Course, tool: Tool): void {
	touch(course, tool.at);
	course.state.tool = tool;
}
