import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { nonEmptyText } from '../../shared/values';

// n8n's deduplication helper saves marks at once. n8n saves the context only at a pause or the end, too late if n8n is killed.

/** What the node remembers beside its sessions */
export interface NodeState {
	/** The identifier that this execution and its retries share */
	origin?: string;
	marks?: string[];
	/** True if a pause has saved the context since, so that the marks aren't needed anymore */
	hasSavedMarks?: boolean;
	/** Wakes in a row in which the credential couldn't be read, and the time of the first */
	withoutCredential?: { since: number; wakes: number };
}

export const readNodeState = (nodeContext: IDataObject): NodeState =>
	(nodeContext.state ??= {}) as NodeState;

/** Marks that n8n keeps per node: more than an execution has items. n8n removes the oldest first. */
const MAX_STORED_MARKS = 10_000;

/** One call at a time: n8n's helper loses parallel ones. */
let lock: Promise<unknown> = Promise.resolve();

function runLocked<T>(work: () => Promise<T>): Promise<T> {
	const result = lock.then(work, work);
	lock = result.catch(() => {});
	return result;
}

/** Returns an ID that retries share: n8n 2's resume token, or the first execution's ID after a pause (undefined on n8n 1 until then). */
function readExecutionOrigin(context: IExecuteFunctions): string | undefined {
	const saved = readNodeState(context.getContext('node')).origin;
	if (saved !== undefined) return saved;
	const { $execution } = context.getWorkflowDataProxy(0) as { $execution?: IDataObject };
	const resumeUrl = nonEmptyText($execution?.resumeUrl) ?? '';
	if (!URL.canParse(resumeUrl)) return undefined;
	return new URL(resumeUrl).searchParams.get('signature') ?? undefined;
}

/** Returns a function that records a mark, batched while n8n's helper is busy. It returns the marks recorded before. */
function createBatches(context: IExecuteFunctions): (mark: string) => Promise<Set<unknown>> {
	let batch: { marks: string[]; seen: Promise<Set<unknown>> } | undefined;

	const send = async (marks: string[]): Promise<Set<unknown>> => {
		batch = undefined;
		const options = { mode: 'entries' as const, maxEntries: MAX_STORED_MARKS };
		const { processed } = await context.helpers.checkProcessedAndRecord(marks, 'node', options);
		return new Set(processed);
	};
	const start = () => {
		const marks: string[] = [];
		const seen = runLocked(async () => await send(marks)).catch((error: unknown) => {
			context.logger.debug(`n8n couldn't record the start of a session: ${String(error)}`);
			return new Set<unknown>();
		});
		return { marks, seen };
	};
	return async (mark) => {
		batch ??= start();
		batch.marks.push(mark);
		return await batch.seen;
	};
}

/** Scope of the marks that a retry finds on n8n 1, where nothing says whose retry it is */
const OPEN = 'open';

export interface EffectMarks {
	/** Records a key durably. Returns whether an earlier attempt, which crashed, has recorded it. */
	record(key: string): Promise<boolean>;
	/** Notes that a pause is about to save the context, and with it the records. */
	notePause(): void;
	/** Removes marks that aren't needed anymore: those that a pause has saved, or open ones of a run that has ended */
	release(reason: 'begun' | 'ended'): Promise<void>;
}

/**
 * Without an origin, the execution's own marks count: n8n 1 may run it again with its ID and without its context. In a retry, open marks
 * count instead. If n8n can't keep marks, none counts.
 */
export function createMarks(context: IExecuteFunctions): EffectMarks {
	const { id } = context.getNode();
	const origin = readExecutionOrigin(context);
	const scopes = origin === undefined ? [context.getExecutionId(), OPEN] : [origin];
	const counting = origin === undefined && context.getMode() === 'retry' ? OPEN : scopes[0];
	const state = readNodeState(context.getContext('node'));
	const addToBatch = createBatches(context);
	return {
		async record(key) {
			const marks = scopes.map((scope) => `${scope} ${id} ${key}`);
			const [seen] = await Promise.all(marks.map(addToBatch));
			const isSeen = seen.has(`${counting} ${id} ${key}`);
			// A mark of a crashed attempt stays, because the next retry also needs it.
			if (!isSeen) (state.marks ??= []).push(...marks);
			return isSeen;
		},
		notePause() {
			state.origin ??= context.getExecutionId();
			state.hasSavedMarks = true;
		},
		async release(reason) {
			const { marks = [], hasSavedMarks } = state;
			if (reason === 'begun') delete state.hasSavedMarks;
			const isOver = (mark: string) =>
				reason === 'begun' ? hasSavedMarks : mark.startsWith(`${OPEN} `);
			const over = marks.filter(isOver);
			if (over.length === 0) return;
			state.marks = marks.filter((mark) => !isOver(mark));
			const remove = async () =>
				await context.helpers.removeProcessed(over, 'node', { mode: 'entries' });
			await runLocked(remove).catch(() => {});
		},
	};
}
