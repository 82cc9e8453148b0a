// Runs a session of one item in n8n's engine, against the local mock service in simulated time: half an hour passes in milliseconds. What
// happens to a request on its way is its weather.
import type { IDataObject, IRun, IRunExecutionData } from 'n8n-workflow';
import { prepareRetry } from '../../n8n-host/savedExecution.mts';
import { byId } from '../../n8n-host/workflows.mts';
import { createStage, fillIn, NODE, runsOf, type Flow } from '../engine/flow.mts';
import { forgetPackage, type Network } from '../engine/virtualTime.mts';
import type { ReceivedResponse } from '../support/http.mts';

/** Fault of a request. `lost-after`: the service acted on it, but the answer never came. `hangs`: none ever comes. */
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
	/** Answer of the service, even if it didn't arrive */
	answer?: string;
}

/** Purpose of a request */
type Purpose = 'start' | 'poll' | 'message' | 'decision' | 'abort' | 'projects';
const ENDINGS = { message: '/messages', decision: '/resolve', abort: '/abort' };
const getPurpose = ({ method, path }: Pick<Sent, 'method' | 'path'>): Purpose => {
	if (method === 'GET') return path.startsWith('/projects') ? 'projects' : 'poll';
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
/** The same answer, although the service acted on the request */
export const processed = (weather: Weather): Weather => ({
	...(weather as { status: number }),
	processed: true,
});

const CODES = { unsent: 'ECONNREFUSED', lost: 'ECONNRESET', tls: 'CERT_HAS_EXPIRED' };

/** What happens to a request in this weather */
async function meet(
	weather: Weather,
	request: Sent,
	passOn: () => Promise<ReceivedResponse>,
): Promise<ReceivedResponse> {
	const fail = (code: string) => Object.assign(new Error(code), { code });
	if (weather === 'hangs') return await new Promise(() => {});
	if (weather === 'unsent' || weather === 'lost' || weather === 'tls') throw fail(CODES[weather]);
	const instead = (given: Exclude<Weather, string | { change: unknown }>) => ({
		status: given.status,
		headers: given.headers ?? {},
		body: Buffer.from(given.body ?? ''),
	});
	if (typeof weather === 'object' && 'status' in weather && !weather.processed)
		return instead(weather);
	const response = await passOn();
	request.answer = response.body.toString();
	if (weather === 'lost-after') throw fail('ECONNRESET');
	// A body gets lost on its way, but no refusal becomes a success.
	const isRefused = response.status >= 300;
	if (typeof weather === 'object' && 'status' in weather)
		return isRefused && weather.status < 300 ? response : instead(weather);
	if (typeof weather !== 'object') return response;
	const changed = JSON.stringify(weather.change(JSON.parse(request.answer)));
	return { ...response, body: Buffer.from(changed) };
}

/** The node's parameters, by their names, and how it is used */
export interface Settings {
	[parameter: string]: unknown;
	approvals?: IDataObject;
	options?: IDataObject;
	/** As a tool of an AI agent. Its session is returned as still running instead of an error. */
	asTool?: boolean;
	outputParser?: unknown;
	mode?: Flow['mode'];
	timezone?: string;
}

/** An execution's data, to run it again or wake it with */
export interface Saved {
	data?: IRunExecutionData;
	executionId?: string;
}

/** What came of a run or a wake: the item, and the time of the next wake if the execution pauses */
export interface Outcome extends Record<string, any> {
	kind: 'completed' | 'failed' | 'needsApproval' | 'stillRunning';
	warnings: string[];
	wakeAt?: number;
}

/** An error of the node, as n8n shows it */
export type NodeError = Error & { description: string; context: Record<string, any> };

const KINDS: Record<string, Outcome['kind']> = {
	needs_approval: 'needsApproval',
	still_running: 'stillRunning',
	failed: 'failed',
};
const toOutcome = (json: IDataObject, kind: Outcome['kind']): Outcome => ({
	warnings: [],
	...json,
	kind,
});

/** Throws an execution's error as one: n8n copies it to a plain object. */
function throwError({ data }: IRun): void {
	const { error } = data.resultData;
	if (error) throw Object.assign(new Error(error.message), error);
}

let executions = 0;

/** One service in simulated time, with any number of runs against it. */
export function simulation(dialects: readonly string[] = []) {
	const sent: Sent[] = [];
	let rules: Array<{ purpose: Purpose | 'any'; which: Which; meeting: Meeting; seen: number }> = [];
	let stop = () => {};

	const network: Network = async ({ method, url, body }, passOn) => {
		const request: Sent = {
			method,
			path: url.pathname.replace(/^\/v1/, '') + url.search,
			body: body === undefined ? undefined : JSON.parse(String(body)),
			at: now(),
			weather: 'fine',
		};
		const met = rules.find((rule) => isMeant(rule, request))?.meeting ?? 'fine';
		sent.push(request);
		request.weather = typeof met === 'function' ? await met(request) : met;
		return await meet(request.weather, request, passOn);
	};
	const stage = createStage(dialects, network);
	const { time, project } = stage;
	const begin = time.monotonicMs();
	const now = () => time.monotonicMs() - begin;

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

	const flowOf = (
		prompt: string,
		{ asTool, outputParser, mode, timezone, ...settings }: Settings,
	): Flow => ({
		parameters: {
			permissionPolicy: 'approve',
			...(outputParser !== undefined && { hasOutputParser: true }),
			...settings,
		} as IDataObject,
		wires: [['Completed'], ['Approval']],
		items: [{ prompt }],
		settings: { onError: 'stopWorkflow' },
		asTool,
		outputParser,
		mode,
		timezone,
	});

	/** Runs an execution until it ends or pauses. */
	async function execute(flow: Flow, saved: Saved, mode?: Flow['mode']): Promise<IRun> {
		saved.executionId ??= `simulation-${++executions}`;
		const { random } = Math;
		Math.random = () => 0;
		const run = await time
			.run(async () => {
				const running = stage.begin(flow, saved.executionId!, saved.data, mode);
				stop = running.stop;
				return await running.result;
			})
			.finally(() => (Math.random = random));
		saved.data = JSON.parse(JSON.stringify(run.data)) as IRunExecutionData;
		return run;
	}

	/** Makes n8n execute the node that failed again, in an execution of its own. */
	function retryFailed(saved: Saved): 'retry' | undefined {
		if (!saved.data?.resultData.error) return undefined;
		saved.executionId = undefined;
		prepareRetry(saved.data);
		return 'retry';
	}

	async function runOnce(prompt: string, settings: Settings, saved: Saved): Promise<Outcome> {
		const run = await execute(flowOf(prompt, settings), saved, retryFailed(saved));
		throwError(run);
		const [json] = runsOf(run, NODE).flat();
		return toOutcome(json, KINDS[String(json.status)] ?? 'completed');
	}

	const whileRunning = (settings: Settings) => ({
		asTool: true,
		whileWaiting: 'keepRunning',
		onMaxWait: 'letRun',
		...settings,
	});

	return {
		sent,
		project,
		site: stage.site,
		/** Errors that the service reports about itself. If there are any, a test has found a bug in it */
		problems: stage.problems,
		stage,
		now,
		advance: time.advance,
		/** Sets the clock of the node's machine forward or back. */
		shiftWall: time.shiftWall,
		/** Time by the clock of the node's machine */
		wallTime: time.now,
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
				async () => {
					await time.sleep(ms);
					return 'fine' as const;
				},
				which,
			),
		/** Fine weather from now on */
		clear: () => void (rules = []),
		/** Stops the execution that runs. */
		stop: () => stop(),
		/** The service's own record of its sessions */
		sessions: stage.sessions,
		/** Calls the service as someone else would, in fine weather */
		call: async (method: 'GET' | 'POST', path: string, body?: object) =>
			await time.whileBusy(async () => await stage.call(method, path, body)),
		/** Runs one item while the execution keeps running, until it ends or asks. Pass `saved` again to retry it. */
		run: async (prompt: string, settings: Settings = {}, saved: Saved = {}) =>
			await runOnce(prompt, whileRunning(settings), saved),
		/** The same outside of an agent, where the session is waited for after a question, too. Returns the items that asked as well. */
		async runOn(prompt: string, settings: Settings = {}) {
			const flow = flowOf(prompt, { ...whileRunning(settings), asTool: false });
			const run = await execute(flow, {});
			return {
				error: run.data.resultData.error as NodeError | undefined,
				result: runsOf(run, NODE).flat()[0],
				asked: runsOf(run, NODE, 1).flat(),
			};
		},
		/** The same as `run` for an existing session, with a message if there's one. */
		continueWith: async (
			sessionId: string,
			message?: string,
			settings: Settings = {},
			saved: Saved = {},
		) => {
			const target = { operation: 'continue', sessionId: byId(sessionId), message: message ?? '' };
			return await runOnce('', whileRunning({ ...target, ...settings }), saved);
		},
		/** Sends an approver's answer, with the operation Apply an Answer. */
		async apply(sessionId: string, shown: unknown, answer: string): Promise<Outcome> {
			const given = { operation: 'applyAnswer', answer, askedInteractions: JSON.stringify(shown) };
			return await runOnce('', { ...given, sessionId: byId(sessionId) }, {});
		},
		/** Runs one wake of an item whose execution pauses, after which its data is saved. */
		async wake(prompt: string, saved: Saved, settings: Settings = {}): Promise<Outcome> {
			const asked = (saved.data ? runsOf({ data: saved.data }, NODE, 1) : []).flat().length;
			const run = await execute(flowOf(prompt, settings), saved, retryFailed(saved));
			throwError(run);
			const items = runsOf(run, NODE, 1).flat().slice(asked);
			if (run.status !== 'waiting') return toOutcome(runsOf(run, NODE).flat()[0], 'completed');
			const wakeAt = run.waitTill!.getTime();
			const kind = items.length > 0 ? 'needsApproval' : 'stillRunning';
			return { ...toOutcome({ ...items[0] }, kind), items, wakeAt };
		},
		/** Runs one item until it ends, with n8n's pauses in between. */
		async paused(prompt: string, settings: Settings = {}) {
			const saved: Saved = {};
			const asked: IDataObject[] = [];
			for (let wakes = 1; ; wakes++) {
				const { items = [], ...result } = await this.wake(prompt, saved, settings);
				asked.push(...(items as IDataObject[]));
				if (result.kind === 'completed') return { result, asked, wakes };
				const pause = result.wakeAt! - time.now();
				// n8n checks every 60 s, 70 s ahead: a shorter pause ends at its next check.
				time.advance(pause < 70_000 ? Math.max(pause, 54_000) : pause);
			}
		},
	};
}

