import { hasEnded, shownMoment, type Interaction, type Session } from '../shared/session/session';
import {
	CanceledError,
	hadNoEffect,
	resultOrError,
	withSession,
	WorkspaceAutomationError,
} from '../shared/base/errors';
import { interruptedEarlier, UnreadableSessionError } from '../shared/api/sessions';
import { inSeconds, LIMITS } from '../shared/base/limits';
import type { CallOptions } from '../shared/api/types';
import type { Clock } from '../shared/transport/clock';
import { isRefusal as isRefusalStatus } from '../shared/transport/evidence';
import { asText, quote } from '../shared/base/values';
import type { DecisionRecord, Entry, Journal } from './journal';
import { decide, patternsOf, type Policy, type Settled } from './permissionPolicy';
import { delayBeforePoll, type PollLimits } from './pollPlan';
import type { NewSession, SessionApi } from './sessionApi';

export type Target =
	| ({ operation: 'start' } & NewSession)
	| { operation: 'continue'; sessionId: string; message?: string };

/** What one item asks for. */
export interface Job {
	target: Target;
	policy: Policy;
	poll: PollLimits;
	maxWaitMs: number;
	onMaxWait: 'route' | 'abort';
	abortOnStop: boolean;
	/** More fields for the body that resolves an interaction */
	decisionBody?: Record<string, unknown>;
}

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
	/** Known where the session was started here */
	projectId?: string;
	decisions: DecisionRecord[];
	/** Why each interaction that is left for a human was not decided */
	undecided: Array<{ interactionId: string; because: string }>;
	/** What a person should know about although it stopped nothing */
	warnings: string[];
	pollCount: number;
	durationMs: number;
}

/**
 * Runs one item: starts or continues its session, waits for it and decides its permissions.
 * @throws WorkspaceAutomationError that names the session, once there is one, and what was decided
 * @throws CanceledError after Stop, with the remote session aborted where the job says so
 */
export async function runSession(job: Job, dependencies: RunDependencies): Promise<RunResult> {
	return await new Run(job, dependencies).toItsEnd();
}

const KNOWN_STATUSES = ['starting', 'running', 'completed', 'failed'];

class Run {
	private readonly job: Job;
	private readonly dependencies: RunDependencies;
	private readonly startedAt: number;
	private readonly deadline: number;
	private readonly untilDeadline: CallOptions;
	private readonly entry: Entry;
	private readonly warnings = new Set<string>();
	private undecided: RunResult['undecided'] = [];
	/**
	 * Resolved, as far as can be told: the response was lost, and the interaction listed no longer. One reading may err, so this
	 * counts the polls that bear it out.
	 */
	private readonly concluded = new Map<string, number>();
	/** Sent since the latest reading, which therefore cannot tell what became of them */
	private readonly sentSince = new Set<string>();
	/** In how many polls each resolved interaction was still listed */
	private readonly stillListed = new Map<string, number>();
	private pollCount = 0;
	/** The latest reading */
	private session: Session | undefined;
	/** The session as it was before the message that this run sent, until a new turn shows */
	private beforeMessage: Session | undefined;
	private messageAt = 0;

	constructor(job: Job, dependencies: RunDependencies) {
		this.job = job;
		this.dependencies = dependencies;
		this.startedAt = dependencies.clock.now();
		this.deadline = this.startedAt + job.maxWaitMs;
		// A poll that failed is made up for no later than the next one would come.
		this.untilDeadline = {
			deadline: this.deadline,
			maxAttempts: Infinity,
			maxDelayMs: job.poll.maxPollMs,
		};
		this.entry = dependencies.journal.read() ?? { state: 'new', decisions: [], undetermined: [] };
	}

	async toItsEnd(): Promise<RunResult> {
		return await this.run().catch(async (error: unknown) => {
			if (error instanceof CanceledError) await this.afterStop();
			const { sessionId, dashboardUrl, decisions } = this.entry;
			if (!(error instanceof WorkspaceAutomationError) || !sessionId) throw error;
			const decided = decisions.length > 0 ? { decisions } : {};
			const session = { sessionId, dashboardUrl, ...decided };
			throw withSession(error, session, this.perhapsDecided());
		});
	}

