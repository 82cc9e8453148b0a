import type { ApiClient } from '../../shared/client/operations';
import { isKnownStatus, type Session } from '../../shared/client/session';
import { hadNoEffect, type WorkspaceAutomationError } from '../../shared/errors';
import { withIntent, type ItemJournal } from '../../shared/n8n/journal';
import { quote } from '../../shared/values';
import { hasUnknownDecision, type UndecidedRequest } from '../requests/plan';
import type { RequestRecord } from '../requests/record';
import { RECORD_VERSION, type Course, type RunningRecord } from './record';
import { maxWaitAt, type WaitState } from './schedule';
import type { ItemSettings, RunDependencies } from './types';

/** Time for decisions after polling times out */
export const DECISION_BUDGET_MS = 30_000;

/** The state of one item's run. The journal keeps the data that a retry or a wake needs. All other data is in memory only. */
export class SessionRun {
	readonly warnings = new Set<string>();

	readonly startedAt: number;

	private readonly startedAtWallTime: number;

	/** Time on the monotonic clock, the end of polling in this run of the node */
	pollDeadline: number;

	/** The latest reading */
	session: Session | undefined;

	pollCount = 0;

	/** Polls in a row that didn't return a session, and the latest error */
	failedPolls = 0;
	lastFailure: WorkspaceAutomationError | undefined;

	retryAfterMs = 0;

	undecided: UndecidedRequest[] = [];

	/** A request whose decision the service rejected, until the next poll */
	rejected: { record: RequestRecord; error: WorkspaceAutomationError } | undefined;

	/** Time on the monotonic clock before which no decision is sent, because the service or the network takes none */
	hold: { until: number; because: string } | undefined;

	readonly settings: ItemSettings;

	readonly dependencies: RunDependencies;

	constructor(settings: ItemSettings, dependencies: RunDependencies, budgetMs = 0) {
		this.settings = settings;
		this.dependencies = dependencies;
		this.startedAt = this.now;
		this.startedAtWallTime = this.api.clock.now();
		this.pollDeadline = this.startedAt + budgetMs;
	}

	get api(): ApiClient {
		return this.dependencies.api;
	}

	/** Milliseconds on the monotonic clock */
	get now(): number {
		return this.api.clock.monotonicMs();
	}

	/** Milliseconds since 1970. The system clock counts at the start of the run only, so setting it later changes nothing. */
	get wallTime(): number {
		return this.startedAtWallTime + this.now - this.startedAt;
	}

	/** The course so far. Empty before the session is known */
	get record(): Partial<Course> & Pick<Course, 'requests' | 'questions'> {
		const stored = this.dependencies.journal.read();
		const nothing = { requests: [], questions: [] };
		return stored && stored.state !== 'starting' ? { ...nothing, ...stored } : nothing;
	}

	get sessionId(): string {
		return this.record.sessionId!;
	}

	/** Returns the end of Max Wait on the monotonic clock. */
	get maxWaitAt(): number {
		return this.now + maxWaitAt(this.wait, this.settings.timeouts) - this.wallTime;
	}

	get wait(): WaitState {
		return this.record.wait ?? { since: this.wallTime };
	}

	get decisionDeadline(): number {
		return this.pollDeadline + DECISION_BUDGET_MS;
	}

	/** True if the next poll shows the outcome of a decision, so that it's worth waiting for */
	get isSettling(): boolean {
		const until = this.hold?.until ?? 0;
		const isHeld = this.now < until && until <= this.decisionDeadline;
		return isHeld || hasUnknownDecision(this.record.requests);
	}

	get lastPollAt(): number {
		return this.isSettling ? this.decisionDeadline : this.pollDeadline;
	}

	/** Changes the record of a session that is known. */
	save(changes: Partial<Course>): void {
		const { sessionId, wait, record } = this;
		const running = { ...record, sessionId, wait, ...changes };
		this.dependencies.journal.write({ ...running, v: RECORD_VERSION, state: 'running' });
	}

	/** Records an intent before its effect is requested, and removes it only if the effect provably didn't happen. */
	async withIntent<T>(intent: Partial<Course>, work: () => Promise<T>): Promise<T> {
		const journal = this.dependencies.journal as ItemJournal<RunningRecord>;
		return await withIntent(journal, intent, work);
	}

	saveWait(changes: Partial<WaitState>): void {
		this.save({ wait: { ...this.wait, ...changes } });
	}

	noteChange(): void {
		this.saveWait({ changedAt: this.wallTime });
	}

	/** Moves times of earlier wakes out of the future, where they are if the system clock was set back in between. */
	limitTimes(): void {
		const { turn, wait } = this.record;
		const now = this.wallTime;
		if (turn && turn.sentAt > now) this.save({ turn: { ...turn, sentAt: now } });
		if (wait?.changedAt !== undefined && wait.changedAt > now) this.noteChange();
	}

	/** Adds a warning that later wakes also return. */
	warn(warning: string): void {
		const { warnings = [] } = this.record;
		if (!warnings.includes(warning)) this.save({ warnings: [...warnings, warning] });
	}

	listWarnings(): string[] {
		return [...(this.record.warnings ?? []), ...this.warnings];
	}

	log(message: string, about: Record<string, unknown> = {}): void {
		this.dependencies.log(message, { sessionId: this.record.sessionId, ...about });
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
			this.dependencies.onSession({ sessionId, dashboardUrl });
		}
		if (!isKnownStatus(status))
			this.warn(
				`The service returned an unknown status, "${quote(status, 50)}". The node treated it as running.`,
			);
		this.session = { ...session, dashboardUrl };
		this.dependencies.onProgress?.(this.session);
	}
}
