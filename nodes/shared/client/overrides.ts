import type { IDataObject } from 'n8n-workflow';

import { WorkspaceAutomationError } from '../errors';
import { requireJsonObject } from '../validation';
import { excerpt, isRecord, splitList, toText } from '../values';
import type { ApiClient, OperationId, Values } from './operations';
import { OPERATIONS } from './operationTable';
import type { ApiRequest, OperationRow, Template } from './apiTypes';

const PLACEHOLDER = /\{(\w+)\}/g;
const ONE_PLACEHOLDER = /^\{(\w+)\}$/;

export function listPlaceholders(template: Template): string[] {
	if (typeof template === 'string')
		return [...template.matchAll(PLACEHOLDER)].map(([, name]) => name);
	if (typeof template !== 'object' || template === null) return [];
	return Object.values(template).flatMap(listPlaceholders);
}

/** Keeps the type of a lone placeholder. Omits parts without a value, and objects and lists of only such parts. Never fills inside values. */
function fillTemplate(template: Template, values: Values): unknown {
	if (typeof template === 'string') {
		const [, name] = ONE_PLACEHOLDER.exec(template) ?? [];
		if (name !== undefined) return values[name];
		if (listPlaceholders(template).some((each) => values[each] === undefined)) return undefined;
		return template.replace(PLACEHOLDER, (_, each: string) => String(values[each]));
	}
	if (typeof template !== 'object' || template === null) return template;
	const parts = Object.entries(template).map(
		([key, part]) => [key, fillTemplate(part, values)] as const,
	);
	const kept = parts.filter(([, part]) => part !== undefined);
	if (kept.length === 0 && parts.length > 0) return undefined;
	return Array.isArray(template) ? kept.map(([, part]) => part) : Object.fromEntries(kept);
}

/** Encodes the values. @throws WorkspaceAutomationError for a value that would lead to another path */
function fillPath(id: OperationId, template: string, values: Values): string {
	const path = template.replace(PLACEHOLDER, (_, name: string) => {
		const value = values[name];
		if (value !== undefined && value !== null && value !== '')
			return encodeURIComponent(String(value));
		throw new WorkspaceAutomationError(
			`The path of ${id} needs a value for {${name}}`,
			`Enter it in the node, or correct the path of ${id} under 'Overrides' in the credential.`,
		);
	});
	if (!path.split('/').some((segment) => segment === '.' || segment === '..')) return path;
	throw new WorkspaceAutomationError(
		'The ID consists of dots',
		'Such an ID would address another resource. Copy the ID from the service or from an earlier node.',
	);
}

export interface ServiceOperation extends Omit<OperationRow, 'response' | 'words'> {
	id: OperationId;
	/** Paths by name, each as its list of keys. An override's path is the only one. */
	response: Record<string, readonly string[][]>;
	words: Record<string, string>;
	overrideJson: string;
}

/** Replaces each field that the override has. */
export function applyOverride(id: OperationId, override: Override = {}): ServiceOperation {
	const { response: places = {}, ...row }: OperationRow = OPERATIONS[id];
	const { response: overridden = {}, words = {}, ...request } = override;
	const response = Object.keys({ ...places, ...overridden }).map((name) => {
		const paths = name in overridden ? [overridden[name]] : places[name];
		return [name, paths.map((path) => path.split('.'))];
	});
	return {
		...row,
		...request,
		id,
		response: Object.fromEntries(response) as ServiceOperation['response'],
		words,
		overrideJson: JSON.stringify(override),
	};
}

const replacedError = (name: string) =>
	new WorkspaceAutomationError(
		`A field of the node decides "${excerpt(name, 30)}"`,
		`Remove "${excerpt(name, 80)}" from the JSON of additional fields, and use the node's own field. Additional fields never replace a part of the request.`,
	);

/** Ignores case and style, because a service may read `project_id` as `projectId`. */
const plainName = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** Adds the user's fields to a body. @throws WorkspaceAutomationError if one replaces what a field of the node decides */
function addFields(
	body: Record<string, unknown>,
	extra: Record<string, unknown>,
	decided: Values,
	parent = '',
): Record<string, unknown> {
	const taken = new Map(
		Object.entries({ ...decided, ...body }).map(([name, value]) => [plainName(name), value]),
	);
	const added = Object.entries(extra).map(([name, value]) => {
		const own = Object.hasOwn(body, name) ? body[name] : undefined;
		if (isRecord(own) && isRecord(value))
			return [name, addFields(own, value, {}, `${parent}${name}.`)];
		const plain = plainName(name);
		if (taken.has(plain) && taken.get(plain) !== value) throw replacedError(`${parent}${name}`);
		return [name, value];
	});
	return Object.fromEntries([...Object.entries(body), ...added]) as Record<string, unknown>;
}

