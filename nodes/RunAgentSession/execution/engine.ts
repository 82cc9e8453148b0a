import { randomUUID } from 'node:crypto';
import type {
	IDataObject,
	IExecuteData,
	IExecuteFunctions,
	INodeExecutionData,
	IRun,
	IRunExecutionData,
	IWebhookFunctions,
} from 'n8n-workflow';

import { realClock } from '../../shared/client/clock';
import { omit } from '../../shared/values';
import { readRunIndex } from '../../shared/n8n/executionKey';
import { keepMarks } from '../../shared/n8n/ledger';
import { NEVER, NO_OTHERS, type Others } from '../plan/plan';
import { addAnswers, listAnswers } from './itemRecords';

// The only file that knows how n8n executes a node again and pauses it. Each private member of n8n that it uses is checked in `probe`.

/** The key of this package's data in the metadata of an entry on n8n's stack */
const MARK = 'workspaceAutomation';

interface EntryMark {
	/** The number of the entry among those of the node. n8n's run index doesn't identify it, because idle runs aren't written. */
	entry: number;
	/** Identifies the pause that put the entry on top of the stack */
	pause?: string;
	/** The process that paused it */
	process?: string;
	/** When n8n executes the paused entry again at the latest, by the system clock */
	wakeAt?: number;
	/** What the entry has planned, for the runs of other entries and nodes. Missing until the node itself has put it on the stack */
	plan?: Others;
}

type Entry = IExecuteData & { runIndex?: number };

interface Hooks {
	addHandler(name: 'workflowExecuteAfter', handler: (run: IRun) => Promise<void>): void;
}

/** n8n has these members, and its types don't. */
interface PrivateContext {
	runExecutionData?: IRunExecutionData | null;
	additionalData?: { hooks?: Hooks; setExecutionStatus?(status: string): void };
	workflow?: unknown;
	mode?: string;
	closeFunctions?: unknown;
	abortSignal?: AbortSignal;
}

type CreateContext = new (...values: unknown[]) => IExecuteFunctions;

interface Members {
	entry: Entry;
	data: IRunExecutionData & Required<Pick<IRunExecutionData, 'executionData'>>;
	hooks: Hooks;
}

/** Returns what the node needs to be executed again, or undefined if this n8n doesn't offer all of it. */
function probe(context: IExecuteFunctions): Members | undefined {
	const { runExecutionData: data, additionalData } = context as PrivateContext;
	const entry = context.getExecuteData?.() as Entry | undefined;
	const { name } = context.getNode();
	const nodeContext = context.getContext('node');
	const stack = data?.executionData?.nodeExecutionStack;
	const isKnown =
		// n8n's second engine has no signal, and a stack that nothing reads.
		context.getExecutionCancelSignal?.() !== undefined &&
		typeof context.putExecutionToWait === 'function' &&
		typeof additionalData?.hooks?.addHandler === 'function' &&
		entry?.node?.name === name &&
		Array.isArray(entry.data?.main) &&
		Array.isArray(stack) &&
		!stack.includes(entry) &&
		data?.executionData?.contextData?.[`node:${name}`] === nodeContext &&
		data.resultData?.runData !== undefined;
	return isKnown
		? { entry, data: data as Members['data'], hooks: additionalData!.hooks! }
		: undefined;
}

/** What an entry's run returned or threw */
type Outcome = { outputs: INodeExecutionData[][] | null } | { error: Error };
/** Spares a turn in n8n's tries of Retry On Fail, because the node has made its tries itself. */
const outcomes = new WeakMap<IExecuteData, Outcome>();

/** Contexts of nodes that have registered a handler of the execution's end. Spares the log the same lines again. */
const watchedEnds = new WeakSet<IDataObject>();

interface FirstWake {
	at: number;
	data: IRunExecutionData;
	ended: Promise<IRun>;
}

/** The latest wakes of this process, by execution and pause. Spares the service what a second wake of one pause would repeat. */
const wakes = new Map<string, FirstWake>();

/** n8n 1 sets its timers 70 s ahead, so a second wake comes within 70 s. */
const WAKE_KEPT_MS = 3 * 60_000;

const readMark = ({ metadata }: IExecuteData): EntryMark | undefined =>
	(metadata as Record<string, EntryMark> | undefined)?.[MARK];

function writeMark(entry: IExecuteData, mark: EntryMark): void {
	entry.metadata = { ...entry.metadata, [MARK]: mark } as IExecuteData['metadata'];
}

