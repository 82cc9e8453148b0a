import type { ApiClient } from '../../shared/client/operations';
import { readOptionWords } from '../../shared/client/overrides';
import { isKnownStatus, type Session } from '../../shared/client/session';
import { hadNoEffect, type WorkspaceAutomationError } from '../../shared/errors';
import { quote } from '../../shared/values';
import { ACTIVE_MS, MAX_ACTIVE_MS, MAX_RETRY_AFTER_MS } from '../plan/plan';
import { hasUnknownDecision, type UndecidedRequest } from '../requests/decisions';
import type {
	Voting,
	Ask,
	LinkAnswer,
	TeamSettings,
	Timeouts,
	RequestOrigin,
} from '../requests/ballots';
import type { RequestRecord } from '../requests/requestRecord';
import {
	RECORD_VERSION,
	type Course,
	type SessionRecord,
	type StartState,
	type WaitState,
} from './record';
import type { OptionPreferences } from '../../shared/approvals/options';
import type { Semaphore } from '../../shared/client/rateLimiter';
import type { FactLookup, PreviewPage } from './facts';
import type { ItemJournal } from '../../shared/n8n/journal';
import type { Ledger } from '../../shared/n8n/ledger';
import type { Policy } from '../policy/rules';

/** An item for an approver, with the requests that it's about. Without a page, it's for no approver in particular. */
export interface AskedItem extends Partial<Ask> {
	undecided: UndecidedRequest[];
	/** True if answers to an earlier content don't count */
	hasChanged?: boolean;
}

/** What a session has come to. Undefined while it continues */
export interface SessionOutcome {
	kind: 'completed' | 'failed' | 'needsApproval' | 'stillRunning';
	/** The result in the required format */
	output?: unknown;
	/** What its item says beside the warnings of the record */
	warnings?: string[];
	/** `needsApproval`: an item for each approver who is asked now */
	asked?: AskedItem[];
}

export type Target =
	| {
			operation: 'start';
			projectId: string;
			prompt: string;
			/** More fields for the body */
			extra: Record<string, unknown>;
	  }
	| { operation: 'continue'; sessionId: string; message?: string };

export interface ItemSettings {
	target: Target;
	/** The facts of the approval request besides the requests */
	origin?: Omit<RequestOrigin, 'sessionId'>;
	policy: Policy;
	timeouts: Timeouts;
	sendComments?: boolean;
	/** The page that approvers and items get a link to */
	preview?: PreviewPage;
	/** Time without activity after which approvers are asked */
	quietMs?: number;
	/** True if requests get a link to the approval page */
	hasPage: boolean;
	/** An AI agent's tool returns a session that is still running instead of throwing. */
	isTool?: boolean;
	/** The approvers, if there are several. An error matters only when there's a new ballot for them. */
	team?: TeamSettings | Error;
}

export type ParsedAnswer = { output: unknown } | { misfit: string };

export interface OutputFormat {
	instructions: string;
	parse(text: string): Promise<ParsedAnswer>;
}

export interface RunDependencies {
	api: ApiClient;
	/** Returns the answers of the execution's links. */
	listAnswers?(): LinkAnswer[];
	journal: ItemJournal<SessionRecord>;
	format?: OutputFormat;
	/** The item's effects that must not happen twice */
	ledger: Ledger;
	/** Returns whether this execution has ever reached the service. */
	hasReached(): boolean;
	/** Returns milliseconds since 1970, from one reading of the system clock for the whole wake, so that setting it meanwhile changes nothing. */
	wallTime(): number;
	/** ID of this execution: n8n answers a link only for the execution that it names */
	execution: string;
	/** Limits the polls at once, so that each has its whole time */
	polls: Semaphore;
	log(message: string, about: Record<string, unknown>): void;
	/** Called when the session is known, and again when its dashboard URL is known */
	onSession?(session: { sessionId: string; dashboardUrl?: string }): void;
	findFacts?: FactLookup;
	onProgress?(session: Session): void;
}

/** What reading a session and sending decisions takes */
export type DecisionSettings = Pick<ItemSettings, 'target' | 'sendComments' | 'quietMs'> & {
	policy: OptionPreferences;
	timeouts: Pick<Timeouts, 'maxWaitMs'>;
};
export type DecisionDependencies = Omit<RunDependencies, 'hasReached' | 'polls' | 'execution'>;

const POLL_REQUEST_MS = 15_000;
/** Time for decisions after a poll */
const DECISION_BUDGET_MS = 30_000;
/** Time for which responses may be refusals, or unusable, in a row */
export const MAX_UNUSABLE_MS = 3 * 60_000;

/** Returns the milliseconds for which the service asks to wait after a request. */
export const retryAfterOf = ({ context }: WorkspaceAutomationError): number =>
	Math.min(MAX_RETRY_AFTER_MS, (context.retryAfter ?? 0) * 1_000);

/** Returns the course of a record's session. Empty before the session is known */
export const readCourse = (record: SessionRecord | undefined): Partial<Course> =>
	record && record.state !== 'waiting' ? record : {};

type KnownCourse = Readonly<Partial<Course> & Pick<Course, 'requests' | 'ballots'>>;

/** The state of one item's session during a wake. The journal keeps the data that a retry or a later wake needs. */
export class SessionRun<
	Settings extends DecisionSettings = ItemSettings,
	Dependencies extends DecisionDependencies = RunDependencies,
