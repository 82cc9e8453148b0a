// Record of requests and answers, for tests and for people who debug a workflow.
import { parseJson } from './json.mts';

export interface RecordedRequest {
	/** Ascending from 1 */
	n: number;
	/** Wall time, ISO 8601 */
	at: string;
	method: string;
	path: string;
	query: Record<string, unknown>;
	/** The `Service-Api-Version` header */
	version?: string;
	headers: Record<string, unknown>;
	/** The key's name; missing for an unknown token */
	key?: string;
	body?: unknown;
	/** Null while nothing was sent, and for ever when the connection broke first */
	status: number | null;
	/** The service's answer, even if a fault kept it from arriving */
	answer?: unknown;
	fault?: { id: number; kind: string; processed: boolean };
}

export type RequestRecord = ReturnType<typeof createRecord>;

/** The most entries that are kept; the oldest go first. */
const maxEntries = 20_000;
/** Longer bodies are recorded by their length only. */
const maxBody = 20_000;

export function createRecord() {
	let entries: RecordedRequest[] = [];
	let last = 0;
	return {
		/** @returns the entry, to be completed once there is an answer */
		add(entry: Omit<RecordedRequest, 'n'>): RecordedRequest {
			const numbered = { n: ++last, ...entry };
			entries.push(numbered);
			// Dropped in batches: shifting a long array for every request would be slow
			if (entries.length > maxEntries * 1.1) entries = entries.slice(-maxEntries);
			return numbered;
		},
		since: (n: number) => entries.filter((entry) => entry.n > n),
		/** Forgets the entries; numbering continues, so that `since` stays right. */
		clear() {
			entries = [];
		},
		/** Forgets the entries and numbers from 1 again. */
		reset() {
			entries = [];
			last = 0;
		},
	};
}

/** A body as the record keeps it: parsed if it is JSON. */
export function recordable(text: string | undefined): unknown {
	if (text === undefined || text === '') return undefined;
	if (text.length > maxBody) return { omitted: `${text.length} characters` };
	return parseJson(text) ?? text;
}

/** Headers as the record keeps them, without the token. */
export function redact(headers: Record<string, unknown>): Record<string, unknown> {
	const { authorization, ...others } = headers;
	return authorization === undefined ? others : { ...others, authorization: 'Bearer ***' };
}
