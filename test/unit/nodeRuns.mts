// Runs of the node Run Agent Session in a separate context, with a service that is a few functions, in simulated time.
import type { IDataObject, IHttpRequestOptions, INodeExecutionData } from 'n8n-workflow';
import { runItems } from '../../nodes/RunAgentSession/session/items.ts';
import type { SessionRecord } from '../../nodes/RunAgentSession/session/journal.ts';
import type { PauseState } from '../../nodes/RunAgentSession/session/pause.ts';
import type { Session } from '../../nodes/shared/client/session.ts';
import type { Answer, SentRequest } from '../apiWith.mts';
import { getPurpose, type Purpose } from '../rules/simulation.mts';
import { createVirtualClock } from '../virtualClock.mts';
import { request as requestWith } from './interactions.mts';

export const NODE = 'Run Agent Session';
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const START = Date.UTC(2026, 9, 5, 9);

/** What a session shows at an age; nothing while it works */
export type Script = (ageMs: number) => Partial<Session>;
const ended = (text: string): Partial<Session> => ({
	status: 'completed',
	latestMessage: { role: 'assistant', text },
});
export const endsAfter =
	(ms: number, text = 'Done'): Script =>
	(age) =>
		age >= ms ? ended(text) : {};
export const works: Script = () => ({});
export const fails: Script = () => ({ status: 'failed', error: 'Out of disk' });
export const request = requestWith({ id: 'r1', patterns: ['npm test'] });
export const asks: Script = () => ({ pendingInteractions: [request] });

export const makeId = (index: number) => `00000000-0000-4000-8000-00000000000${index}`;

/** A connection: from a node's output to a node */
export type Edge = [from: string, output: number, to: string];
export const TO_ITSELF: Edge[] = [[NODE, 0, NODE]];

/** What the node uses of the workflow's connections */
export const connected = (edges: Edge[]) => ({
	// n8n has no list for an input that nothing is connected to.
	getConnections: ({ name }: { name: string }) => [
		undefined,
		edges.filter(([, , to]) => to === name).map(([node, index]) => ({ node, index })),
	],
	getChildNodes(name: string) {
		const found = new Set<string>();
		const visit = (each: string) => {
			for (const [from, , to] of edges)
				if (from === each && !found.has(to)) {
					found.add(to);
					visit(to);
				}
		};
		visit(name);
		if (name === NODE) found.delete(NODE);
		return [...found].map((child) => ({ name: child }));
	},
});

interface World {
	/** What the session of each item shows, in the items' order */
	sessions?: Script[];
	input?: INodeExecutionData[];
	/** By name, or a function of the item's index */
	parameters?: Record<string, unknown>;
	node?: object;
	edges?: Edge[];
	mode?: string;
	continues?: boolean;
	/** Answers a request instead of the service. */
	answer?: (purpose: Purpose, sent: SentRequest) => Answer | undefined;
	credential?: object;
	/** Other functions of the context */
	context?: object;
	nodeContext?: IDataObject;
	/** The marks in n8n's database */
	database?: Set<string>;
}

/** Returns the item of a prompt such as "Do 0". */
const promptIndex = ({ body }: Pick<SentRequest, 'body'>) =>
	Number(/^Do (\d+)/.exec((body as { prompt: string }).prompt)![1]);

let count = 0;

/** n8n's deduplication helper */
const deduplication = (database: Set<string>) => ({
	async checkProcessedAndRecord(keys: string[]) {
		const processed = keys.filter((key) => database.has(key));
		for (const key of keys) database.add(key);
		return { new: [], processed };
	},
	async removeProcessed(keys: string[]) {
		for (const key of keys) database.delete(key);
	},
});