	private async run(): Promise<RunResult> {
		const { target } = this.job;
		const mayPollNow =
			target.operation === 'start' ? await this.start(target) : await this.join(target);
		return await this.untilSettled(mayPollNow);
	}

	/** Starts the session, unless an earlier try of this execution did. Returns whether it makes sense to read it at once. */
	private async start(target: Extract<Target, { operation: 'start' }>): Promise<boolean> {
		const { sessionId: earlier, dashboardUrl, state } = this.entry;
		if (earlier) {
			this.log(`Continuing agent session ${earlier}, which an earlier try started`);
			this.dependencies.onSession({ sessionId: earlier, dashboardUrl });
			return true;
		}
		if (state === 'sending') throw interruptedEarlier('createAgentSession');
		this.note({ state: 'sending' });
		const deadline = Math.max(this.deadline, this.startedAt + LIMITS.sessionStartMs);
		const sessionId = await this.forgetIfNotSent(this.dependencies.api.start(target, { deadline }));
		this.note({ state: 'sent', sessionId });
		this.log(`Agent session ${sessionId} started`, { projectId: target.projectId });
		this.dependencies.onSession({ sessionId });
		return false;
	}

	/** Joins an existing session and gives it the message, unless an earlier try of this execution did. */
	private async join(target: Extract<Target, { operation: 'continue' }>): Promise<boolean> {
		const { sessionId, message } = target;
		this.entry.sessionId = sessionId;
		this.dependencies.onSession({ sessionId });
		if (message === undefined || this.entry.state === 'sent') return true;
		if (this.entry.state === 'sending') throw interruptedEarlier('sendAgentMessage');
		const before = await this.read();
		if (!before)
			throw new WorkspaceAutomationError(
				'The session could not be read, so the message was not sent',
				[...this.warnings].join(' '),
			);
		this.note({ state: 'sending' });
		await this.forgetIfNotSent(
			this.dependencies.api.sendMessage(before, message, this.untilDeadline),
		);
		this.note({ state: 'sent' });
		this.log(`Message sent to agent session ${sessionId}`);
		this.beforeMessage = before;
		this.messageAt = this.dependencies.clock.now();
		return false;
	}

	/** Lets a retry send again what is known not to have been sent or to have been refused. */
	private async forgetIfNotSent<T>(sending: Promise<T>): Promise<T> {
		return await sending.catch((error: unknown) => {
			if (hadNoEffect(error)) this.dependencies.journal.clear();
			throw error;
		});
	}

	/** The polling procedure: read, decide, wait, until there is nothing left to wait for. */
	private async untilSettled(mayPollNow: boolean): Promise<RunResult> {
		for (let first = true; ; first = false) {
			const skipWait = first && mayPollNow;
			if (!skipWait && !(await this.waitForNextPoll())) return await this.timeIsUp();
			if (!(await this.read())) return await this.timeIsUp();
			this.countPolls();
			this.concludeUndetermined();
			// Resolving answers with the session as it is then, which may ask for the next permission already.
			while (this.mayDecide() && (await this.decidePending()));
			if (this.isOver()) return this.end();
			if (this.undecided.length > 0) return this.result('needsApproval', this.session!);
		}
	}

	private async waitForNextPoll(): Promise<boolean> {
		const { clock, random, signal } = this.dependencies;
		const now = clock.now();
		const age = now - this.startedAt;
		const delay = delayBeforePoll(age, random(), now, this.deadline, this.job.poll);
		if (delay !== undefined) await clock.sleep(delay, signal);
		return delay !== undefined;
	}

	/** Reads the session; undefined when the time was over before a usable response came. */
	private async read(options = this.untilDeadline): Promise<Session | undefined> {
		for (;;) {
			const session = await resultOrError(
				this.dependencies.api.read(this.entry.sessionId!, options),
			);
			this.pollCount++;
			if (!(session instanceof WorkspaceAutomationError)) return this.take(session);
			if (session.context.httpStatus === 404) throw sessionNotFound(session);
			if (isBlip(session)) {
				if (await this.waitForNextPoll()) continue;
			} else if (isRefused(session)) throw session;
			this.warnings.add(
				`The session could not be read at the end: ${session.message}. ${session.description}`,
			);
			return undefined;
		}
	}