/** Returns the entry's mark. A new entry gets one, which Retry On Fail and a retry of the execution find again. */
function markEntry(entry: IExecuteData, nodeContext: IDataObject): EntryMark {
	const known = readMark(entry);
	if (known) return known;
	const { entries = 0 } = nodeContext as { entries?: number };
	nodeContext.entries = entries + 1;
	const mark = { entry: entries };
	writeMark(entry, mark);
	return mark;
}

/** Identifies this process until n8n is started again. */
const PROCESS = randomUUID();

/**
 * When this process first executed the node, by its monotonic clock: after a restart, that's right before n8n's recovery. Spares later
 * wakes waiting for the recovery.
 */
let firstRunAt: number | undefined;

/** Time in which n8n recovers what it found unfinished at its start: some 20 ms for each execution */
const RECOVERY_MS = 30_000;

/** Returns a date for the column `waitTill` only. In the execution's data, it would make n8n disable the node on the next wake. */
const columnOnlyDate = (at: number): Date =>
	Object.defineProperty(new Date(at), 'toJSON', { value: () => undefined });

type GetParents = (
	name: string,
	options: { includeNodeParameters: boolean },
) => Array<{ name: string; type: string; parameters?: IDataObject }>;

/** How n8n's nodes say when they respond: those that can hold a response back until the workflow ends */
const RESPONSE_MODES: Record<string, (parameters: IDataObject) => unknown> = {
	'n8n-nodes-base.webhook': ({ responseMode }) => responseMode,
	'n8n-nodes-base.formTrigger': ({ responseMode }) => responseMode,
	'n8n-nodes-base.wait': ({ responseMode }) => responseMode,
	'@n8n/n8n-nodes-langchain.chatTrigger': ({ options }) =>
		(options as IDataObject | undefined)?.responseMode ?? 'lastNode',
};
/** In a retry, nobody waits anymore. */
const CALLED_MODES = ['webhook', 'chat', 'manual'];

/** How n8n executes the node in this run, and executes it again. */
export class Engine {
	/** Identifies the items among those that the node got in this execution. A record belongs to it and an item's index. */
	readonly entryKey: number;

	/** True if the node itself made n8n execute it again, other than to throw an error */
	readonly isAgain: boolean;

	private readonly context: IExecuteFunctions;

	private readonly members: Members | undefined;

	private readonly mark: EntryMark | undefined;

	private readonly runIndex: number;

	constructor(context: IExecuteFunctions) {
		this.context = context;
		this.members = probe(context);
		this.mark = this.members && markEntry(this.members.entry, context.getContext('node'));
		this.runIndex = Number(context.getWorkflowDataProxy(0).$runIndex ?? 0);
		this.entryKey = this.mark?.entry ?? readRunIndex(context, 0);
		const { plan } = this.mark ?? {};
		this.isAgain = plan !== undefined && !plan.isFailing;
	}

	/** False if this n8n can neither execute the node again nor pause it */
	get canContinue(): boolean {
		return this.members !== undefined;
	}

	/** True if a caller waits until the workflow ends: n8n can't respond after a pause */
	get respondsAtEnd(): boolean {
		const { context, members } = this;
		if (context.isStreaming?.()) return true;
		if (!CALLED_MODES.includes(context.getMode())) return false;
		const options = { includeNodeParameters: true };
		const parents = (context.getParentNodes as GetParents)(context.getNode().name, options);
		const { runData } = members?.data.resultData ?? {};
		return parents.some(
			({ name, type, parameters = {} }) =>
				(!runData || name in runData) && RESPONSE_MODES[type]?.(parameters) === 'lastNode',
		);
	}

	get contexts(): Record<string, IDataObject> {
		return (this.members?.data.executionData.contextData ?? {}) as Record<string, IDataObject>;
	}

	/** Returns the context of another node that waits in the execution, or undefined if this n8n offers none. */
	openContext(nodeName: string): IExecuteFunctions | undefined {
		const { context } = this;
		if (nodeName === context.getNode().name) return context;
		const entry = this.stack.find(({ node }) => node.name === nodeName);
		const { workflow, additionalData, mode, runExecutionData, closeFunctions, abortSignal } =
			context as PrivateContext;
		if (!entry) return undefined;
		try {
			const opened = new (context.constructor as CreateContext)(
				...[workflow, entry.node, additionalData, mode, runExecutionData, 0],
				...[entry.data.main[0], entry.data, entry, closeFunctions, abortSignal],
			);
			return opened.getContext('node') === this.contexts[`node:${nodeName}`] ? opened : undefined;
		} catch {
			return undefined;
		}
	}

	/** Identifies the wake: n8n makes a new data object for each. */
	get wakeKey(): object {
		return this.members?.data ?? this.context;
	}