export type Simulation = ReturnType<typeof simulation>;

/** The error that something ended with; fails the test when it did not. */
export async function getError(work: Promise<unknown>): Promise<NodeError> {
	return await work.then(
		() => {
			throw new Error('It was expected to fail, and did not');
		},
		(error) => error as NodeError,
	);
}

/** The requests of one kind: `of(sent, 'POST', '/agent/sessions')`; the path is matched from its end. */
export const of = (sent: Sent[], method: string, ending: string) =>
	sent.filter((request) => request.method === method && request.path.endsWith(ending));
export const byRules = (
	...rule: Array<{ permission: string; pattern: string; decision: 'approve' | 'deny' }>
): IDataObject => ({ permissionPolicy: 'rules', permissionRules: { rule } });
export const seconds = (list: Array<{ at: number }>) =>
	list.map(({ at }) => Math.round(at / 100) / 10);
export const polls = (sent: Sent[]) => sent.filter((request) => getPurpose(request) === 'poll');

interface Answer {
	/** Of the approver, if there's a team */
	name?: string;
	comment?: string;
	text?: string;
}

/** An item whose execution pauses, and its approvers */
export function pausingRun(prompt: string, given: Settings = {}) {
	const service = simulation();
	const { stage } = service;
	let saved: Saved = {};
	const links = new Map<string | undefined, string>();
	const items: Array<Record<string, any>> = [];
	let isAnswered = false;
	const wake = async (more: Settings = {}) => {
		isAnswered = false;
		const result = await service.wake(prompt, saved, {
			permissionPolicy: 'ask',
			...given,
			...more,
		});
		for (const item of (result.items ?? []) as Array<Record<string, any>>) {
			items.push(item);
			links.set(item.approver?.name, String(item.approvalUrl));
		}
		return result;
	};
	const after = async (ms: number, more?: Settings) => {
		service.advance(ms);
		return await wake(more);
	};
	return {
		service,
		/** All items for approvers */
		items,
		save: () => JSON.stringify(saved),
		/** Kills n8n, and starts it again with what it had saved. */
		restart(text: string): void {
			saved = JSON.parse(text) as Saved;
			forgetPackage();
		},
		wake,
		/** Wakes after this time. */
		after,
		/** Starts the session, and asks about what is pending after a pause. */
		async begin(more?: Settings) {
			await wake(more);
			return await after(70_000, more);
		},
		/** Wakes as n8n does, until approvers are asked or the session has ended. */
		async next(more?: Settings): Promise<Outcome> {
			let result = await after(1_000, more);
			while (result.kind === 'stillRunning')
				result = await after(Math.max(1_000, result.wakeAt! - service.wallTime()), more);
			return result;
		},
		/** Sends the page of an approver, which resumes the execution. Returns whether it counted. */
		async answer(label: string, { name, comment = '', text = '' }: Answer = {}): Promise<boolean> {
			if (isAnswered) await wake();
			const paused = { data: saved.data!, executionId: saved.executionId! } as never;
			const link = links.get(name)!;
			const { body } = await stage.open({}, paused, link);
			const form = fillIn(body, label, { comment, answer0: text });
			const reply = await stage.open({}, paused, link, form);
			if (reply.data) saved.data = reply.data;
			isAnswered = reply.resumes;
			return reply.resumes;
		},
		posted: (ending: string) => of(service.sent, 'POST', ending),
	};
}