const pickValues = (values: Values, names: readonly string[]): Values =>
	Object.fromEntries(
		names.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])),
	);

/** @throws WorkspaceAutomationError if the request has no place for the value that it's sent for */
function requireCarried(
	{ id, carries = [], path, query, body }: ServiceOperation,
	values: Values,
): void {
	const given = Object.keys(pickValues(values, carries));
	if (given.length === 0) return;
	const sent = listPlaceholders([path, query, body]);
	if (given.some((name) => sent.includes(name))) return;
	throw overridesError(
		`has no place for this decision in "${id}"`,
		`Nothing was sent. Add ${given.map((name) => `{${name}}`).join(' or ')} to its "body".`,
	);
}

/** @param extra fields that the user adds in the node @throws WorkspaceAutomationError if a value has no place, or an added field takes one */
export function createRequest(
	operation: ServiceOperation,
	values: Values,
	extra: Record<string, unknown> = {},
): ApiRequest {
	const { id, query, body } = operation;
	requireCarried(operation, values);
	const hasBody = body !== undefined || Object.keys(extra).length > 0;
	// A declared query or body without any values is sent empty.
	const fields = (fillTemplate({ query, body }, values) ?? {}) as {
		query?: IDataObject;
		body?: Record<string, unknown>;
	};
	const readBody = () =>
		addFields(fields.body ?? {}, extra, pickValues(values, allowedPlaceholders(id)));
	const { method, effect, needsBody, version, scope } = operation;
	const { errors, maxBytes, tooLarge, timeoutMs } = operation;
	return {
		method,
		effect,
		needsBody,
		version,
		scope,
		errors,
		maxBytes,
		tooLarge,
		timeoutMs,
		path: fillPath(id, operation.path, values),
		...(query && { query: fields.query ?? {} }),
		...(hasBody && { body: readBody() }),
	};
}

function valueAt(body: unknown, path: readonly string[]): unknown {
	let at = body;
	for (const key of path) {
		if (Array.isArray(at)) at = at[Number(key)] as unknown;
		else at = isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined;
	}
	return at;
}

/** Returns the first value that isn't empty. */
export function readField({ response }: ServiceOperation, name: string, body: unknown): unknown {
	const found = (response[name] ?? []).map((path) => valueAt(body, path));
	return found.find((value) => ![undefined, null, ''].includes(value as null)) ?? found[0];
}

/** Returns the option values that an override of `resolveInteraction` names for each decision. */
export function readOptionWords(api: ApiClient) {
	const [approveValues, denyValues] = ['approve', 'deny'].map((decision) =>
		splitList(api.word('resolveInteraction', decision) ?? ''),
	);
	return { approveValues, denyValues };
}

export const responseOverride = (operation: OperationId, name: string): string =>
	`If the response has it in another place, name the place under 'Overrides' in the credential: {"${operation}": {"response": {"${name}": "path.to.it"}}}.`;

const OVERRIDE_SHAPES = { body: '{...}', query: '{...}', path: '"/..."', version: '"YYYY-MM-DD"' };

export const requestOverride = (
	operation: OperationId,
	field: keyof typeof OVERRIDE_SHAPES = 'body',
): string =>
	`If your service expects another request, enter it under 'Overrides' in the credential: {"${operation}": {"${field}": ${OVERRIDE_SHAPES[field]}}}.`;

/** The request as the service's own documentation shows it. Absent fields don't change. */
interface Override extends Partial<
	Pick<OperationRow, 'method' | 'path' | 'query' | 'body' | 'version'>
> {
	/** Dotted paths of the values that the nodes read, by name */
	response?: Record<string, string>;
	/** The service's own words, by ours */
	words?: Record<string, string>;
}

const OVERRIDES_EXAMPLE = '{"createAgentSession": {"body": {"input": "{prompt}"}}}';

export function allowedPlaceholders(operation: OperationId): string[] {
	const { path, query, body, values = [] }: OperationRow = OPERATIONS[operation];
	return [...new Set([...listPlaceholders([path, query, body]), ...values])];
}

const overridesError = (message: string, description: string) =>
	new WorkspaceAutomationError(`'Overrides' in the credential ${message}`, description);

