// Runs a session through the package's own code against the local mock service in simulated time: half an hour passes in
// milliseconds, and every wait is on record. Only the socket between the two is missing; the weather takes its place.
import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import { NO_LEDGER } from '../../nodes/shared/n8n/ledger.ts';
import { WorkspaceAutomationApi } from '../../credentials/WorkspaceAutomationApi.credentials.ts';
import { settingsFor, type DialectName } from '../../local-service/dialects/index.mts';
import { createService } from '../../local-service/app.mts';
import { createFactLookup } from '../../nodes/shared/client/facts.ts';
import { readOptionWords } from '../../nodes/shared/client/session.ts';
import type { Policy } from '../../nodes/RunAgentSession/policy/rules.ts';
import { sendAnswer } from '../../nodes/RunAgentSession/operations/applyAnswer.ts';
import type { SettledAnswer } from '../../nodes/RunAgentSession/requests/appliedAnswer.ts';
import { saveAnswer } from '../../nodes/RunAgentSession/page/links.ts';
import { listCourses, reopenFailed } from '../../nodes/RunAgentSession/execution/journal.ts';
import { createForm, isProblem, readForms } from '../../nodes/RunAgentSession/page/view.ts';
import { toItemsJson } from '../../nodes/RunAgentSession/execution/output.ts';
import type { RunningRecord, SessionRecord } from '../../nodes/RunAgentSession/session/record.ts';
import type { Timeouts } from '../../nodes/RunAgentSession/requests/times.ts';
import type {
	ItemSettings,
	RunDependencies,
	RunResult,
} from '../../nodes/RunAgentSession/session/types.ts';
import { summarizeDecisions } from '../../nodes/RunAgentSession/requests/summary.ts';
import { NO_OTHERS } from '../../nodes/RunAgentSession/plan/plan.ts';
import { SessionRun } from '../../nodes/RunAgentSession/session/run.ts';
import type { Batch, Item } from '../../nodes/RunAgentSession/execution/batch.ts';
import { runTurn, applyAnswers } from '../../nodes/RunAgentSession/execution/turn.ts';
import { Semaphore } from '../../nodes/shared/client/semaphore.ts';
import { createClient } from '../../nodes/shared/client/createClient.ts';
import type { Clock } from '../../nodes/shared/client/clock.ts';
import { CanceledError, type WorkspaceAutomationError } from '../../nodes/shared/errors.ts';
import { RateLimiters } from '../../nodes/shared/client/rateLimiter.ts';
import { openRecord } from '../../nodes/shared/n8n/journal.ts';
import type { ApiContext } from '../../nodes/shared/client/types.ts';
import { createVirtualClock, serviceTime, type VirtualClock } from '../support/virtualClock.mts';
import { apiHeaders, credentialFor } from '../../local-service/caller.mts';

/** Fault of a request. `lost-after`: the service acted on it, but the answer never came. `hangs`: it takes all the time that it may. */
export type Weather =
	| 'fine'
	| 'unsent'
	| 'lost'
	| 'lost-after'
	| 'hangs'
	| 'tls'
	| { status: number; headers?: Record<string, string>; body?: string; processed?: boolean }
	/** The service's own answer, changed on its way */
	| { change(body: any): any };

interface Sent {
	method: string;
	/** Without the base URL */
	path: string;
	body: any;
	/** Milliseconds since the start */
	at: number;
	weather: Weather;
	/** The status that arrived, where it was the service's own */
	status?: number;
	/** Answer of the service, even if it didn't arrive */
	answer?: string;
}

/** Purpose of a request */
type Purpose = 'start' | 'poll' | 'message' | 'decision' | 'abort';
const ENDINGS = { message: '/messages', decision: '/resolve', abort: '/abort' };
const getPurpose = ({ method, path }: Pick<Sent, 'method' | 'path'>): Purpose => {
	if (method === 'GET') return 'poll';
	const found = Object.entries(ENDINGS).find(([, ending]) => path.endsWith(ending));
	return (found?.[0] as Purpose | undefined) ?? 'start';
};

/** Which of the requests for a purpose are meant: all, unless it says otherwise. Times in milliseconds since the start. */
interface Which {
	first?: number;
	skip?: number;
	from?: number;
	until?: number | (() => boolean);
	/** Only after the first request for this purpose */
	after?: Purpose;
}

