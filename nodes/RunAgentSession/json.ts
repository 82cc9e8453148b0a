import { isRecord, parsedOrUndefined } from '../shared/base/values';

// JSON that others wrote: nothing here throws, whatever it looks like.

/**
 * The list in a JSON field, which gives text or, by expression, a value; a single object counts as a list of one.
 * Undefined where it is neither, an empty list where the field is empty.
 */
export function listIn(field: unknown): unknown[] | undefined {
	if (typeof field === 'string' && field.trim() === '') return [];
	const value = typeof field === 'string' ? parsedOrUndefined(field) : (field ?? []);
	if (Array.isArray(value)) return value;
	return isRecord(value) ? [value] : undefined;
}
