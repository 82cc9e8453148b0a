import type {
	DeclarativeRestApiSettings,
	IDataObject,
	IExecutePaginationFunctions,
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	INodeExecutionData,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
} from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { createClient } from '../client/createClient';
import {
	type ApiClient,
	isList,
	nonIdempotent,
	type OperationId,
	operationRow,
	type Values,
} from '../client/operations';
import { allowedPlaceholders, requestOverride } from '../client/overrides';
import { requireEntryId, readPages } from '../client/lists';
import { mayHaveHappenedError } from '../client/sessions';
import { CanceledError, errorJson, toNodeError, WorkspaceAutomationError } from '../errors';
import { requireNumber } from '../validation';
import { isRecord, quote } from '../values';
import { Semaphore } from '../client/semaphore';
import type { ApiResponse } from '../client/types';
import { continuesOnError } from './aiTool';
import { setCustomData } from './customData';
import { fingerprintRequest, oncePerItem } from './journal';

// Sends what the fields of a declarative operation come to. Set as the `pagination` of every operation, it replaces n8n's own sending,
// so that all of it goes through the one way to the API.

/** A field of the panel. One with a `check` is part of the request: what the check returns is its value there. */
export interface Field extends Omit<INodeProperties, 'options'> {
	/** Checks what was entered and returns it as it is sent; throws for a mistake, before anything is sent */
	check?: (field: string, value: unknown) => unknown;
	/** Whether its value, an object, is put over the body of the request */
	isExtra?: true;
	options?: Array<Field | INodePropertyOptions | INodePropertyCollection>;
}

export interface Entered {
	values: Values;
	/** Put over the body that results */
	extra: Record<string, unknown>;
}

export interface Operation {
	/** What n8n's list of actions calls it, where that is not its name with that of the resource */
	action?: string;
	description: string;
	request: OperationId;
	fields: Field[];
	/** Values that need more than one field, the input item or the service */
	prepare?: (
		this: IExecuteSingleFunctions,
		entered: Entered,
		api: ApiClient,
	) => Promise<Values> | Values;
	/** The item for a response; by default its JSON */
	result?: (
		this: IExecuteSingleFunctions,
		response: ApiResponse,
		values: Values,
		api: ApiClient,
	) => Promise<INodeExecutionData> | INodeExecutionData;
	/** The item for a call that failed, where the user wants one; undefined raises the error */
	recover?: (
		this: IExecuteSingleFunctions,
		error: unknown,
		values: Values,
		api: ApiClient,
	) => Promise<INodeExecutionData | undefined>;
	/** Turns what came back into the items that are handed on */
	output?: (this: IExecuteSingleFunctions, items: INodeExecutionData[]) => INodeExecutionData[];
}

// n8n gives every item of a run a context of its own, and all of them at once; the data of the run is what they have in common.
const clients = new WeakMap<object, Promise<ApiClient>>();

/** The way to the API that all items of this run share. */
async function getClient(context: IExecuteSingleFunctions): Promise<ApiClient> {
	const run = context.getExecuteData();
	const open = async () => {
		const { maxConcurrentRequests = 5 } = context.getNodeParameter('options', {}) as IDataObject;
		const concurrency = requireNumber('Max Concurrent Requests', maxConcurrentRequests, 1);
		return await createClient(context, { semaphore: new Semaphore(Math.floor(concurrency)) });
	};
	const api = clients.get(run) ?? open();
	clients.set(run, api);
	// Retry On Fail comes back with the same run, and the mistake may have been mended.
	return await api.catch((error: unknown) => {
		clients.delete(run);
		throw error;
	});
}

const NOT_SHOWN: unknown = Symbol('not shown');

/** Reads and checks the fields that are shown, and those that were added to a collection. @throws for the first mistake */
function readPanel(
	context: IExecuteSingleFunctions,
	fields: Field[],
	entered: Entered = { values: {}, extra: {} },
	parent = '',
): Entered {
	for (const { displayName, name, check, isExtra, options = [] } of fields) {
		const path = `${parent}${name}`;
		const raw = context.getNodeParameter(path, NOT_SHOWN, { rawExpressions: true });
		if (raw === NOT_SHOWN) continue;
		if (check) {
			const given = context.getNodeParameter(path, undefined, { extractValue: true });
			const value = check(displayName, given);
			if (isExtra) Object.assign(entered.extra, value);
			else entered.values[name] = value;
		}
		// What has a type is a field, as in a collection.
		const inner = options.filter((entry): entry is Field => 'type' in entry);
		readPanel(context, inner, entered, `${path}.`);
	}
	return entered;
}

/** Every entry of a list up to the user's limit. What has to be set up is an error without entries, and a note with some. */
async function readList(
	context: IExecuteSingleFunctions,
	api: ApiClient,
	operation: OperationId,
	values: Values,
	timeoutMs: number | undefined,
): Promise<INodeExecutionData[]> {
	const returnAll = context.getNodeParameter('returnAll', false) === true;
	const most = returnAll
		? Infinity
		: Math.floor(requireNumber('Limit', context.getNodeParameter('limit', 50), 1));
	const onSetup = (error: Error, isEmpty: boolean) => {
		if (isEmpty) throw error;
		context.logger.warn(`The service asks for a set-up: ${error.message}`);
		setCustomData(context, { setupRequired: error.message });
	};
	const hasId =
		api.isOverridden(operation, 'id') || context.getNodeParameter('simplify', false) === true;
	const items: INodeExecutionData[] = [];
	for await (const { data } of readPages(api, operation, values, {
		limit: most,
		onSetupRequired: onSetup,
		timeoutMs,
	}))
		for (const json of data) {
			// Where the next node finds it, and what Simplify would drop otherwise
			if (hasId) json.id = requireEntryId(api, operation, json);
			items.push({ json });
		}
	// A service that sends more than it was asked for does not change what the user asked for.
	return items.slice(0, most);
}