type Meeting = Weather | ((request: Sent) => Weather | Promise<Weather>);

/** A reading that leaves out what is pending */
export const nothingPending: Weather = {
	change: (body) => ({ ...body, pendingInteractions: [] }),
};

export const page: Weather = { status: 200, body: '<!doctype html><p>Please sign in</p>' };
export const nothing: Weather = { status: 200, body: '' };
export const status = (code: number, retryAfter?: string): Weather => ({
	status: code,
	headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
	body: JSON.stringify({
		error: { code: 'x', message: 'Try later', doc_url: 'https://docs.example.com/x' },
	}),
});

const START = Date.UTC(2026, 9, 5, 9);
const BASE = 'http://localhost/v1';
const KEY = 'wa_local_main_key';

/** Replaces n8n's HTTP helper: applies faults to a request, and passes it to the service. */
function contextFor(
	app: ReturnType<typeof createService>['app'],
	credentials: { baseUrl: string; accessToken: string; apiVersion: string; overrides: string },
	/** `now`: milliseconds since the start. `getWeather` may let time pass. */
	{
		now,
		getWeather: weatherOf,
		whileBusy,
		advance,
	}: {
		now: () => number;
		getWeather(request: Sent): Promise<Weather>;
		whileBusy: VirtualClock['whileBusy'];
		advance(ms: number): void;
	},
): ApiContext {
	const failure = (code: string) => Object.assign(new Error(code), { code });
	const helper = async (_type: string, options: IHttpRequestOptions) => {
		const { headers, url } = await new WorkspaceAutomationApi().authenticate(credentials, options);
		const request: Sent = {
			method: options.method!,
			path: url.slice(credentials.baseUrl.length),
			body: options.body === undefined ? undefined : JSON.parse(String(options.body)),
			at: now(),
			weather: 'fine',
		};
		request.weather = await weatherOf(request);
		const isTooLate = now() - request.at > (options.timeout ?? Infinity);
		const weather = isTooLate ? 'lost-after' : request.weather;
		if (weather === 'hangs') advance(options.timeout ?? 0);
		if (weather === 'hangs') throw failure('ETIMEDOUT');
		if (weather === 'unsent') throw failure('ECONNREFUSED');
		if (weather === 'lost') throw failure('ECONNRESET');
		if (weather === 'tls') throw failure('CERT_HAS_EXPIRED');
		if (typeof weather === 'object' && !('change' in weather) && !weather.processed)
			return {
				statusCode: weather.status,
				headers: weather.headers ?? {},
				body: weather.body ?? '',
			};
		const answer = await whileBusy(
			async () =>
				await app.inject({
					method: options.method as 'GET',
					url,
					headers: headers as Record<string, string>,
					payload: options.body as string,
				}),
		);
		request.answer = answer.body;
		if (weather === 'lost-after') throw failure('ECONNRESET');
		// A body gets lost on its way, but no refusal becomes a success.
		const isRefused = answer.statusCode >= 300;
		if (typeof weather === 'object' && 'status' in weather && !(isRefused && weather.status < 300))
			return {
				statusCode: weather.status,
				headers: weather.headers ?? {},
				body: weather.body ?? '',
			};
		request.status = answer.statusCode;
		const body =
			typeof weather === 'object' && 'change' in weather
				? JSON.stringify(weather.change(JSON.parse(answer.body)))
				: answer.body;
		return { statusCode: answer.statusCode, headers: answer.headers, body };
	};
	return {
		getNode: () => ({ name: 'Run Agent Session', type: 'runAgentSession' }),
		getCredentials: async () => credentials,
		helpers: { httpRequestWithAuthentication: helper },
		logger: { info() {}, debug() {} },
	} as unknown as ApiContext;
}

