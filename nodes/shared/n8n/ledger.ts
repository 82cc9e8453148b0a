import type { IExecuteFunctions } from 'n8n-workflow';

import type { OperationId } from '../client/operations';
import { mayHaveHappenedError } from '../client/session';
import { hadNoEffect, WorkspaceAutomationError } from '../errors';
import {
	addCall,
	isChild,
	readExecutionKeys,
	type AnyContext,
	type ExecutionKeys,
} from './executionKey';

// An effect that must not happen twice is in n8n's database before it's requested. n8n saves the context only at a pause or the end.

/** What is known of an earlier try of an effect */
type Earlier = 'new' | 'unknown' | 'done';

export interface Ledger {
	/** Records durably that the effect is about to be requested. Returns what is known of an earlier try. */
	begin(effect: string): Promise<Earlier>;
	/** Records durably that the effect has happened. */
	done(effect: string): Promise<void>;
	/** Records that an effect didn't happen, or counts no longer, so that it may be requested once more. Called once for each such try */
	forget(effect: string): Promise<void>;
}

/** With one of these, a session of an item begins. Later effects have the session's ID in their names. */
export const FIRST_EFFECTS = ['start', 'message'];

/** Returned for an effect that an earlier try has done */
export const DONE = Symbol('done');

/**
 * Requests an effect once, over all retries and kills. One that provably wasn't taken may be requested again.
 * @param effect its name, which tells it from all other effects of the item
 * @throws IndeterminateError if an earlier try may have happened
 */
export async function once<T>(
	ledger: Ledger,
	effect: string,
	operation: OperationId,
	work: () => Promise<T>,
): Promise<T | typeof DONE> {
	const earlier = await ledger.begin(effect);
	if (earlier === 'unknown') throw mayHaveHappenedError(operation);
	if (earlier === 'done') return DONE;
	const result = await work().catch(async (error: unknown) => {
		if (hadNoEffect(error)) await ledger.forget(effect);
		throw error;
	});
	await ledger.done(effect);
	return result;
}

/** Keeps marks of one node in n8n's database. */
interface MarkStore {
	/** Identifies the node. Calls for it come one at a time. */
	row: string;
	/** Records marks. Returns those that were there. */
	record(marks: string[], maxMarks?: number): Promise<Set<unknown>>;
	remove(marks: string[]): Promise<void>;
}

/** Marks that n8n keeps per node: more than an execution has items. n8n removes the oldest first. */
const MAX_MARKS = 10_000;

const STATES = ['done', 'over', 'asking'] as const;

const toStateMark = (mark: string, state: (typeof STATES)[number]) => `${mark} ${state}`;

/** The latest of the calls under way, for each row: n8n's store loses parallel ones. */
const calls = new Map<string, Promise<unknown>>();

async function runLocked<T>(row: string, work: () => Promise<T>): Promise<T> {
	const result = (calls.get(row) ?? Promise.resolve()).then(work);
	const ended = result.catch(() => {});
	calls.set(row, ended);
	return await result.finally(() => {
		if (calls.get(row) === ended) calls.delete(row);
	});
}

type Recorder = (marks: string[]) => Promise<Set<unknown>>;

/** Returns a function that records marks, batched while the store is busy. It returns the marks that were there. */
function createRecorder(store: Pick<MarkStore, 'row' | 'record'>): Recorder {
	let batch: { marks: string[]; seen: Promise<Set<unknown>> } | undefined;

	const open = () => {
		const marks: string[] = [];
		const record = async () => await store.record(marks);
		const send = async () => {
			batch = undefined;
			// The first insert of two processes fails in one of them.
			return await record().catch(record);
		};
		return { marks, seen: runLocked(store.row, send) };
	};
	return async (marks) => {
		batch ??= open();
		batch.marks.push(...marks);
		return await batch.seen;
	};
}

const storeError = ({ message }: Error) =>
	new WorkspaceAutomationError(
		"n8n couldn't record the request",
		`Nothing was sent. Check n8n's database and log, then run the node again. Without a record, a retry could repeat the request. n8n says: ${message}.`,
	);

/** n8n gives this ID to a workflow that isn't saved, and can't retry its executions. */
const UNSAVED = '__EMPTY__';

const canBeRetried = (context: AnyContext): boolean =>
	![undefined, '', UNSAVED].includes(context.getWorkflow().id);

interface LedgerState {
	/** The first execution's ID, once a pause has saved it */
	origin?: string;
	/** Of a sub-workflow: the number of its call, once it's taken */
	childKeys?: ExecutionKeys;
	/** The execution's own marks */
	marks?: string[];
	/** The number of tries that count no longer, by effect */
	tries?: Record<string, number>;
}

function openStore(context: IExecuteFunctions): MarkStore {
	const { helpers } = context;
	const mode = 'entries' as const;
	return {
		row: `${context.getWorkflow().id} ${context.getNode().id}`,
		async record(marks, maxEntries = MAX_MARKS) {
			const options = { mode, maxEntries };
			return new Set((await helpers.checkProcessedAndRecord(marks, 'node', options)).processed);
		},
		remove: async (marks) => await helpers.removeProcessed(marks, 'node', { mode }),
	};
}

const KEEPS_MARKS = 'workspaceAutomationKeepsMarks';

/** Keeps the marks of an execution for a retry of it that may be running: n8n 2 takes it for crashed while its first wake after a restart runs. */
export const keepMarks = (context: IExecuteFunctions): void =>
	void (context.getContext('flow')[KEEPS_MARKS] = true);

