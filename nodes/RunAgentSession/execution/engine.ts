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
import { readRunIndex } from '../../shared/n8n/executionKey';
import { moveAnswers } from './inbox';

// The only file that knows how n8n executes a node again and pauses it. Each private member of n8n that it uses is checked in `probe`.

/** The key of this package's data in the metadata of an entry on n8n's stack */
const MARK = 'workspaceAutomation';

interface EntryMark {
	/** The number of the entry among those of the node. n8n's run index doesn't identify it, because idle runs aren't written. */
	entry: number;
	/** True if the node itself put the entry on the stack */
	isAgain?: true;
	/** Identifies the pause that put the entry on top of the stack */
	pause?: string;
}

type Entry = IExecuteData & { runIndex?: number };

interface Hooks {
	addHandler(name: 'workflowExecuteAfter', handler: (run: IRun) => Promise<void>): void;
}

/** n8n has these members, and its types don't. */
interface PrivateContext {
	runExecutionData?: IRunExecutionData | null;
	additionalData?: { hooks?: Hooks; setExecutionStatus?(status: string): void };
}

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

/** The entries that had nothing to do in the current wake, with the time of their next one. n8n makes a new data object for each wake. */
const idle = new WeakMap<IRunExecutionData, WeakMap<IExecuteData, number>>();

/** Returned outputs of entries that continue, because Retry On Fail executes an entry again if its first item has an error. */
const returned = new WeakMap<IExecuteData, INodeExecutionData[][] | null>();

/** Contexts of nodes that have registered a handler of the execution's end */
const watchedEnds = new WeakSet<IDataObject>();

interface FirstWake {
	at: number;
	data: IRunExecutionData;
	ended: Promise<IRun>;
}

/** The latest wakes of this process, by execution and pause */
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

/** Returns a date for the column `waitTill` only. In the execution's data, it would make n8n disable the node on the next wake. */
const columnOnlyDate = (at: number): Date =>
	Object.defineProperty(new Date(at), 'toJSON', { value: () => undefined });

/** How n8n executes the node in this run, and executes it again. */
export class Engine {
	/** Identifies the items among those that the node got in this execution. A record belongs to it and an item's index. */
	readonly entryKey: number;

	/** True if the node itself made n8n execute it again */
	readonly isAgain: boolean;

