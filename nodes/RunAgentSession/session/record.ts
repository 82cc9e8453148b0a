import type { ErrorContext } from '../../shared/errors';
import type { SessionWait } from '../plan/plan';
import type { Activity } from '../requests/quietRequest';
import type { AskedSession } from '../requests/ballots';

// What the node remembers of one session. It's JSON, because n8n saves it with the execution.

export const RECORD_VERSION = 1;

/** The course of a session from its start. Times are wall-clock times, because they outlive the process. */
export interface Course extends AskedSession {
	/** True if the session's ID was a parameter: the node didn't start the session */
	isGiven?: boolean;
	turn?: Turn;
	/** The start, or the message with which the node continues the session. Missing until it's sent. Unlike `wait`, a retry keeps it. */
	startedAt?: number;
	/** Missing until a poll has returned the session */
	lastReadAt?: number;
	/** Time of the latest answer that a try to read the session came after */
	heardAt?: number;
	/** The execution whose links approvers have. A retry is another one. */
	execution?: string;
	/** Comments for the agent that no decision carried, until they're sent */
	comments?: Comment[];
	/** True once the agent was asked for another answer in the required format */
	isRepaired?: true;
	/** Kept with Ask If Quiet */
	activity?: Activity;
	wait: WaitState;
	pollCount?: number;
	commentAttempts?: number;
	/** Sentences for the item's `warnings` that later runs must not lose */
	warnings?: string[];
}

/** An approver's comment on the request with an ID */
interface Comment {
	id: string;
	text: string;
}

/** A message, until its turn is proven: a poll right after it may still show the previous turn. */
export interface Turn {
	/** `messageKey` of the session before the message */
	messageKey: string;
	hadEnded: boolean;
	/** Wall-clock time */
	sentAt: number;
	/** Polls since then that didn't prove the turn */
	polls: number;
}

/** The wait for a session. Wall-clock times */
export interface WaitState extends SessionWait {
	/** Responses in a row that weren't the session's */
	unusable?: { since: number; count: number };
}

/** A start that waits for its time: the service took no earlier try, or the session before it failed */
export interface StartState {
	/** The first try, from which Max Wait counts */
	since: number;
	/** The next try */
	at: number;
	/** Tries in a row that weren't taken */
	failures: number;
	/** True once the service has answered */
	isReached?: true;
	/** True once the log says that the start isn't taken */
	isLate?: true;
	failure?: Omit<Failure, 'next' | 'execution' | 'work'>;
}

/** The tries of Retry On Fail that an item has used. n8n counts anew after each pause. */
export interface Tries {
	execution: string;
	count: number;
	/** The sessions that failed or were aborted, with their links and what approvers decided */
	sessions: AskedSession[];
}

export interface Failure {
	message: string;
	description: string;
	context: ErrorContext;
	/** What the session did until then, as an item has it */
	work?: Record<string, unknown>;
	/** What a retry does: continue the session, start another one, or nothing if a start may have happened and after a person's abort */
	next: 'continue' | 'start' | 'nothing';
	/** The execution in which the item failed. A retry, which is another one, runs the item again. */
	execution: string;
}

/** How a session ended. `items` and `failure` are kept until they have left the node. */
export type SessionEnd =
	| { kind: 'completed'; items?: Array<Record<string, unknown>> }
	| { kind: 'failed'; failure?: Failure };

export type SessionRecord = { tries?: Tries } & SessionState;

type SessionState =
	| { v: number; state: 'waiting'; start: StartState }
	| ({ v: number; state: 'running' } & Course)
	/** Without a session ID if the item failed before its session started */
	| ({ v: number; state: 'ended'; end: SessionEnd } & Partial<Course>);

export type RunningRecord = Extract<SessionRecord, { state: 'running' }>;

export type KnownRecord = Course & Exclude<SessionRecord, { state: 'waiting' }>;
