import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { nonEmptyText } from '../../shared/values';
import { readPauseState } from './pause';

// Marks are keys that n8n's deduplication helper records in the database at once. n8n saves a node's context only when the execution pauses
// or ends, so without marks a start would be repeated after n8n was killed.

/** Marks that n8n keeps per node: more than an execution has items. n8n removes the oldest first. */
const MAX_STORED_MARKS = 10_000;

/** One call at a time: n8n's helper loses parallel ones. */
let lock: Promise<unknown> = Promise.resolve();

function runLocked<T>(work: () => Promise<T>): Promise<T> {
	const result = lock.then(work, work);
	lock = result.catch(() => {});
	return result;
}

/**
 * Returns an identifier that an execution and its retries share: on n8n 2 the resume token, and on both versions the ID of the first
 * execution, once a pause has saved it. Undefined on n8n 1 before the first pause.
 */
function readExecutionOrigin(context: IExecuteFunctions): string | undefined {
	const saved = readPauseState(context.getContext('node')).origin;
	if (saved !== undefined) return saved;
	const { $execution } = context.getWorkflowDataProxy(0) as { $execution?: IDataObject };
	const resumeUrl = nonEmptyText($execution?.resumeUrl) ?? '';
	if (!URL.canParse(resumeUrl)) return undefined;
	return new URL(resumeUrl).searchParams.get('signature') ?? undefined;
}

/** Returns a function that records a mark, together with all others that come before n8n's helper is free. It returns the marks recorded before. */
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

export interface EffectMarks {
	/** Records a key durably. Returns whether an earlier attempt, which crashed, has recorded it. */
	record(key: string): Promise<boolean>;
	/** Removes marks that aren't needed anymore: those of earlier runs that a pause has saved, or on n8n 1 those of a run that has ended. */
	release(reason: 'begun' | 'ended'): Promise<void>;
}

/**
 * Returns the marks of one run of the node. If n8n can't keep them (no saved workflow, for example), nothing counts as recorded.
 *
 * Without an origin (n8n 1 before the first pause), a mark counts only in a retry, and is removed when the run ends.
 */
export function createMarks(context: IExecuteFunctions): EffectMarks {
	const origin = readExecutionOrigin(context);
	const prefix = `${origin ?? 'open'} ${context.getNode().id}`;
	const counts = origin !== undefined || context.getMode() === 'retry';
	const state = readPauseState(context.getContext('node'));
	const addToBatch = createBatches(context);
	return {
		async record(key) {
			const mark = `${prefix} ${key}`;
			const isSeen = (await addToBatch(mark)).has(mark) && counts;
			// A mark of a crashed attempt stays, because the next retry needs it as well.
			if (!isSeen) (state.marks ??= []).push(mark);
			return isSeen;
		},
		async release(reason) {
			const { marks = [], hasSavedMarks } = state;
			const areOver = reason === 'ended' ? origin === undefined : hasSavedMarks;
			if (reason === 'begun') delete state.hasSavedMarks;
			if (marks.length === 0 || !areOver) return;
			delete state.marks;
			const remove = async () =>
				await context.helpers.removeProcessed(marks, 'node', { mode: 'entries' });
			await runLocked(remove).catch(() => {});
		},
	};
}
