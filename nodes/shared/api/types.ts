import type { Clock } from '../transport/clock';
import type { SendOptions } from '../transport/transport';
import type { ApiResponse, ConnectionOptions } from '../transport/types';
import type { OperationId } from './operations';

/** The values of an operation by the names of its placeholders. `undefined` is no value, `null` is one. */
export type Values = Record<string, unknown>;

export interface CallOptions extends SendOptions {
	/** Fields that the user adds to the body */
	extra?: Record<string, unknown>;
	/** Milliseconds after which an attempt counts as lost */
	timeoutMs?: number;
}

/** The one way to the API, for every node. The credential's Overrides are applied in it and seen by nobody else. */
export interface Api {
	/** Ends in `/v1`, without a slash after it */
	readonly baseUrl: string;
	readonly clock: Clock;
	/** The execution's, where it has one */
	readonly signal: AbortSignal | undefined;
	/**
	 * Calls an operation. What must not be done twice is sent again only on proof that it did not happen.
	 * @throws as `send` of the transport
	 */
	call(operation: OperationId, values: Values, options?: CallOptions): Promise<ApiResponse>;
	/** What a response says under one of the names of the operation's `answer`; undefined where it says nothing */
	answer(operation: OperationId, name: string, body: unknown): unknown;
	/** Whether an override says where that is */
	isMoved(operation: OperationId, name: string): boolean;
	/** The service's own word for one of the operation's `words`; undefined where no override has one */
	word(operation: OperationId, word: string): string | undefined;
	/** What overrides say of an operation, in a few characters */
	digestOf(operation: OperationId): string;
	/** The same API over connections with these options */
	over(connection: ConnectionOptions): Api;
}
