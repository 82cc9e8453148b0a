// What n8n does around n8n-core, of both versions: each part names the file of n8n (in n8n/dist) that it repeats. Facts of n8n that don't
// matter to a node are left out: users, queues, binary data, the editor.
import { AsyncLocalStorage } from 'node:async_hooks';
import { parse, stringify } from 'flatted';
import type {
	IDataObject,
	IExecuteWorkflowInfo,
	INode,
	INodeExecutionData,
	IRun,
	IRunExecutionData,
	ITaskData,
	IWorkflowExecuteAdditionalData,
	Workflow,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import {
	core,
	createAdditionalData,
	createWorkflow,
	Credentials,
	deduplication,
	logger,
	n8nWorkflow,
	usePackage,
} from '../../n8n-host/core.mts';
import { callPausedNode, prepareRetry } from '../../n8n-host/savedExecution.mts';
import { PACKAGE } from '../../n8n-host/workflows.mts';
import type { ReceivedResponse, SentRequest } from '../support/http.mts';
import type { Fault } from './faults.mts';
import { loadPackage, type LoadedPackage } from './package.mts';
import type { Random } from './random.mts';
import type { Service } from './service.mts';
import type { Time, Timer } from './time.mts';
import { AGENTS, buildWorkflows, CREATE, otherTypes, type WorkflowData } from './workflow.mts';
import { MINUTE, SECOND, type Kill, type World } from './world.mts';

/** n8n 1 */
export const isOld = process.env.N8N_CORE?.startsWith('1.') === true;

type Status = 'running' | 'waiting' | 'success' | 'error' | 'canceled' | 'crashed';

/** An execution in n8n's database */
export interface Row {
	id: string;
	workflow: WorkflowData;
	mode: WorkflowExecuteMode;
	status: Status;
	isFinished: boolean;
	/** flatted */
	data: string;
	waitTill?: number;
	retryOf?: string;
	parentId?: string;
	startedAt: number;
	/** When it ended, also by a kill */
	endedAt?: number;
}

/** An item that left a node */
export interface Left {
	at: number;
	executionId: string;
	node: string;
	output: number;
	json: IDataObject;
}

interface Saved {
	at: number;
	executionId: string;
	status: Status;
}

/** A time in which a node that runs no sessions, or n8n itself, kept an execution from going on */
interface Hold {
	executionId?: string;
	from: number;
	to: number;
}

interface Active {
	execution?: { cancel(): void };
	status: string;
	ended: Promise<IRun | undefined>;
	end(run: IRun | undefined): void;
}

/** A process of n8n. Everything in it is gone with a kill. */
interface Process {
	isDead: boolean;
	startedAt: number;
	wallOffset: number;
	package: LoadedPackage;
	active: Map<string, Active>;
	waiting: Map<string, Timer>;
}

interface RunData {
	executionMode: WorkflowExecuteMode;
	executionData: IRunExecutionData;
	workflowData: WorkflowData;
	retryOf?: string;
}

interface LinkAnswer {
	/** 0 if nobody answers */
	status: number;
	body: string;
	isJson?: boolean;
}

export type Shell = ReturnType<typeof createShell>;

const CHECK_MS = MINUTE;
const AHEAD_MS = 70 * SECOND;
const WRITE_MS = 6;
const MARK_MS = 5;
/** Runs of nodes between which no time passes */
const MAX_RUNS_AT_ONCE = 300;

/** True for an execution of the workflow itself that repeats no other one */
export const isTriggered = ({ workflow, retryOf, parentId }: Row): boolean =>
	workflow.id === 'main' && retryOf === undefined && parentId === undefined;

const never = async () => await new Promise<never>(() => {});

/** What somebody has added to a prompt by the time of a retry */
const CHANGED = ', please';

/** The nodes whose items people and the oracle see */
const isWatched = (node: string) => AGENTS.includes(node) || node === CREATE;

class WorldCredentials extends Credentials {
	private readonly isReadable: () => boolean;
	constructor(isReadable: () => boolean) {
		super({
			baseUrl: 'https://service.test/v1',
			accessToken: 'wa_key',
			apiVersion: '2026-10-05',
			overrides: '{}',
		});
		this.isReadable = isReadable;
	}
	override async getDecrypted() {
		if (!this.isReadable()) throw new Error('The secrets provider is down');
		return await super.getDecrypted();
	}
}

// It looks for its caller at each line, whether or not it's logged.
n8nWorkflow.LoggerProxy.init({ error() {}, warn() {}, info() {}, debug() {} });

export function createShell(
	world: World,
	time: Time,
	random: Random,
	service: Service,
	log: (line: string) => void,
	notify: (items: IDataObject[], executionId: string) => void,
	fault?: Fault,
) {
	const began = time.now();
	const workflows = buildWorkflows(world);
	const latencyMs = world.latencyMs ?? 200;
	const rows = new Map<string, Row>();
	const marks = new Map<string, string[]>();
	/** n8n's event log, by execution */
	const events = new Map<string, Array<{ node: string; isFinished: boolean }>>();
	const left: Left[] = [];
	const saved: Saved[] = [];
	const holds: Hold[] = [];
	/** Faults that the shell sees itself */
	const problems: Array<{ at: number; kind: string; about: string }> = [];
	/** Times in which n8n was down */
	const downs: Array<{ from: number; to: number }> = [];
	/** Executions that were stopped while they ran */
	const stops: Array<{ at: number; executionId: string }> = [];
	/** What nodes wrote to the log */
	const written: Array<{ at: number; text: string }> = [];
	let areStopsLeft = world.stopInWakeMs !== undefined;
	/** Requests and marks whose answers n8n waits for */
	let inFlight = 0;
	const kills = [...(world.kills ?? [])];
	let executions = 0;
	let wallOffset = 0;
	let checks: Timer | undefined;
	let current: Process | undefined;
	let counted = 0;

	const others = otherTypes({
		notify,
		behindMs: world.behindMs ?? MINUTE,
		batchSize: world.shape === 'calls' ? 1 : (world.batchSize ?? 1),
		messageFailures: world.messageFailures ?? 0,
	});
	const write = (text: unknown, meta?: unknown) =>
		void written.push({ at: time.now(), text: `${String(text)} ${JSON.stringify(meta)}` });
	Object.assign(logger(), { error: write, warn: write, info: write });

	const seconds = (at: number) => ((at - began) / SECOND).toFixed(1);

	/** Executions of which a run has let others go first: its requests, and the items of those that are answered, are on their way. */
	const underWay = new Set<string>();

	/** Lets another worker go on, which remembers nothing. What is on its way is left alone: no other worker could have it. */
	function forget(process: Process, when: NonNullable<World['forgets']>): void {
		if (inFlight > 0 || underWay.size > 0) return;
		if (world.forgets !== when && world.forgets !== 'runs') return;
		process.package.forget();
	}

	// Kills

	function kill({ downMs }: Kill): void {
		const dead = current;
		if (!dead) return;
		log(`n8n is killed`);
		dead.isDead = true;
		inFlight = 0;
		underWay.clear();
		current = undefined;
		time.drop(dead);
		for (const row of rows.values()) if (row.status === 'running') row.endedAt = time.now();
		downs.push({ from: time.now(), to: time.now() + downMs });
		time.after(downMs, start);
	}

	/** Kills n8n if the next kill is at this event. Returns whether the process is dead. */
	function isKilledAt(process: Process, at: Kill['at']): boolean {
		if (process.isDead) return true;
		if (kills[0]?.at !== at || ++counted < (kills[0].count ?? 1)) return false;
		counted = 0;
		kill(kills.shift()!);
		return true;
	}

	function scheduleTimedKill(): void {
		const [next] = kills;
		if (typeof next?.at !== 'number') return;
		time.at(began + next.at, () => {
			if (kills[0] !== next || !current) return;
			kills.shift();
			kill(next);
		});
	}

	/** Waits as part of a process. A dead one waits forever. */
	async function wait(process: Process, ms: number): Promise<void> {
		if (process.isDead) await never();
		await time.sleep(ms, process);
	}

	// Database

	interface Changes extends Partial<Omit<Row, 'data'>> {
		run?: IRunExecutionData;
	}

	/** execution.repository.js (n8n 1), executions/execution-persistence.js (n8n 2), updateExistingExecution */
	async function update(
		process: Process,
		row: Row,
		{ run, ...changes }: Changes,
		isAllowed: (row: Row) => boolean = () => true,
	): Promise<boolean> {
		const data = run && stringify(run);
		await wait(process, WRITE_MS);
		if (!isAllowed(row)) return false;
		if (isOld) {
			// On SQLite, n8n 1 writes the status first and the data second.
			Object.assign(row, changes);
			if (data === undefined) return true;
			if (isKilledAt(process, 'save')) await never();
			await wait(process, WRITE_MS);
			row.data = data;
			return true;
		}
		if (isKilledAt(process, 'save')) await never();
		Object.assign(row, changes, data !== undefined && { data });
		return true;
	}

	const readData = (row: Row) => parse(row.data) as IRunExecutionData;

	// deduplication/deduplication-helper.js, handleHashedItems: one row for each node, read and rewritten whole

	const contextOf = ({ workflow, node }: { workflow: { id: string }; node: { id: string } }) =>
		`${workflow.id} ${node.id}`;

	Object.assign(deduplication, {
		async checkProcessedAndRecord(
			items: string[],
			_scope: unknown,
			about: unknown,
			options: unknown,
		) {
			const process = current;
			if (!process) return await never();
			const context = contextOf(about as never);
			inFlight++;
			await wait(process, MARK_MS);
			const before = marks.get(context) ?? [];
			await wait(process, MARK_MS);
			inFlight--;
			const processed = items.filter((item) => before.includes(item));
			const fresh = items.filter((item) => !before.includes(item));
			const { maxEntries = Infinity } = (options ?? {}) as { maxEntries?: number };
			marks.set(context, [...before, ...fresh].slice(-maxEntries));
			if (isKilledAt(process, 'mark')) await never();
			return { new: fresh, processed };
		},
		async removeProcessed(items: string[], _scope: unknown, about: unknown) {
			const process = current;
			if (!process) return await never();
			const context = contextOf(about as never);
			await wait(process, MARK_MS);
			inFlight++;
			const before = marks.get(context) ?? [];
			await wait(process, MARK_MS);
			inFlight--;
			marks.set(
				context,
				before.filter((mark) => !items.includes(mark)),
			);
			if (isKilledAt(process, 'unmark')) await never();
		},
		async getProcessedDataCount(_scope: unknown, about: unknown) {
			return marks.get(contextOf(about as never))?.length ?? 0;
		},
	});

	// Running

	/** The execution that sends a request */
	const sender = new AsyncLocalStorage<string>();

	/** Tells the service which of equal executions a prompt is of, in place of the first one's name. */
	function withExecution(request: SentRequest): SentRequest {
		const id = sender.getStore();
		if (!world.areExecutionsEqual || id === undefined || !request.body) return request;
		const ids = [...rows.values()].filter(isTriggered).map((row) => row.id);
		const name = `run${ids.indexOf(originOf(id)) + 1} `;
		return { ...request, body: String(request.body).replace('run1 ', name) };
	}

	const toWorkflow = (process: Process, data: WorkflowData): Workflow =>
		createWorkflow(data, (type) => process.package.nodes[type] ?? others[type]);

	function isCredentialReadable(): boolean {
		const { credential } = world;
		if (!credential) return true;
		const ms = time.now() - began;
		return ms < credential.fromMs || ms >= credential.fromMs + credential.lastsMs;
	}

	const additionalDataFor = (process: Process, id: string): IWorkflowExecuteAdditionalData =>
		createAdditionalData(new WorldCredentials(isCredentialReadable), {
			currentNodeExecutionIndex: 0,
			executionId: id,
			setExecutionStatus(status: string) {
				const active = process.active.get(id);
				if (!active) throw new Error(`No active execution found: ${id}`);
				active.status = status;
			},
			executeWorkflow: async (info: IExecuteWorkflowInfo, _parent: unknown, options: never) =>
				await executeWorkflow(process, info, options),
		});

	/** execution-lifecycle/execution-lifecycle-hooks.js */
	function createHooks(process: Process, row: Row) {
		const hooks = new core.ExecutionLifecycleHooks(
			row.mode,
			row.id,
			{ ...row.workflow } as never,
			row.retryOf,
		);
		const known = events.get(row.id) ?? [];
		events.set(row.id, known);
		let runsAtOnce = 0;
		let runsAt = 0;
		let beganAt = 0;
		let isFinished = true;
		hooks.addHandler('nodeExecuteBefore', async (node: string) => {
			if (!isFinished) underWay.add(row.id);
			isFinished = false;
			runsAtOnce = runsAt === time.now() ? runsAtOnce + 1 : 0;
			runsAt = time.now();
			beganAt = time.now();
			if (runsAtOnce > MAX_RUNS_AT_ONCE) {
				problems.push({ at: time.now(), kind: 'nodes run without end', about: row.id });
				throw new Error('The execution never ends');
			}
			known.push({ node, isFinished: false });
			forget(process, 'runs');
			if (isKilledAt(process, 'node')) await never();
		});
		hooks.addHandler(
			'nodeExecuteAfter',
			async (node: string, task: ITaskData, run: IRunExecutionData) => {
				if (process.isDead) await never();
				isFinished = true;
				known.push({ node, isFinished });
				if (isWatched(node) && !run.waitTill) noteLeft(row, node, task);
				if (!AGENTS.includes(node) && time.now() > beganAt)
					holds.push({ executionId: row.id, from: beganAt, to: time.now() });
				if (world.savesProgress) await saveProgress(process, row, node, task, run);
			},
		);
		hooks.addHandler('workflowExecuteAfter', async (run: IRun) => {
			underWay.delete(row.id);
			// shared/shared-hook-functions.js, determineFinalExecutionStatus
			const status = run.waitTill
				? 'waiting'
				: run.status === 'canceled' || run.status === 'crashed'
					? run.status
					: run.data.resultData.error || run.status === 'error'
						? 'error'
						: 'success';
			run.status = status;
			const wasSaved = await update(
				process,
				row,
				{
					run: run.data,
					status,
					isFinished: run.finished === true,
					waitTill: run.waitTill?.getTime(),
					endedAt: run.waitTill ? undefined : time.now(),
				},
				(now) => isOld || now.status !== 'canceled',
			);
			if (!wasSaved) return;
			saved.push({ at: time.now(), executionId: row.id, status });
			const until = run.waitTill ? ` until ${seconds(run.waitTill.getTime() - wallOffset)}` : '';
			const error = run.data.resultData.error?.message;
			log(`execution ${row.id} is ${status}${until}${error ? `: ${error}` : ''}`);
			const last = run.data.resultData.lastNodeExecuted;
			if (run.waitTill && last === 'Wait')
				holds.push({
					executionId: row.id,
					from: time.now(),
					to: run.waitTill.getTime() - wallOffset + 2 * MINUTE,
				});
		});
		return hooks;
	}

	function noteLeft(row: Row, node: string, task: ITaskData): void {
		(task.data?.main ?? []).forEach((items, output) => {
			for (const { json } of items ?? []) {
				left.push({
					at: time.now(),
					executionId: row.id,
					node,
					output,
					json: structuredClone(json),
				});
				log(
					`${row.id} ${node} output ${output}: ${String(json.sessionId ?? json.error ?? json.name)} ${String(json.status ?? '')}`,
				);
			}
		});
	}

	/** execution-lifecycle/save-execution-progress.js */
	async function saveProgress(
		process: Process,
		row: Row,
		node: string,
		task: ITaskData,
		run: IRunExecutionData,
	): Promise<void> {
		if (isOld) {
			const data = readData(row);
			(data.resultData.runData[node] ??= []).push(task);
			data.executionData = run.executionData;
			data.resultData.lastNodeExecuted = node;
			await update(process, row, { run: data, status: 'running' }, (now) => !now.isFinished);
			return;
		}
		run.resultData.lastNodeExecuted = node;
		await update(
			process,
			row,
			{ run, status: 'running' },
			(now) => !now.isFinished && now.status !== 'canceled',
		);
	}

	class AlreadyResuming extends Error {}

	/** active-executions.js, add */
	async function add(process: Process, data: RunData, existing?: Row): Promise<Row> {
		let row = existing;
		if (row) {
			const isAllowed = (now: Row) => isOld || now.status === 'waiting';
			const changes = { run: data.executionData, status: 'running' as const, waitTill: undefined };
			if (!(await update(process, row, changes, isAllowed))) throw new AlreadyResuming();
			row.endedAt = undefined;
		} else {
			const text = stringify(data.executionData);
			await wait(process, WRITE_MS);
			const id = String(++executions);
			row = {
				id,
				workflow: data.workflowData,
				mode: data.executionMode,
				status: 'running',
				isFinished: false,
				data: text,
				retryOf: data.retryOf,
				parentId: data.executionData.parentExecution?.executionId,
				startedAt: time.now(),
			};
			rows.set(id, row);
			log(`execution ${id} starts (${data.executionMode})`);
		}
		let end!: (run: IRun | undefined) => void;
		const ended = new Promise<IRun | undefined>((resolve) => (end = resolve));
		process.active.set(row.id, { status: 'running', ended, end });
		return row;
	}

	async function execute(
		process: Process,
		row: Row,
		{ executionMode, executionData, workflowData }: RunData,
		existing?: Row,
	): Promise<IRun> {
		const additionalData = additionalDataFor(process, row.id);
		additionalData.restartExecutionId = existing?.id;
		additionalData.hooks = createHooks(process, row);
		const execution = sender.run(row.id, () =>
			new core.WorkflowExecute(
				additionalData,
				executionMode,
				executionData,
			).processRunExecutionData(toWorkflow(process, workflowData)),
		);
		process.active.get(row.id)!.execution = execution;
		return await execution;
	}

	function finalize(process: Process, row: Row, active: Active, run: IRun | undefined): void {
		active.end(run);
		if (active.status !== 'waiting' && process.active.get(row.id) === active)
			process.active.delete(row.id);
	}

	/** workflow-runner.js, run and runMainProcess */
	async function run(process: Process, data: RunData, existing?: Row): Promise<Row> {
		if (!isOld)
			// n8n 2 saves the context with the execution.
			await core.establishExecutionContext(
				toWorkflow(process, data.workflowData),
				data.executionData,
				{} as never,
				data.executionMode,
			);
		const row = await add(process, data, existing);
		const active = process.active.get(row.id)!;
		void execute(process, row, data, existing).then(
			(result) => finalize(process, row, active, result),
			(error: Error) => {
				problems.push({ at: time.now(), kind: 'n8n fails', about: `${row.id} ${error.message}` });
				finalize(process, row, active, undefined);
			},
		);
		return row;
	}

	/** nodes-base/RemoveDuplicates/v2, as the inline workflow of a declarative node runs it */
	async function executeInline(
		process: Process,
		nodes: Array<{ id: string }>,
		{ inputData, parentWorkflowId }: { inputData: INodeExecutionData[]; parentWorkflowId: string },
	) {
		let items = inputData;
		for (const { id } of nodes) {
			await wait(process, MARK_MS);
			const context = `${parentWorkflowId} ${id}`;
			const before = marks.get(context) ?? [];
			const fresh = items.filter(({ json }) => !before.includes(String(json.mark)));
			marks.set(context, [...before, ...fresh.map(({ json }) => String(json.mark))]);
			items = fresh;
		}
		if (isKilledAt(process, 'mark')) await never();
		return { executionId: 'inline', data: [items] };
	}

	/** workflow-execute-additional-data.js, executeWorkflow and startExecution */
	async function executeWorkflow(
		process: Process,
		{ code }: IExecuteWorkflowInfo,
		options: {
			inputData: INodeExecutionData[];
			parentWorkflowId: string;
			parentExecution: IRunExecutionData['parentExecution'];
		},
	) {
		if (code) return await executeInline(process, code.nodes.slice(1), options);
		const workflowData = structuredClone(workflows.child!);
		const { parentExecution } = options;
		const executionData = createData(workflowData, options.inputData, parentExecution);
		const data: RunData = { executionMode: 'integrated', executionData, workflowData };
		const row = await add(process, data);
		const active = process.active.get(row.id)!;
		const result = await execute(process, row, data);
		finalize(process, row, active, result);
		const { lastNodeExecuted, runData, error } = result.data.resultData;
		if (result.finished !== true && result.status !== 'waiting')
			throw Object.assign(new Error(error?.message), error);
		const last = lastNodeExecuted === undefined ? undefined : runData[lastNodeExecuted]?.at(-1);
		return {
			executionId: row.id,
			data: last?.data?.main ?? [null],
			waitTill: result.waitTill,
		};
	}

	let tokens = 0;

	/** webhooks/webhook-helpers.js, prepareExecutionData; workflow-execute-additional-data.js, getRunData */
	function createData(
		workflow: WorkflowData,
		items: INodeExecutionData[],
		parentExecution?: IRunExecutionData['parentExecution'],
	): IRunExecutionData {
		const node = workflow.nodes.find(({ name }) => name === 'Trigger') ?? workflow.nodes[0];
		return n8nWorkflow.createRunExecutionData({
			executionData: {
				nodeExecutionStack: [
					{
						node,
						data: { main: [items] },
						source: null,
						...(parentExecution && { metadata: { parentExecution } }),
					},
				],
			},
			resumeToken: `token${++tokens}`.padEnd(64, '0'),
			...(parentExecution && { parentExecution }),
		} as never);
	}

	// wait-tracker.js

	function check(process: Process): void {
		const now = time.now() + process.wallOffset;
		for (const row of [...rows.values()].sort((a, b) => (a.waitTill ?? 0) - (b.waitTill ?? 0))) {
			if (row.waitTill === undefined || row.waitTill > now + AHEAD_MS) continue;
			if (isOld ? row.status === 'crashed' : row.status !== 'waiting') continue;
			if (process.waiting.has(row.id)) continue;
			const timer = time.after(
				row.waitTill - now,
				() => void resume(process, row).catch(ignoreResuming),
				process,
			);
			process.waiting.set(row.id, timer);
		}
		if (!isOld) void resumeParents(process);
	}

	function ignoreResuming(error: unknown): void {
		if (!(error instanceof AlreadyResuming)) throw error;
	}

	/** startExecution */
	async function resume(process: Process, row: Row): Promise<void> {
		process.waiting.delete(row.id);
		await wait(process, 2);
		if (row.isFinished) return;
		const executionData = readData(row);
		log(`execution ${row.id} wakes`);
		forget(process, 'wakes');
		if (areStopsLeft && downs.length > 0 && row.parentId === undefined) {
			areStopsLeft = false;
			time.after(world.stopInWakeMs!, () => stop(row.id), process);
		}
		await run(
			process,
			{ executionMode: row.mode, executionData, workflowData: structuredClone(row.workflow) },
			row,
		);
		await resumeParent(process, row, executionData);
	}

	const isRetried = (row: Row | undefined) =>
		row !== undefined && [...rows.values()].some(({ retryOf }) => retryOf === row.id);

	async function resumeParent(process: Process, row: Row, data: IRunExecutionData): Promise<void> {
		const { parentExecution } = data;
		if (!parentExecution || parentExecution.shouldResume === false) return;
		const parent = rows.get(parentExecution.executionId);
		const result = await process.active.get(row.id)?.ended;
		if (!parent) return;
		if (isOld) return await resume(process, parent).catch(ignoreResuming);
		if (!result || result.status === 'waiting') return;
		if (await patchParent(process, parent, row, result.data))
			await resume(process, parent).catch(ignoreResuming);
	}

	/** workflow-helpers.js, updateParentExecutionWithChildResults */
	async function patchParent(
		process: Process,
		parent: Row,
		child: Row,
		{ resultData }: IRunExecutionData,
	): Promise<boolean> {
		const { lastNodeExecuted = '', runData, error } = resultData;
		const last = runData[lastNodeExecuted]?.at(-1);
		if ((!error && !last?.data) || parent.status !== 'waiting') return false;
		const data = readData(parent);
		const [entry] = data.executionData?.nodeExecutionStack ?? [];
		if (!entry) return false;
		const ids = entry.metadata?.waitingChildExecutionIds as string[] | undefined;
		if (ids?.length && !ids.includes(child.id)) return false;
		if (error) entry.metadata = { ...entry.metadata, resumeError: error } as typeof entry.metadata;
		else entry.data = last!.data!;
		return await update(process, parent, { run: data });
	}

	async function resumeParents(process: Process): Promise<void> {
		for (const parent of rows.values()) {
			if (parent.status !== 'waiting' || !n8nWorkflow.WAIT_FOR_SUB_EXECUTION) continue;
			if (parent.waitTill !== n8nWorkflow.WAIT_FOR_SUB_EXECUTION.getTime()) continue;
			// n8n reads the IDs from the parent's data.
			const children = [...rows.values()].filter(
				({ status, parentId }) =>
					parentId === parent.id && !['running', 'waiting'].includes(status),
			);
			for (const child of children)
				if (await patchParent(process, parent, child, readData(child)))
					await resume(process, parent).catch(ignoreResuming);
		}
	}

	// eventbus/message-event-bus/message-event-bus.js and executions/execution-recovery.service.js, amend

	function recover(): void {
		for (const row of rows.values()) {
			if (row.status !== 'running') continue;
			const messages = events.get(row.id) ?? [];
			const data = readData(row);
			for (const { name, ...node } of row.workflow.nodes) {
				const isStarted = messages.some((message) => message.node === name);
				if (!isStarted || data.resultData.runData[name] !== undefined) continue;
				const isFinished = messages.some((message) => message.node === name && message.isFinished);
				const task = {
					startTime: Math.floor(time.now() / SECOND),
					executionIndex: 0,
					executionTime: isFinished ? 1 : 0,
					source: [null],
					...(isFinished
						? {
								executionStatus: 'success',
								data: {
									main: [
										[{ json: { isArtificialRecoveredEventItem: true }, pairedItem: undefined }],
									],
								},
							}
						: {
								executionStatus: 'crashed',
								error: {
									name: 'NodeCrashedError',
									message: 'Node crashed, possible out-of-memory issue',
									node,
								},
							}),
				} as unknown as ITaskData;
				if (!isFinished)
					data.resultData.error = {
						name: 'WorkflowCrashedError',
						message: 'Workflow did not finish, possible out-of-memory issue',
					} as never;
				data.resultData.lastNodeExecuted = name;
				data.resultData.runData[name] = [task];
			}
			row.data = stringify(data);
			row.status = 'crashed';
			log(`execution ${row.id} is crashed`);
		}
	}

	function start(): void {
		const process: Process = {
			isDead: false,
			startedAt: time.now(),
			wallOffset,
			package: loadPackage(random.fork(`package ${time.now()}`)),
			active: new Map(),
			waiting: new Map(),
		};
		fault?.plant(process.package);
		usePackage(process.package);
		current = process;
		time.enter(process, process, random.fork(`process ${time.now()}`));
		log('n8n starts');
		// n8n 2 resumes what is overdue before its recovery.
		if (isOld) recover();
		const tick = () => {
			check(process);
			checks = time.after(CHECK_MS, tick, process);
		};
		tick();
		if (!isOld) time.after(10, recover, process);
		scheduleTimedKill();
	}

	// webhooks/waiting-webhooks.js and webhooks/webhook-helpers.js, executeWebhook

	const conflict = (message: string): LinkAnswer => ({
		status: 409,
		body: JSON.stringify({ code: 409, message }),
		isJson: true,
	});
	const refusedWake: LinkAnswer = {
		status: 500,
		body: '{"message":"There was a problem executing the workflow"}',
		isJson: true,
	};
	const missing = (message: string): LinkAnswer => ({
		status: 404,
		body: JSON.stringify({ code: 404, message }),
		isJson: true,
	});

	async function answerLink(
		process: Process,
		url: URL,
		form: Record<string, string> | undefined,
	): Promise<LinkAnswer> {
		const [, id] = /^\/webhook-waiting\/([^/]+)\//.exec(url.pathname) ?? [];
		const row = rows.get(id);
		await wait(process, 3);
		if (!row) return missing('The execution does not exist.');
		const status = row.status;
		const data = readData(row);
		if (data.resumeToken && url.searchParams.get('signature') !== data.resumeToken)
			return { status: 401, body: '{"error":"Invalid token"}', isJson: true };
		if (status === 'running') return conflict(`The execution "${id}" is running already.`);
		if (data.resultData.error) return conflict(`The execution "${id}" has finished with error.`);
		if (row.isFinished) return conflict(`The execution "${id} has finished already.`);
		forget(process, 'wakes');
		const answer = await callPausedNode(
			toWorkflow(process, row.workflow),
			additionalDataFor(process, row.id),
			row.mode,
			data,
			{ link: url, form },
		);
		if (!answer) return missing('The workflow does not contain a waiting webhook.');
		if (!answer.resumes) return answer;
		log(`execution ${row.id} wakes by an answer`);
		const resumed = run(
			process,
			{ executionMode: row.mode, executionData: data, workflowData: structuredClone(row.workflow) },
			row,
		);
		void resumed.then(async () => await resumeParent(process, row, data)).catch(ignoreResuming);
		// n8n 1 sends the response before it saves the execution, n8n 2 after it.
		if (isOld || !answer.isReturned) return answer;
		return await resumed.then(
			() => answer,
			(error: unknown) => (ignoreResuming(error), refusedWake),
		);
	}

	/** The execution that this one repeats or belongs to, or itself */
	const originOf = (id: string): string => {
		const row = rows.get(id);
		const before = row?.retryOf ?? row?.parentId;
		return before === undefined ? id : originOf(before);
	};

	/** The execution of the workflow that this one is part of */
	const callerOf = (id: string): string => {
		const parent = rows.get(id)?.parentId;
		return parent === undefined ? id : callerOf(parent);
	};

	function changePrompt({ parameters }: INode): void {
		for (const name of ['prompt', 'message'])
			if (parameters[name] && !String(parameters[name]).endsWith(CHANGED))
				parameters[name] = `${String(parameters[name])}${CHANGED}`;
	}

	/** executions/execution.service.js, stopInRegularMode */
	function stop(id: string): void {
		const process = current;
		const row = rows.get(id);
		if (!process || !row || !['running', 'waiting'].includes(row.status)) return;
		log(`execution ${id} is stopped`);
		const active = process.active.get(id);
		if (row.status === 'running') {
			stops.push({ at: time.now(), executionId: id });
			active?.execution?.cancel();
		} else process.active.delete(id);
		time.cancel(process.waiting.get(id));
		process.waiting.delete(id);
		const data = readData(row);
		data.resultData.error = {
			name: 'ManualExecutionCancelledError',
			message: 'The execution was cancelled manually',
		} as never;
		void update(process, row, {
			run: data,
			status: 'canceled',
			waitTill: undefined,
			endedAt: time.now(),
		});
	}

	const nobody: LinkAnswer = { status: 0, body: '', isJson: true };

	return {
		rows,
		left,
		saved,
		holds,
		problems,
		downs,
		isUp: () => current !== undefined,
		start,
		/** Starts an execution of the workflow. */
		trigger(json: IDataObject[]): void {
			const process = current;
			if (!process) return;
			const workflowData = structuredClone(workflows.main);
			const items = json.map((each, item) => ({ json: each, pairedItem: { item } }));
			void run(process, {
				executionMode: world.isManual ? 'manual' : 'trigger',
				executionData: createData(workflowData, items),
				workflowData,
			});
		},
		/** Starts an execution of another workflow with one node. */
		runNode(parameters: IDataObject, item: IDataObject): void {
			const process = current;
			if (!process) return;
			const node = {
				id: 'answering',
				name: 'Answering',
				type: `${PACKAGE}runAgentSession`,
				typeVersion: 1,
				position: [0, 0] as [number, number],
				parameters: parameters as never,
				credentials: { workspaceAutomationApi: { id: '1', name: 'Test' } },
			};
			const workflowData: WorkflowData = {
				id: 'answers',
				name: 'answers',
				nodes: [node],
				connections: {},
				settings: {},
				active: true,
			};
			void run(process, {
				executionMode: 'trigger',
				executionData: createData(workflowData, [{ json: item, pairedItem: { item: 0 } }]),
				workflowData,
			});
		},
		stop,
		stops,
		written,
		callerOf,
		/** executions/execution.service.js, retry */
		retry(id: string, isCurrent: boolean): void {
			const process = current;
			const row = rows.get(id);
			if (!process || !row || row.isFinished || isRetried(row)) return;
			const executionData = readData(row);
			const workflowData = structuredClone({ ...row.workflow, active: false });
			if (isCurrent && world.retries?.hasChanged) workflowData.nodes.forEach(changePrompt);
			prepareRetry(executionData, isCurrent ? toWorkflow(process, workflowData) : undefined);
			log(`execution ${id} is retried`);
			void run(process, { executionMode: 'retry', executionData, workflowData, retryOf: id });
		},
		async openLink(link: string, form?: Record<string, string>): Promise<LinkAnswer> {
			const process = current;
			if (!process) return nobody;
			return await new Promise<LinkAnswer>((resolve) => {
				let isAnswered = false;
				const answer = (given: LinkAnswer) => {
					if (!isAnswered) resolve(given);
					isAnswered = true;
				};
				// Nobody answers if n8n is killed meanwhile.
				time.after(30 * SECOND, () => answer(nobody));
				time.after(
					latencyMs / 2,
					() =>
						void (process.isDead
							? answer(nobody)
							: answerLink(process, new URL(link), form).then(
									(given) => time.after(latencyMs / 2, () => answer(given)),
									(error: Error) => {
										problems.push({ at: time.now(), kind: 'a link fails', about: error.message });
										answer(nobody);
									},
								)),
				);
			});
		},
		async send(sent: SentRequest): Promise<ReceivedResponse> {
			const process = current;
			const request = withExecution(sent);
			if (!process || isKilledAt(process, 'request')) return await never();
			inFlight++;
			return await new Promise<ReceivedResponse>((resolve, reject) => {
				const weather = service.weatherFor(request);
				const fail = (code: string, more: object = {}) =>
					time.after(
						latencyMs / 2,
						() => {
							inFlight--;
							reject(Object.assign(new Error(`read ${code}`), { code, ...more }));
						},
						process,
					);
				if (weather?.kind === 'unsent') {
					service.noteUnsent(request);
					return void fail('ECONNREFUSED', { syscall: 'connect' });
				}
				const slowMs = weather?.kind === 'slow' ? 25 * SECOND : 0;
				time.after(latencyMs / 2 + slowMs, () => {
					const { arrival, response } = service.receive(request);
					if (isKilledAt(process, 'answer')) return;
					if (!response) return void fail('ECONNRESET');
					const deliver = () => {
						arrival.deliveredAt = time.now();
						inFlight--;
						resolve(response);
					};
					time.after(latencyMs / 2, deliver, process);
				});
			});
		},
		setClock(byMs: number): void {
			wallOffset += byMs;
			if (current) current.wallOffset = wallOffset;
			log(`the clock is set by ${byMs / SECOND} s`);
		},
		originOf,
		end: () => time.cancel(checks),
	};
}
