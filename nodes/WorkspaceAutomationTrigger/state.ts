import type { IDataObject } from 'n8n-workflow';

import { digest, excerpt, fieldOf, sortedJson } from '../shared/base/values';
import type { Change, Entry, Marks, Memory } from './compare';
import type { TriggerEvent } from './events';
import { MistakeError } from './failures';

// Things of the service as they are compared, as n8n saves them between two polls, and as the workflow gets them. n8n 1 copies what
// is saved into every execution, so it is small: 22 characters an entry where no old values are shown.

/** How an event's entries are kept: as digests alone, or by their IDs with the values that count, if any */
export type Keeping = 'digests' | 'values';

/** Characters of a value that are kept to show it; of a longer one the beginning and what tells it from others */
const LONGEST_VALUE = 1_000;

/** 64 bits for a text, as 11 characters. The scope salts them: nobody can look for texts with the same ones in advance. */
export const mark = (scope: string, text: string): string => digest(`${scope} ${text}`, 8);

function bounded(value: unknown): unknown {
	const text = sortedJson(value) ?? '';
	return text.length > LONGEST_VALUE ? `${excerpt(text, LONGEST_VALUE)} ${digest(text)}` : value;
}

/** JSON in which the order of keys makes no difference. @throws MistakeError for what is nested too deeply */
export function stable(value: unknown, what: string): string {
	const text = sortedJson(value);
	if (text !== undefined) return text;
	throw new MistakeError(
		`The ${what} cannot be compared`,
		'Its values are nested too deeply. Watch something else, or remove it.',
	);
}

/** A thing as it is compared and kept. @throws MistakeError for one that cannot be compared */
export function toEntry(json: IDataObject, id: string, event: TriggerEvent, scope: string): Entry {
	const { keeping, resource, watch = [] } = event;
	if (keeping === 'values' && watch.length === 0) return { key: id, mark: '', id, json };
	const watched =
		watch === 'all'
			? json
			: Object.fromEntries(watch.map((name) => [name, bounded(fieldOf(json, name))]));
	const values = stable(watched, `${resource} ${excerpt(id)}`);
	if (keeping === 'values') return { key: id, mark: values, id, json };
	return { key: mark(scope, id), mark: mark(scope, values), id, json };
}

/**
 * The item of a change. Its `eventId` tells the change from all others and is the same when it is emitted again: the event and the
 * ID; for a change what it is now; and the turn, because what left may come back. What existed from the start has none.
 */
export function toItem(change: Change, event: TriggerEvent, turn?: number): IDataObject {
	const { list, key, entry, before } = change;
	const { value, resource, on, keeping } = event;
	const id = entry?.id ?? key;
	const now = on === 'changed' && entry && digest(entry.mark, 8);
	const parts = [value, resource === 'row' ? digest(id) : id, now, turn?.toString(36)];
	return {
		...(entry?.json ?? { id, ...(resource === 'file' && { projectId: list }) }),
		event: value,
		eventId: parts.filter(Boolean).join(':'),
		...(keeping === 'values' && before && { previous: JSON.parse(before) as IDataObject }),
	};
}

/** A state of another version is none: it takes a new baseline. */
const VERSION = 3;

export interface State {
	v: number;
	/** What was watched: another event, list or service starts afresh */
	scope: string;
	/** Larger after each poll that emitted something, also than in any earlier state of the trigger */
	turn: number;
	/** By the name of the list: packed, or marks by key */
	seen: Record<string, string | Record<string, string>>;
}

/** A key and a mark of 11 characters each, or the 16 bytes of a UUID */
const PACKED = /(.{11})(.{11})/g;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function packed(marks: Marks, keeping: Keeping): State['seen'][string] {
	const entries = [...marks];
	if (keeping === 'digests') return entries.flat().join('');
	// Somewhere IDs may not be UUIDs.
	if (!entries.every(([id, values]) => values === '' && UUID.test(id)))
		return Object.fromEntries(entries);
	return entries
		.map(([id]) => Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url'))
		.join('');
}

function unpacked(saved: State['seen'][string], keeping: Keeping): Marks {
	if (typeof saved !== 'string') return new Map(Object.entries(saved));
	const entries = [...saved.matchAll(PACKED)].map(([entry, key, value]): [string, string] => {
		if (keeping === 'digests') return [key, value];
		const id = Buffer.from(entry, 'base64url').toString('hex');
		return [id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'), ''];
	});
	return new Map(entries);
}

export function toState(
	{ seen }: Pick<Memory, 'seen'>,
	keeping: Keeping,
	about: Pick<State, 'scope' | 'turn'>,
): State {
	const lists = [...seen].map(([name, marks]) => [name, packed(marks, keeping)]);
	return { v: VERSION, ...about, seen: Object.fromEntries(lists) };
}

/** What was seen, or undefined where the state is of something else. */
export function seenIn(
	state: unknown,
	keeping: Keeping,
	scope: string,
): Memory['seen'] | undefined {
	const { v, scope: saved, seen }: Partial<State> = state ?? {};
	if (v !== VERSION || saved !== scope || seen === undefined) return undefined;
	return new Map(Object.entries(seen).map(([name, list]) => [name, unpacked(list, keeping)]));
}