/** The takings under way, so that items that begin together take one number */
const takings = new WeakMap<LedgerState, Promise<ExecutionKeys>>();

/** Keeps the effects of one execution of a node, with n8n's deduplication helper, which saves marks at once. */
export class ExecutionLedger implements Ledger {
	private readonly context: AnyContext;

	private readonly store: MarkStore;

	private readonly state: LedgerState;

	private readonly record: Recorder;

	constructor(context: IExecuteFunctions) {
		this.context = context;
		this.store = openStore(context);
		this.record = createRecorder(this.store);
		this.state = (context.getContext('node').ledger ??= {}) as LedgerState;
	}

	/** Returns the ledger of one item. */
	of(item: string): Ledger {
		return {
			begin: async (effect) => await this.begin(`${item} ${effect}`),
			done: async (effect) => await this.done(`${item} ${effect}`),
			forget: async (effect) => await this.forget(`${item} ${effect}`),
		};
	}

	async begin(effect: string): Promise<Earlier> {
		if (!canBeRetried(this.context)) return 'new';
		try {
			for (;;) {
				const earlier = await this.beginTry(effect);
				if (earlier !== 'over') return earlier;
				this.countTry(effect);
			}
		} catch (error) {
			throw storeError(error as Error);
		}
	}

	async done(effect: string): Promise<void> {
		await this.note(await this.toMarks(effect), 'done');
	}

	async forget(effect: string): Promise<void> {
		await this.note(await this.toMarks(effect), 'over');
		this.countTry(effect);
	}

	/** Notes that a pause is about to save the context, and with it all records. */
	notePause(): void {
		this.state.origin ??= this.context.getExecutionId();
	}

	/** Removes the execution's own marks after its success. Until then, a retry may need each. */
	async release(): Promise<void> {
		const { marks = [] } = this.state;
		if (isChild(this.context) || this.context.getMode() === 'retry') return;
		if (this.context.getContext('flow')[KEEPS_MARKS]) return;
		delete this.state.marks;
		const over = marks.flatMap((mark) => [
			mark,
			...STATES.map((state) => toStateMark(mark, state)),
		]);
		if (over.length === 0) return;
		const remove = async () => await this.store.remove(over);
		await runLocked(this.store.row, remove).catch(() => {});
	}

	/** Returns the exact marks of the current try of an effect. */
	private async toMarks(effect: string): Promise<string[]> {
		const { exact } = await this.readKeys();
		return exact.map((key) => this.toMark(key, effect));
	}

	private toMark(key: string, effect: string): string {
		return `${key} ${effect} ${this.state.tries?.[effect] ?? 0}`;
	}

	private async readKeys(): Promise<ExecutionKeys> {
		const { childKeys, origin } = this.state;
		const keys = childKeys ?? readExecutionKeys(this.context, origin);
		if (!keys.call) return keys;
		const taking = takings.get(this.state) ?? this.takeCall(keys, keys.call);
		takings.set(this.state, taking);
		return (this.state.childKeys = await taking);
	}

	/**
	 * Takes the number of a sub-workflow's call durably: the first that nobody has. Only in a retry of the parent it may be one that's there,
	 * and in the sub-workflow's own retry it's the first.
	 */
	private async takeCall(
		keys: ExecutionKeys,
		{ base, parentId }: NonNullable<ExecutionKeys['call']>,
	): Promise<ExecutionKeys> {
		if (this.context.getMode() === 'retry') return addCall(keys, 0);
		for (let call = 0; ; call++) {
			const mark = `${base} call ${call}`;
			const taken = `${mark} of ${parentId}`;
			const own = `${mark} by ${this.context.getExecutionId()}`;
			const seen = await this.record([mark, taken, own]);
			if (!seen.has(mark) || !seen.has(taken) || seen.has(own)) return addCall(keys, call);
		}
	}

	private countTry(effect: string): void {
		const tries = (this.state.tries ??= {});
		tries[effect] = (tries[effect] ?? 0) + 1;
	}

	private async beginTry(effect: string): Promise<Earlier | 'over'> {
		const { exact, vague, counting } = await this.readKeys();
		const known = this.toMark(counting, effect);
		const own = exact.map((key) => this.toMark(key, effect));
		const shared = vague === undefined ? [] : [this.toMark(vague, effect)];
		const seen = await this.record([...own, ...shared]);
		if (seen.has(known)) return await this.recall(known);
		(this.state.marks ??= []).push(...own.filter((mark) => !seen.has(mark)));
		return 'new';
	}

	/**
	 * Asks for all that an earlier try may have recorded of its effect, and removes the marks that asking adds. Its own mark stays if n8n is
	 * killed in between: then the others prove nothing.
	 */
	private async recall(mark: string): Promise<Earlier | 'over'> {
		const asked = STATES.map((state) => toStateMark(mark, state));
		const [done, over, asking] = asked;
		const seen = await runLocked(this.store.row, async () => {
			const found = await this.store.record(asked, MAX_MARKS + asked.length);
			await this.store.remove(asked.filter((each) => !found.has(each)));
			return found;
		});
		if (seen.has(asking)) return 'unknown';
		if (seen.has(over)) return 'over';
		return seen.has(done) ? 'done' : 'unknown';
	}

	private async note(marks: string[], state: 'done' | 'over'): Promise<void> {
		if (!canBeRetried(this.context)) return;
		const names = marks.map((mark) => toStateMark(mark, state));
		await this.record(names).catch((error: Error) =>
			this.context.logger.warn(`n8n couldn't record that a request is ${state}: ${error.message}`),
		);
	}
}