/** One service in simulated time, with any number of runs against it. */
export function simulation(
	dialects: readonly DialectName[] = [],
	overrides = settingsFor(dialects),
) {
	const virtual = createVirtualClock(START);
	const service = createService({
		// Its clock is another machine's.
		clock: serviceTime({ now: virtual.monotonicMs }),
		dialects,
		log: (problem) => problems.push(problem),
	});
	const problems: string[] = [];
	const begin = virtual.monotonicMs();
	const sent: Sent[] = [];
	const pauses: number[] = [];
	const logged: string[] = [];
	const recorded: Array<{ sessionId: string; dashboardUrl?: string }> = [];
	let rules: Array<{ purpose: Purpose | 'any'; which: Which; meeting: Meeting; seen: number }> = [];
	let stopAt = Infinity;
	let stopNow = () => {};
	let late = 0;

	const clock: Clock = {
		now: virtual.now,
		monotonicMs: virtual.monotonicMs,
		async sleep(ms, signal) {
			pauses.push(ms);
			await virtual.sleep(ms, signal);
			virtual.advance(late);
		},
	};
	const gates = new RateLimiters(virtual);

	const credentials = credentialFor({ baseUrl: BASE, key: KEY, overrides });
	const context = contextFor(service.app, credentials, {
		now: () => virtual.monotonicMs() - begin,
		whileBusy: virtual.whileBusy,
		advance: virtual.advance,
		async getWeather(request) {
			virtual.advance(late);
			const met = rules.find((rule) => isMeant(rule, request))?.meeting ?? 'fine';
			const weather =
				typeof met === 'function' ? await virtual.whileBusy(async () => await met(request)) : met;
			sent.push(request);
			return weather;
		},
	});

	/** The first rule that matches a request applies. */
	function isMeant(rule: (typeof rules)[number], request: Sent): boolean {
		const { first = Infinity, skip = 0, from = 0, until = Infinity, after } = rule.which;
		if (rule.purpose !== 'any' && rule.purpose !== getPurpose(request)) return false;
		if (request.at < from) return false;
		if (typeof until === 'function' ? until() : request.at >= until) return false;
		if (after && !sent.some((earlier) => getPurpose(earlier) === after)) return false;
		rule.seen++;
		return rule.seen > skip && rule.seen <= skip + first;
	}
	const meets = (purpose: Purpose | 'any', meeting: Meeting, which: Which = {}) =>
		void rules.push({ purpose, meeting, which, seen: 0 });

	const { projects, sites } = service.seed();
	const [project] = projects;
	const site = sites.find(({ projectId }) => projectId === project.id)!;

	return {
		sent,
		project,
		site,
		pauses,
		logged,
		recorded,
		/** Errors that the service reports about itself. If there are any, a test has found a bug in it */
		problems,
		now: () => virtual.monotonicMs() - begin,
		advance: virtual.advance,
		/** Sets the clock of the node's machine forward or back. */
		shiftWall: virtual.shiftWall,
		/** Time by the clock of the node's machine */
		wallTime: virtual.now,
		/** Faults of requests for a purpose */
		meets,
		/** Polls after the first request for a purpose show what the last one before it showed. */
		stale: (after: Purpose, which: Which = {}) =>
			meets(
				'poll',
				() => {
					const before = sent.slice(
						0,
						sent.findIndex((request) => getPurpose(request) === after),
					);
					const last = before.findLast((request) => getPurpose(request) === 'poll');
					return { status: 200, body: last?.answer };
				},
				{ after, ...which },
			),
		/** Requests for a purpose take this long. */
		slow: (purpose: Purpose, ms: number, which: Which = {}) =>
			meets(
				purpose,
				() => {
					virtual.advance(ms);
					return 'fine';
				},
				which,
			),
		/** Fine weather from now on */
		clear: () => void (rules = []),
		stopAt: (ms: number) => void (stopAt = ms),
		/** Stops the execution that runs. */
		stop: () => stopNow(),
		/** The service's own record of its sessions */
		sessions: service.sessions,
		/** Calls the service as someone else would, in fine weather */
		async call(method: 'GET' | 'POST', path: string, body?: object) {
			const headers = apiHeaders(KEY);
			return (
				await service.app.inject({ method, url: `/v1${path}`, headers, payload: body })
			).json() as any;
		},
		/** Runs one item while the execution keeps running, until it ends or asks. Pass `nodeContext` again to retry it. */
		run: async (prompt: string, changes: RunChanges = {}, nodeContext: IDataObject = {}) =>
			await runOnce(prompt, whileRunning(changes), nodeContext, { pauses: false }),
		/** The same, and continues after each question as the node does. */
		runOn: async (prompt: string, changes: RunChanges = {}, nodeContext: IDataObject = {}) => {
			const asked: RunResult[] = [];
			for (;;) {
				const result = await runOnce(prompt, whileRunning(changes), nodeContext, { pauses: false });
				if (result.kind !== 'needsApproval') return { result, asked };
				asked.push(result);
			}
		},
		/** The same for an existing session, with a message if there's one. */
		continueWith: async (
			sessionId: string,
			message?: string,
			changes: RunChanges = {},
			nodeContext: IDataObject = {},
		) => {
			const target = { operation: 'continue' as const, sessionId, message };
			const settings = whileRunning({ target, ...changes });
			return await runOnce('', settings, nodeContext, { pauses: false });
		},
		/** Sends an approver's answer, as Apply an Answer does. */
		apply: async (applied: SettledAnswer) =>
			await virtual.run(
				sendAnswer(applied, {
					api: await createClient(context, { clock, rateLimiters: gates }),
					journal: openRecord({}, 'applied', '0.0'),
					ledger: NO_LEDGER,
					random: () => 0,
					wallTime: virtual.now,
					log: (message) => logged.push(message),
				}),
			),
		/** Runs one wake of an item whose execution pauses. The context is saved and loaded in between, as n8n does. */
		wake: async (
			prompt: string,
			nodeContext: IDataObject,
			{ isWatched, hasOpenLinks, ...changes }: RunChanges & WakeChanges = {},
		) => await runOnce(prompt, changes, nodeContext, { pauses: true, isWatched, hasOpenLinks }),
		/** Runs one item until it ends, with n8n's pauses in between. */
		async paused(prompt: string, changes: RunChanges = {}): Promise<PausedRun> {
			let nodeContext: IDataObject = {};
			const left: RunResult[] = [];
			for (let wakes = 1; ; wakes++) {
				const result = await this.wake(prompt, nodeContext, changes);
				if (result.kind !== 'stillRunning') left.push(result);
				if (result.kind === 'completed' || result.kind === 'failed')
					return { result, left, wakes, nodeContext };
				nodeContext = JSON.parse(JSON.stringify(nodeContext)) as IDataObject;
				const pause = result.wakeAt! - virtual.now();
				// n8n checks every 60 s, 70 s ahead: a shorter pause ends at its next check.
				virtual.advance(pause < 70_000 ? Math.max(pause, 54_000) : pause);
			}
		},
	};

	async function runOnce(
		prompt: string,
		{
			lateMs = 0,
			ledger = NO_LEDGER,
			format,
			timeouts,
			maxWaitMs,
			onMaxWait,
			...changes
		}: RunChanges,
		nodeContext: IDataObject,
		{ pauses, ...wake }: WakeChanges & { pauses: boolean },
	): Promise<SimulatedResult> {
		late = lateMs;
		const job: ItemSettings = {
			target: { operation: 'start', projectId: project.id, prompt, extra: {} },
			policy: { mode: 'approve', rules: [], defaultDecision: 'ask', approveWith: 'once' },
			timeouts: {
				...PAUSED,
				...timeouts,
				...(maxWaitMs !== undefined && { maxWaitMs }),
				...(onMaxWait && { onMaxWait }),
			},
			hasPage: pauses,
			...changes,
		};
		const execution = new AbortController();
		stopNow = () => execution.abort();
		if (stopAt < Infinity) virtual.abortAt(begin + stopAt).addEventListener('abort', stopNow);
		const { signal } = execution;
		const stoppable = { ...context, getExecutionCancelSignal: () => signal };
		const api = await createClient(stoppable, { clock, rateLimiters: gates });
		// Words that a user of these dialects needs
		job.policy = {
			approveValues: readOptionWords(api, 'approve'),
			denyValues: readOptionWords(api, 'deny'),
			...job.policy,
		};
		const journal = openRecord<SessionRecord>(nodeContext, 'sessions', '0.0');
		reopenFailed(journal, 'this one');
		const dependencies: RunDependencies = {
			api,
			journal,
			ledger,
			execution: 'this one',
			format,
			polls: new Semaphore(Infinity),
			hasReached: () => sent.some(({ status }) => status !== undefined),
			random: () => 0,
			wallTime: virtual.now,
			log: (message: string) => logged.push(message),
			onSession: (session: { sessionId: string; dashboardUrl?: string }) => recorded.push(session),
			findFacts: createFactLookup(api, (nodeContext.flow ??= {}) as IDataObject),
		};
		const wallMs = virtual.now();
		const monotonicMs = virtual.monotonicMs();
		const now = () => wallMs + virtual.monotonicMs() - monotonicMs;
		dependencies.wallTime = now;
		const item: Item = {
			itemIndex: 0,
			journal,
			settings: job,
			run: new SessionRun(job, dependencies),
			asked: [],
		};
		const batch: Batch = {
			context: {
				getNode: () => ({ name: 'Run Agent Session', type: 'runAgentSession', parameters: {} }),
				getMode: () => (wake.isWatched ? 'manual' : 'trigger'),
				getContext: () => nodeContext,
				getExecutionId: () => 'an earlier one',
				getExecutionCancelSignal: () => signal,
				getNodeParameter: (_name: string, _index: number, fallback: unknown) => fallback,
				getWorkflowDataProxy: () => ({ $execution: { resumeUrl: 'https://n8n.test/resume' } }),
				logger: context.logger,
			} as never,
			engine: {
				readOthers: () => ({ ...NO_OTHERS, hasOpenLink: wake.hasOpenLinks === true }),
				makeDue() {},
			} as never,
			asTool: false,
			pauses,
			canLeave: true,
			continues: false,
			items: [item],
			ledger: {} as never,
			api,
			flights: new Map(),
			polls: dependencies.polls,
		};
		const running = runTurn(batch, { now, isByAnswer: false, batches: new Map() });
		const turn = await virtual.run(running).catch(async (error: unknown) => {
			await virtual.run(Promise.allSettled(batch.flights.values()));
			throw item.error instanceof CanceledError ? item.error : error;
		});
		if (item.result?.kind === 'failed' && job.isTool) return item.result;
		if (item.error) throw item.error;
		const record = journal.read();
		if (record?.state === 'ended') journal.write({ ...record, state: 'running' } as SessionRecord);
		if (turn.kind === 'pause' && !item.result?.asked)
			return {
				kind: 'stillRunning',
				wakeAt: turn.at - now() + virtual.now(),
				...summarizeDecisions(listCourses(nodeContext)[0]?.requests ?? []),
			} as SimulatedResult;
		const result = item.result! as SimulatedResult;
		if (result.kind === 'needsApproval') item.result = undefined;
		return turn.kind === 'ended' ? result : { ...result, wakeAt: turn.plan.dueAt };
	}
}

