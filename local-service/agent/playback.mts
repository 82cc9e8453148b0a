// Plays a session's script back up to a moment: where the playback stands, and the few ways in which it leaves a trace.
import type { Change } from './directives.mts';
import type { SessionLog, SessionSnapshot, Tool } from './model.mts';

/** The agent's messages, tools and requests so far, filled in turn by turn. */
export interface Playback {
	log: SessionLog;
	/** The moment that the playback has reached */
	time: number;
	/** Its limit: now, or the abort */
	limit: number;
	snapshot: SessionSnapshot;
	toolCount: number;
	interactionCount: number;
	/** Approvals for the rest of the session: `permission pattern` */
	always: Set<string>;
	/** Change of the next request for an edit */
	change?: Change;
	turn: Turn;
}

/** Parts of a turn's final message. */
export interface Turn {
	/** The prompt or message, without its directives */
	text: string;
	said?: string;
	denied: string[];
	/** Replies to questions */
	replies: string[];
}

/** End of a step. `stopped`: the limit came first. */
export type StepResult = 'done' | 'failed' | 'stopped';

/** Records a sign of activity. */
export function markActivity({ snapshot }: Playback, at: number): void {
	snapshot.activityAt = Math.max(snapshot.activityAt, at);
}

/** Makes a message the latest one, unless a later one is shown already; `completedAt` shows once that moment has come. */
export function showMessage(
	playback: Playback,
	role: string,
	text: string,
	createdAt: number,
	completedAt = createdAt,
): void {
	markActivity(playback, createdAt);
	if (completedAt <= playback.limit) markActivity(playback, completedAt);
	if (createdAt < playback.snapshot.message.createdAt) return;
	playback.snapshot.message = {
		role,
		text,
		createdAt,
		...(completedAt <= playback.limit && { completedAt }),
	};
}

/** Makes a tool the latest one; its `at` is since when it has its status. */
export function showTool(playback: Playback, tool: Tool): void {
	markActivity(playback, tool.at);
	playback.snapshot.tool = tool;
}
