import type { IDataObject } from 'n8n-workflow';

import {
	assumedRequest,
	type AssumedRequest,
	type OperationId,
	type Template,
} from './assumedRequests';
import type { Overrides } from './overrides';
import { WorkspaceAutomationError } from '../base/errors';
import type { ApiRequest } from '../transport/types';
import { isRecord, quote } from '../base/values';

// An operation and its values become a request, and its response is read, with the credential's Overrides applied to both.

/** The values of an operation by the names of its placeholders. `undefined` is no value, `null` is one. */
export type Values = Record<string, unknown>;

const PLACEHOLDER = /\{(\w+)\}/g;
const ONE_PLACEHOLDER = /^\{(\w+)\}$/;

/** Stands for a part of a template whose values the operation does not have */
const LEFT_OUT = Symbol('left out');

/**
 * A template with its placeholders filled. A text that is one placeholder becomes the value as it is; within a longer text it becomes
 * text. Parts without a value are left out, and so are objects and lists of nothing but such parts. Values are never looked into.
 */
function filled(template: Template, values: Values): unknown {
	if (typeof template === 'string') {
		const [, name] = ONE_PLACEHOLDER.exec(template) ?? [];
		if (name !== undefined) return values[name] === undefined ? LEFT_OUT : values[name];
		let complete = true;
		const text = template.replace(PLACEHOLDER, (_, each: string) => {
			complete &&= values[each] !== undefined;
			return String(values[each]);
		});
		return complete ? text : LEFT_OUT;
	}
	if (Array.isArray(template)) {
		const items = template.map((item: unknown) => filled(item, values));
		const kept = items.filter((item) => item !== LEFT_OUT);
		return kept.length === 0 && items.length > 0 ? LEFT_OUT : kept;
	}
	if (!isRecord(template)) return template;
	const entries = Object.entries(template).map(([key, part]) => [key, filled(part, values)]);
	const kept = entries.filter(([, part]) => part !== LEFT_OUT);
	return kept.length === 0 && entries.length > 0 ? LEFT_OUT : Object.fromEntries(kept);
}

/** The same for the fields of a query or body: with no field left it is empty. */
function filledFields(template: Record<string, Template>, values: Values): Record<string, unknown> {
	const fields = filled(template, values);
	return isRecord(fields) ? fields : {};
}

/** The path with its values encoded. @throws WorkspaceAutomationError for a value that would lead to another path */
function filledPath(operation: OperationId, template: string, values: Values): string {
	const path = template.replace(PLACEHOLDER, (_, name: string) => {
		const value = values[name];
		if (value !== undefined && value !== null && value !== '')
			return encodeURIComponent(String(value));
		throw new WorkspaceAutomationError(
			`The path of ${operation} needs a value for {${name}}`,
			`Enter it in the node, or correct the path of ${operation} under 'Overrides' in the credential.`,
		);
	});
	if (!path.split('/').some((segment) => segment === '.' || segment === '..')) return path;
	throw new WorkspaceAutomationError(
		'An ID consists of dots',
		'Such an ID would address another resource. Copy the ID from the service or from an earlier node.',
	);
}

/** The assumed request of an operation with its override over it. */
function requestRow(operation: OperationId, overrides: Overrides): AssumedRequest {
	const { method, path, query, body, version } = overrides[operation] ?? {};
	const row = assumedRequest(operation);
	return {
		...row,
		// To be safe to repeat is a matter of the operation, whatever method its service has for it.
		idempotent: (row.idempotent ?? row.method !== 'POST') ? true : undefined,
		...(method && { method }),
		...(path && { path }),
		...(query && { query }),
		...(body && { body }),
		...(version && { version }),
	};
}

/**
 * The request of an operation.
 * @param extra fields that the user adds in the node; they are put over the body that results
 */
export function createRequest(
	operation: OperationId,
	values: Values,
	overrides: Overrides,
	extra: Record<string, unknown> = {},
): ApiRequest {
	const row = requestRow(operation, overrides);
	const { method, version, scope, mayAnswerNothing, mostBytes } = row;
	const hasBody = row.body !== undefined || Object.keys(extra).length > 0;
	return {
		method,
		path: filledPath(operation, row.path, values),
		...(row.query && { query: filledFields(row.query, values) as IDataObject }),
		...(hasBody && { body: { ...filledFields(row.body ?? {}, values), ...extra } }),
		idempotent: row.idempotent === true,
		version,
		scope,
		mayAnswerNothing,
		mostBytes,
	};
}

/** What stands at a dotted path such as `page.next`; undefined where there is no such place. */
function valueAt(body: unknown, path: string): unknown {
	return path.split('.').reduce<unknown>((at, key) => {
		if (Array.isArray(at)) return at[Number(key)] as unknown;
		return isRecord(at) && Object.prototype.hasOwnProperty.call(at, key) ? at[key] : undefined;
	}, body);
}

/** What a response says under one of the names of `answer`: where the override says, or in the first place that has a value. */
export function readAnswer(
	operation: OperationId,
	name: string,
	body: unknown,
	overrides: Overrides,
): unknown {
	const corrected = overrides[operation]?.answer?.[name];
	if (corrected !== undefined) return valueAt(body, corrected);
	const places = assumedRequest(operation).answer?.[name] ?? [];
	return places
		.map((path) => valueAt(body, path))
		.find((value) => value !== undefined && value !== null && value !== '');
}

/** The part of a description that says how to correct where `name` is read from. */
export const answerOverride = (operation: OperationId, name: string): string =>
	`If it holds what is missing, say where under 'Overrides' in the credential: {"${operation}": {"answer": {"${name}": "path.to.it"}}}.`;

/** The error for a response whose shape is not understood: quotes it and names the override. */
export const unreadableResponse = (
	operation: OperationId,
	name: string,
	what: string,
	body: unknown,
): WorkspaceAutomationError =>
	new WorkspaceAutomationError(
		`The service answered without ${what}`,
		`It answered: ${quote(body)}. ${answerOverride(operation, name)}`,
	);