	/** Returns what an earlier run for the same entry returned. @throws what it threw */
	readOutcome(): { outputs: INodeExecutionData[][] | null } | undefined {
		const outcome = this.members && outcomes.get(this.members.entry);
		if (outcome && 'error' in outcome) throw outcome.error;
		return outcome;
	}

	keepOutcome(outcome: Outcome): void {
		if (this.members) outcomes.set(this.members.entry, outcome);
	}

	/**
	 * Makes the second of two wakes of one pause a copy of the first, after that has been saved. An answer that only the second has is kept.
	 * @returns the outputs of the second wake, or undefined in the first
	 */
	async followFirstWake(): Promise<{ outputs: INodeExecutionData[][] | null } | undefined> {
		const { members, mark } = this;
		if (!members || mark?.pause === undefined) return undefined;
		const { entry, data, hooks } = members;
		const { pause } = mark;
		writeMark(entry, omit(mark, 'pause', 'process', 'wakeAt'));
		// Idle wakes leave one run, and not one each. After an answer, n8n has removed it.
		data.resultData.runData[this.context.getNode().name]?.splice(this.runIndex);
		const now = realClock.monotonicMs();
		for (const [key, { at }] of wakes) if (now > at + WAKE_KEPT_MS) wakes.delete(key);
		const key = `${this.context.getExecutionId()} ${pause}`;
		const first = wakes.get(key);
		if (first) return { outputs: await this.copy(first) };
		const ended = new Promise<IRun>((resolve) =>
			hooks.addHandler('workflowExecuteAfter', async (run) => resolve(run)),
		);
		wakes.set(key, { at: now, data, ended });
		return undefined;
	}

	/**
	 * Lets n8n's recovery pass in the first wake after a restart. When n8n starts, it resumes overdue executions, and marks all that its log calls unfinished as crashed, paused
	 * ones for a moment. It reads them before, so what a wake saves in between would be lost, and the execution could stay crashed.
	 * @throws CanceledError when the execution is stopped
	 */
	async waitForRecovery(): Promise<void> {
		const now = realClock.monotonicMs();
		firstRunAt ??= now;
		const leftMs = firstRunAt + RECOVERY_MS - now;
		if (leftMs <= 0 || this.mark?.pause === undefined || this.mark.process === PROCESS) return;
		keepMarks(this.context);
		await realClock.sleep(leftMs, this.context.getExecutionCancelSignal?.());
	}

	private async copy(first: FirstWake): Promise<INodeExecutionData[][] | null> {
		const { entry, data } = this.members!;
		await first.ended;
		const { waitTill, resultData, executionData } = first.data as Members['data'];
		const [top, ...rest] = executionData.nodeExecutionStack;
		const late = listAnswers(data.executionData.contextData);
		const isLate = addAnswers(executionData.contextData, late);
		data.resultData = resultData;
		data.executionData = { ...executionData, nodeExecutionStack: rest };
		const { error } = resultData;
		// n8n has copied the error into a plain object.
		if (error) throw Object.assign(new Error(error.message), error);
		if (!waitTill) return null;
		Object.assign(entry, top);
		data.waitTill = isLate ? columnOnlyDate(Date.now() + SOON_MS) : waitTill;
		try {
			(this.context as PrivateContext).additionalData?.setExecutionStatus?.('waiting');
		} catch {
			// The first wake has removed the execution from n8n's list.
		}
		const runs = resultData.runData[this.context.getNode().name];
		// n8n 1 takes no null from a run that pauses.
		return (runs?.[this.runIndex]?.data?.main as INodeExecutionData[][]) ?? [[], []];
	}

	private get stack(): IExecuteData[] {
		return this.members!.data.executionData.nodeExecutionStack;
	}

	/** Returns what the rest of the execution has planned. The work of other nodes is due now. */
	readOthers(now: number): Others {
		if (!this.members) return NO_OTHERS;
		const plans = this.stack.map((entry): Others => readMark(entry)?.plan ?? { dueAt: now });
		const begun = this.countBegun();
		const keeps = plans.some((plan) => plan.keeps === 'running')
			? 'running'
			: plans.find((plan) => plan.keeps)?.keeps;
		return {
			dueAt: Math.min(NEVER, ...plans.map(({ dueAt }) => dueAt)),
			...(keeps && { keeps }),
			...(plans.some(({ isFailing }) => isFailing) && { isFailing: true as const }),
			...(begun && { begun }),
		};
	}

	/** Counts the sessions of the node's other entries, by project. Returns undefined if there are none. */
	private countBegun(): Others['begun'] {
		const { name } = this.context.getNode();
		const begun: Record<string, number> = {};
		for (const entry of this.stack)
			if (entry.node.name === name)
				for (const [project, count] of Object.entries(readMark(entry)?.plan?.begun ?? {}))
					begun[project] = (begun[project] ?? 0) + count;
		return Object.keys(begun).length > 0 ? begun : undefined;
	}

