import type { OptionPreferences } from '../../shared/approvals/options';
import type { ErrorContext } from '../../shared/errors';
import type { Question } from '../requests/questions';
import type { RequestRecord } from '../requests/record';
import type { RequestOrigin } from '../requests/request';
import type { WaitState } from './schedule';
import type { Turn } from './turn';

// What the node remembers of one session. It's JSON, because n8n saves it with the execution.

export const RECORD_VERSION = 1;

export type MessageStep = 'message' | 'comment' | 'repair';

/** The course of a session from its start. Times are wall-clock times, because they outlive the process. */
export interface Course {
	sessionId: string;
	dashboardUrl?: string;
	/** True if the session's ID was a parameter: the node didn't start the session */
	isGiven?: boolean;
	/** `sending` from before the request until the response */
	messages?: Partial<Record<MessageStep, 'sending' | 'sent'>>;
	/** Number of messages that were or may have been sent, which tells them apart in the ledger */
	messageCount?: number;
	turn?: Turn;
	lastActivityAt?: string | number;
	/** Missing until a poll has returned the session */
	lastReadAt?: number;
	/** Everything known about the agent's requests */
	requests: RequestRecord[];
	/** What approvers were asked */
	questions: Question[];
	/** What the approval page needs to know of the node's settings */
	page?: { preferences: OptionPreferences; sendComments?: boolean; sendsReasons?: boolean };
	/** Comments for the agent that no decision carried, until they're sent */
	comments?: string[];
	wait: WaitState;
	pollCount?: number;
	origin?: Omit<RequestOrigin, 'sessionId'>;
	commentAttempts?: number;
	/** Sentences for the item's `warnings` that later runs must not lose */
	warnings?: string[];
}

export interface Failure {
	message: string;
	description: string;
	context: ErrorContext;
	/** What a retry does: report that the start may have happened, continue the session, or start another one */
	next: 'report' | 'continue' | 'start';
	/** True once the node has thrown it, so that only a retry can run the item again */
	isThrown?: boolean;
}

/** How a session ended. `items` and `failure` are kept until they have left the node. */
export type SessionEnd =
	| { kind: 'completed'; items?: Array<Record<string, unknown>> }
	| { kind: 'failed'; failure?: Failure };

export type SessionRecord =
	/** From before the start request until the session's ID is known */
	| { v: number; state: 'starting' }
	| ({ v: number; state: 'running' } & Course)
	/** Without a session ID if the item failed before its session started */
	| ({ v: number; state: 'ended'; end: SessionEnd } & Partial<Course>);

export type RunningRecord = Extract<SessionRecord, { state: 'running' }>;

/** A record whose session is known */
export type KnownRecord = Course & Exclude<SessionRecord, { state: 'starting' }>;
