import type {
	DeclarativeRestApiSettings,
	IDataObject,
	IExecutePaginationFunctions,
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	INode,
	INodeExecutionData,
	IPairedItemData,
} from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { createClient } from '../client/createClient';
import { OPERATIONS } from '../client/operationTable';
import type { ApiClient, CallOptions, OperationId, Values } from '../client/operations';
import { allowedPlaceholders, requestOverride } from '../client/overrides';
import { readPages, warnOfSetup } from '../client/responses';
import type { Reconcile } from '../client/reconcilers';
import { mayHaveHappenedError } from '../client/session';
import { CanceledError, WorkspaceAutomationError } from '../errors';
import { isRecord, isTooDeep, quote } from '../values';
import { Semaphore } from '../client/rateLimiter';
import { isNonIdempotent } from '../client/retryPolicy';
import type { ApiResponse, OperationRow } from '../client/apiTypes';
import { passErrorOn } from './aiTool';
import { setCustomData } from './executionDisplay';
import { maxConcurrentRequests } from './commonFields';
import { type Entered, type Field, readParameter, readPanel } from './fields';
import { oncePerItem } from './journal';

export interface Operation {
	/** The name in n8n's list of actions, if it isn't made of the operation and the resource */
	action?: string;
	description: string;
	request: OperationId;
	/** Another request for some values of the fields. Both have the same routing. */
	requestFor?: (values: Values) => OperationId;
	fields: Field[];
	prepare?: (
		this: IExecuteSingleFunctions,
		entered: Entered,
		api: ApiClient,
	) => Promise<Values> | Values;
	/** Called before the request. Its result is called if the response is lost. */
	reconcile?: (values: Values, api: ApiClient) => Promise<Reconcile>;
	/** Returns the item of a response. The default is its JSON. */
	result?: (
		this: IExecuteSingleFunctions,
		response: ApiResponse,
		values: Values,
		api: ApiClient,
		settings: Entered['settings'],
	) => Promise<INodeExecutionData> | INodeExecutionData;
	/** Returns the item of a failed call, or undefined to raise the error. */
	recover?: (
		this: IExecuteSingleFunctions,
		error: unknown,
		values: Values,
		api: ApiClient,
		settings: Entered['settings'],
	) => Promise<INodeExecutionData | undefined>;
	output?: (
		this: IExecuteSingleFunctions,
		items: INodeExecutionData[],
		settings: Entered['settings'],
	) => INodeExecutionData[];
}

/** Spares a client for each item. n8n runs items concurrently, and they share only the run's data object. */
const clients = new WeakMap<object, Promise<ApiClient>>();

const readMaxRequests = (context: IExecuteSingleFunctions) =>
	readParameter(context, maxConcurrentRequests, 'options.');

async function getClient(context: IExecuteSingleFunctions): Promise<ApiClient> {
	const run = context.getExecuteData();
	const open = async () =>
		await createClient(context, { semaphore: new Semaphore(readMaxRequests(context)) });
	const api = clients.get(run) ?? open();
	clients.set(run, api);
	// Retry On Fail passes the same run, and the user may have fixed the error.
	return await api.catch((error: unknown) => {
		clients.delete(run);
		throw error;
	});
}

/** Returns the entries up to the limit. A required setup is an error without entries, and a warning with some. */
async function readList(
	context: IExecuteSingleFunctions,
	api: ApiClient,
	operation: OperationId,
	{ values, settings }: Entered,
	options: Pick<CallOptions, 'routing' | 'timeoutMs'>,
): Promise<INodeExecutionData[]> {
	const most = settings.returnAll === true ? Infinity : Number(settings.limit);
	const onSetupRequired = warnOfSetup((text, message) => {
		context.logger.warn(text);
		setCustomData(context, { setupRequired: message });
	});
	const items: INodeExecutionData[] = [];
	const pages = readPages(api, operation, values, { ...options, limit: most, onSetupRequired });
	for await (const { data } of pages)
		for (const json of data) items.push({ json, pairedItem: undefined });
	// The service may send more than requested.
	return items.slice(0, most);
}

const CONTENT_FIELDS = ['data', 'text', 'type'];

/** Returns a response as JSON. Without a body, it's the sent values under the API's names, except content. */
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

/** Response fields that repeat sent values. A service that ignored an assumed name shows another value, or the old one. */
const ECHOED_FIELDS = ['name', 'parentId', 'kind'];

/** Returns a text as a service may store it. */
const normalize = (text: unknown): string => String(text).normalize('NFC').trim().toLowerCase();

function findIgnoredValues(operation: OperationId, body: unknown, values: Values): string[] {
	const { assumed }: OperationRow = OPERATIONS[operation];
	if (!isRecord(body) || !assumed) return [];
	return ECHOED_FIELDS.flatMap((name) => {
		const sent = values[name];
		// A file without a folder is in My Files.
		const shown = body[name] ?? (name === 'parentId' && 'kind' in body ? 'My Files' : undefined);
		if (typeof sent !== 'string' || shown === undefined) return [];
		if (normalize(shown) === normalize(sent)) return [];
		return `The service ignored '${name}': it was sent ${quote(sent)}, and the response has ${quote(shown)}. ${requestOverride(operation)}`;
	});
}

