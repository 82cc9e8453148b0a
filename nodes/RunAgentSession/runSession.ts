import type { SendOptions } from '../shared/client';
import { Stopped, type Clock } from '../shared/clock';
import { inSession, nothingHappened, orProblem, Problem } from '../shared/problem';
import { judge } from '../shared/resend';
import { hasEnded, sameMoment, type Interaction, type Session } from '../shared/session';
import type { SessionApi } from '../shared/sessions';
import { lostBefore, sessionPath } from '../shared/unrepeatable';
import type { DecisionRecord, Entry, Journal } from './journal';
import { decide, patternsOf, type Policy } from './permissionPolicy';
import { nextInterval, waitBeforePoll, type PollLimits } from './pollPlan';

export type Target =
	| { operation: 'start'; projectId: string; prompt: string; extra: Record<string, unknown> }
	| { operation: 'continue'; sessionId: string; message?: string };

/** What one item asks for. */
export interface Job {
	target: Target;
	policy: Policy;
	poll: PollLimits;
	maxWaitMs: number;
	onMaxWait: 'route' | 'abort';
	abortOnStop: boolean;
}

/** The effects that a run needs; a test brings a clock and a service of its own. */
export interface World {
	api: SessionApi;
	/** Reaches the service even after the execution was stopped */
	apiAfterStop: SessionApi;
	journal: Journal;
	clock: Clock;
	/** From 0 to 1 */
	random(): number;
	log(message: string, about: Record<string, unknown>): void;
	/** Told as soon as the session is known, and again when its dashboard URL is */
	onSession(session: { sessionId: string; dashboardUrl?: string }): void;
}

export interface Outcome {
	kind: 'completed' | 'failed' | 'needsApproval' | 'stillRunning';
	session: Session;
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
 * @throws Problem that names the session, once there is one
 * @throws Stopped after Stop, with the remote session aborted where the job says so
 */
export async function runSession(job: Job, world: World): Promise<Outcome> {
	return await new Run(job, world).toItsEnd();
}

const KNOWN_STATUSES = ['starting', 'running', 'completed', 'failed'];
/** How long after a message an ended session that shows no sign of it is taken for one whose new turn has yet to begin. */
const TURN_GRACE_MS = 30_000;
/** What has been read is still decided when the time is over, for no longer than this. */
const DECISION_MS = 30_000;
/** Nobody waits for an abort any more: a handful of quick tries. */
const ABORT: SendOptions = { attempts: 3 };

/** Whether the service said no, as against not saying anything usable in time. */
const isRefusal = ({ facts: { httpStatus } }: Problem) =>
	httpStatus !== undefined &&
	judge({ kind: 'answer', status: httpStatus, headers: {}, body: undefined }, true) === 'final';

class Run {
	private readonly job: Job;
	private readonly world: World;
	private readonly startedAt: number;
	private readonly deadline: number;
	private readonly untilDeadline: SendOptions;
	private readonly entry: Entry;
	private readonly warnings = new Set<string>();
	private undecided: Outcome['undecided'] = [];
	/** Decided, as far as can be told: the answer was lost, and the interaction listed no longer. One reading may err. */
	private readonly concluded = new Set<string>();
	private pollCount = 0;
	/** The latest reading */
	private session: Session | undefined;
	/** The session as it was before the message that this run sent, until a new turn shows */
	private beforeMessage: Session | undefined;
	private messageAt = 0;

	constructor(job: Job, world: World) {
		this.job = job;
		this.world = world;
		this.startedAt = world.clock.now();
		this.deadline = this.startedAt + job.maxWaitMs;
		// A poll that failed is made up for no later than the next one would come.
		this.untilDeadline = {
			deadline: this.deadline,
			attempts: Infinity,
			longestWaitMs: job.poll.maxPollMs,
		};
		this.entry = world.journal.read() ?? { state: 'new', decisions: [] };
	}

	async toItsEnd(): Promise<Outcome> {
		return await this.run().catch(async (error: unknown) => {
			if (error instanceof Stopped) await this.afterStop();
			const { sessionId, dashboardUrl } = this.entry;
			throw error instanceof Problem && sessionId
				? inSession(error, { sessionId, dashboardUrl })
				: error;
		});
	}

	private async run(): Promise<Outcome> {
		const { target } = this.job;
		return await this.untilSettled(
			target.operation === 'start' ? await this.start(target) : await this.join(target),
		);
	}

	/** Starts the session, unless an earlier try of this execution did. Returns whether it makes sense to read it at once. */
	private async start(target: Extract<Target, { operation: 'start' }>): Promise<boolean> {
		if (this.entry.sessionId) {
			this.world.log(
				`Continuing agent session ${this.entry.sessionId}, which an earlier try started`,
				{ sessionId: this.entry.sessionId },
			);
			this.world.onSession({
				sessionId: this.entry.sessionId,
				dashboardUrl: this.entry.dashboardUrl,
			});
			return true;
		}
		if (this.entry.state === 'sending') throw lostBefore('/agent/sessions');
		this.note({ state: 'sending' });
		const sessionId = await this.forgetIfNotSent(
			this.world.api.start(target.projectId, target.prompt, target.extra, {
				deadline: this.deadline,
			}),
		);
		this.note({ state: 'sent', sessionId });
		this.world.log(`Agent session ${sessionId} started`, {
			sessionId,
			projectId: target.projectId,
		});
		this.world.onSession({ sessionId });
		return false;
	}

