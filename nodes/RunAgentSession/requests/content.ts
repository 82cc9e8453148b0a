import { fingerprint, isRecord, isTooDeep, parseTimestamp, sortedJson } from '../../shared/values';
import type { Interaction } from '../../shared/client/session';

// The content of a request identifies it. Its ID doesn't count, and a clock in its metadata may tick.

/** Names of clocks, at the top level of the metadata only */
const CLOCK_NAMES =
	'at askedAt asked_at createdAt created_at updatedAt updated_at timestamp time now elapsed elapsedMs elapsed_ms duration durationMs duration_ms uptime waitedMs waited_ms'.split(
		' ',
	);
const DATE_TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?$/;

export type Clocks = Record<string, string | number>;

/** What a poll shows of a request */
export interface Content {
	/** Of everything but the ID */
	hash: string;
	/** The same without the values of clocks */
	steadyHash: string;
	/** Of everything but the ID and the metadata */
	frameHash: string;
	clocks: Clocks;
	/** JSON of everything but the ID and the metadata */
	frame: string;
	metadata: Record<string, unknown>;
}

function readClocks(metadata: Record<string, unknown>): Clocks {
	const clocks: Clocks = {};
	for (const name of CLOCK_NAMES) {
		const value = Object.hasOwn(metadata, name) ? metadata[name] : undefined;
		const isTime = typeof value === 'string' && DATE_TIME.test(value);
		if (isTime || typeof value === 'number') clocks[name] = value;
	}
	return clocks;
}

const hashParts = (frame: string, metadata: object, without?: readonly string[]): string =>
	fingerprint([frame, sortedJson(metadata, without), ...(without ?? [])].join('\n'));

/** Reads a request once. Returns undefined if it's nested too deeply. */
export function readContent(interaction: Interaction): Content | undefined {
	const isKnown = isRecord(interaction.metadata);
	const metadata = isKnown ? (interaction.metadata as Record<string, unknown>) : {};
	const frame = isTooDeep(metadata)
		? undefined
		: sortedJson(interaction, isKnown ? ['id', 'metadata'] : ['id']);
	if (frame === undefined) return undefined;
	const clocks = readClocks(metadata);
	const names = Object.keys(clocks);
	const hash = hashParts(frame, metadata);
	const steadyHash = names.length === 0 ? hash : hashParts(frame, metadata, names);
	return { hash, steadyHash, frameHash: fingerprint(frame), clocks, frame, metadata };
}

/** With more names that change, all of the metadata counts as changing. */
export const MAX_UNSTEADY = 100;

/** Returns the hash without some names of the metadata, or without any if there are `MAX_UNSTEADY`. */
export const hashWithout = ({ frame, metadata }: Content, names: readonly string[]): string =>
	names.length < MAX_UNSTEADY
		? hashParts(frame, metadata, [...names].sort())
		: fingerprint(`${frame}\nwith any metadata`);

/** Difference of two clocks, and of the time that a response takes */
const TOLERANCE_MS = 5_000;
/** A larger number is a time in seconds or milliseconds since 1970. */
const MIN_EPOCH = 1e9;

/** Returns whether a clock moved as clocks do in the time between two readings. */
function ticks(before: unknown, now: unknown, elapsedMs: number, readAt: number): boolean {
	if (before === now) return true;
	const limit = elapsedMs + TOLERANCE_MS;
	if (typeof before === 'number' && typeof now === 'number' && now < MIN_EPOCH)
		return now >= before && now - before <= limit;
	if (typeof before !== typeof now) return false;
	const [from, to] = [before, now].map(parseTimestamp);
	return to <= readAt + TOLERANCE_MS && to >= from - TOLERANCE_MS && to <= from + limit;
}

/** Returns the names of the clocks that jumped between two readings. */
export const listJumps = (
	before: Clocks,
	now: Clocks,
	elapsedMs: number,
	readAt: number,
): string[] =>
	[...new Set([...Object.keys(before), ...Object.keys(now)])].filter(
		(name) => !ticks(before[name], now[name], elapsedMs, readAt),
	);

type Fields = Readonly<Record<string, unknown>>;

const valueOf = (fields: Fields, name: string): unknown =>
	Object.hasOwn(fields, name) ? fields[name] : undefined;

/** Compares values up to the first difference. Ignores the order of names. */
function isEqual(one: unknown, other: unknown): boolean {
	if (Array.isArray(one) && Array.isArray(other))
		return one.length === other.length && one.every((each, at) => isEqual(each, other[at]));
	if (!isRecord(one) || !isRecord(other)) return one === other;
	const names = Object.keys(one);
	return (
		names.length === Object.keys(other).length &&
		names.every((name) => isEqual(one[name], valueOf(other, name)))
	);
}

/** Returns the first `MAX_UNSTEADY` names of the metadata that differ, clocks aside. */
export function listChanges(
	before: Fields,
	{ metadata, clocks }: Pick<Content, 'metadata' | 'clocks'>,
): string[] {
	const changed: string[] = [];
	const addChanged = (names: readonly string[]) => {
		for (const name of names) {
			if (changed.length === MAX_UNSTEADY) return;
			if (before[name] === metadata[name] || Object.hasOwn(clocks, name)) continue;
			if (!isEqual(valueOf(before, name), valueOf(metadata, name))) changed.push(name);
		}
	};
	addChanged(Object.keys(metadata));
	if (changed.length < MAX_UNSTEADY)
		addChanged(Object.keys(before).filter((name) => !Object.hasOwn(metadata, name)));
	return changed;
}
