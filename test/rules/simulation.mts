// Runs a session through the package's own code against the local service in simulated time: half an hour passes in
// milliseconds, and every wait is on record. Only the socket between the two is missing; the weather takes its place.
import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import { WorkspaceAutomationApi } from '../../credentials/WorkspaceAutomationApi.credentials.ts';
import { settingsFor, type DialectName } from '../../local-service/dialects/index.mts';
import { createManualClock } from '../../local-service/clock.mts';
import { createService } from '../../local-service/app.mts';
import type { Entry } from '../../nodes/RunAgentSession/journal.ts';
import { runSession, type Job, type RunResult } from '../../nodes/RunAgentSession/runSession.ts';
import { createApiClient } from '../../nodes/shared/transport/apiClient.ts';
import type { Clock } from '../../nodes/shared/transport/clock.ts';
import { CanceledError, type WorkspaceAutomationError } from '../../nodes/shared/base/errors.ts';
import { RateLimitGates } from '../../nodes/shared/transport/rateLimitGate.ts';
import { fingerprintOf, itemRecord } from '../../nodes/shared/n8n/executionJournal.ts';
import { sessionApi } from '../../nodes/RunAgentSession/sessionApi.ts';
import type { ApiContext } from '../../nodes/shared/transport/types.ts';

/** What happens to a request on its way. `lost-after`: the service acted on it, but the answer never came. */
export type Weather =
	| 'fine'
	| 'unsent'
	| 'lost'
	| 'lost-after'
	| { status: number; headers?: Record<string, string>; body?: string; processed?: boolean };

export interface Sent {
	method: string;
	/** Without the base URL */
	path: string;
	body: any;
	/** Milliseconds since the start */
	at: number;
	weather: Weather;
	/** The status that arrived, where it was the service's own */
	status?: number;
	/** What the service answered, also when the weather kept it from arriving */
	answer?: string;
}

export const page: Weather = { status: 200, body: '<!doctype html><p>Please sign in</p>' };
export const nothing: Weather = { status: 200, body: '' };
export const status = (code: number, retryAfter?: string): Weather => ({
	status: code,
	headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
	body: JSON.stringify({
		error: { code: 'x', message: 'Try later', doc_url: 'https://docs.example.com/x' },
	}),
});

const BASE = 'http://localhost/v1';
const KEY = 'wa_local_main_key';

/** Where n8n's HTTP helper would be: what is sent meets the weather, and the service where that lets it. */
export function contextFor(
	app: ReturnType<typeof createService>['app'],
	credentials: { baseUrl: string; accessToken: string; apiVersion: string; overrides: string },
	/** `now`: milliseconds since the start. `weatherOf` may let time pass. */
	{ now, weatherOf }: { now: () => number; weatherOf(request: Sent): Promise<Weather> },
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
		if (weather === 'unsent') throw failure('ECONNREFUSED');
		if (weather === 'lost') throw failure('ECONNRESET');
		if (typeof weather === 'object' && !weather.processed)
			return {
				statusCode: weather.status,
				headers: weather.headers ?? {},
				body: weather.body ?? '',
			};
		const answer = await app.inject({
			method: options.method as 'GET',
			url,
			headers: headers as Record<string, string>,
			payload: options.body as string,
		});
		request.answer = answer.body;
		if (weather === 'lost-after') throw failure('ECONNRESET');
		if (typeof weather === 'object')
			return {
				statusCode: weather.status,
				headers: weather.headers ?? {},
				body: weather.body ?? '',
			};
		request.status = answer.statusCode;
		return { statusCode: answer.statusCode, headers: answer.headers, body: answer.body };
	};
	return {
		getNode: () => ({ name: 'Run Agent Session', type: 'runAgentSession' }),
		getCredentials: async () => credentials,
		helpers: { httpRequestWithAuthentication: helper },
		logger: { info() {}, debug() {} },
	} as unknown as ApiContext;
}

