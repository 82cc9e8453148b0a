import { fetchSession, UnreadableSessionError } from '../../shared/client/sessions';
import type { ApiClient } from '../../shared/client/operations';
import { resultOrError, WorkspaceAutomationError } from '../../shared/errors';
import { quote } from '../../shared/values';
import type { ItemRecord } from '../../shared/n8n/journal';
import { isKnownStatus, type Session } from '../../shared/client/session';
import { isRejection } from '../../shared/client/retryPolicy';
import type { RequestOrigin } from '../approval/request';
import type { WaitState, Timeouts } from './schedule';
import {
	hasUnknownDecision,
	applyPollToLedger,
	type DecisionRecord,
	type Ledger,
	type UndecidedRequest,
} from './ledger';
import type { PageRecord, PageLink } from '../approval/page/view';
import type { Policy } from '../policy/rules';
import { pollDelay, type PollLimits } from './pollPlan';
import { hasBegun, type Turn } from './turn';

// A run: what it is asked for, what is known of it while it goes on, and how it waits for its session and reads it.

export type Target =
	| {
			operation: 'start';
			projectId: string;
			prompt: string;
			/** More fields for the body */
			extra: Record<string, unknown>;
	  }
	| { operation: 'continue'; sessionId: string; message?: string };

/** What one item asks for. */
export interface ItemSettings {
	target: Target;
	/** What a question says of it beside the requests */
	origin?: Omit<RequestOrigin, 'sessionId'>;
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
	timeouts?: Timeouts;
}

/** What the node has done for one item so far. */
export interface SessionRecord {
	/** `sending` from before a start or a message is sent until its fate is known, `sent` once it is known to have arrived */
	state: 'new' | 'sending' | 'sent';
	sessionId?: string;
	dashboardUrl?: string;
	/** The message, until its turn shows */
	turn?: Turn;
	/** What became of each interaction */
	ledger: Ledger;
	/** In the Database: since when the session is waited for, and how often it was read */
	parked?: WaitState;
	pollCount?: number;
	/** What a question says of it, as it was when the session was taken up */
	origin?: ItemSettings['origin'];
	/** What people were asked by a link, and what they answered */
	page?: PageRecord;
	/** The run of the node that handed it on as completed */
	completedIn?: number;
}

/** The record that keeps a retry from starting a second session: cleared when there is nothing left to continue. */
export type SessionJournal = ItemRecord<SessionRecord>;

/** The effects that a run needs; a test brings a clock and a service of its own. */
export interface RunDependencies {
	api: ApiClient;
	journal: SessionJournal;
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
	origin?: ItemSettings['origin'];
	decisions: DecisionRecord[];
	/** What is left for a person, and why */
	undecided: UndecidedRequest[];
	/** What a person should know about although it stopped nothing */
	warnings: string[];
	pollCount: number;
	durationMs: number;
	/** In the Database: when to look again */
	lookAt?: number;
	/** What people are asked by a link, while the session is waited for */
	question?: PageLink;
}

/** For deciding what the last look before the end of Max Wait found */
export const DECISION_BUDGET_MS = 30_000;

/** What is known of a run while it goes on. */
export class SessionRun {
	/** What a retry has to know */
	readonly record: SessionRecord;

	readonly warnings = new Set<string>();

	readonly startedAt: number;

	/** The end of Max Wait, on the monotonic clock */
	readonly deadline: number;

	/** The latest reading */
	session: Session | undefined;

	pollCount = 0;

	/** Until when the service, or the network, takes no decision */
	hold: { until: number; because: string } | undefined;

	readonly settings: ItemSettings;

	readonly dependencies: RunDependencies;

	constructor(job: ItemSettings, dependencies: RunDependencies) {
		this.settings = job;
		this.dependencies = dependencies;
		this.startedAt = dependencies.api.clock.monotonicMs();
		this.deadline = this.startedAt + job.maxWaitMs;
		this.record = { state: 'new', ledger: [], ...dependencies.journal.read() };
	}

	get lastDecision(): number {
		return this.deadline + DECISION_BUDGET_MS;
	}

