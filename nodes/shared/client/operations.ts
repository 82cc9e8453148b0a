import type { Clock } from './clock';
import type { OPERATIONS } from './operationTable';
import type { ApiResponse, ConnectionOptions, OperationRow, ReconcileResult } from './apiTypes';

export type OperationId = keyof typeof OPERATIONS;

/** Values by placeholder. `undefined` is no value, `null` is one. */
export type Values = Record<string, unknown>;

export type Routing = Pick<OperationRow, 'method' | 'path'>;

export interface CallOptions {
	/** Fields that the user adds to the body */
	extra?: Record<string, unknown>;
	/** Replaces the table's. An override replaces both. */
	routing?: Routing;
	/** Of an attempt, instead of the table's */
	timeoutMs?: number;
	/** On the monotonic clock. Nothing is sent again after it. 5 minutes after the first attempt by default */
	deadline?: number;
	/** Of an attempt, even beyond the deadline. 1 second by default */
	minAttemptMs?: number;
	/** 5 by default. A 429 doesn't count */
	maxAttempts?: number;
	/** For a caller who checks the result before the next attempt */
	singleAttempt?: boolean;
	/** Waits after each of which a 404 is retried */
	notFoundDelaysMs?: readonly number[];
	/** Sent before others */
	urgent?: boolean;
	/** Continues after Stop, and may even start after it */
	ignoreCancel?: boolean;
	/** Checks for the effect if the response is lost. It's unknown if this fails. */
	reconcile?: () => Promise<ReconcileResult>;
}

/** The only access to the API. Applies the credential's Overrides, which no caller sees. */
export interface ApiClient {
	/** Ends in `/v1`, without a slash after it */
	readonly baseUrl: string;
	readonly clock: Clock;
	readonly signal: AbortSignal | undefined;
	/** Retries a non-idempotent operation only after proof that it had no effect. @throws as the transport's `send` */
	call(operation: OperationId, values: Values, options?: CallOptions): Promise<ApiResponse>;
	/** Returns the value of a name in the operation's `response`, or undefined if the response has none. */
	readField(operation: OperationId, name: string, body: unknown): unknown;
	word(operation: OperationId, word: string): string | undefined;
	hasPlaceFor(operation: OperationId, value: string): boolean;
	overrideFingerprint(operation: OperationId): string;
	withConnection(connection: ConnectionOptions): ApiClient;
}
