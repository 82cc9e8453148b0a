import { WorkspaceAutomationError } from '../base/errors';
import { requireJsonObject } from '../base/validation';
import { excerpt, isRecord } from '../base/values';
import {
	assumedRequest,
	ASSUMED_REQUESTS,
	METHODS,
	placeholdersIn,
	placeholdersOf,
	type Method,
	type OperationId,
	type Template,
} from './assumedRequests';

/** How a request really looks, as the service's own documentation shows it. What is left out stays as assumed. */
export interface Override {
	method?: Method;
	path?: string;
	query?: Record<string, Template>;
	body?: Record<string, Template>;
	version?: string;
	/** Where to read what the nodes need: a dotted path by name */
	answer?: Record<string, string>;
}

/** The credential's field Overrides, by the contract's operation ids */
export type Overrides = Partial<Record<OperationId, Override>>;

const EXAMPLE = '{"createAgentSession": {"body": {"input": "{prompt}"}}}';

/** How many letters have to change to make one text the other (Levenshtein). */
function distance(a: string, b: string): number {
	let row = Array.from({ length: b.length + 1 }, (_, index) => index);
	for (let i = 1; i <= a.length; i++) {
		const next = [i];
		for (let j = 1; j <= b.length; j++) {
			const replaced = row[j - 1] + (a[i - 1].toLowerCase() === b[j - 1].toLowerCase() ? 0 : 1);
			next.push(Math.min(row[j] + 1, next[j - 1] + 1, replaced));
		}
		row = next;
	}
	return row[b.length];
}

/** The most similar of the known names. */
function nearest(name: string, known: readonly string[]): string {
	const short = name.slice(0, 50);
	return [...known].sort((a, b) => distance(short, a) - distance(short, b))[0];
}

const refuse = (message: string, description: string) =>
	new WorkspaceAutomationError(`'Overrides' in the credential ${message}`, description);

function unknownName(
	where: string,
	what: string,
	name: string,
	known: readonly string[],
): WorkspaceAutomationError {
	const shown = excerpt(name, 50);
	return refuse(
		`${where} an unknown ${what} "${shown}"`,
		known.length === 0
			? `There is none to override here. Remove "${shown}".`
			: `Did you mean "${nearest(name, known)}"? There are: ${known.join(', ')}.`,
	);
}

const isText = (value: unknown): value is string =>
	typeof value === 'string' && value.trim() !== '';
const isPath = (value: unknown): boolean =>
	isText(value) && value.startsWith('/') && !/[?#\s]|\/\.{1,2}(\/|$)/.test(value);
const isDate = (value: unknown): boolean => isText(value) && /^\d{4}-\d{2}-\d{2}$/.test(value);
const isAnswer = (value: unknown): boolean =>
	isRecord(value) && Object.values(value).every((path) => isText(path) && path.length <= 200);

/** What each field of an override has to be */
const FIELDS: Record<keyof Override, [isValid: (value: unknown) => boolean, is: string]> = {
	method: [(value) => METHODS.some((each) => each === value), `one of ${METHODS.join(', ')}`],
	path: [isPath, 'a path below the base URL, such as /files/{fileId}, without a query string'],
	query: [isRecord, 'a JSON object, such as {"page_size": "{limit}"}'],
	body: [isRecord, 'a JSON object, such as {"input": "{prompt}"}'],
	version: [isDate, 'a date, such as 2026-10-05'],
	answer: [isAnswer, 'a JSON object of dotted paths, such as {"data": "result.items"}'],
};
const FIELD_NAMES = Object.keys(FIELDS) as Array<keyof Override>;

function checkOverride(operation: OperationId, override: unknown): void {
	const where = `has in "${operation}"`;
	if (!isRecord(override)) {
		throw refuse(
			`has no JSON object for "${operation}"`,
			`Enter what differs in its request, such as ${EXAMPLE}.`,
		);
	}
	for (const [name, value] of Object.entries(override)) {
		const field = FIELD_NAMES.find((each) => each === name);
		if (!field) throw unknownName(where, 'field', name, FIELD_NAMES);
		const [isValid, is] = FIELDS[field];
		if (!isValid(value))
			throw refuse(`${where} a mistake in "${field}"`, `"${field}" has to be ${is}.`);
	}
	const { path, query, body, answer = {} } = override;
	const known = placeholdersOf(operation);
	for (const name of placeholdersIn([path, query, body])) {
		if (!known.includes(name)) throw unknownName(where, 'placeholder', name, known);
	}
	const answers = Object.keys(assumedRequest(operation).answer ?? {});
	for (const name of Object.keys(answer as object)) {
		if (!answers.includes(name)) throw unknownName(where, 'answer', name, answers);
	}
}

/**
 * The credential's Overrides, checked.
 * @param value JSON text, an object, or nothing
 * @throws WorkspaceAutomationError that names the mistake, with the nearest right name
 */
export function readOverrides(value: unknown): Overrides {
	const overrides = requireJsonObject('Overrides', value);
	const operations = Object.keys(ASSUMED_REQUESTS) as OperationId[];
	for (const [name, override] of Object.entries(overrides)) {
		const operation = operations.find((each) => each === name);
		if (!operation) throw unknownName('has', 'operation', name, operations);
		checkOverride(operation, override);
	}
	// Checked above, key by key.
	return overrides as Overrides;
}
