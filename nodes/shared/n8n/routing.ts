import type {
	DeclarativeRestApiSettings,
	IDataObject,
	IExecutePaginationFunctions,
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
	INodeExecutionData,
	PostReceiveAction,
} from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import type { Values } from '../api/operations';
import { isList, readPages } from '../api/pages';
import { setupMessage, setupRequiredError } from '../api/setupRequired';
import { CanceledError, hadNoEffect } from '../base/errors';
import { errorJson, toNodeError } from '../base/nodeErrors';
import { callOperation, interruptedEarlier, mustNotRepeat } from '../api/nonIdempotent';
import { createApiClient, type ApiClient } from '../transport/apiClient';
import { Limiter } from '../transport/concurrency';
import type { ApiResponse } from '../transport/types';
import { requireNumber } from '../base/validation';
import { isRecord } from '../base/values';
import { handsOnErrors } from './aiTool';
import { rememberInExecution } from './customData';
import { fingerprintOf, oncePerItem } from './executionJournal';
import { callIn, type Call, type Prepared } from './preSend';

// Sends what the fields of a declarative operation come to. Set as `requestOperations.pagination`, with `paginate: true` on every
// operation, it replaces n8n's own sending, so that all of it goes through the one client.

type RequestData = DeclarativeRestApiSettings.ResultOptions;

// n8n gives every item of a run a context of its own, and all of them at once; the data of the run is what they have in common.
const clients = new WeakMap<object, Promise<ApiClient>>();

async function createSharedClient(context: IExecuteSingleFunctions): Promise<ApiClient> {
	const { maxConcurrentRequests = 5 } = context.getNodeParameter('options', {}) as IDataObject;
	const concurrency = requireNumber('Max Concurrent Requests', maxConcurrentRequests, 1);
	return await createApiClient(context, { limiter: new Limiter(Math.floor(concurrency)) });
}

/** The client that all items of this run share. */
async function clientOf(context: IExecuteSingleFunctions): Promise<ApiClient> {
	const run = context.getExecuteData();
	let client = clients.get(run);
	if (!client) {
		client = createSharedClient(context);
		clients.set(run, client);
		// Retry On Fail comes back with the same run, and the mistake may have been mended.
		client.catch(() => clients.delete(run));
	}
	return await client;
}

/** What a user set under Request Options, for every request that an item makes. */
const connectionOptions = ({
	proxy,
	skipSslCertificateValidation,
	allowedDomains,
}: IHttpRequestOptions) => ({
	...(proxy && { proxy }),
	...(skipSslCertificateValidation && { skipSslCertificateValidation }),
	...(allowedDomains && { allowedDomains }),
});

/** Every entry of a list up to the user's limit. What has to be set up is an error without entries, and a note with some. */
async function readList(
	context: IExecuteSingleFunctions,
	client: ApiClient,
	{ operation, values }: Call,
): Promise<INodeExecutionData[]> {
	const returnAll = context.getNodeParameter('returnAll', false) === true;
	const most = returnAll
		? Infinity
		: Math.floor(requireNumber('Limit', context.getNodeParameter('limit', 50), 1));
	const items: INodeExecutionData[] = [];
	for await (const { data, setupRequired } of readPages(client, { operation, values }, most)) {
		if (setupRequired) {
			if (items.length + data.length === 0) throw setupRequiredError(setupRequired);
			const note = setupMessage(setupRequired);
			context.logger.warn(`The service asks for a set-up: ${note}`);
			rememberInExecution(context, { setupRequired: note });
		}
		for (const json of data) items.push({ json });
	}
	// A service that sends more than it was asked for does not change what the user asked for.
	return items.length > most ? items.slice(0, most) : items;
}

/** Values that say what is in a file or a message */
const CONTENTS = ['data', 'text', 'type'];

/** A response as an item's JSON. Where nothing came back it is what was sent, but for contents. */
export function jsonOf(body: unknown, values: Values, { extra }: Prepared = {}): IDataObject {
	if (isRecord(body)) return body as IDataObject;
	if (body !== undefined && body !== null) return { data: body as IDataObject };
	const known = Object.entries(values).filter(
		([name, value]) => value !== undefined && !CONTENTS.includes(name),
	);
	return { ...(Object.fromEntries(known) as IDataObject), ...(extra as IDataObject) };
}

/** Calls the operation, once for this item where it must not be repeated. */
async function call(
	context: IExecuteSingleFunctions,
	client: ApiClient,
	made: Call,
	timeoutMs: number | undefined,
): Promise<INodeExecutionData> {
	const { operation, hooks } = made;
	const prepared = (await hooks.prepare?.call(context, made.values, client)) ?? {};
	const values = { ...made.values, ...prepared.values };
	const send = async (): Promise<ApiResponse> => {
		const options = { extra: prepared.extra, timeoutMs };
		const { status, headers, body } = await callOperation(client, operation, values, options);
		// What is noted for a retry holds no more than it needs.
		return { status, headers: { location: headers.location }, body };
	};
	const sendOnce = async () => {
		if (!mustNotRepeat(operation)) return await send();
		const fingerprint = fingerprintOf(operation, [values, prepared.extra]);
		const interrupted = () => interruptedEarlier(operation);
		return await oncePerItem(context, fingerprint, send, hadNoEffect, interrupted);
	};
	const finish = async (response: ApiResponse): Promise<INodeExecutionData> =>
		hooks.result
			? await hooks.result.call(context, response, values, client)
			: { json: jsonOf(response.body, values, prepared) };
	return await sendOnce()
		.then(finish)
		.catch(async (error: unknown) => {
			const recovered = await hooks.recover?.call(context, error, values, client);
			if (recovered) return recovered;
			throw error;
		});
}

/** n8n's Retry On Fail takes an item with a truthy `error` for a failure, and would run the node again. */
function withoutErrorKey(item: INodeExecutionData): INodeExecutionData {
	const { error, ...json } = item.json;
	return error ? { ...item, json: { ...json, failure: error } } : item;
}

async function perform(
	context: IExecuteSingleFunctions,
	{ options, postReceive }: RequestData,
): Promise<INodeExecutionData[]> {
	const request = options as IHttpRequestOptions;
	const made = callIn(request);
	if (made.refusal) throw made.refusal.error;
	const shared = await clientOf(context);
	const client = shared.withConnectionOptions(connectionOptions(request));
	let items = isList(made.operation)
		? await readList(context, client, made)
		: [await call(context, client, made, request.timeout)];
	// n8n types what its actions get; ours read the items alone.
	const response = { body: undefined, headers: {}, statusCode: 200 } as IN8nHttpFullResponse;
	type Action = Extract<PostReceiveAction, (...rest: never[]) => unknown>;
	for (const { actions } of postReceive) {
		for (const action of actions) items = await (action as Action).call(context, items, response);
	}
	return items.map(withoutErrorKey);
}

/** The function for `requestOperations.pagination`. Never leaves an item without its pairing, in success or failure. */
export async function sendRouted(
	this: IExecutePaginationFunctions,
	requestData: RequestData,
): Promise<INodeExecutionData[]> {
	const itemIndex = this.getItemIndex();
	const pairedItem = { item: itemIndex };
	try {
		const items = await perform(this, requestData);
		return items.map((item) => ({ ...item, pairedItem }));
	} catch (thrown) {
		if (thrown instanceof CanceledError)
			throw new NodeOperationError(this.getNode(), 'The execution was canceled', { itemIndex });
		const error = toNodeError(this.getNode(), thrown, itemIndex);
		if (!handsOnErrors(this)) throw error;
		return [{ json: errorJson(this.getNode(), error), pairedItem }];
	}
}