function unknownNameError(
	where: string,
	what: string,
	name: string,
	known: readonly string[],
): WorkspaceAutomationError {
	const shown = excerpt(name, 50);
	return overridesError(
		`${where} an unknown ${what} "${shown}"`,
		known.length === 0
			? `Nothing can be overridden here. Remove "${shown}".`
			: `There are: ${known.join(', ')}.`,
	);
}

const isNonBlank = (value: unknown): value is string =>
	typeof value === 'string' && value.trim() !== '';
const isPath = (value: unknown): boolean =>
	isNonBlank(value) && value.startsWith('/') && !/[?#\s]|\/\.{1,2}(\/|$)/.test(value);
const isDate = (value: unknown): boolean => isNonBlank(value) && /^\d{4}-\d{2}-\d{2}$/.test(value);
const areTexts = (value: unknown): boolean =>
	isRecord(value) && Object.values(value).every((text) => isNonBlank(text) && text.length <= 200);

const HTTP_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

const OVERRIDE_FIELDS: Record<keyof Override, [isValid: (value: unknown) => boolean, is: string]> =
	{
		method: [
			(value) => HTTP_METHODS.includes(value as string),
			`one of ${HTTP_METHODS.join(', ')}`,
		],
		path: [isPath, 'a path below the base URL, such as /files/{fileId}, without a query string'],
		query: [isRecord, 'a JSON object, such as {"page_size": "{limit}"}'],
		body: [isRecord, 'a JSON object, such as {"input": "{prompt}"}'],
		version: [isDate, 'a date, such as 2026-10-05'],
		response: [areTexts, 'a JSON object of dotted paths, such as {"data": "result.items"}'],
		words: [areTexts, 'a JSON object of texts, such as {"base64": "inline"}'],
	};
const OVERRIDE_FIELD_NAMES = Object.keys(OVERRIDE_FIELDS) as Array<keyof Override>;

function checkOverride(operation: OperationId, override: unknown): void {
	const where = `has in "${operation}"`;
	if (!isRecord(override)) {
		throw overridesError(
			`has no JSON object for "${operation}"`,
			`Enter the parts of its request that differ, such as ${OVERRIDES_EXAMPLE}.`,
		);
	}
	for (const [name, value] of Object.entries(override)) {
		const field = OVERRIDE_FIELD_NAMES.find((each) => each === name);
		if (!field) throw unknownNameError(where, 'field', name, OVERRIDE_FIELD_NAMES);
		const [isValid, is] = OVERRIDE_FIELDS[field];
		if (!isValid(value))
			throw overridesError(`${where} an invalid "${field}"`, `"${field}" has to be ${is}.`);
	}
	const row: OperationRow = OPERATIONS[operation];
	const { path, query, body, response = {}, words = {} } = override;
	const names: Array<[what: string, used: string[], known: readonly string[]]> = [
		['placeholder', listPlaceholders([path, query, body]), allowedPlaceholders(operation)],
		['response value', Object.keys(response as object), Object.keys(row.response ?? {})],
		['word', Object.keys(words as object), row.words ?? []],
	];
	for (const [what, used, known] of names) {
		const unknown = used.find((name) => !known.includes(name));
		if (unknown !== undefined) throw unknownNameError(where, what, unknown, known);
	}
	const { path: ownPath, query: ownQuery, body: ownBody } = { ...row, ...override };
	const sent = listPlaceholders([ownPath, ownQuery, ownBody]);
	if (!row.carries || row.carries.some((name) => sent.includes(name))) return;
	throw overridesError(
		`${where} no place for the decision`,
		`Add ${row.carries.map((name) => `{${name}}`).join(' or ')} to its "body".`,
	);
}

/** Checks the credential's Overrides: JSON text, an object, or nothing. @throws WorkspaceAutomationError that lists the valid names */
export function readOverrides(value: unknown): Partial<Record<OperationId, Override>> {
	if (/\{\{/.test(toText(value)))
		throw overridesError(
			'come from an expression',
			'Enter them as JSON without {{ }}, because the data of a workflow must not change a decision.',
		);
	const overrides = requireJsonObject('Overrides', value);
	const operations = Object.keys(OPERATIONS) as OperationId[];
	for (const [name, override] of Object.entries(overrides)) {
		const operation = operations.find((each) => each === name);
		if (!operation) throw unknownNameError('has', 'operation', name, operations);
		checkOverride(operation, override);
	}
	// Checked above, key by key.
	return overrides as Partial<Record<OperationId, Override>>;
}
