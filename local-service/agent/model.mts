// Types of a session and of its state at a moment.
import type { Change, Option, Question, Script } from './directives.mts';

/** Times are milliseconds of service time. */
type SessionEvent =
	| { kind: 'message'; at: number; text: string; script: Script }
	| { kind: 'resolve'; at: number; interactionId: string; value: string; reason?: string }
	| { kind: 'abort'; at: number };

/** Everything that a session is worked out from. The events are in the order in which they happened. */
export interface SessionLog {
	id: string;
	createdAt: number;
	prompt: string;
	script: Script;
	events: SessionEvent[];
}

export interface InteractionLife {
	id: string;
	askedAt: number;
	resolvedAt?: number;
	value?: string;
	/** Why it was denied */
	reason?: string;
}
export interface PermissionInteraction extends InteractionLife {
	type: 'permission';
	permission: string;
	patterns: string[];
	options: Option[];
	change?: Change;
}
/** The variant that the API document doesn't show. */
export interface QuestionInteraction extends InteractionLife, Question {}
export type Interaction = PermissionInteraction | QuestionInteraction;

export interface Message {
	role: string;
	text: string;
	createdAt: number;
	completedAt?: number;
}
export interface Tool {
	name: string;
	status: string;
	title: string;
	at: number;
}

/** A session at a moment. Times are milliseconds of service time. */
export interface SessionSnapshot {
	/** False in the first moments, while no operation finds the session */
	visible: boolean;
	status: string;
	/** All that were ever raised, oldest first */
	interactions: Interaction[];
	pending: Interaction[];
	error?: string;
	message: Message;
	tool?: Tool;
	activityAt: number;
	/** Set while the session is completed or failed */
	finishedAt?: number;
	/** Number of started turns, finished or not */
	turns: number;
}
