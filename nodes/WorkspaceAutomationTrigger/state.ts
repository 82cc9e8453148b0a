import type { IDataObject } from 'n8n-workflow';

import { fingerprint, excerpt, readNamedField, sortedJson } from '../shared/values';
import type { Change, WatchedEntry, Marks, SeenState } from './compare';
import type { Storage, TriggerEvent } from './events';
import { ConfigurationError } from './failures';

// Things of the service as they are compared, as n8n saves them between two polls, and as the workflow gets them. n8n 1 copies what
// is saved into every execution, so it is small: 22 characters an entry where no old values are shown.

/** Characters of a value that are kept to show it; of a longer one the beginning and what tells it from others */
const MAX_VALUE_LENGTH = 1_000;

/** 64 bits for a text, as 11 characters. The scope salts them: nobody can look for texts with the same ones in advance. */
export const fingerprintMark = (scope: string, text: string): string =>
	fingerprint(`${scope} ${text}`, 8);

function bounded(value: unknown): unknown {
	const text = sortedJson(value) ?? '';
	return text.length > MAX_VALUE_LENGTH
		? `${excerpt(text, MAX_VALUE_LENGTH)} ${fingerprint(text)}`
		: value;
}

/** JSON in which the order of keys makes no difference. @throws MistakeError for what is nested too deeply */
export function requireSortedJson(value: unknown, what: string): string {
	const text = sortedJson(value);
	if (text !== undefined) return text;
	throw new ConfigurationError(
		`The ${what} can't be compared`,
		'Its values are nested too deeply. Watch something else, or remove it.',
	);
}

/** A thing as it is compared and kept. @throws MistakeError for one that can't be compared */
export function toEntry(
	json: IDataObject,
	id: string,
	event: TriggerEvent,
	scope: string,
): WatchedEntry {
	const { keeping, resource, watch = [] } = event;
	if (keeping === 'values' && watch.length === 0) return { key: id, mark: '', id, json };
	const watched =
		watch === 'all'
			? json
			: Object.fromEntries(watch.map((name) => [name, bounded(readNamedField(json, name))]));
	const values = requireSortedJson(watched, `${resource} ${excerpt(id)}`);
	if (keeping === 'values') return { key: id, mark: values, id, json };
	return { key: fingerprintMark(scope, id), mark: fingerprintMark(scope, values), id, json };
}

/**
 * The item of a change. Its `eventId` tells the change from all others and is the same when it is emitted again: the event and the
 * ID; for a change what it is now; and the turn, because what left may return. What existed from the start has none.
 */
export function toItem(change: Change, event: TriggerEvent, turn?: number): IDataObject {
	const { list, key, entry, before } = change;
	const { value, resource, on, keeping } = event;
	const id = entry?.id ?? key;
	const now = on === 'changed' && entry && fingerprint(entry.mark, 8);
	const parts = [value, resource === 'row' ? fingerprint(id) : id, now, turn?.toString(36)];
	return {
		...(entry?.json ?? { id, ...(resource === 'file' && { projectId: list }) }),
		event: value,
		eventId: parts.filter(Boolean).join(':'),
		...(keeping === 'values' && before && { previous: JSON.parse(before) as IDataObject }),
	};
}

/** A state of another version is none: it takes a new baseline. */
const STATE_VERSION = 3;

export interface TriggerState {
	v: number;
	/** The watched things. Another event, list or service starts with a new state. */
	scope: string;
	/** Larger after each poll that emitted something, also than in any earlier state of the trigger */
	turn: number;
	/** By the name of the list: packed, or marks by key */
	seen: Record<string, string | Record<string, string>>;
}

/** A key and a mark of 11 characters each, or the 16 bytes of a UUID */
const PACKED_MARK = /(.{11})(.{11})/g;
const PACKED_UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function packed(marks: Marks, keeping: Storage): TriggerState['seen'][string] {
	const entries = [...marks];
	if (keeping === 'digests') return entries.flat().join('');
	// Somewhere IDs may not be UUIDs.
	if (!entries.every(([id, values]) => values === '' && PACKED_UUID.test(id)))
		return Object.fromEntries(entries);
	return entries
		.map(([id]) => Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url'))
		.join('');
}

function unpacked(saved: TriggerState['seen'][string], keeping: Storage): Marks {
	if (typeof saved !== 'string') return new Map(Object.entries(saved));
	const entries = [...saved.matchAll(PACKED_MARK)].map(([entry, key, value]): [string, string] => {
		if (keeping === 'digests') return [key, value];
		const id = Buffer.from(entry, 'base64url').toString('hex');
		return [id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'), ''];
	});
	return new Map(entries);
}

export function toState(
	{ seen }: Pick<SeenState, 'seen'>,
	keeping: Storage,
	about: Pick<TriggerState, 'scope' | 'turn'>,
): TriggerState {
	const lists = [...seen].map(([name, marks]) => [name, packed(marks, keeping)]);
	return { v: STATE_VERSION, ...about, seen: Object.fromEntries(lists) };
}

/** Returns the entries of the last poll, or undefined if the state belongs to other settings. */
export function readSeen(
	state: unknown,
	keeping: Storage,
	scope: string,
): SeenState['seen'] | undefined {
	const { v, scope: saved, seen }: Partial<TriggerState> = state ?? {};
	if (v !== STATE_VERSION || saved !== scope || seen === undefined) return undefined;
	return new Map(Object.entries(seen).map(([name, list]) => [name, unpacked(list, keeping)]));
}
