import type { ApiClient } from '../../shared/client/operations';
import { isKnownStatus, type Interaction, type Session } from '../../shared/client/session';
import { hadNoEffect, type WorkspaceAutomationError } from '../../shared/errors';
import { quote } from '../../shared/values';
import type { SessionRecord } from './journal';
import { hasUnknownDecision, type UndecidedRequest } from './ledger';
import type { WaitState } from './schedule';
import type { ItemSettings, RunDependencies } from './types';

/** Time for decisions after polling times out */
export const DECISION_BUDGET_MS = 30_000;

const NEW_RECORD: SessionRecord = { ledger: [] };

/** The state of one item's run. The journal keeps the data that a retry or a wake needs. All other data is in memory only. */
export class SessionRun {
	readonly warnings = new Set<string>();

	readonly startedAt: number;

	private readonly startedAtWallTime: number;

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
	rejected: { interaction: Interaction; error: WorkspaceAutomationError } | undefined;

	/** Keys of requests that are denied because nobody answered in time */
	keysToDeny: readonly string[] = [];

	/** Time on the monotonic clock before which no decision is sent, because the service or the network takes none */
	hold: { until: number; because: string } | undefined;

	readonly settings: ItemSettings;

	readonly dependencies: RunDependencies;

	constructor(settings: ItemSettings, dependencies: RunDependencies, budgetMs: number) {
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

	get record(): SessionRecord {
		return { ...NEW_RECORD, ...this.dependencies.journal.read() };
	}

	get sessionId(): string {
		return this.record.sessionId!;
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
		return isHeld || hasUnknownDecision(this.record.ledger);
	}

	get lastPollAt(): number {
		return this.isSettling ? this.decisionDeadline : this.pollDeadline;
	}

	save(changes: Partial<SessionRecord>): void {
		this.dependencies.journal.write({ ...this.record, ...changes });
	}

	saveWait(changes: Partial<WaitState>): void {
		this.save({ wait: { ...this.wait, ...changes } });
	}

	noteChange(): void {
		if (this.settings.timeouts) this.saveWait({ changedAt: this.wallTime });
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