	/** Makes n8n execute the node's other entries next, because one of their sessions has an answer. */
	makeDue(nodeName: string, now: number): void {
		if (!this.members) return;
		for (const entry of this.stack) {
			const mark = readMark(entry);
			if (entry.node.name === nodeName && mark?.plan)
				writeMark(entry, { ...mark, plan: { ...mark.plan, dueAt: now } });
		}
	}

	/**
	 * Makes n8n execute the node again with the same items, after what is due before.
	 * @param outputs items that leave, or null
	 */
	continueLater(
		outputs: INodeExecutionData[][] | null,
		plan: Others,
	): INodeExecutionData[][] | null {
		const { entry } = this.members!;
		this.silenceEmptyRuns();
		const { node, data, source, metadata } = entry;
		const again: Entry = { node, data, source, metadata };
		writeMark(again, { entry: this.entryKey, plan });
		const { stack } = this;
		const dueAt = (each: IExecuteData) => readMark(each)?.plan?.dueAt;
		const others = stack.filter((each) => dueAt(each) === undefined);
		const own = [...stack.filter((each) => dueAt(each) !== undefined), again];
		own.sort((one, other) => dueAt(one)! - dueAt(other)!);
		stack.splice(0, stack.length, ...others, ...own);
		this.keepOutcome({ outputs });
		return outputs;
	}

	/** Otherwise n8n makes an item of each run that returns none. */
	private silenceEmptyRuns(): void {
		const { entry } = this.members!;
		entry.node = { ...entry.node, alwaysOutputData: false };
	}

	/** Pauses the execution. n8n executes this entry first when it wakes. @param wakeAt by the system clock */
	async pause(plan: Others, wakeAt: number): Promise<INodeExecutionData[][]> {
		const { entry } = this.members!;
		this.silenceEmptyRuns();
		const pause = { pause: randomUUID(), process: PROCESS, wakeAt };
		writeMark(entry, { entry: this.entryKey, plan, ...pause });
		entry.runIndex = this.runIndex;
		// If n8n 1 has resumed twice and one run was stopped, it has forgotten both. The time is stored by then.
		await this.context.putExecutionToWait(columnOnlyDate(wakeAt)).catch(() => {});
		return [[], []];
	}

	/** Makes an error of this run end the execution, even if On Error continues. */
	endExecutionOnError(): void {
		const { entry } = this.members ?? {};
		if (entry) entry.node = { ...entry.node, onError: 'stopWorkflow', continueOnFail: false };
	}

	/** Calls `handler` when the execution ends other than by a pause. The node registers only one for each wake. */
	onEnd(handler: (status: string) => void): void {
		const nodeContext = this.context.getContext('node');
		if (!this.members || watchedEnds.has(nodeContext)) return;
		watchedEnds.add(nodeContext);
		this.members.hooks.addHandler('workflowExecuteAfter', async ({ status }) => {
			if (status !== 'waiting') handler(status);
		});
	}
}

/** Wakes soon for an answer that came with a second wake */
const SOON_MS = 5_000;

/** n8n's check of paused executions saw the parent of a sub-workflow wrong before it had this member (n8n 2.16). */
export const returnsAfterPause = (context: IExecuteFunctions): boolean => 'customData' in context;

/** n8n checks each minute, and after a start at once. */
const MAX_OVERDUE_MS = 2 * 60_000;

/** Returns a paused execution as the approval page sees it. Undefined if this package's node didn't pause it. */
export function openPausedExecution(context: IWebhookFunctions) {
	const { runExecutionData } = context as unknown as PrivateContext;
	const { contextData = {}, nodeExecutionStack = [] } = runExecutionData?.executionData ?? {};
	const entry = nodeExecutionStack[0] as Entry | undefined;
	const { pause, wakeAt = NEVER } = (entry && readMark(entry)) ?? {};
	if (!entry || pause === undefined) return undefined;
	return {
		/** True if n8n should have executed it again, so that it was killed meanwhile. n8n says that to nobody else. */
		isOverdue: Date.now() > wakeAt + MAX_OVERDUE_MS,
		/** Of all nodes: n8n asks only the one that paused last */
		contexts: contextData as Record<string, IDataObject>,
		/** Returns the data with which n8n executes the paused node again. */
		resume(): INodeExecutionData[][] {
			// n8n disables the node, so that it would pass its input on instead of being executed.
			delete entry.node.disabled;
			return entry.data.main as INodeExecutionData[][];
		},
	};
}
