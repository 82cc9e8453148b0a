/**
 * Milliseconds that a `Retry-After` header asks to wait: a number of seconds or an HTTP date (RFC 9110, 10.2.3).
 * A date is held against the service's own `Date` header where there is one, so that a clock that is off does no harm.
 * Undefined where the header is missing or unreadable.
 */
export function retryAfterMs(headers: Record<string, unknown>, nowMs: number): number | undefined {
	const value = headers['retry-after'];
	if (typeof value !== 'string' && typeof value !== 'number') return undefined;
	const text = String(value).trim();
	if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
	// Only real dates: Date.parse would take "-5" or "soon 1" for one.
	const at = /[a-z]{3}.*\d{2}:\d{2}/i.test(text) ? Date.parse(text) : NaN;
	if (Number.isNaN(at)) return undefined;
	const serviceNow = typeof headers.date === 'string' ? Date.parse(headers.date) : NaN;
	return Math.max(0, at - (Number.isNaN(serviceNow) ? nowMs : serviceNow));
}