/** An outcome, with the time of the next wake if the session continues */
export type SimulatedResult = RunResult & { wakeAt?: number };

const PAUSED: Timeouts = {
	maxWaitMs: 24 * 3_600_000,
	onMaxWait: 'abort',
	ifNobodyAnswers: 'wait',
	unansweredAfterMs: 24 * 3_600_000,
};
const RUNNING: Partial<Timeouts> = { maxWaitMs: 30 * 60_000, onMaxWait: 'letRun' };

/** As a tool of an AI agent, whose session is returned as still running instead of an error. */
const whileRunning = (changes: RunChanges): RunChanges => ({
	isTool: true,
	...changes,
	timeouts: { ...RUNNING, ...changes.timeouts },
});

interface WakeChanges {
	isWatched?: boolean;
	hasOpenLinks?: boolean;
}

type RunChanges = Partial<Omit<ItemSettings, 'timeouts'>> & {
	timeouts?: Partial<Timeouts>;
	/** Shorter than `timeouts` */
	maxWaitMs?: Timeouts['maxWaitMs'];
	onMaxWait?: Timeouts['onMaxWait'];
	lateMs?: number;
	ledger?: RunDependencies['ledger'];
	format?: RunDependencies['format'];
};

/** Result of an item whose execution paused */
interface PausedRun {
	result: RunResult;
	/** Every result with which the item left the node, also those that asked approvers */
	left: RunResult[];
	wakes: number;
	nodeContext: IDataObject;
}