> {
	/** Time on the monotonic clock until which the poll may take */
	pollDeadline = 0;

	/** The latest reading */
	session: Session | undefined;

	/** The latest error of a poll, until one succeeds */
	lastFailure: WorkspaceAutomationError | undefined;

	undecided: UndecidedRequest[] = [];

	/** A request whose decision the service rejected, until the next poll */
	rejected: { record: RequestRecord; error: WorkspaceAutomationError } | undefined;

	/** Time on the monotonic clock before which no decision is sent, because the service or the network takes none */
	hold: { until: number; because: string } | undefined;

	/** True if a reading is needed before the next decision */
	isUrgent = false;

	/** True if no pause has saved the session's ID yet */
	isUnsaved = false;

	readonly settings: Settings;

	readonly dependencies: Dependencies;

	constructor(settings: Settings, dependencies: Dependencies) {
		this.settings = settings;
		this.dependencies = dependencies;
		Object.assign(settings.policy, readOptionWords(dependencies.api));
		this.beginPoll();
		this.limitTimes();
	}

	get api(): ApiClient {
		return this.dependencies.api;
	}

	/** Milliseconds on the monotonic clock */
	get now(): number {
		return this.api.clock.monotonicMs();
	}

	/** Milliseconds since 1970 */
	get wallTime(): number {
		return this.dependencies.wallTime();
	}

	/** The course so far, as the journal has it. Empty before the session is known */
	get record(): KnownCourse {
		const course = readCourse(this.dependencies.journal.read());
		return course.requests && course.ballots
			? (course as KnownCourse)
			: { requests: [], ballots: [], ...course };
	}

	get voting(): Voting {
		return { ballots: this.record.ballots, answers: this.dependencies.listAnswers?.() ?? [] };
	}

	get sessionId(): string {
		return this.record.sessionId!;
	}

	get wait(): WaitState {
		return this.record.wait ?? { since: this.wallTime };
	}

	/** True once the session is known, and its message is sent */
	get hasBegun(): boolean {
		return this.record.startedAt !== undefined;
	}

	/** Half a minute after the poll, or after Max Wait */
	get decisionDeadline(): number {
		const leftMs = this.wait.since + this.settings.timeouts.maxWaitMs - this.wallTime;
		return Math.min(this.pollDeadline, this.now + leftMs) + DECISION_BUDGET_MS;
	}

	/** True if the next poll shows the outcome of a decision, so that it's worth waiting for */
	get hasUnfinishedDecision(): boolean {
		const until = this.hold?.until ?? 0;
		const isHeld = this.now < until && until <= this.decisionDeadline;
		return isHeld || hasUnknownDecision(this.record.requests);
	}

	/** Gives the next poll its time. */
	beginPoll(): void {
		this.pollDeadline = this.now + POLL_REQUEST_MS;
	}

	save(changes: Partial<Course>): void {
		const { sessionId, wait, record } = this;
		const { tries } = this.dependencies.journal.read() ?? {};
		const running = { ...(tries && { tries }), ...record, sessionId, wait, ...changes };
		this.dependencies.journal.write({ ...running, v: RECORD_VERSION, state: 'running' });
	}

	/** Records when the next try to start comes. */
	saveStart(start: StartState): void {
		const { journal } = this.dependencies;
		const { tries } = journal.read() ?? {};
		journal.write({ ...(tries && { tries }), v: RECORD_VERSION, state: 'waiting', start });
	}

	saveWait(changes: Partial<WaitState>): void {
		this.save({ wait: { ...this.wait, ...changes } });
	}

	noteChange(): void {
		const { wallTime: now } = this;
		const { changedAt = 0, activeSince = now } = this.wait;
		const isOther = now > Math.min(changedAt + ACTIVE_MS, activeSince + MAX_ACTIVE_MS);
		this.saveWait({ changedAt: now, activeSince: isOther ? now : activeSince });
	}

	/** Moves times of earlier wakes out of the future, where they are if the system clock was set back in between. */
	private limitTimes(): void {
		const { turn, wait, lastReadAt } = this.record;
		const now = this.wallTime;
		const stored = this.dependencies.journal.read();
		if (stored?.state === 'waiting' && stored.start.since > now) {
			const { since, at } = stored.start;
			this.saveStart({ ...stored.start, since: now, at: at - since + now });
		}
		if (turn && turn.sentAt > now) this.save({ turn: { ...turn, sentAt: now } });
		if (lastReadAt !== undefined && lastReadAt > now) this.save({ lastReadAt: now });
		if (!wait) return;
		const limited = Object.fromEntries(
			(['since', 'changedAt', 'activeSince', 'triedAt'] as const).flatMap((name) => {
				const at = wait[name];
				return at !== undefined && at > now ? [[name, now]] : [];
			}),
		);
		if (Object.keys(limited).length > 0) this.saveWait(limited);
	}

	/** Adds a warning that later wakes also return. */
	warn(warning: string): void {
		const { warnings = [] } = this.record;
		if (!warnings.includes(warning)) this.save({ warnings: [...warnings, warning] });
	}

	log(message: string): void {
		this.dependencies.log(message, { sessionId: this.record.sessionId });
	}

	logIfUnknown(what: string, error: unknown): void {
		if (!hadNoEffect(error))
			this.log(`The ${what} may have taken effect: ${(error as Error).message}`);
	}

	update(session: Session): void {
		// The dashboard URL is kept: an error names it even if a later response leaves it out.
		const { sessionId, status, dashboardUrl = this.record.dashboardUrl } = session;
		if (dashboardUrl && dashboardUrl !== this.record.dashboardUrl) {
			this.save({ dashboardUrl });
			this.dependencies.onSession?.({ sessionId, dashboardUrl });
		}
		if (!isKnownStatus(status))
			this.warn(
				`The service returned an unknown status, "${quote(status, 50)}". The node treated it as running.`,
			);
		this.session = { ...session, dashboardUrl };
		this.dependencies.onProgress?.(this.session);
	}
}

/** A run that reads a session and sends decisions, of an item or of Apply an Answer */
export type DecidingRun = SessionRun<DecisionSettings, DecisionDependencies>;
