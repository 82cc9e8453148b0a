import type { IDataObject } from 'n8n-workflow';

import { WorkspaceAutomationError } from '../base/errors';
import { isRecord, quote } from '../base/values';
import { operationOf, type OperationId } from './operations';
import type { Override } from './overrides';
import type { Api } from './types';

// What a response says, and what to tell people where it cannot be read.

/** What stands at a dotted path such as `page.next`; undefined where there is no such place. */
function valueAt(body: unknown, path: string): unknown {
	return path.split('.').reduce<unknown>((at, key) => {
		if (Array.isArray(at)) return at[Number(key)] as unknown;
		return isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined;
	}, body);
}

/** What a response says under one of the names of `answer`: where the override says, or in the first place that has a value. */
export function readAnswer(
	operation: OperationId,
	name: string,
	body: unknown,
	override: Override | undefined,
): unknown {
	const corrected = override?.answer?.[name];
	if (corrected !== undefined) return valueAt(body, corrected);
	const places = operationOf(operation).answer?.[name] ?? [];
	return places
		.map((path) => valueAt(body, path))
		.find((value) => value !== undefined && value !== null && value !== '');
}

/** The part of a description that says how to correct where `name` is read from. */
export const answerOverride = (operation: OperationId, name: string): string =>
	`If it holds what is missing, say where under 'Overrides' in the credential: {"${operation}": {"answer": {"${name}": "path.to.it"}}}.`;

/** The part of a description that says how to correct what is sent. */
export const requestOverride = (operation: OperationId, field = 'body'): string =>
	`If your service expects another request, write it as its documentation shows it under 'Overrides' in the credential: {"${operation}": {"${field}": {...}}}.`;

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

/**
 * The rows that a query returned.
 * @param warn told where the service names another number of them
 * @throws WorkspaceAutomationError where there is no list of rows
 */
export function rowsOf(api: Api, body: unknown, warn: (message: string) => void): IDataObject[] {
	const rows = api.answer('queryAnalytics', 'data', body);
	if (!Array.isArray(rows) || !rows.every(isRecord))
		throw unreadableResponse('queryAnalytics', 'data', 'rows', body);
	const count = isRecord(body) ? body.rowCount : undefined;
	if (typeof count === 'number' && count !== rows.length)
		warn(`The analytics query returned ${rows.length} rows and says that there are ${count}.`);
	return rows as IDataObject[];
}