	/** Joins an existing session and gives it the message, unless an earlier try of this execution did. */
	private async join(target: Extract<Target, { operation: 'continue' }>): Promise<boolean> {
		this.entry.sessionId = target.sessionId;
		this.world.onSession({ sessionId: target.sessionId });
		if (target.message === undefined || this.entry.state === 'sent') return true;
		if (this.entry.state === 'sending')
			throw lostBefore(sessionPath(target.sessionId, '/messages'));
		const before = await this.read();
		if (!before)
			throw new Problem(
				'The session could not be read, so the message was not sent',
				[...this.warnings].join(' '),
			);
		this.note({ state: 'sending' });
		await this.forgetIfNotSent(
			this.world.api.sendMessage(before, target.message, this.untilDeadline),
		);
		this.note({ state: 'sent' });
		this.world.log(`Message sent to agent session ${target.sessionId}`, {
			sessionId: target.sessionId,
		});
		this.beforeMessage = before;
		this.messageAt = this.world.clock.now();
		return false;
	}

	/** Lets a retry send again what is known not to have been sent or to have been refused. */
	private async forgetIfNotSent<T>(sending: Promise<T>): Promise<T> {
		return await sending.catch((error: unknown) => {
			if (nothingHappened(error)) this.world.journal.clear();
			throw error;
		});
	}

	/** The polling procedure: read, decide, wait, until there is nothing left to wait for. */
	private async untilSettled(mayPollNow: boolean): Promise<Outcome> {
		const { poll, policy } = this.job;
		let interval = poll.pollMs;
		let previous = this.session;
		if (!mayPollNow && !(await this.waitForNextPoll(interval))) return await this.timeIsUp();
		for (;;) {
			if (!(await this.read())) return await this.timeIsUp();
			// Resolving answers with the session as it is then, which may ask for the next permission already.
			while (!this.isOver() && (await this.decidePending(policy)));
			const session = this.session!;
			if (this.isOver()) return this.end(session);
			if (this.undecided.length > 0) return this.outcome('needsApproval', session);
			const changed =
				!previous || !sameMoment(previous, session) || !samePending(previous, session);
			interval = nextInterval(interval, changed, poll);
			previous = session;
			if (!(await this.waitForNextPoll(interval))) return await this.timeIsUp();
		}
	}

	private async waitForNextPoll(interval: number): Promise<boolean> {
		const { clock, random } = this.world;
		const wait = waitBeforePoll(interval, random(), clock.now(), this.deadline, this.job.poll);
		if (wait !== undefined) await clock.pause(wait);
		return wait !== undefined;
	}

	/** Reads the session; undefined when the time was over before a usable answer came. */
	private async read(): Promise<Session | undefined> {
		const session = await orProblem(this.world.api.read(this.entry.sessionId!, this.untilDeadline));
		this.pollCount++;
		if (!(session instanceof Problem)) return this.take(session);
		if (session.facts.httpStatus === 404) throw sessionNotFound(session);
		if (isRefusal(session)) throw session;
		this.warnings.add(
			`The session could not be read at the end: ${session.message}. ${session.description}`,
		);
		return undefined;
	}

	private take(session: Session): Session {
		// The dashboard URL is kept: an error has to name it even if a later answer leaves it out.
		const { sessionId, dashboardUrl = this.entry.dashboardUrl } = session;
		if (dashboardUrl && dashboardUrl !== this.entry.dashboardUrl) {
			this.note({ dashboardUrl });
			this.world.onSession({ sessionId, dashboardUrl });
		}
		if (!KNOWN_STATUSES.includes(session.status)) {
			this.warnings.add(
				`The service reported the undocumented status "${session.status}", which was taken for running.`,
			);
		}
		if (this.beforeMessage && !sameMoment(this.beforeMessage, session))
			this.beforeMessage = undefined;
		this.session = { ...session, dashboardUrl };
		return this.session;
	}

	/**
	 * Decides every pending interaction that the policy covers. Returns whether anything was resolved, and so whether it is
	 * worth looking again at once.
	 */
	private async decidePending(policy: Policy): Promise<boolean> {
		this.undecided = [];
		const waiting = this.session!.pendingInteractions.filter(
			({ id }) => this.concluded.has(id) || !this.isDecided(id),
		);
		let resolved = false;
		for (const interaction of waiting) {
			const verdict = decide(interaction, policy);
			if (verdict.decision === 'ask') {
				this.undecided.push({ interactionId: interaction.id, because: verdict.because });
				continue;
			}
			if (!(await this.resolve(interaction, verdict.value))) continue;
			resolved = true;
			const record: DecisionRecord = {
				interactionId: interaction.id,
				permission: String(interaction.permission ?? ''),
				patterns: patternsOf(interaction),
				decision: verdict.decision,
				option: verdict.value,
				decidedBy: verdict.decidedBy,
				at: new Date(this.world.clock.now()).toISOString(),
			};
			this.note({
				decisions: [
					...this.entry.decisions.filter(
						({ interactionId }) => interactionId !== record.interactionId,
					),
					record,
				],
			});
			this.world.log(
				`Permission request of agent session ${this.entry.sessionId} decided: ${record.decision} ${[record.permission, ...record.patterns].join(' ')}, by ${record.decidedBy}`,
				{ sessionId: this.entry.sessionId, ...record },
			);
		}
		return resolved;
	}

