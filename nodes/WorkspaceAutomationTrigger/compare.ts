import type { IDataObject } from 'n8n-workflow';

import { parseTimestamp } from '../shared/values';

// Compares two reads of lists. Pure: imports neither n8n nor the service.

/** By entry key, a mark that differs if the entry changed */
export type Marks = Map<string, string>;

export interface WatchedEntry {
	key: string;
	mark: string;
	id: string;
	json: IDataObject;
}

export interface WatchedList {
	/** The ID of the project or site, if there may be several lists */
	name: string;
	entries: WatchedEntry[];
	/** True if a missing entry is gone. An empty list may be one that the key can no longer see. */
	isWhole: boolean;
}

export interface SeenState {
	seen: Map<string, Marks>;
	/** Number of consecutive whole reads without an entry */
	missing: Map<string, number>;
}

export interface ChangeRule {
	on: 'added' | 'changed' | 'removed';
	/** True if the entries of a new list count as added */
	existing: boolean;
	isChange?: (before: string, now: string) => boolean;
	/** Number of whole reads without an entry after which it's gone */
	goneAfter: number;
	most: number;
}

export interface Change {
	list: string;
	key: string;
	/** Undefined if it's gone */
	entry?: WatchedEntry;
	before?: string;
}

export const NOTHING_SEEN: SeenState = { seen: new Map(), missing: new Map() };

export function creationTime(thing: IDataObject = {}): number {
	const moment = parseTimestamp(thing.createdAt);
	return Number.isNaN(moment) ? -Infinity : moment;
}

/** Returns the changes, oldest first and each once, and the memory for the next read, without the changes over the limit. */
export function findChanges(
	{ seen, missing }: SeenState,
	lists: WatchedList[],
	{ on, existing, isChange = () => true, goneAfter, most }: ChangeRule,
): { changes: Change[]; memory: SeenState } {
	const due: Change[] = [];
	// Unread lists stay, because a project may be out of sight for a while.
	const seenNow = new Map(seen);
	const missingNow = new Map<string, number>();
	const describePlace = (list: string, key: string) => `${list} ${key}`;

	for (const { name: list, entries, isWhole } of lists) {
		const knownMarks = seen.get(list);
		const marks = new Map<string, string>();
		seenNow.set(list, marks);
		for (const entry of entries) {
			const { key, mark } = entry;
			if (marks.has(key)) continue;
			marks.set(key, mark);
			const before = knownMarks?.get(key);
			const isDue =
				before === undefined
					? on === 'added' && (knownMarks !== undefined || existing)
					: on === 'changed' && before !== mark && isChange(before, mark);
			if (isDue) due.push({ list, key, entry, before });
		}
		for (const [key, before] of knownMarks ?? []) {
			if (marks.has(key)) continue;
			const place = describePlace(list, key);
			const times = (missing.get(place) ?? 0) + (isWhole ? 1 : 0);
			if (times >= goneAfter) {
				if (on === 'removed') due.push({ list, key, before });
				continue;
			}
			marks.set(key, before);
			missingNow.set(place, times);
		}
	}

	const getAge = ({ entry }: Change) => creationTime(entry?.json);
	// The difference is NaN if neither has a date: they count as equally old.
	const changes = due.sort((one, other) => getAge(one) - getAge(other) || 0);
	for (const { list, key, entry, before } of changes.splice(most)) {
		const marks = seenNow.get(list)!;
		if (before === undefined) marks.delete(key);
		else marks.set(key, before);
		if (!entry) missingNow.set(describePlace(list, key), goneAfter);
	}
	return { changes, memory: { seen: seenNow, missing: missingNow } };
}
