import type { IDataObject } from 'n8n-workflow';

import { WorkspaceAutomationError } from '../shared/errors';
import { fingerprint, excerpt, sortedJson } from '../shared/values';
import type { Change, WatchedEntry, Marks, SeenState } from './compare';
import type { Storage, TriggerEvent } from './events';

// n8n 1 copies the saved state into every execution, so it's small: 22 characters per entry if no old values are shown.

/** An error of the user that the next poll would find again */
export class ConfigurationError extends WorkspaceAutomationError {}

/** A longer value is kept as an excerpt with a fingerprint. */
const MAX_VALUE_LENGTH = 1_000;

/** Returns 64 bits as 11 characters. The scope is a salt, so collisions can't be found in advance. */
export const fingerprintMark = (scope: string, text: string): string =>
	fingerprint(`${scope} ${text}`, 8);

function limitValue(value: unknown): unknown {
	const text = sortedJson(value) ?? '';
	return text.length > MAX_VALUE_LENGTH
		? `${excerpt(text, MAX_VALUE_LENGTH)} ${fingerprint(text)}`
		: value;
}

/** Returns JSON that doesn't depend on the order of keys. @throws ConfigurationError if it's nested too deeply */
export function requireSortedJson(value: unknown, what: string): string {
	const text = sortedJson(value);
	if (text !== undefined) return text;
	throw new ConfigurationError(
		`The ${what} can't be compared`,
		'Its values are nested too deeply. Watch something else, or remove it.',
	);
}

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
			: Object.fromEntries(watch.map((name) => [name, limitValue(json[name])]));
	const values = requireSortedJson(watched, `${resource} ${excerpt(id)}`);
	if (keeping === 'values') return { key: id, mark: values, id, json };
	return { key: fingerprintMark(scope, id), mark: fingerprintMark(scope, values), id, json };
}

/** Returns a change's item. `eventId` is unique and stable: event, ID, new mark, and the turn, because an entry may leave and return. */
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

/** A state of another version is discarded, and the trigger takes a new baseline. */
const STATE_VERSION = 3;

export interface TriggerState {
	v: number;
	/** The watched things. Another event, list or service starts a new state. */
	scope: string;
	/** Increases with each poll that emits something, also across states of the trigger */
	turn: number;
	seen: Record<string, string | Record<string, string>>;
}

/** A key and a mark of 11 characters each, or the 16 bytes of a UUID */
const PACKED_MARK = /(.{11})(.{11})/g;
const PACKED_UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function packMarks(marks: Marks, keeping: Storage): TriggerState['seen'][string] {
	const entries = [...marks];
	if (keeping === 'digests') return entries.flat().join('');
	// A service may have IDs that aren't UUIDs.
	if (!entries.every(([id, values]) => values === '' && PACKED_UUID.test(id)))
		return Object.fromEntries(entries);
	return entries
		.map(([id]) => Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url'))
		.join('');
}

function unpackMarks(savedMarks: TriggerState['seen'][string], keeping: Storage): Marks {
	if (typeof savedMarks !== 'string') return new Map(Object.entries(savedMarks));
	const entries = [...savedMarks.matchAll(PACKED_MARK)].map(
		([entry, key, value]): [string, string] => {
			if (keeping === 'digests') return [key, value];
			const id = Buffer.from(entry, 'base64url').toString('hex');
			return [id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'), ''];
		},
	);
	return new Map(entries);
}

export function toState(
	{ seen }: Pick<SeenState, 'seen'>,
	keeping: Storage,
	about: Pick<TriggerState, 'scope' | 'turn'>,
): TriggerState {
	const lists = [...seen].map(([name, marks]) => [name, packMarks(marks, keeping)]);
	return { v: STATE_VERSION, ...about, seen: Object.fromEntries(lists) };
}

export function readSeen(
	state: unknown,
	keeping: Storage,
	scope: string,
): SeenState['seen'] | undefined {
	const { v, scope: savedScope, seen }: Partial<TriggerState> = state ?? {};
	if (v !== STATE_VERSION || savedScope !== scope || seen === undefined) return undefined;
	return new Map(Object.entries(seen).map(([name, list]) => [name, unpackMarks(list, keeping)]));
}
