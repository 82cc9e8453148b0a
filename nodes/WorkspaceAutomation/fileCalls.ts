import type { IDataObject, IExecuteSingleFunctions, INodeExecutionData } from 'n8n-workflow';

import { Base64 } from '../shared/client/httpRequest';
import { readPages, requireEntryId } from '../shared/client/responses';
import type { ApiClient, CallOptions, Values } from '../shared/client/operations';
import { pollUntilFound, toResponse, type Reconcile } from '../shared/client/reconcilers';
import type { ReconcileResult } from '../shared/client/apiTypes';
import { IndeterminateError, resultOrError, WorkspaceAutomationError } from '../shared/errors';
import { toJsonItem } from '../shared/n8n/sendOperation';
import { requireFileSize, requireText } from '../shared/validation';
import { isRecord, parseHttpDate, parseTimestamp } from '../shared/values';

async function readBinaryContent(context: IExecuteSingleFunctions, name: string): Promise<Values> {
	const { binary = {} } = context.getInputData();
	if (!(name in binary)) {
		const there = Object.keys(binary);
		throw new WorkspaceAutomationError(
			`'Input Binary Field' names "${name}", which isn't in the input`,
			there.length > 0
				? `The item has these binary fields: ${there.join(', ')}.`
				: 'The item has no binary data. Put a node before this one that reads or downloads a file.',
		);
	}
	const buffer = await context.helpers.getBinaryDataBuffer(name);
	requireFileSize('Input Binary Field', buffer.length);
	const { mimeType, fileName } = binary[name];
	return { data: new Base64(buffer), contentType: mimeType || undefined, name: fileName };
}

export async function prepareFile(
	context: IExecuteSingleFunctions,
	{ contentSource, binaryPropertyName, name }: Values,
	api: ApiClient,
): Promise<Values> {
	const isBinary = contentSource === 'binary';
	const binary: Values = isBinary
		? await readBinaryContent(context, String(binaryPropertyName))
		: {};
	const type = isBinary ? 'base64' : String(contentSource);
	return {
		kind: 'file',
		...binary,
		name: requireText('Name', name || binary.name),
		type: api.word('createFile', type) ?? type,
	};
}

/** Time that a new file may take to appear in a list */
const FILE_VISIBLE_MS = 30_000;
/** The clocks of n8n and the service differ by less. Used if the service sends no `Date` header. */
const CLOCK_SKEW_MS = 60_000;
/** The precision of a `Date` header and of a creation time that has whole seconds */
const DATE_PRECISION_MS = 2_000;

interface NamedFiles {
	files: IDataObject[];
	/** The service's `Date` at the end of the list, if it sends one */
	serviceMs?: number;
}

async function listFilesByName(
	api: ApiClient,
	{ projectId, parentId, name }: Values,
	options?: CallOptions,
): Promise<NamedFiles> {
	const found: NamedFiles = { files: [] };
	const pages = readPages(api, 'listFiles', { projectId, parentId }, options);
	for await (const { data, headers } of pages) {
		found.files.push(...data.filter((file) => file.name === name));
		const date = parseHttpDate(headers.date);
		found.serviceMs = Number.isNaN(date) ? undefined : date;
	}
	return found;
}

/** Searches a folder or, without one, the project. */
const findFilesByName = async (api: ApiClient, values: Values): Promise<IDataObject[]> =>
	(await listFilesByName(api, values)).files;

/** Selects by folder. My Files has no known ID: without a requested folder, files that have none count, or all files if each has one. */
function selectInPlace(named: IDataObject[], { parentId: place }: Values): IDataObject[] {
	const here = named.filter(({ parentId }) => (parentId ?? undefined) === place);
	return here.length > 0 || place !== undefined ? here : named;
}

/** Returns the one file of the requested kind, or undefined if that isn't certain. */
function findInPlace(named: IDataObject[], values: Values): IDataObject | undefined {
	const { kind } = values;
	const [only, ...others] = selectInPlace(named, values);
	return others.length === 0 && (only?.kind ?? kind) === kind ? only : undefined;
}

function sentBytes({ text, data }: Values): number | undefined {
	if (data instanceof Base64) return data.bytes.length;
	return typeof text === 'string' ? Buffer.byteLength(text) : undefined;
}

/** Counts a file as ours only with our size and a creation time after the first attempt, by the service's clock. Others may use the name. */
export async function reconcileFile(api: ApiClient, values: Values): Promise<Reconcile> {
	const { clock } = api;
	const [begunAt, begunWall] = [clock.monotonicMs(), clock.now()];
	const expectedBytes = sentBytes(values);
	const isOurs = (file: IDataObject, serviceMs: number | undefined): boolean => {
		const earliest =
			serviceMs === undefined
				? begunWall - CLOCK_SKEW_MS
				: serviceMs - (clock.monotonicMs() - begunAt) - DATE_PRECISION_MS;
		const isNew = parseTimestamp(file.createdAt) >= earliest;
		const isSameKind = (file.kind ?? values.kind) === values.kind;
		const isSameSize = expectedBytes === undefined || file.sizeBytes === expectedBytes;
		return isNew && isSameKind && isSameSize;
	};
	const check = async (within: CallOptions): Promise<ReconcileResult | undefined> => {
		const { files, serviceMs } = await listFilesByName(api, values, within);
		const ours = selectInPlace(files, values).filter((file) => isOurs(file, serviceMs));
		if (ours.length === 1) return toResponse(ours[0]);
		return files.length > 0 ? 'unknown' : undefined;
	};
	let checks = 0;
	return async () => {
		// The first time, a retry is safe: the service rejects an existing name. Later, absence proves nothing: the file may be elsewhere.
		if (checks++ === 0) return await pollUntilFound(api, 0, {}, check, 'notApplied');
		return await pollUntilFound(api, FILE_VISIBLE_MS, {}, check, 'unknown');
	};
}

/** Returns the created entry: the response or, without one, the entry in the list or else the sent values. */
export async function readCreated(
	body: unknown,
	values: Values,
	api: ApiClient,
): Promise<INodeExecutionData> {
	const json = toJsonItem('createFile', body, values);
	if (isRecord(body) && Object.keys(body).length > 0) return { json };
	const named = await resultOrError(findFilesByName(api, values));
	return { json: (named instanceof Error ? undefined : findInPlace(named, values)) ?? json };
}

/** Returns the file or folder that already has the name after a conflict, because the API overwrites nothing. */
export async function recoverExisting(
	error: unknown,
	values: Values,
	api: ApiClient,
): Promise<INodeExecutionData | undefined> {
	const isConflict =
		error instanceof WorkspaceAutomationError &&
		!(error instanceof IndeterminateError) &&
		error.context.httpStatus === 409;
	if (!isConflict) return undefined;
	const found = findInPlace(await findFilesByName(api, values), values);
	return found && { json: { ...found, id: requireEntryId(found) } };
}