	private take(session: Session): Session {
		// The dashboard URL is kept: an error has to name it even if a later response leaves it out.
		const { sessionId, dashboardUrl = this.entry.dashboardUrl } = session;
		if (dashboardUrl && dashboardUrl !== this.entry.dashboardUrl) {
			this.note({ dashboardUrl });
			this.dependencies.onSession({ sessionId, dashboardUrl });
		}
		if (!KNOWN_STATUSES.includes(session.status)) {
			this.warnings.add(
				`The service reported the undocumented status "${quote(session.status, 50)}", which was taken for running.`,
			);
		}
		if (this.beforeMessage && showsNewTurn(this.beforeMessage, session))
			this.beforeMessage = undefined;
		this.session = { ...session, dashboardUrl };
		this.sentSince.clear();
		return this.session;
	}

	/** Whether there is still time to decide what the latest reading asks for. */
	private mayDecide(): boolean {
		const inTime = this.dependencies.clock.now() <= this.deadline + LIMITS.decisionsMs;
		return inTime && this.session!.status !== 'failed';
	}

	/**
	 * Decides every pending interaction that the policy covers. Returns whether anything was resolved, and so whether it is
	 * worth looking again at once.
	 */
	private async decidePending(): Promise<boolean> {
		this.undecided = [];
		let resolved = false;
		const effort = { left: LIMITS.comparisons };
		for (const [index, interaction] of this.session!.pendingInteractions.entries()) {
			if (index >= LIMITS.interactions) {
				this.leave(interaction, `only ${LIMITS.interactions} requests are looked at at once`);
				continue;
			}
			if (this.isDecided(interaction.id) && !this.concluded.has(interaction.id)) {
				if ((this.stillListed.get(interaction.id) ?? 0) >= LIMITS.pollsResolved)
					this.leave(interaction, 'it was resolved, and the service still lists it as pending');
				continue;
			}
			if (this.sentSince.has(interaction.id)) continue;
			if (this.entry.decisions.length >= LIMITS.decisions) {
				this.leave(
					interaction,
					`${LIMITS.decisions} requests of this session were decided already`,
				);
				continue;
			}
			const verdict = decide(interaction, this.job.policy, effort);
			if (verdict.decision === 'ask') {
				this.leave(interaction, verdict.because);
				continue;
			}
			if (this.mayDecide() && (await this.resolve(interaction, verdict))) resolved = true;
		}
		return resolved;
	}

	private leave({ id }: Interaction, because: string): void {
		this.undecided.push({ interactionId: id, because });
	}

	private recordOf(interaction: Interaction, verdict: Settled): DecisionRecord {
		return {
			interactionId: interaction.id,
			permission: asText(interaction.permission ?? ''),
			patterns: patternsOf(interaction),
			decision: verdict.decision,
			option: verdict.option,
			decidedBy: verdict.decidedBy,
			at: new Date(this.dependencies.clock.now()).toISOString(),
		};
	}

	/** Lists a decision that was carried out. */
	private noteDecision(record: DecisionRecord): void {
		const { decisions, undetermined } = this.entry;
		this.note({
			decisions: [...without(decisions, record), record],
			undetermined: without(undetermined, record),
		});
		// Agent-written text must not forge lines of the log.
		const what = quote([record.permission, ...record.patterns].join(' '));
		this.log(
			`Permission request of agent session ${this.entry.sessionId} decided: ${record.decision} ${what}, by ${record.decidedBy}`,
			{ ...record },
		);
	}

