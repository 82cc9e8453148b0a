import type {
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	INodeExecutionData,
	PreSendAction,
} from 'n8n-workflow';

import type { OperationId } from '../api/operations';
import type { Api, Values } from '../api/types';
import type { ApiResponse } from '../transport/types';

// n8n calls a `preSend` step for the operation and one for each field that is shown. Together they collect what `routing.ts` sends:
// a call of an operation, with its values.

/** What an operation does beyond placing its fields. */
export interface OperationHooks {
	/** Adds values, and fields for the body, that need more than one field, the input item or the service */
	prepare?: (
		this: IExecuteSingleFunctions,
		values: Values,
		api: Api,
	) => Promise<Prepared> | Prepared;
	/** The item for a response; by default its JSON */
	result?: (
		this: IExecuteSingleFunctions,
		response: ApiResponse,
		values: Values,
		api: Api,
	) => Promise<INodeExecutionData> | INodeExecutionData;
	/** The item for a call that failed, where the user wants one; undefined raises the error */
	recover?: (
		this: IExecuteSingleFunctions,
		error: unknown,
		values: Values,
		api: Api,
	) => Promise<INodeExecutionData | undefined>;
}

export interface Prepared {
	values?: Values;
	/** Put over the body that results */
	extra?: Record<string, unknown>;
}

/** A call as the steps build it */
export interface Call {
	operation: OperationId;
	hooks: OperationHooks;
	values: Values;
	/** What the first step that refused its field has thrown. Errors of n8n's steps end without their item: it is raised later */
	refusal?: { error: unknown };
}

const CALL = Symbol('call');
type WithCall = IHttpRequestOptions & { [CALL]?: Call };

/** The call that the steps have put into a request. */
export function callIn(request: IHttpRequestOptions): Call {
	const { [CALL]: call } = request as WithCall;
	if (!call) throw new Error('The operation has no request.');
	return call;
}

/** The first step of an operation. */
export const beginCall = (operation: OperationId, hooks: OperationHooks): PreSendAction =>
	async function (request) {
		const call: Call = { operation, hooks, values: {} };
		return Object.assign({ ...request }, { [CALL]: call });
	};

/** Checks a value and returns it in the form in which it is sent. Throws for one that must not be sent. */
export type Check = (field: string, value: unknown) => unknown;

/**
 * The step of a field: checks its value and places what the check returns.
 * @param displayName the name that the panel shows
 * @param path where the parameter is, such as `updateFields.title`
 * @param placeholder the name of its value in the request
 */
export const placeParameter = (
	displayName: string,
	path: string,
	placeholder: string,
	check: Check,
): PreSendAction =>
	async function (request) {
		const call = callIn(request);
		if (call.refusal) return request;
		let value: unknown;
		try {
			value = check(displayName, this.getNodeParameter(path, undefined, { extractValue: true }));
		} catch (error) {
			call.refusal = { error };
		}
		call.values[placeholder] = value;
		return request;
	};