	/** Whether the next reading tells what became of a decision, so that it is worth waiting for even after Max Wait. */
	get isUnsettled(): boolean {
		const until = this.hold?.until ?? 0;
		const isHeld = this.dependencies.api.clock.monotonicMs() < until && until <= this.lastDecision;
		return isHeld || hasUnknownDecision(this.record.ledger);
	}

	get lastPoll(): number {
		return this.isUnsettled ? this.lastDecision : this.deadline;
	}

	save(changes: Partial<SessionRecord>): void {
		this.dependencies.journal.write(Object.assign(this.record, changes));
	}

	log(message: string, about: Record<string, unknown> = {}): void {
		this.dependencies.log(message, { sessionId: this.record.sessionId, ...about });
	}
}

/** Returns whether there is time for another poll. */
export async function sleepUntilNextPoll(run: SessionRun): Promise<boolean> {
	const { api, random } = run.dependencies;
	const now = api.clock.monotonicMs();
	const delay = pollDelay(now - run.startedAt, random(), run.settings.poll, run.lastPoll - now);
	if (delay !== undefined) await api.clock.sleep(delay, api.signal);
	return delay !== undefined;
}

/** JSON of something else may come from somebody in between; where it has been nothing else for so long, it is the service's own. */
const MAX_UNREADABLE_MS = 3 * 60_000;

/** Reads the session; undefined when the time was over before a usable response came. */
export async function pollSession(run: SessionRun): Promise<Session | undefined> {
	const { api } = run.dependencies;
	for (;;) {
		// A poll that failed is made up for no later than the next one would come.
		const session = await resultOrError(
			fetchSession(api, run.record.sessionId!, {
				deadline: run.lastPoll,
				maxAttempts: Infinity,
				maxDelayMs: run.settings.poll.maxPollMs,
			}),
		);
		run.pollCount++;
		if (!(session instanceof WorkspaceAutomationError)) return applyPoll(run, session);
		const { message, description, context } = session;
		if (context.httpStatus === 404)
			throw new WorkspaceAutomationError(
				'The session was not found',
				`Either there is no such session, or the API key lacks a scope or its creator has lost access to the project: the service gives the same answer for both. ${description}`,
				context,
			);
		if (isRejectedByService(session)) throw session;
		if (session instanceof UnreadableSessionError) {
			const isStrange =
				!run.session && api.clock.monotonicMs() >= run.startedAt + MAX_UNREADABLE_MS;
			if (!isStrange && (await sleepUntilNextPoll(run))) continue;
			if (!run.session) throw session;
		}
		run.warnings.add(`The session could not be read at the end: ${message}. ${description}`);
		return undefined;
	}
}

/** Takes what a poll shows. */
export function applyPoll(run: SessionRun, session: Session): Session {
	const { turn, ledger } = run.record;
	const isOpen = turn && !hasBegun(turn, session);
	// Where nothing was sent a poll tells of nothing.
	if (turn || ledger.length > 0)
		run.save({ turn: isOpen ? turn : undefined, ledger: applyPollToLedger(ledger, session) });
	return updateSession(run, session);
}

/** Takes what a response shows: of decisions that were sent before only a poll tells. */
export function updateSession(run: SessionRun, session: Session): Session {
	// The dashboard URL is kept: an error has to name it even if a later response leaves it out.
	const { sessionId, status, dashboardUrl = run.record.dashboardUrl } = session;
	if (dashboardUrl && dashboardUrl !== run.record.dashboardUrl) {
		run.save({ dashboardUrl });
		run.dependencies.onSession({ sessionId, dashboardUrl });
	}
	if (!isKnownStatus(status))
		run.warnings.add(
			`The service reported the undocumented status "${quote(status, 50)}", which was taken for running.`,
		);
	return (run.session = { ...session, dashboardUrl });
}

/** Whether the service said no, as against not saying anything usable in time. */
export const isRejectedByService = ({
	context: { httpStatus },
}: WorkspaceAutomationError): boolean => httpStatus !== undefined && isRejection(httpStatus);