export type Simulation = ReturnType<typeof simulation>;

/** The error that something ended with; fails the test when it did not. */
export async function getError(work: Promise<unknown>): Promise<WorkspaceAutomationError> {
	return await work.then(
		() => {
			throw new Error('It was expected to fail, and did not');
		},
		(error) => error as WorkspaceAutomationError,
	);
}

/** The requests of one kind: `of(sent, 'POST', '/agent/sessions')`; the path is matched from its end. */
export const of = (sent: Sent[], method: string, ending: string) =>
	sent.filter((request) => request.method === method && request.path.endsWith(ending));
/** The policy that a test is about */
export const policy = (mode: Policy['mode'], changes: Partial<Policy> = {}): Policy => ({
	mode,
	rules: [],
	defaultDecision: 'ask',
	approveWith: 'once',
	...changes,
});
export const seconds = (list: Array<{ at: number }>) =>
	list.map(({ at }) => Math.round(at / 100) / 10);
export const polls = (sent: Sent[]) => sent.filter(({ method }) => method === 'GET');

/** Answers on the approval page, as the webhook saves it and the node applies it. Returns false if the page takes no such answer. */
function answerOnPage(
	context: IDataObject,
	label: string,
	{ name, comment = '', text = '', at }: Answer & { at: number },
): boolean {
	const [record] = listCourses(context);
	const ballot = record.ballots.at(-1)!;
	const approver = ballot.approvers.findIndex((each) => each.name === name);
	const form = createForm({ ...record, ...record.page }, ballot, approver);
	const { choices, question: asked } = form.requests[0] ?? {};
	const position = asked
		? asked.options.findIndex((option) => option.label === label)
		: choices?.findIndex((choice) => choice.name === label);
	const fields = { shown: form.shown, comment, answer0: text, request0: String(position) };
	const read = readForms([{ pending: form }], fields, at);
	if (isProblem(read)) return false;
	const [answers] = read;
	saveAnswer(context, { nonce: ballot.approvers[approver].nonce, answers });
	applyAnswers({
		getContext: () => context,
		getNode: () => ({ name: 'Run Agent Session' }),
		getExecutionId: () => 'simulated',
	} as never);
	return true;
}