function addWarnings(
	context: IExecuteSingleFunctions,
	item: INodeExecutionData,
	warnings: string[],
): INodeExecutionData {
	if (warnings.length === 0) return item;
	for (const warning of warnings) context.logger.warn(warning, { node: context.getNode().name });
	const { warnings: known } = item.json;
	const before = Array.isArray(known) ? known : [];
	return { ...item, json: { ...item.json, warnings: [...before, ...warnings] as string[] } };
}

async function callOperation(
	context: IExecuteSingleFunctions,
	api: ApiClient,
	{ request: usual, requestFor, prepare, reconcile, result, recover }: Operation,
	entered: Entered,
	options: Pick<CallOptions, 'routing' | 'timeoutMs'>,
): Promise<INodeExecutionData> {
	const { extra, settings } = entered;
	const request = requestFor?.(entered.values) ?? usual;
	const values = { ...entered.values, ...(await prepare?.call(context, entered, api)) };
	const send = async (): Promise<ApiResponse> => {
		const check = await reconcile?.(values, api);
		const response = await api.call(request, values, { ...options, extra, reconcile: check });
		// n8n saves this record with the execution.
		return { ...response, headers: {} };
	};
	const sending = isNonIdempotent(OPERATIONS[request].effect)
		? oncePerItem(context, send, () => mayHaveHappenedError(request))
		: send();
	const toItem = async (response: ApiResponse): Promise<INodeExecutionData> => {
		const warnings = findIgnoredValues(request, response.body, { ...values, ...extra });
		const item = result
			? await result.call(context, response, values, api, settings)
			: { json: toJsonItem(request, response.body, values, extra) };
		return addWarnings(context, item, warnings);
	};
	return await sending.then(toItem, async (error: unknown) => {
		const recovered = await recover?.call(context, error, values, api, settings);
		if (!recovered) throw error;
		return recovered;
	});
}

/** Returns whether n8n takes an item with `error` for a failed one: Retry On Fail any, the error output one that has little else. */
function isTakenForFailure({ retryOnFail, onError }: INode, json: IDataObject): boolean {
	if ([undefined, null, false].includes(json.error as undefined)) return false;
	const hasLittleElse = Object.keys(json).every((key) =>
		['error', 'message', 'details'].includes(key),
	);
	return retryOnFail === true || (onError === 'continueErrorOutput' && hasLittleElse);
}

/** n8n's own code calls itself for each level. */
const MAX_ITEM_DEPTH = 1_000;

/** @throws WorkspaceAutomationError for an item that n8n can't save */
function requireShallow({ json }: INodeExecutionData): void {
	if (!isTooDeep(json, MAX_ITEM_DEPTH)) return;
	throw new WorkspaceAutomationError(
		'The response is nested too deeply',
		`Run the node for other entries. n8n can't hold more than ${MAX_ITEM_DEPTH} levels: ${Object.keys(json).slice(0, 10).join(', ')}.`,
	);
}

/** Pairs the items in place, and renames an `error` that n8n would take for a failure. */
function pairItems(
	context: IExecuteSingleFunctions,
	items: INodeExecutionData[],
	pairedItem: IPairedItemData,
): INodeExecutionData[] {
	let node: INode | undefined;
	for (const item of items) {
		requireShallow(item);
		item.pairedItem = pairedItem;
		if (!('error' in item.json)) continue;
		// n8n copies the node for each call.
		node ??= context.getNode();
		if (!isTakenForFailure(node, item.json)) continue;
		const { error: failure, ...json } = item.json;
		item.json = { ...json, failure };
	}
	return items;
}

export async function sendOperation(
	this: IExecutePaginationFunctions,
	operation: Operation,
	{ options }: DeclarativeRestApiSettings.ResultOptions,
): Promise<INodeExecutionData[]> {
	const itemIndex = this.getItemIndex();
	const pairedItem = { item: itemIndex };
	try {
		const { request, fields, output } = operation;
		const entered = readPanel(this, fields);
		const { method, url, ...connection } = options as IHttpRequestOptions;
		const { proxy, skipSslCertificateValidation, allowedDomains } = connection;
		const api = (await getClient(this)).withConnection({
			proxy,
			skipSslCertificateValidation,
			allowedDomains,
		});
		// If Request Options has no timeout, n8n fills in 5 minutes, which is too long for one attempt.
		const { timeout } = this.getNodeParameter('requestOptions', {}) as IDataObject;
		const timeoutMs = typeof timeout === 'number' && timeout > 0 ? timeout : undefined;
		const sending = { routing: { method: method!, path: url }, timeoutMs };
		const { response = {} }: OperationRow = OPERATIONS[request];
		const items =
			'next_cursor' in response
				? await readList(this, api, request, entered, sending)
				: [await callOperation(this, api, operation, entered, sending)];
		return pairItems(this, output?.call(this, items, entered.settings) ?? items, pairedItem);
	} catch (thrown) {
		if (thrown instanceof CanceledError)
			throw new NodeOperationError(this.getNode(), 'The execution was canceled', { itemIndex });
		return [{ json: passErrorOn(this, thrown, itemIndex), pairedItem }];
	}
}
