/** Names of times, counters and durations */
const AGING_NAME =
	/(^|_)(at|age|ago|attempts?|count(er)?|created|date|deadline|duration|elapsed|expires?|heartbeat|index|last|ms|now|polls?|remaining|retries|retry|seconds?|secs?|since|time(out|stamp)?|ttl|turns?|uptime|updated|waited|waiting)(_|$)/;
const TIMESTAMP = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[+-]\d\d:?\d\d)?)?$/;

/** `12`, `3.5 s`, `2 minutes ago`. Any other text says more than that. */
const AMOUNT = /^[+-]?\d[\w .,:+-]{0,40}$/;

const toSnakeCase = (name: string): string =>
	name
		.replace(/([a-z0-9])([A-Z])/g, '$1_$2')
		.replace(/[\s.-]+/g, '_')
		.toLowerCase();

/** Returns whether a field's value only says when, how often or how long. */
export function isAging(name: string, value: unknown): boolean {
	if (typeof value === 'string' && TIMESTAMP.test(value)) return true;
	const isAmount = typeof value === 'number' || (typeof value === 'string' && AMOUNT.test(value));
	return isAmount && AGING_NAME.test(toSnakeCase(name));
}