	/**
	 * Whether the interaction was resolved by this call. What is sent is noted before: if its fate is not learned, by this try or
	 * because n8n is killed, a later reading tells.
	 */
	private async resolve(interaction: Interaction, verdict: Settled): Promise<boolean> {
		const { api } = this.dependencies;
		const options = {
			...this.untilDeadline,
			deadline: this.deadline + LIMITS.decisionsMs,
			extra: this.job.decisionBody,
		};
		const record = this.recordOf(interaction, verdict);
		const { undetermined } = this.entry;
		const earlier = undetermined.find(({ interactionId }) => interactionId === interaction.id);
		this.note({ undetermined: [...without(undetermined, record), record] });
		const resolved = await resultOrError(
			api.resolve(this.entry.sessionId!, interaction, verdict.option, options),
		);
		if (!(resolved instanceof WorkspaceAutomationError)) {
			if (resolved.session) this.take(resolved.session);
			if (resolved.confirmed) this.concluded.delete(interaction.id);
			else this.concluded.set(interaction.id, 0);
			this.stillListed.set(interaction.id, 0);
			this.noteDecision(record);
			return true;
		}
		this.sentSince.add(interaction.id);
		if (!hadNoEffect(resolved)) return false;
		this.note({ undetermined: earlier ? undetermined : without(undetermined, record) });
		if (!isRefused(resolved)) {
			this.warnings.add(
				`Permission request ${quote(interaction.id, 50)} could not be decided in time: ${resolved.message}.`,
			);
			return false;
		}
		// An earlier answer of ours may have been carried out, somebody else may have been faster, or the agent may have moved on: only
		// a refusal that leaves it pending matters.
		const now = await this.read();
		if (now?.pendingInteractions.some(({ id }) => id === interaction.id)) throw resolved;
		if (now) this.concludeUndetermined();
		return false;
	}

	private perhapsDecided(): string[] {
		return this.entry.undetermined.map(
			({ interactionId, option }) =>
				`Permission request ${quote(interactionId, 50)} may have been decided: "${quote(option, 50)}" was sent for it, and no answer came.`,
		);
	}

	/** What was sent and is listed no longer was carried out, as far as can be told. A session that fails takes down its list. */
	private concludeUndetermined(): void {
		if (this.session!.status === 'failed') return;
		const isPending = ({ interactionId }: DecisionRecord) =>
			this.session!.pendingInteractions.some(({ id }) => id === interactionId);
		for (const record of this.entry.undetermined) {
			if (isPending(record)) continue;
			this.concluded.set(record.interactionId, 0);
			this.noteDecision(record);
		}
	}

	private isDecided(id: string): boolean {
		return this.entry.decisions.some(({ interactionId }) => interactionId === id);
	}

	/** What each poll shows of what was resolved before. */
	private countPolls(): void {
		for (const { id } of this.session!.pendingInteractions) {
			const polls = this.stillListed.get(id);
			if (polls !== undefined) this.stillListed.set(id, polls + 1);
		}
		for (const [id, polls] of this.concluded) {
			const isListed = this.session!.pendingInteractions.some((pending) => pending.id === id);
			this.concluded.set(id, isListed ? 0 : polls + 1);
		}
	}

	/** Whether the latest reading is the end: a failure always, a completion when it is that of the message and waits for nothing. */
	private isOver(): boolean {
		const session = this.session!;
		if (!hasEnded(session)) return false;
		if (session.status === 'completed' && session.pendingInteractions.length > 0) return false;
		if (!this.beforeMessage) return true;
		if (this.dependencies.clock.now() < this.messageAt + LIMITS.turnMs) return false;
		this.warnings.add(
			`No new turn was seen within ${inSeconds(LIMITS.turnMs)} of the message, so the result may be that of the turn before.`,
		);
		return true;
	}

	private end(): RunResult {
		const session = this.session!;
		// A session known to have failed is nothing that a retry could continue; a completed one still is, for its result.
		if (session.status === 'failed') this.dependencies.journal.clear();
		return this.result(session.status === 'completed' ? 'completed' : 'failed', session);
	}

	private async timeIsUp(): Promise<RunResult> {
		const sessionId = this.entry.sessionId!;
		const { clock, api, journal, signal } = this.dependencies;
		if (this.job.onMaxWait === 'route') {
			const status = this.job.target.operation === 'start' ? 'starting' : 'unknown';
			return this.result(
				'stillRunning',
				this.session ?? { sessionId, status, pendingInteractions: [] },
			);
		}
		// A poll that must not be made any more ends the polling, but not the time that the session was given.
		await clock.sleep(Math.max(0, this.deadline - clock.now()), signal);
		const limit = {
			deadline: clock.now() + LIMITS.abortMs,
			maxAttempts: LIMITS.abortAttempts,
			urgent: true,
		};
		// One last look: what has ended meanwhile is a result, and nothing to abort.
		const last = await resultOrError(api.read(sessionId, limit));
		const wasRead = !(last instanceof WorkspaceAutomationError);
		if (wasRead) {
			this.take(last);
			this.concludeUndetermined();
			if (this.isOver()) return this.end();
		}
		const tooLong = `The session did not finish within ${minutes(this.job.maxWaitMs)}`;
		const description = [
			"Raise 'Max Wait' in the options, or set 'On Max Wait' to route the item to Still Running instead.",
			...this.warnings,
		].join(' ');
		const failure = await resultOrError(api.abort(sessionId, limit));
		if (failure)
			throw new WorkspaceAutomationError(
				`${tooLong} and could not be aborted`,
				`It may still be running. ${failure.message}. ${description}`,
				failure.context,
			);
		// One that could not be read may have completed before: a retry reads it.
		if (wasRead) journal.clear();
		throw new WorkspaceAutomationError(`${tooLong} and was aborted`, description);
	}

