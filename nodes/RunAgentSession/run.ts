import type { Session } from '../shared/session/session';
import type { ItemRecord } from '../shared/n8n/executionJournal';
import type { Clock } from '../shared/transport/clock';
import type { About } from './askedInteractions';
import type { Parked, Patience } from './durable';
import { isWaiting, type DecisionRecord, type Ledger, type Undecided } from './ledger';
import type { PageRecord, Question } from './page/view';
import type { Policy } from './permissionPolicy';
import type { PollLimits } from './pollPlan';
import type { NewSession, SessionApi } from './sessionApi';
import type { Turn } from './turn';

/** For deciding what the last look before the end of Max Wait found */
export const DECISIONS_MS = 30_000;

export type Target =
	| ({ operation: 'start' } & NewSession)
	| { operation: 'continue'; sessionId: string; message?: string };

/** What one item asks for. */
export interface Job {
	target: Target;
	/** What a question says of it beside the requests */
	about?: Omit<About, 'sessionId'>;
	policy: Policy;
	poll: PollLimits;
	maxWaitMs: number;
	onMaxWait: 'route' | 'abort';
	abortOnStop: boolean;
	/** More fields for the body that resolves an interaction */
	decisionBody?: Record<string, unknown>;
	/** Whether the agent gets what people write on the page */
	sendComments?: boolean;
	/** In the Database; undefined where the session is waited for in memory */
	patience?: Patience;
}

/** What the node has done for one item so far. */
export interface Entry {
	/** `sending` from before a start or a message is sent until its fate is known, `sent` once it is known to have arrived */
	state: 'new' | 'sending' | 'sent';
	sessionId?: string;
	/** Known where the session was started here */
	projectId?: string;
	dashboardUrl?: string;
	/** The message, until its turn shows */
	turn?: Turn;
	/** What became of each interaction */
	ledger: Ledger;
	/** In the Database: since when the session is waited for, and how often it was read */
	parked?: Parked;
	pollCount?: number;
	/** What a question says of it, as it was when the session was taken up */
	about?: Job['about'];
	/** What people were asked by a link, and what they answered */
	page?: PageRecord;
	/** The run of the node that handed it on as completed */
	completedIn?: number;
}

/** The record that keeps a retry from starting a second session: cleared when there is nothing left to continue. */
export type Journal = ItemRecord<Entry>;

/** The effects that a run needs; a test brings a clock and a service of its own. */
export interface RunDependencies {
	api: SessionApi;
	journal: Journal;
	clock: Clock;
	signal?: AbortSignal;
	/** From 0 to 1 */
	random(): number;
	log(message: string, about: Record<string, unknown>): void;
	/** Told as soon as the session is known, and again when its dashboard URL is */
	onSession(session: { sessionId: string; dashboardUrl?: string }): void;
}

/** How a run ended. */
export interface RunResult {
	kind: 'completed' | 'failed' | 'needsApproval' | 'stillRunning';
	session: Session;
	about?: Job['about'];
	/** Known where the session was started here */
	projectId?: string;
	decisions: DecisionRecord[];
	/** What is left for a person, and why */
	undecided: Undecided[];
	/** What a person should know about although it stopped nothing */
	warnings: string[];
	pollCount: number;
	durationMs: number;
	/** In the Database: when to look again */
	lookAt?: number;
	/** What people are asked by a link, while the session is waited for */
	question?: Question;
}

/** What is known of a run while it goes on. */
export class Run {
	/** What a retry has to know */
	readonly entry: Entry;

	readonly warnings = new Set<string>();

	readonly startedAt: number;

	/** The end of Max Wait, as the clock gives it */
	readonly deadline: number;

	/** The latest reading */
	session: Session | undefined;

	pollCount = 0;

	/** Until when the service, or the network, takes no decision */
	hold: { until: number; because: string } | undefined;

	readonly job: Job;

	readonly dependencies: RunDependencies;

	constructor(job: Job, dependencies: RunDependencies) {
		this.job = job;
		this.dependencies = dependencies;
		this.startedAt = dependencies.clock.now();
		this.deadline = this.startedAt + job.maxWaitMs;
		this.entry = { state: 'new', ledger: [], ...dependencies.journal.read() };
		if (job.target.operation === 'continue') this.entry.sessionId = job.target.sessionId;
	}

	get lastDecision(): number {
		return this.deadline + DECISIONS_MS;
	}

	/** Whether the next reading tells what became of a decision, so that it is worth waiting for even after Max Wait. */
	get isUnsettled(): boolean {
		const until = this.hold?.until ?? 0;
		const isHeld = this.dependencies.clock.now() < until && until <= this.lastDecision;
		return isHeld || isWaiting(this.entry.ledger);
	}

	get lastPoll(): number {
		return this.isUnsettled ? this.lastDecision : this.deadline;
	}

	note(changes: Partial<Entry>): void {
		this.dependencies.journal.write(Object.assign(this.entry, changes));
	}

	log(message: string, about: Record<string, unknown> = {}): void {
		this.dependencies.log(message, { sessionId: this.entry.sessionId, ...about });
	}
}
