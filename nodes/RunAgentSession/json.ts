import { isRecord, parsedOrUndefined } from '../shared/base/values';

// JSON that others wrote: nothing here throws, whatever it looks like.

export const hasOwn = (value: object, key: string): boolean =>
	Object.prototype.hasOwnProperty.call(value, key);

/** Nesting beyond this is nothing that a permission request has; it is not followed, so that no value can exhaust the stack. */
const DEEPEST = 50;

/** Whether two JSON values are the same; the order of an object's keys does not count, that of a list does. */
export function sameJson(a: unknown, b: unknown, depth = 0): boolean {
	if (a === b) return true;
	if (depth > DEEPEST) return false;
	if (Array.isArray(a)) {
		return (
			Array.isArray(b) &&
			a.length === b.length &&
			a.every((each, index) => sameJson(each, b[index], depth + 1))
		);
	}
	if (!isRecord(a) || !isRecord(b)) return false;
	const keys = Object.keys(a);
	return (
		keys.length === Object.keys(b).length &&
		keys.every((key) => hasOwn(b, key) && sameJson(a[key], b[key], depth + 1))
	);
}

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
