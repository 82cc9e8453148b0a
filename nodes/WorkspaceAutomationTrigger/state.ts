import { digest } from '../shared/base/values';
import type { Marks, Memory } from './compare';

// What n8n saves of a trigger between two polls. n8n 1 copies it into every execution, so it is small: 22 characters an entry where
// no old values are shown.

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

/** How an event's entries are kept: as digests alone, by their IDs alone, or by their IDs with their values */
export type Keeping = 'digests' | 'ids' | 'values';

/** 64 bits for a text, as 11 characters. The scope salts them: nobody can look for texts with the same ones in advance. */
export const mark = (scope: string, text: string): string => digest(`${scope} ${text}`, 8);

const MARK_LENGTH = 11;
/** A key and a mark, or the 16 bytes of a UUID */
const ENTRY = /.{22}/g;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const packedId = (id: string) => Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url');
const unpackedId = (packed: string) =>
	Buffer.from(packed, 'base64url')
		.toString('hex')
		.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

function packed(marks: Marks, keeping: Keeping): State['seen'][string] {
	const entries = [...marks];
	if (keeping === 'digests') return entries.flat().join('');
	// Somewhere IDs may not be UUIDs.
	if (keeping === 'ids' && entries.every(([id]) => UUID.test(id)))
		return entries.map(([id]) => packedId(id)).join('');
	return Object.fromEntries(entries);
}

function unpacked(saved: State['seen'][string], keeping: Keeping): Marks {
	if (typeof saved !== 'string') return new Map(Object.entries(saved));
	const entries = saved.match(ENTRY) ?? [];
	return new Map(
		entries.map((entry) =>
			keeping === 'ids'
				? [unpackedId(entry), '']
				: [entry.slice(0, MARK_LENGTH), entry.slice(MARK_LENGTH)],
		),
	);
}

export function toState(
	{ seen }: Pick<Memory, 'seen'>,
	keeping: Keeping,
	{ scope, turn }: Pick<State, 'scope' | 'turn'>,
): State {
	const lists = [...seen].map(([name, marks]) => [name, packed(marks, keeping)]);
	return { v: VERSION, scope, turn, seen: Object.fromEntries(lists) };
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
