import type { IDataObject } from 'n8n-workflow';

import { WorkspaceAutomationError } from '../errors';
import { isRecord, quote } from '../values';
import type { ApiRequest, AskedResource } from './apiTypes';

// Reads what the API document shows: these names, this place, this type, this case.

export const isName = (value: unknown): value is string | number =>
	(typeof value === 'string' && value !== '') || typeof value === 'number';

/** Returns the error for a field that isn't as the API document shows it, or as we assume it. */
export function shapeError(
	field: string,
	is: string,
	value: unknown,
	advice: string,
): WorkspaceAutomationError {
	const error = new WorkspaceAutomationError(
		`"${field}" in the response isn't ${is}`,
		`${advice} The response has ${value === undefined ? 'nothing there' : quote(value)}.`,
	);
	error.kind = 'unusable';
	return error;
}

const CHECK_CACHE = 'Check the base URL in the credential, and for a cache or a proxy.';

const toKey = (id: unknown): string => String(id).toLowerCase();

/** @throws WorkspaceAutomationError that names both, if a response isn't the documented resource, or another one than was asked for */
export function requireAsked(
	{ resource, effect }: Pick<ApiRequest, 'effect'> & { resource?: AskedResource },
	values: Record<string, unknown>,
	body: unknown,
): void {
	// After a DELETE that was repeated, or where the API document shows no body
	if (!resource || body === undefined) return;
	const { id, shows, text } = resource;
	const found = isRecord(body) ? body : {};
	const mayHave = effect === 'read' ? '' : `${effect.message}. ${effect.description} `;
	const refuse = (field: string, is: string, asked = '') =>
		shapeError(field, is, isRecord(body) ? found[field] : body, `${mayHave}${asked}${CHECK_CACHE}`);
	for (const [field, shown] of Object.entries(shows ?? {}))
		if (found[field] !== shown) throw refuse(field, JSON.stringify(shown));
	if (text !== undefined && (typeof found[text] !== 'string' || found[text] === ''))
		throw refuse(text, 'a text');
	// The document shows no fields of products.
	if (id === undefined || (!shows && found.id === undefined)) return;
	if (!isName(found.id) || toKey(found.id) !== toKey(values[id]))
		throw refuse('id', 'the one asked for', `You asked for ${quote(values[id], 100)}. `);
}

/** Reads an analytics result, and warns of another number of rows. @throws WorkspaceAutomationError if it's no such result */
export function readRows(body: unknown, warn: (message: string) => void): IDataObject[] {
	const { data, rowCount } = isRecord(body) ? body : {};
	if (!Array.isArray(data) || !data.every(isRecord))
		throw shapeError('data', 'a list of rows', isRecord(body) ? data : body, CHECK_CACHE);
	if (typeof rowCount !== 'number') throw shapeError('rowCount', 'a number', rowCount, CHECK_CACHE);
	if (rowCount !== data.length)
		warn(`The analytics query returned ${data.length} rows and says that there are ${rowCount}.`);
	return data as IDataObject[];
}