	/** True if a pause came before this run */
	readonly isWake: boolean;

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
		this.isAgain = this.mark?.isAgain === true;
		this.isWake = this.mark?.pause !== undefined;
	}

	/** False if this n8n can neither execute the node again nor pause it */
	get canContinue(): boolean {
		return this.members !== undefined;
	}

	/** Returns the outputs of an entry that already continues, if Retry On Fail executes it again. */
	get earlierOutputs(): INodeExecutionData[][] | null | undefined {
		return this.members && returned.get(this.members.entry);
	}

	/**
	 * Makes the second of two wakes of one pause a copy of the first, after that has been saved. An answer that only the second has is kept.
	 * @returns the outputs of the second wake, or undefined in the first
	 */
	async followFirstWake(): Promise<{ outputs: INodeExecutionData[][] | null } | undefined> {
		const { members, mark } = this;
		if (!members || mark?.pause === undefined) return undefined;
		const { entry, data, hooks } = members;
		writeMark(entry, { entry: mark.entry, isAgain: true });
		const now = realClock.monotonicMs();
		for (const [key, { at }] of wakes) if (now > at + WAKE_KEPT_MS) wakes.delete(key);
		const key = `${this.context.getExecutionId()} ${mark.pause}`;
		const first = wakes.get(key);
		if (first) return { outputs: await this.copy(first) };
		const ended = new Promise<IRun>((resolve) =>
			hooks.addHandler('workflowExecuteAfter', async (run) => resolve(run)),
		);
		wakes.set(key, { at: now, data, ended });
		return undefined;
	}

	private async copy(first: FirstWake): Promise<INodeExecutionData[][] | null> {
		const { entry, data } = this.members!;
		await first.ended;
		const { waitTill, resultData, executionData } = first.data as Members['data'];
		const [top, ...rest] = executionData.nodeExecutionStack;
		const isLate = moveAnswers(data.executionData.contextData, executionData.contextData);
		data.resultData = resultData;
		data.executionData = { ...executionData, nodeExecutionStack: rest };
		const { error } = resultData;
		// n8n has copied the error into a plain object.
		if (error) throw Object.assign(new Error(error.message), error);
		if (!waitTill) return null;
		Object.assign(entry, top);
		data.waitTill = isLate ? columnOnlyDate(realClock.now() + SOON_MS) : waitTill;
		try {
			(this.context as PrivateContext).additionalData?.setExecutionStatus?.('waiting');
		} catch {
			// The first wake has removed the execution from n8n's list.
		}
		const runs = resultData.runData[this.context.getNode().name];
		return (runs?.[this.runIndex]?.data?.main as INodeExecutionData[][]) ?? null;
	}

	/**
	 * Makes n8n execute the node again with the same items: after all other work of the execution, and after a pause if there's no other work.
	 * @param wakeAt wall-clock time in milliseconds
	 * @param beforePause called if this run is the one that pauses
	 */
	async continueLater(
		outputs: INodeExecutionData[][],
		wakeAt: number,
		beforePause: () => void,
	): Promise<INodeExecutionData[][] | null> {
		const { entry, data } = this.members!;
		const { name } = this.context.getNode();
		const stack = data.executionData.nodeExecutionStack;
		const mark: EntryMark = { entry: this.entryKey, isAgain: true };
		// Otherwise n8n makes an item of each run that returns none.
		entry.node = { ...entry.node, alwaysOutputData: false };
		const again: Entry = {
			node: entry.node,
			data: entry.data,
			source: entry.source,
			metadata: { ...entry.metadata, [MARK]: mark } as IExecuteData['metadata'],
		};
		if (outputs.some(({ length }) => length > 0)) {
			stack.push(again);
			returned.set(entry, outputs);
			return outputs;
		}
		const entries = idle.get(data) ?? new WeakMap<IExecuteData, number>();
		idle.set(data, entries);
		// An answer on the approval page makes n8n remove the last run, so it must be the one that pauses.
		const isLastRun = this.runIndex >= (data.resultData.runData[name]?.length ?? 0) - 1;
		if (!isLastRun || stack.some((other) => !entries.has(other))) {
			if (isLastRun) {
				if (entry.runIndex !== undefined) again.runIndex = entry.runIndex;
				entries.set(again, wakeAt);
			}
			stack.push(again);
			returned.set(entry, null);
			return null;
		}
		beforePause();
		writeMark(entry, { ...mark, pause: randomUUID() });
		entry.runIndex = this.runIndex;
		const earliest = Math.min(wakeAt, ...stack.map((other) => entries.get(other)!));
		// If n8n 1 has resumed twice and one run was stopped, it has forgotten both. The time is stored by then.
		await this.context.putExecutionToWait(columnOnlyDate(earliest)).catch(() => {});
		return outputs;
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

/** A paused execution, as the approval page sees it. */
export interface PausedExecution {
	/** The contexts of all nodes: n8n asks only the one that paused last */
	contexts: Record<string, IDataObject>;
	/** Returns the data with which n8n executes the paused node again. */
	resume(): INodeExecutionData[][];
}

/** Returns undefined if the execution wasn't paused by this package's node. */
export function openPausedExecution(context: IWebhookFunctions): PausedExecution | undefined {
	const { runExecutionData } = context as unknown as PrivateContext;
	const { contextData = {}, nodeExecutionStack = [] } = runExecutionData?.executionData ?? {};
	const entry = nodeExecutionStack[0] as Entry | undefined;
	if (!entry || readMark(entry)?.pause === undefined) return undefined;
	return {
		contexts: contextData as Record<string, IDataObject>,
		resume() {
			// n8n disables the node, so that it would pass its input on instead of being executed.
			delete entry.node.disabled;
			return entry.data.main as INodeExecutionData[][];
		},
	};
}