/** Returns a node with its items. Each `run` is a run of the node in the same execution. */
export function createNode(world: World = {}) {
	const { sessions = [endsAfter(0)], parameters = {}, edges = [], database = new Set() } = world;
	const id = ++count;
	// Never one of before: n8n's process remembers which runs have begun.
	const executionId = `execution ${id}`;
	const base = `https://api${id}.example.com/v1`;
	const clock = createVirtualClock(START);
	const stopping = new AbortController();
	const sent: Array<SentRequest & { purpose: Purpose }> = [];
	const [logged, hints, pauses]: [string[], Array<{ message: string }>, Date[]] = [[], [], []];
	const custom: Record<string, string> = {};
	const startedAt: number[] = [];
	const node = {
		id: 'node',
		name: NODE,
		type: 'runAgentSession',
		position: [10, 20],
		parameters: {},
		...world.node,
	} as IDataObject;
	let input = world.input ?? sessions.map((_, index) => ({ json: { row: index } }));
	let nodeContext = world.nodeContext ?? {};
	let runIndex = 0;
	let execution = {
		node,
		data: { main: [input] },
		source: { main: [{ previousNode: 'Trigger' }] } as unknown,
	};
	let outputs: INodeExecutionData[][] = [];

	function serve(request: SentRequest): Answer {
		const purpose = getPurpose(request);
		sent.push({ ...request, purpose });
		const instead = world.answer?.(purpose, request);
		if (instead) return instead;
		if (purpose === 'start') {
			const index = promptIndex(request);
			startedAt[index] = clock.now();
			return { body: { sessionId: makeId(index) } };
		}
		if (purpose !== 'poll') return { body: {} };
		const sessionId = request.path.split('/').pop()!;
		const index = Number(sessionId.slice(-1));
		const shown = sessions[index]?.(clock.now() - (startedAt[index] ?? START));
		return { body: { sessionId, status: 'running', pendingInteractions: [], ...shown } };
	}

	const given: Record<string, unknown> = {
		operation: 'start',
		projectId: makeId(9),
		// An item keeps its prompt where its place in the list changes.
		prompt: (index: number) => `Do ${Number(input[index].json.row) || 0}`,
		...parameters,
	};
	const context = {
		runExecutionData: { resultData: { runData: {} } },
		getNode: () => execution.node,
		getInputData: () => input,
		getExecuteData: () => execution,
		getContext: (type: string) => (type === 'node' ? nodeContext : {}),
		getExecutionId: () => executionId,
		getMode: () => world.mode ?? 'trigger',
		getWorkflowSettings: () => ({}),
		getNodeParameter: (name: string, index: number, fallback: unknown) =>
			typeof given[name] === 'function' ? given[name](index) : (given[name] ?? fallback),
		getWorkflowDataProxy: () => ({
			$runIndex: runIndex,
			$execution: {
				resumeUrl: `https://n8n.example.com/webhook-waiting/1?signature=token`,
				customData: {
					getAll: () => custom,
					set: (name: string, value: string) => void (custom[name] = value),
				},
			},
		}),
		getExecutionCancelSignal: () => stopping.signal,
		...connected(edges),
		continueOnFail: () => world.continues ?? false,
		putExecutionToWait: async (until: Date) => void pauses.push(until),
		addExecutionHints: (hint: { message: string }) => void hints.push(hint),
		getCredentials: async () => ({
			baseUrl: base,
			accessToken: 'wa_live_key',
			apiVersion: '2026-10-05',
			overrides: '{}',
			...world.credential,
		}),
		helpers: {
			...deduplication(database),
			async httpRequestWithAuthentication(_type: string, options: IHttpRequestOptions) {
				const {
					status = 200,
					headers = {},
					body,
					code,
				} = serve({
					method: options.method!,
					path: options.url.slice(base.length),
					query: options.qs ?? {},
					headers: options.headers ?? {},
					body: options.body === undefined ? undefined : JSON.parse(String(options.body)),
					at: clock.now() - START,
				});
				if (code !== undefined) throw Object.assign(new Error(code), { code });
				return { statusCode: status, headers, body: JSON.stringify(body) };
			},
		},
		logger: { info: (message: string) => void logged.push(message), debug() {}, warn() {} },
		...world.context,
	};

	return {
		context: context as never,
		executionId,
		sent,
		logged,
		hints,
		pauses,
		custom,
		database,
		clock,
		get nodeContext() {
			return nodeContext;
		},
		get execution() {
			return execution;
		},
		pause: () => nodeContext.pause as unknown as PauseState,
		record: (key: string) =>
			(nodeContext.sessions as any)?.[key]?.value as SessionRecord | undefined,
		/** The requests for a purpose, as the item or session that each is about */
		about: (purpose: Purpose) =>
			sent
				.filter((each) => each.purpose === purpose)
				.map(({ path, body }) =>
					purpose === 'start' ? promptIndex({ body }) : Number(/\d(?=\/|$)/.exec(path)![0]),
				),
		stop: () => stopping.abort(),
		stopAt: (ms: number) =>
			clock.abortAt(START + ms).addEventListener('abort', () => stopping.abort()),
		run: async () => (outputs = await inTime(clock, async () => await runItems(context as never))),
		/** Runs the node again with the items that it returned to itself, as n8n does after a pause or at once. */
		async wake() {
			const wakeAt = pauses.pop()?.getTime();
			input = wakeAt === undefined ? outputs[0] : execution.data.main[0];
			if (wakeAt !== undefined) clock.advance(Math.max(0, wakeAt - clock.now()));
			nodeContext = JSON.parse(JSON.stringify(nodeContext)) as IDataObject;
			const source = { main: [{ previousNode: NODE, previousNodeRun: runIndex }] };
			execution = { node, data: { main: [input] }, source };
			runIndex++;
			return await this.run();
		},
		/** Runs the node with items that come from elsewhere. */
		async again(items: INodeExecutionData[], source: unknown = { previousNode: 'Trigger' }) {
			input = items;
			execution = { node, data: { main: [input] }, source: { main: [source] } };
			runIndex++;
			return await this.run();
		},
	};
}

/** Sets the time of everything in this process while `work` is done. No wait has a random part. */
async function inTime<T>(
	clock: ReturnType<typeof createVirtualClock>,
	work: () => Promise<T>,
): Promise<T> {
	const real = { now: Date.now, monotonic: performance.now, timers: { setTimeout, clearTimeout } };
	const { random } = Math;
	Math.random = () => 0;
	Date.now = clock.now;
	performance.now = clock.monotonicMs;
	Object.assign(globalThis, clock.timers);
	try {
		return await clock.run(work());
	} finally {
		Math.random = random;
		Date.now = real.now;
		performance.now = real.monotonic;
		Object.assign(globalThis, real.timers);
	}
}
