import type { IDataObject } from 'n8n-workflow';

// What has changed between two reads of lists, as a pure function. Nothing here knows of n8n or of the service.

/** What is kept of an entry to see that it changed: a fingerprint, or the values themselves */
export type Mark = string | IDataObject;

/** The entries of a list by what identifies them */
export type Marks = ReadonlyMap<string, Mark>;

/** An entry of a list as it is compared */
export interface Entry {
	key: string;
	mark: Mark;
	json: IDataObject;
}

export interface List {
	/** Tells the lists of a poll apart: the project's ID where there are several */
	name: string;
	entries: Entry[];
	/** Whether what is not in it is not there; an empty list may be one that the key can no longer see */
	isWhole: boolean;
}

export interface Memory {
	/** By the name of the list */
	seen: ReadonlyMap<string, Marks>;
	/** In how many whole reads in a row an entry was missing */
	missing: ReadonlyMap<string, number>;
}

export interface Rule {
	on: 'added' | 'changed' | 'removed';
	/** Whether a mark that differs is a change; every one is by default */
	isChange?: (before: Mark, now: Mark) => boolean;
	/** After how many whole reads without it an entry is gone */
	goneAfter: number;
	/** How many changes are emitted at most; the others are found again by the next poll */
	most: number;
}

export interface Change {
	list: string;
	key: string;
	/** As it is now; undefined where it is gone */
	entry?: Entry;
	/** As it was; undefined where it was not known */
	before?: Mark;
}

export const NOTHING: Memory = { seen: new Map(), missing: new Map() };

const isSame = (one: Mark, other: Mark) => JSON.stringify(one) === JSON.stringify(other);

/** Milliseconds since 1970 by the name that the service writes; NaN where it says nothing */
export const createdAt = (thing: IDataObject | undefined): number =>
	Date.parse(String(thing?.createdAt ?? thing?.created_at));

/** What has no date is as old as what stands beside it. */
function byAge(one: Change, other: Change): number {
	const difference = createdAt(one.entry?.json) - createdAt(other.entry?.json);
	return Number.isNaN(difference) ? 0 : difference;
}

/**
 * The changes since the last read, oldest first, and the memory for the next one, in which those over the limit have not happened.
 * Every change that was there at the time of a read comes out of it once.
 */
export function compare(
	{ seen, missing }: Memory,
	lists: List[],
	{ on, isChange = () => true, goneAfter, most }: Rule,
): { changes: Change[]; memory: Memory } {
	const due: Change[] = [];
	const seenNow = new Map<string, Map<string, Mark>>();
	const missingNow = new Map<string, number>();
	const placeOf = (list: string, key: string) => `${list} ${key}`;

	for (const { name: list, entries, isWhole } of lists) {
		const known: Marks = seen.get(list) ?? new Map<string, Mark>();
		const marks = new Map<string, Mark>();
		seenNow.set(list, marks);
		for (const entry of entries) {
			const { key, mark } = entry;
			if (marks.has(key)) continue;
			marks.set(key, mark);
			const before = known.get(key);
			const isDue =
				before === undefined
					? on === 'added'
					: on === 'changed' && !isSame(before, mark) && isChange(before, mark);
			if (isDue) due.push({ list, key, entry, before });
		}
		for (const [key, before] of known) {
			if (marks.has(key)) continue;
			const place = placeOf(list, key);
			const times = (missing.get(place) ?? 0) + (isWhole ? 1 : 0);
			if (times >= goneAfter) {
				if (on === 'removed') due.push({ list, key, before });
				continue;
			}
			marks.set(key, before);
			missingNow.set(place, times);
		}
	}

	const changes = due.sort(byAge);
	for (const { list, key, entry, before } of changes.splice(most)) {
		const marks = seenNow.get(list)!;
		if (before === undefined) marks.delete(key);
		else marks.set(key, before);
		if (!entry) missingNow.set(placeOf(list, key), goneAfter);
	}
	return { changes, memory: { seen: seenNow, missing: missingNow } };
}
