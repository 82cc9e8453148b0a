import type { IDataObject } from 'n8n-workflow';

import { WorkspaceAutomationError } from '../base/errors';
import { isRecord } from '../base/values';
import type { ApiRequest } from '../transport/types';
import type { OperationId, Request, Template } from './operations';
import type { Values } from './types';

// An operation and its values become a request.

const PLACEHOLDER = /\{(\w+)\}/g;
const ONE_PLACEHOLDER = /^\{(\w+)\}$/;

/** The names of the placeholders in a template, at every depth. */
export function placeholdersIn(template: Template): string[] {
	if (typeof template === 'string')
		return [...template.matchAll(PLACEHOLDER)].map(([, name]) => name);
	if (typeof template !== 'object' || template === null) return [];
	return Object.values(template).flatMap(placeholdersIn);
}

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
function filledPath(id: OperationId, template: string, values: Values): string {
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
		'An ID consists of dots',
		'Such an ID would address another resource. Copy the ID from the service or from an earlier node.',
	);
}

/**
 * The request of an operation.
 * @param row of the operation, with overrides over it
 * @param extra fields that the user adds in the node; they are put over the body that results
 */
export function createRequest(
	id: OperationId,
	{ query, body, ...row }: Request,
	values: Values,
	extra: Record<string, unknown> = {},
): ApiRequest {
	const hasBody = body !== undefined || Object.keys(extra).length > 0;
	return {
		...row,
		path: filledPath(id, row.path, values),
		...(query && { query: filledFields(query, values) as IDataObject }),
		...(hasBody && { body: { ...filledFields(body ?? {}, values), ...extra } }),
	};
}
