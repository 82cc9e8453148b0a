import { WorkspaceAutomationError } from '../errors';
import { MAX_LIST_CHARACTERS, MAX_LIST_ENTRIES } from '../limits';
import { capitalize, formatMib, isRecord, isTooDeep, quote, tryParseJson } from '../values';

// Reads the panel's lists of entries: rows, JSON, and what expressions return.

/** A list, as its errors name and explain it */
export interface EntryList {
	/** As on screen */
	label: string;
	/** What one entry is called, such as "rule" */
	noun: string;
	/** How to enter entries */
	help: string;
	maxEntries?: number;
	isRequired?: true;
}

/** Throws an error that names the entry. The advice comes before the help of the list. */
export type RefuseEntry = (problem: string, advice?: string) => never;

/** Reads the value that an entry has under a name. */
export type ReadValue<T> = (value: unknown, refuse: RefuseEntry, name: string) => T;

type EntrySchema<T> = { [K in keyof T]-?: ReadValue<T[K]> };

export const isBlank = (value: unknown): value is '' | null | undefined =>
	value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

export const entryText =
	(maxLength = Infinity): ReadValue<string> =>
	(value, refuse, name) => {
		if (isBlank(value)) return refuse(`has no ${name}`);
		if (typeof value !== 'string') return refuse(`needs a text as '${name}'`);
		return value.length > maxLength
			? refuse(`has a ${name} of more than ${maxLength} characters`)
			: value;
	};

export const entryChoice =
	<T extends string>(choices: readonly T[]): ReadValue<T> =>
	(value, refuse, name) =>
		choices.find((each) => each === value) ??
		refuse(`has no ${name}`, `Its ${name} is one of these: ${choices.join(', ')}.`);

/** Reads a switch that is off if the entry doesn't have it. */
export const entrySwitch: ReadValue<boolean> = (value, refuse, name) => {
	if (isBlank(value)) return false;
	return typeof value === 'boolean' ? value : refuse(`needs true or false as '${name}'`);
};

/** Reads the values that a schema names. Other values of the entry don't count. */
export function readValues<T extends object>(
	schema: EntrySchema<T>,
	entry: unknown,
	refuse: RefuseEntry,
): T {
	if (!isRecord(entry)) return refuse('is not an object');
	const names = Object.keys(schema) as Array<string & keyof T>;
	return Object.fromEntries(
		names.map((name) => [name, schema[name](entry[name], refuse, name)]),
	) as T;
}

/**
 * Returns the entries of a JSON field. One entry is a list of one, and dates of an expression become text.
 * @throws WorkspaceAutomationError for anything else
 */
export function listEntries({ label, noun, help }: EntryList, field: unknown): unknown[] {
	const fieldValue = isBlank(field) ? [] : field;
	const parsed = typeof fieldValue === 'string' ? tryParseJson(fieldValue) : fieldValue;
	const json = isTooDeep(parsed) ? '' : (JSON.stringify(parsed) ?? '');
	const plain = json.length > MAX_LIST_CHARACTERS ? undefined : tryParseJson(json);
	const entries = isRecord(plain) ? [plain] : plain;
	if (Array.isArray(entries)) return entries;
	throw new WorkspaceAutomationError(
		`'${label}' isn't a list of ${noun}s`,
		`Nothing was sent. Enter a JSON list, or an expression that returns one. It can have at most ${formatMib(MAX_LIST_CHARACTERS)}, and no deep nesting. ${help}`,
	);
}

/** Returns the rows of a fixed collection. */
export const listRows = (value: unknown, name: string): unknown[] =>
	isRecord(value) ? [value[name] ?? []].flat() : [];

/** Reads each entry of a list. @throws WorkspaceAutomationError that names the first wrong entry, counted from 1 */
export function readEntries<T>(
	{ label, noun, help, maxEntries = MAX_LIST_ENTRIES, isRequired }: EntryList,
	entries: unknown[],
	read: (entry: unknown, refuse: RefuseEntry, index: number) => T,
): T[] {
	if (entries.length > maxEntries)
		throw new WorkspaceAutomationError(
			`'${label}' has more than ${maxEntries} ${noun}s`,
			`Nothing was sent. It has ${entries.length}. Remove some of them.`,
		);
	const found = entries.flatMap((entry, index) => {
		// An expression that finds no rows may return the empty item that Always Output Data adds.
		if (isRecord(entry) && Object.keys(entry).length === 0) return [];
		const refuse: RefuseEntry = (problem, advice) => {
			throw new WorkspaceAutomationError(
				`${capitalize(noun)} ${index + 1} of '${label}' ${problem}`,
				`Nothing was sent. Correct this ${noun}: ${quote(entry)}. ${advice ? `${advice} ` : ''}${help}`,
			);
		};
		return [read(entry, refuse, index)];
	});
	if (found.length > 0 || !isRequired) return found;
	throw new WorkspaceAutomationError(
		`'${label}' is empty`,
		`Nothing was sent. ${help} If it's an expression, check that the item it reads from has ${noun}s.`,
	);
}