/** Values that say what is in a file or a message */
const CONTENT_FIELDS = ['data', 'text', 'type'];

/** A response as an item's JSON. Where nothing came back it is what was sent, under the API's names, but for contents. */
export function toJsonItem(
	operation: OperationId,
	body: unknown,
	values: Values,
	extra: Record<string, unknown> = {},
): IDataObject {
	if (isRecord(body)) return body as IDataObject;
	if (body !== undefined && body !== null) return { data: body as IDataObject };
	const names = allowedPlaceholders(operation).filter((name) => !CONTENT_FIELDS.includes(name));
	const sent = names.map((name) => [name, values[name]]).filter(([, value]) => value !== undefined);
	return { ...(Object.fromEntries(sent) as IDataObject), ...(extra as IDataObject) };
}

/** What an answer shows of what was sent: a service that ignores a field shows another value, or what was there before. */
const ECHOED_FIELDS = ['name', 'title', 'emoji', 'parentId', 'kind'];

/** Holds the answer to a change against what was asked. @throws WorkspaceAutomationError where it shows something else */
function verifyApplied(operation: OperationId, body: unknown, values: Values): void {
	if (!isRecord(body) || operationRow(operation).effect === 'read') return;
	const isFile = 'kind' in body || 'parentId' in body;
	const ignored = ECHOED_FIELDS.find((name) => {
		const asked = values[name];
		const shown = body[name] ?? (name === 'parentId' && isFile ? '' : undefined);
		return typeof asked === 'string' && shown !== undefined && shown !== asked;
	});
	if (ignored === undefined) return;
	throw new WorkspaceAutomationError(
		`The service did not take over '${ignored}'`,
		`${nonIdempotent(operation) ? 'What was created is there all the same. ' : ''}It answered: ${quote(body)}. ${requestOverride(operation)}`,
	);
}

/** Calls the operation, once for this item where it must not be repeated. */
async function callOperation(
	context: IExecuteSingleFunctions,
	api: ApiClient,
	{ request, prepare, result, recover }: Operation,
	entered: Entered,
	timeoutMs: number | undefined,
): Promise<INodeExecutionData> {
	const { extra } = entered;
	const values = { ...entered.values, ...(await prepare?.call(context, entered, api)) };
	const send = async (): Promise<ApiResponse> => {
		const response = await api.call(request, values, { extra, timeoutMs });
		// What is remembered of it is saved with the execution.
		const { location } = response.headers;
		return { ...response, headers: location === undefined ? {} : { location } };
	};
	const asked = () => fingerprintRequest(request, [values, extra]);
	const sending = nonIdempotent(request)
		? oncePerItem(context, asked(), send, () => mayHaveHappenedError(request))
		: send();
	const itemOf = async (response: ApiResponse): Promise<INodeExecutionData> => {
		verifyApplied(request, response.body, values);
		if (result) return await result.call(context, response, values, api);
		return { json: toJsonItem(request, response.body, values, extra) };
	};
	return await sending.then(itemOf, async (error: unknown) => {
		const recovered = await recover?.call(context, error, values, api);
		if (!recovered) throw error;
		return recovered;
	});
}

/** The `pagination` function of an operation. Never leaves an item without its pairing, in success or failure. */
export const sendRouted = (operation: Operation) =>
	async function (
		this: IExecutePaginationFunctions,
		{ options }: DeclarativeRestApiSettings.ResultOptions,
	): Promise<INodeExecutionData[]> {
		const itemIndex = this.getItemIndex();
		const pairedItem = { item: itemIndex };
		try {
			const { request, fields, output } = operation;
			const entered = readPanel(this, fields);
			const { proxy, skipSslCertificateValidation, allowedDomains } =
				options as IHttpRequestOptions;
			const api = (await getClient(this)).withConnection({
				proxy,
				skipSslCertificateValidation,
				allowedDomains,
			});
			// Where a user sets none under Request Options, n8n fills in 5 minutes, which no attempt is worth.
			const { timeout } = this.getNodeParameter('requestOptions', {}) as IDataObject;
			const timeoutMs = typeof timeout === 'number' && timeout > 0 ? timeout : undefined;
			const items = isList(request)
				? await readList(this, api, request, entered.values, timeoutMs)
				: [await callOperation(this, api, operation, entered, timeoutMs)];
			return (output?.call(this, items) ?? items).map((item) => {
				// n8n's Retry On Fail takes an item with a truthy `error` for a failure, and would run the node again.
				const { error: failure, ...json } = item.json;
				return { ...item, ...(failure && { json: { ...json, failure } }), pairedItem };
			});
		} catch (thrown) {
			if (thrown instanceof CanceledError)
				throw new NodeOperationError(this.getNode(), 'The execution was canceled', { itemIndex });
			const error = toNodeError(this.getNode(), thrown, itemIndex);
			if (!continuesOnError(this)) throw error;
			return [{ json: errorJson(this.getNode(), error), pairedItem }];
		}
	};