	private async afterStop(): Promise<void> {
		const { sessionId } = this.entry;
		if (!sessionId) return;
		if (!this.job.abortOnStop) {
			this.log(
				`The execution was stopped; agent session ${sessionId} goes on, because Abort on Stop is off`,
			);
			return;
		}
		const { clock, api, journal } = this.dependencies;
		const limit = {
			deadline: clock.now() + LIMITS.abortMs,
			maxAttempts: LIMITS.abortAttempts,
			afterStop: true,
		};
		const failure = await resultOrError(api.abort(sessionId, limit));
		if (failure) {
			const reason = `${failure.message}. ${failure.description}`;
			this.log(
				`The execution was stopped, but agent session ${sessionId} could not be aborted and may still be running: ${reason}`,
				{ reason },
			);
		} else {
			journal.clear();
			this.log(`The execution was stopped; agent session ${sessionId} was aborted`);
		}
	}

	private result(kind: RunResult['kind'], session: Session): RunResult {
		const { target } = this.job;
		if (kind === 'stillRunning' || kind === 'needsApproval')
			for (const [id, polls] of this.concluded)
				if (polls < LIMITS.pollsConcluded)
					this.warnings.add(
						`Permission request ${quote(id, 50)} may still be pending: the answer to its decision was lost, and since then the session was polled less than ${LIMITS.pollsConcluded} times.`,
					);
		return {
			kind,
			session,
			...(target.operation === 'start' && { projectId: target.projectId }),
			decisions: this.entry.decisions,
			undecided: this.undecided,
			warnings: [...this.warnings, ...this.perhapsDecided()],
			pollCount: this.pollCount,
			durationMs: this.dependencies.clock.now() - this.startedAt,
		};
	}

	private log(message: string, about: Record<string, unknown> = {}): void {
		this.dependencies.log(message, { sessionId: this.entry.sessionId, ...about });
	}

	private note(changes: Partial<Entry>): void {
		this.dependencies.journal.write(Object.assign(this.entry, changes));
	}
}

const without = (records: DecisionRecord[], { interactionId }: DecisionRecord) =>
	records.filter((record) => record.interactionId !== interactionId);

/**
 * Whether a reading after a message is of a later turn than the one before it. The message itself is no turn, and a session that is
 * at work after having been at rest has begun one.
 */
function showsNewTurn(before: Session, now: Session): boolean {
	if (hasEnded(before) && !hasEnded(now)) return true;
	return shownMoment(before) !== shownMoment(now) && now.latestMessage?.role !== 'user';
}

const isRedirect = (status: number) => status >= 300 && status < 400;

/** A response from somebody else, such as a proxy's login page or redirect: the next poll may reach the service again. */
const isBlip = (error: WorkspaceAutomationError): boolean =>
	error instanceof UnreadableSessionError || isRedirect(error.context.httpStatus ?? 0);

/** Whether the service said no, as against not saying anything usable in time. */
const isRefused = ({ context: { httpStatus } }: WorkspaceAutomationError): boolean =>
	httpStatus !== undefined && isRefusalStatus(httpStatus);

function minutes(ms: number): string {
	const count = Math.round(ms / 6_000) / 10;
	return count === 1 ? '1 minute' : `${count} minutes`;
}

const sessionNotFound = ({ description, context }: WorkspaceAutomationError) =>
	new WorkspaceAutomationError(
		'The session was not found',
		`Either there is no such session, or the API key lacks a scope or its creator has lost access to the project: the service gives the same answer for both. ${description}`,
		context,
	);
