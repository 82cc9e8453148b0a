import type {
	DeclarativeRestApiSettings,
	IDataObject,
	IExecutePaginationFunctions,
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
	INodeExecutionData,
	PostReceiveAction,
	PreSendAction,
} from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { createClient, type Client } from './client';
import { Stopped } from './clock';
import { VERSION_HEADER } from './connection';
import { Lanes } from './lanes';
import { once } from './once';
import { readPages } from './paging';
import { errorJson, toNodeError } from './problem';
import { isRepeatable, type Method } from './resend';
import { setupRequired } from './setupRequired';
import { handsOnErrors } from './tool';
import type { ApiRequest } from './transport';
import { requireNumber } from './validate';
import { ASSUMED_NAMES, type WireNames } from './wireNames';

// Sends what a declarative node's routing describes. Set as `requestOperations.pagination` and with `paginate: true` on every
// operation it takes the place of n8n's own sending, so that all of it goes through the one client.

type Description = DeclarativeRestApiSettings.ResultOptions;

/** After this long a request that is only ever put off (429) is given up. */
export const PATIENCE = { patienceMs: 5 * 60_000 };

// n8n hands every item of a run a context of its own, and all of them at once; the data of the run is what they have in common.
const clients = new WeakMap<object, Promise<Client>>();

async function createSharedClient(context: IExecuteSingleFunctions): Promise<Client> {
	const { maxConcurrentRequests = 5 } = context.getNodeParameter('options', {}) as IDataObject;
	const lanes = new Lanes(
		Math.floor(requireNumber('Max Concurrent Requests', maxConcurrentRequests, 1)),
	);
	return await createClient(context, { lanes });
}

/** The client that all items of this run share. */
export async function clientOf(context: IExecuteSingleFunctions): Promise<Client> {
	const run = context.getExecuteData();
	let client = clients.get(run);
	if (!client) {
		client = createSharedClient(context);
		clients.set(run, client);
	}
	return await client;
}

// Errors of n8n's preSend steps end outside of what we return, without their item. So a step never throws: what it finds is
// kept on the request and raised where it can be paired.
const REFUSAL = Symbol('refusal');
type Refusable = { [REFUSAL]?: unknown };

type Step = (
	this: IExecuteSingleFunctions,
	request: IHttpRequestOptions,
) => Promise<IHttpRequestOptions> | IHttpRequestOptions;

/** A `preSend` step that may refuse the request by throwing a `Problem`. After one has refused, the others are left out. */
export const step = (work: Step): PreSendAction =>
	async function (request) {
		if (REFUSAL in request) return request;
		const outcome = async () => await work.call(this, request);
		return await outcome().catch((problem: unknown) => ({ ...request, [REFUSAL]: problem }));
	};

/** A `preSend` step that checks a parameter. `check` throws a `Problem`; `field` is the name that the panel shows. */
export const checked = (
	field: string,
	parameter: string,
	check: (field: string, value: unknown) => unknown,
): PreSendAction =>
	step(function (request) {
		check(field, this.getNodeParameter(parameter, undefined, { extractValue: true }));
		return request;
	});

/** The same for a parameter of a collection, which counts only when the user has added it. */
export const checkedIfAdded = (
	field: string,
	collection: string,
	parameter: string,
	check: (field: string, value: unknown) => unknown,
): PreSendAction =>
	step(function (request) {
		const added = (this.getNodeParameter(collection, {}) ?? {}) as IDataObject;
		if (parameter in added)
			check(
				field,
				this.getNodeParameter(`${collection}.${parameter}`, undefined, { extractValue: true }),
			);
		return request;
	});

/** Stands in a routing for a name that the API document leaves out; the credential may correct it. */
export const wire = (key: keyof WireNames) => `@${key}`;

