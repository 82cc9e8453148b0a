import { WorkspaceAutomationError } from '../base/errors';
import { requireJsonObject } from '../base/validation';
import { excerpt, isRecord } from '../base/values';
import { METHODS, type Method } from '../transport/types';
import { operationOf, OPERATIONS, type OperationId, type Template } from './operations';
import { placeholdersIn } from './request';

/** How a request really looks, as the service's own documentation shows it. What is left out stays as assumed. */
export interface Override {
	method?: Method;
	path?: string;
	query?: Record<string, Template>;
	body?: Record<string, Template>;
	version?: string;
	/** Where to read what the nodes need: a dotted path by name */
	answer?: Record<string, string>;
	/** What the service says instead of a word of ours */
	words?: Record<string, string>;
}

/** The credential's field Overrides, by the contract's operation ids */
export type Overrides = Partial<Record<OperationId, Override>>;

const EXAMPLE = '{"createAgentSession": {"body": {"input": "{prompt}"}}}';

/** The values that an operation has for its request, by the names of their placeholders. */
export function placeholdersOf(operation: OperationId): string[] {
	const { path, query, body, values = [] } = operationOf(operation);
	return [...new Set([...placeholdersIn([path, query, body]), ...values])];
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
			: `There are: ${known.join(', ')}.`,
	);
}

const isText = (value: unknown): value is string =>
	typeof value === 'string' && value.trim() !== '';
const isPath = (value: unknown): boolean =>
	isText(value) && value.startsWith('/') && !/[?#\s]|\/\.{1,2}(\/|$)/.test(value);
const isDate = (value: unknown): boolean => isText(value) && /^\d{4}-\d{2}-\d{2}$/.test(value);
const areTexts = (value: unknown): boolean =>
	isRecord(value) && Object.values(value).every((text) => isText(text) && text.length <= 200);

/** What each field of an override has to be */
const FIELDS: Record<keyof Override, [isValid: (value: unknown) => boolean, is: string]> = {
	method: [(value) => METHODS.some((each) => each === value), `one of ${METHODS.join(', ')}`],
	path: [isPath, 'a path below the base URL, such as /files/{fileId}, without a query string'],
	query: [isRecord, 'a JSON object, such as {"page_size": "{limit}"}'],
	body: [isRecord, 'a JSON object, such as {"input": "{prompt}"}'],
	version: [isDate, 'a date, such as 2026-10-05'],
	answer: [areTexts, 'a JSON object of dotted paths, such as {"data": "result.items"}'],
	words: [areTexts, 'a JSON object of texts, such as {"base64": "inline"}'],
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
	const row = operationOf(operation);
	const { path, query, body, answer = {}, words = {} } = override;
	const names: Array<[what: string, used: string[], known: readonly string[]]> = [
		['placeholder', placeholdersIn([path, query, body]), placeholdersOf(operation)],
		['answer', Object.keys(answer as object), Object.keys(row.answer ?? {})],
		['word', Object.keys(words as object), row.words ?? []],
	];
	for (const [what, used, known] of names) {
		const unknown = used.find((name) => !known.includes(name));
		if (unknown !== undefined) throw unknownName(where, what, unknown, known);
	}
}

/**
 * The credential's Overrides, checked.
 * @param value JSON text, an object, or nothing
 * @throws WorkspaceAutomationError that names the mistake, and what there is
 */
export function readOverrides(value: unknown): Overrides {
	const overrides = requireJsonObject('Overrides', value);
	const operations = Object.keys(OPERATIONS) as OperationId[];
	for (const [name, override] of Object.entries(overrides)) {
		const operation = operations.find((each) => each === name);
		if (!operation) throw unknownName('has', 'operation', name, operations);
		checkOverride(operation, override);
	}
	// Checked above, key by key.
	return overrides as Overrides;
}
