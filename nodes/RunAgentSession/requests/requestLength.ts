import { isTooDeep, toText } from '../../shared/values';

// A long request can only be denied, because it isn't shown whole. Writing all of its JSON would take longer than it takes to show a part.

/** In characters of JSON */
const MAX_REQUEST_SHOWN = 50_000;

/** Takes the least length that a value can have as JSON from a limit. Stops when nothing is left. */
function takeLength(value: unknown, limit: number): number {
	if (typeof value === 'string') return limit - value.length;
	if (typeof value !== 'object' || value === null) return limit - 1;
	let left = limit;
	if (Array.isArray(value)) {
		for (const each of value as unknown[]) {
			if (left < 0) break;
			left = takeLength(each, left);
		}
		return left;
	}
	const fields = value as Record<string, unknown>;
	for (const name of Object.keys(value)) {
		if (left < 0) break;
		if (fields[name] !== undefined) left = takeLength(fields[name], left - name.length);
	}
	return left;
}

const known = new WeakMap<object, boolean>();

/** Returns whether a request is too long to be shown whole. Reads each request once. */
export function isLongRequest(request: unknown): boolean {
	const isKnown = typeof request === 'object' && request !== null;
	const found = isKnown ? known.get(request) : undefined;
	if (found !== undefined) return found;
	const isLong =
		!isTooDeep(request) &&
		(takeLength(request, MAX_REQUEST_SHOWN) < 0 || toText(request).length > MAX_REQUEST_SHOWN);
	if (isKnown) known.set(request, isLong);
	return isLong;
}