/** One service in simulated time, with any number of runs against it. */
export function simulation(dialects: readonly DialectName[] = []) {
	const manual = createManualClock();
	const settings = settingsFor(dialects);
	const values = (list = '') => list.split(',').filter(Boolean);
	const service = createService({
		clock: manual,
		dialects,
		log: (problem) => problems.push(problem),
	});
	const problems: string[] = [];
	const begin = manual.now();
	const sent: Sent[] = [];
	const pauses: number[] = [];
	const logged: string[] = [];
	const recorded: Array<{ sessionId: string; dashboardUrl?: string }> = [];
	let weather: (request: Sent) => Weather | Promise<Weather> = () => 'fine';
	let stopAt = Infinity;
	let late = 0;

	const clock: Clock = {
		now: manual.now,
		throwIfAborted() {
			if (manual.now() - begin >= stopAt) throw new CanceledError();
		},
		untilAborted: async (work) => await work.finally(() => clock.throwIfAborted()),
		async sleep(ms) {
			const until = Math.min(manual.now() + ms, begin + stopAt);
			pauses.push(ms);
			manual.advance(Math.max(0, until - manual.now()) + late);
			clock.throwIfAborted();
		},
	};
	const unstoppable: Clock = {
		now: manual.now,
		throwIfAborted() {},
		untilAborted: async (work) => await work,
		sleep: async (ms) => manual.advance(ms),
	};
	const gates = new RateLimitGates(unstoppable);

	const credentials = {
		baseUrl: BASE,
		accessToken: KEY,
		apiVersion: '2026-10-05',
		overrides: JSON.stringify(settings.overrides),
	};
	const context = contextFor(service.app, credentials, {
		now: () => manual.now() - begin,
		async weatherOf(request) {
			manual.advance(late);
			const now = await weather(request);
			sent.push(request);
			return now;
		},
	});

	let projectId: string | undefined;
	const control = async (path: string) =>
		(await service.app.inject({ url: `/_control${path}` })).json() as any;
	const project = async () => (projectId ??= (await control('/seed')).projects[0].id as string);

	return {
		sent,
		pauses,
		logged,
		recorded,
		/** What the service itself says it did wrong: nothing, or a test has found a mistake in it */
		problems,
		now: () => manual.now() - begin,
		advance: manual.advance,
		setWeather: (next: typeof weather) => void (weather = next),
		stopAt: (ms: number) => void (stopAt = ms),
		/** The service's own record of its sessions */
		sessions: async () => (await control('/sessions')).sessions as any[],
		/** Calls the service as somebody else would, in fine weather */
		async call(method: 'GET' | 'POST', path: string, body?: object) {
			const headers = { authorization: `Bearer ${KEY}`, 'service-api-version': '2026-10-05' };
			return (
				await service.app.inject({ method, url: `/v1${path}`, headers, payload: body })
			).json() as any;
		},
		/** Runs one item. Hand on `nodeContext` to retry it. With `lateMs` everything takes a little time. */
		async run(
			prompt: string,
			{ lateMs = 0, ...changes }: Partial<Job> & { lateMs?: number } = {},
			nodeContext: IDataObject = {},
		): Promise<RunResult> {
			late = lateMs;
			const job: Job = {
				target: { operation: 'start', projectId: await project(), prompt, extra: {} },
				policy: { mode: 'approve', rules: [], defaultDecision: 'ask', approveWith: 'once' },
				poll: { pollMs: 5000, maxPollMs: 10_000 },
				maxWaitMs: 30 * 60_000,
				onMaxWait: 'route',
				abortOnStop: true,
				...changes,
			};
			// What a user of these dialects enters in the node's options.
			const { nodeOptions } = settings;
			job.policy = {
				approveValues: values(nodeOptions?.approveValues),
				denyValues: values(nodeOptions?.denyValues),
				...job.policy,
			};
			return await runSession(job, {
				api: sessionApi(
					await createApiClient(context, { clock, gates }),
					await createApiClient(context, { clock: unstoppable, gates }),
				),
				journal: itemRecord<Entry>(
					nodeContext,
					'sessions',
					{ runIndex: 0, itemIndex: 0 },
					fingerprintOf(job.target.operation, job.target),
				),
				clock,
				random: () => 0,
				log: (message) => logged.push(message),
				onSession: (session) => recorded.push(session),
			});
		},
	};
}

export type Simulation = ReturnType<typeof simulation>;

/** The error that something ended with; fails the test when it did not. */
export async function errorOf(work: Promise<unknown>): Promise<WorkspaceAutomationError> {
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
export const polls = (sent: Sent[]) => sent.filter(({ method }) => method === 'GET');
