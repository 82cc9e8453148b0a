// What callers sent and what they got, for tests and for people who wonder what their workflow does.

export interface RecordedRequest {
	/** Ascending from 1 */
	n: number;
	/** Wall time, ISO 8601 */
	at: string;
	method: string;
	path: string;
	query: unknown;
	/** The `Service-Api-Version` header */
	version?: string;
	headers: Record<string, unknown>;
	/** The key's name, when the token is one of ours */
	key?: string;
	body?: unknown;
	/** Null until something was sent; stays so when the socket died first */
	status: number | null;
	/** The service's answer, also when a fault kept it from arriving */
	answer?: unknown;
	fault?: { id: number; kind: string; processed: boolean };
}

export interface RequestRecord {
	/** The entry is kept and may be filled in further. */
	add(entry: Omit<RecordedRequest, 'n'>): RecordedRequest;
	since(n: number): RecordedRequest[];
	/** Forgets; numbers go on rising, so that `since` stays right. */
	clear(): void;
	/** Forgets, and numbers from 1 again. */
	reset(): void;
}

/** More than this are not kept: the oldest go first. */
const maxEntries = 20_000;
/** Bodies longer than this (characters) are kept as a note of their length. */
const maxBody = 20_000;

export function createRecord(): RequestRecord {
	let entries: RecordedRequest[] = [];
	let last = 0;
	return {
		add(entry) {
			const numbered = { n: ++last, ...entry };
			entries.push(numbered);
			// Dropped in batches: shifting a long array for every request would be slow
			if (entries.length > maxEntries * 1.1) entries = entries.slice(-maxEntries);
			return numbered;
		},
		since: (n) => entries.filter((entry) => entry.n > n),
		clear() {
			entries = [];
		},
		reset() {
			entries = [];
			last = 0;
		},
	};
}

/** A body as the record keeps it: parsed where it is JSON. */
export function recordable(text: string | undefined): unknown {
	if (text === undefined || text === '') return undefined;
	if (text.length > maxBody) return { omitted: `${text.length} characters` };
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}

/** Headers as the record keeps them: never a token. */
export function redact(headers: Record<string, unknown>): Record<string, unknown> {
	const { authorization, ...others } = headers;
	return authorization === undefined ? others : { ...others, authorization: 'Bearer ***' };
}
