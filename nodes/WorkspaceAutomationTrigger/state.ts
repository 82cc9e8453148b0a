import type { Mark, Marks, Memory } from './compare';

// What n8n saves of a trigger between two polls. n8n 1 copies it into every execution, so it is small: 15 characters an entry
// where a fingerprint does, 20 where the ID is needed again.

const VERSION = 1;

export interface State {
	v: number;
	/** What was watched: another event, list or service starts afresh */
	scope: string;
	/** Larger after each poll that emitted something, also than in any earlier state of the trigger */
	turn: number;
	/** By the name of the list: packed, or as it is */
	seen: Record<string, string | Record<string, Mark>>;
}

/** How an event's entries are kept: by fingerprints alone, with their IDs, or with their values */
export type Keeping = 'fingerprints' | 'ids' | 'values';

/** Two numbers of 32 bits that tell one text from another (cyrb53 by bryc, public domain). */
export function hash(text: string): [number, number] {
	let one = 0xdeadbeef;
	let other = 0x41c6ce57;
	for (let index = 0; index < text.length; index++) {
		const code = text.charCodeAt(index);
		one = Math.imul(one ^ code, 2654435761);
		other = Math.imul(other ^ code, 1597334677);
	}
	one = Math.imul(one ^ (one >>> 16), 2246822507) ^ Math.imul(other ^ (other >>> 13), 3266489909);
	other = Math.imul(other ^ (other >>> 16), 2246822507) ^ Math.imul(one ^ (one >>> 13), 3266489909);
	return [one >>> 0, other >>> 0];
}

/** Z85 (ZeroMQ RFC 32): five characters for 32 bits, none of which JSON escapes */
const DIGITS =
	'0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#';
const WORD = 5;

export function word(number: number): string {
	let text = '';
	for (let left = number; text.length < WORD; left = Math.floor(left / DIGITS.length))
		text = DIGITS[left % DIGITS.length] + text;
	return text;
}

const numberOf = (text: string) =>
	[...text].reduce((number, digit) => number * DIGITS.length + DIGITS.indexOf(digit), 0);

/** What stands for an ID: 64 bits, so that 20,000 of them are told apart */
export const shortKey = (id: string): string => hash(id).map(word).join('');
/** What stands for the watched values: 32 bits */
export const shortMark = (values: string): string => word(hash(values)[0]);

const pieces = (text: string, length: number) =>
	Array.from({ length: text.length / length }, (_, at) =>
		text.slice(at * length, at * length + length),
	);

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const packedId = (id: string) =>
	pieces(id.replaceAll('-', ''), 8)
		.map((part) => word(parseInt(part, 16)))
		.join('');

const unpackedId = (packed: string) =>
	pieces(packed, WORD)
		.map((part) => numberOf(part).toString(16).padStart(8, '0'))
		.join('')
		.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

const KEY = 2 * WORD;
const FINGERPRINTED = 3 * WORD;
const ID = 4 * WORD;

function packed(marks: Marks, keeping: Keeping): string | Record<string, Mark> {
	const entries = [...marks];
	if (keeping === 'fingerprints') return entries.flat().join('');
	// Somewhere IDs may not be UUIDs.
	if (keeping === 'ids' && entries.every(([id]) => UUID.test(id)))
		return entries.map(([id]) => packedId(id)).join('');
	return Object.fromEntries(entries);
}

function unpacked(saved: State['seen'][string], keeping: Keeping): Marks {
	if (typeof saved !== 'string') return new Map(Object.entries(saved));
	return keeping === 'ids'
		? new Map(pieces(saved, ID).map((id) => [unpackedId(id), '']))
		: new Map(pieces(saved, FINGERPRINTED).map((entry) => [entry.slice(0, KEY), entry.slice(KEY)]));
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