	/** Whether the interaction was resolved by this call. */
	private async resolve(interaction: Interaction, value: string): Promise<boolean> {
		const options = {
			...this.untilDeadline,
			deadline: Math.max(this.deadline, this.world.clock.now() + DECISION_MS),
		};
		const resolved = await orProblem(
			this.world.api.resolve(this.entry.sessionId!, interaction, value, options),
		);
		if (!(resolved instanceof Problem)) {
			if (resolved.session) this.take(resolved.session);
			if (resolved.confirmed) this.concluded.delete(interaction.id);
			else this.concluded.add(interaction.id);
			return true;
		}
		if (!isRefusal(resolved)) {
			this.warnings.add(
				`Permission request ${interaction.id} could not be decided in time: ${resolved.message}.`,
			);
			return false;
		}
		// Somebody else may have been faster, or the agent may have moved on: only a refusal that leaves it pending matters.
		const now = await this.read();
		if (now?.pendingInteractions.some(({ id }) => id === interaction.id)) throw resolved;
		return false;
	}

	private isDecided(id: string): boolean {
		return this.entry.decisions.some(({ interactionId }) => interactionId === id);
	}

	private isOver(): boolean {
		return (
			hasEnded(this.session!) &&
			!(this.beforeMessage && this.world.clock.now() < this.messageAt + TURN_GRACE_MS)
		);
	}

	private end(session: Session): Outcome {
		// A session known to have failed is nothing that a retry could continue; a completed one still is, for its result.
		if (session.status === 'failed') this.world.journal.clear();
		return this.outcome(session.status === 'completed' ? 'completed' : 'failed', session);
	}

	private async timeIsUp(): Promise<Outcome> {
		const sessionId = this.entry.sessionId!;
		const unseen = {
			sessionId,
			status: this.job.target.operation === 'start' ? 'starting' : 'unknown',
			pendingInteractions: [],
		};
		if (this.job.onMaxWait === 'route') return this.outcome('stillRunning', this.session ?? unseen);
		const tooLong = `The session did not finish within ${Math.round(this.job.maxWaitMs / 6_000) / 10} minutes`;
		const wayOut = [
			'Raise Max Wait in the options, or set On Max Wait to route the item to Still Running instead.',
			...this.warnings,
		].join(' ');
		const failure = await orProblem(this.world.api.abort(sessionId, ABORT));
		if (failure)
			throw new Problem(
				`${tooLong} and could not be aborted`,
				`It may still be running. ${failure.message}. ${wayOut}`,
				failure.facts,
			);
		this.world.journal.clear();
		throw new Problem(`${tooLong} and was aborted`, wayOut);
	}

	private async afterStop(): Promise<void> {
		const { sessionId } = this.entry;
		if (!sessionId) return;
		if (!this.job.abortOnStop) {
			this.world.log(
				`The execution was stopped; agent session ${sessionId} goes on, because Abort on Stop is off`,
				{ sessionId },
			);
			return;
		}
		const failure = await orProblem(this.world.apiAfterStop.abort(sessionId, ABORT));
		if (failure) {
			const reason = `${failure.message}. ${failure.description}`;
			this.world.log(
				`The execution was stopped, but agent session ${sessionId} could not be aborted and may still be running: ${reason}`,
				{ sessionId, reason },
			);
		} else {
			this.world.journal.clear();
			this.world.log(`The execution was stopped; agent session ${sessionId} was aborted`, {
				sessionId,
			});
		}
	}

	private outcome(kind: Outcome['kind'], session: Session): Outcome {
		return {
			kind,
			session,
			decisions: this.entry.decisions,
			undecided: this.undecided,
			warnings: [...this.warnings],
			pollCount: this.pollCount,
			durationMs: this.world.clock.now() - this.startedAt,
		};
	}

	private note(changes: Partial<Entry>): void {
		this.world.journal.write(Object.assign(this.entry, changes));
	}
}

const samePending = (a: Session, b: Session) =>
	a.pendingInteractions.map(({ id }) => id).join() ===
	b.pendingInteractions.map(({ id }) => id).join();

const sessionNotFound = ({ description, facts }: Problem) =>
	new Problem(
		'The session was not found',
		`Either there is no such session, or the key lacks a scope or its creator has lost access to the project: the service answers the same for both. ${description}`,
		facts,
	);
