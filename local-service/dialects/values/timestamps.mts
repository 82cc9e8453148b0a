// Timestamps of tasks, sessions and custom domains. Those of files are documented.
import { isObject } from '../../json.mts';
import type { OperationId } from '../assumed-requests.mts';
import type { Dialect } from '../dialect.mts';
import type { ValueCodec } from './codec.mts';
import { withSession } from './options.mts';

/** The operations whose answers have them */
export const withTimestamps: OperationId[] = [
	'listTasks',
	'getTask',
	'updateTask',
	'listCustomDomains',
	...withSession,
];

const fields = new Set([
	'nextRunAt',
	'createdAt',
	'updatedAt',
	'completedAt',
	'at',
	'askedAt',
	'lastActivityAt',
	'verification_token_expires_at',
]);

type Write = NonNullable<Dialect['timestamp']>;

function written(value: unknown, write: Write): unknown {
	if (Array.isArray(value)) return value.map((item) => written(item, write));
	if (!isObject(value)) return value;
	return Object.fromEntries(
		Object.entries(value).map(([key, inner]) => [
			key,
			fields.has(key) && typeof inner === 'string'
				? write(Date.parse(inner))
				: written(inner, write),
		]),
	);
}

export const timestampCodec = (write: Write): ValueCodec => ({
	writeBody: (operationId, body) =>
		withTimestamps.includes(operationId) ? written(body, write) : body,
});
