// What a session is made of, and what is known of it at a moment.
import type { Option, Script } from './directives.mts';

/** Times are milliseconds of service time. */
export type SessionEvent =
	| { kind: 'message'; at: number; text: string; script: Script }
	| { kind: 'resolve'; at: number; interactionId: string; value: string }
	| { kind: 'abort'; at: number };

/** All there is to know about a session; the events stand in the order in which they came. */
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
}
export interface PermissionInteraction extends InteractionLife {
	type: 'permission';
	permission: string;
	patterns: string[];
	options: Option[];
}
/** The variant that the document does not show; this is our own. */
export interface QuestionInteraction extends InteractionLife {
	type: 'question';
	question: string;
}
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

export interface SessionState {
	/** Until then, the session cannot be found */
	visible: boolean;
	status: string;
	/** All that were ever asked, in order */
	interactions: Interaction[];
	pending: Interaction[];
	error?: string;
	message: Message;
	tool?: Tool;
	activityAt: number;
	/** Set while the session is completed or failed */
	finishedAt?: number;
	/** How many turns were asked for */
	turns: number;
}