interface Answer {
	/** Of the approver, if there's a team */
	name?: string;
	comment?: string;
	text?: string;
}

/** What the node's execution says about itself in the item for an approver */
export const shownTo = {
	getNode: () => ({ id: 'node', type: 'runAgentSession' }),
	getNodeParameter: () => true,
	getWorkflowDataProxy: () => ({
		$execution: { resumeUrl: 'https://n8n.example.com/webhook-waiting/7' },
	}),
} as unknown as Parameters<typeof toItemsJson>[0];

export type WakeSettings = RunChanges & WakeChanges;

/** An item whose execution pauses, and its approvers. The context is saved and loaded before each wake, as n8n does. */
export function pausingRun(prompt: string, changes: WakeSettings = {}) {
	const service = simulation();
	let nodeContext: IDataObject = {};
	const items: Array<Record<string, any>> = [];
	const save = () => JSON.stringify(nodeContext);
	const restore = (saved: string) => void (nodeContext = JSON.parse(saved) as IDataObject);
	const wake = async (more: WakeSettings = {}) => {
		restore(save());
		const settings = { policy: policy('ask'), ...changes, ...more };
		const result = await service.wake(prompt, nodeContext, settings);
		if (result.kind === 'needsApproval') items.push(...toItemsJson(shownTo, 0, result));
		return result;
	};
	const after = async (ms: number, more?: WakeSettings) => {
		service.advance(ms);
		return await wake(more);
	};
	return {
		service,
		/** All items for approvers */
		items,
		save,
		restore,
		wake,
		/** Wakes after this time. */
		after,
		/** Starts the session, and asks about what is pending after a pause. */
		async begin() {
			await wake();
			return await after(70_000);
		},
		/** Sends the page of an approver, as the webhook does. Returns whether it counted. */
		answer: (label: string, answer: Answer = {}) =>
			answerOnPage(nodeContext, label, { ...answer, at: service.wallTime() }),
		record: () => openRecord<SessionRecord>(nodeContext, 'sessions', '0.0').read() as RunningRecord,
		posted: (ending: string) => of(service.sent, 'POST', ending),
	};
}