/** Puts the names of this credential where `wire` left a place for them, at every depth. */
function withWireNames<T>(value: T, names: WireNames): T {
	if (Array.isArray(value))
		return value.map((entry) => withWireNames(entry as unknown, names)) as T;
	if (typeof value !== 'object' || value === null) return value;
	const renamed = (key: string) =>
		key.startsWith('@') && key.slice(1) in ASSUMED_NAMES
			? names[key.slice(1) as keyof WireNames]
			: key;
	return Object.fromEntries(
		Object.entries(value).map(([key, entry]) => [
			renamed(key),
			withWireNames(entry as unknown, names),
		]),
	) as T;
}

function requestOf(
	context: IExecuteSingleFunctions,
	{ options }: Description,
	names: WireNames,
): ApiRequest {
	const {
		method = 'GET',
		url = '',
		qs,
		body,
		headers,
		timeout,
		proxy,
		skipSslCertificateValidation,
		allowedDomains,
	} = options as IHttpRequestOptions;
	const path = url.replace(/\{(\w+)\}/g, (_, name: string) =>
		encodeURIComponent(
			String(context.getNodeParameter(name, undefined, { extractValue: true })).trim(),
		),
	);
	return {
		method: method as Method,
		path,
		qs: withWireNames(qs, names),
		...(method !== 'GET' && method !== 'DELETE' && { body: withWireNames(body ?? {}, names) }),
		version: headers?.[VERSION_HEADER] as string | undefined,
		timeoutMs: timeout,
		via: { proxy, skipSslCertificateValidation, ...(allowedDomains && { allowedDomains }) },
	};
}

/** Every entry of a list up to the user's limit; a key without projects gets the service's words on what to set up. */
async function list(
	context: IExecuteSingleFunctions,
	client: Client,
	request: ApiRequest,
): Promise<INodeExecutionData[]> {
	const returnAll = context.getNodeParameter('returnAll', false) === true;
	const most = returnAll
		? Infinity
		: Math.floor(requireNumber('Limit', context.getNodeParameter('limit', 50), 1));
	const items: INodeExecutionData[] = [];
	for await (const page of readPages(client, request, most, PATIENCE)) {
		if (items.length === 0 && page.data.length === 0 && page.setupRequired)
			throw setupRequired(page.setupRequired);
		for (const json of page.data) items.push({ json });
	}
	// A service that sends more than it was asked for does not change what the user asked for.
	return items.length > most ? items.slice(0, most) : items;
}

async function perform(
	context: IExecuteSingleFunctions,
	client: Client,
	description: Description,
): Promise<INodeExecutionData[]> {
	const { [REFUSAL]: refusal } = description.options as Refusable;
	if (refusal !== undefined) throw refusal;
	const request = requestOf(context, description, client.names);
	let items: INodeExecutionData[];
	let body: unknown;
	if (context.getNodeParameter('operation') === 'getAll') {
		items = await list(context, client, request);
	} else {
		const send = async () => await client.send(request, PATIENCE);
		body = await (isRepeatable(request.method, request.path)
			? send()
			: once(context, request, send));
		items = [{ json: (body ?? {}) as IDataObject }];
	}
	const response = { body, headers: {}, statusCode: 200 } as IN8nHttpFullResponse;
	for (const { actions } of description.postReceive) {
		for (const action of actions)
			items = await (action as Extract<PostReceiveAction, (...rest: never[]) => unknown>).call(
				context,
				items,
				response,
			);
	}
	return items;
}

/** The function for `requestOperations.pagination`. Never leaves an item without its pairing, in success or failure. */
export async function sendRouted(
	this: IExecutePaginationFunctions,
	description: Description,
): Promise<INodeExecutionData[]> {
	const itemIndex = this.getItemIndex();
	const pairedItem = { item: itemIndex };
	try {
		const items = await perform(this, await clientOf(this), description);
		return items.map((item) => ({ ...item, pairedItem }));
	} catch (thrown) {
		if (thrown instanceof Stopped)
			throw new NodeOperationError(this.getNode(), 'The execution was canceled', { itemIndex });
		const error = toNodeError(this.getNode(), thrown, itemIndex);
		if (!handsOnErrors(this)) throw error;
		return [{ json: errorJson(this.getNode(), error), pairedItem }];
	}
}
