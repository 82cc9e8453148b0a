// Values that a dialect writes in its own way wherever they occur.
import type { Store } from '../../state.mts';
import type { OperationId } from '../assumed-requests.mts';

/** Reads a dialect's values from requests and writes them into answers. Bodies are in our form otherwise. */
export interface ValueCodec {
	/** @throws ApiError for a value of ours that this dialect does not have */
	readParams?(
		operationId: OperationId,
		params: Record<string, string>,
		store: Store,
	): Record<string, string>;
	/** @throws ApiError as `readParams` */
	readBody?(operationId: OperationId, body: unknown, store: Store): unknown;
	writeBody?(operationId: OperationId, body: unknown, store: Store): unknown;
}
