import { fingerprint } from '../values';
import { WorkspaceAutomationError } from '../errors';
import { CREDENTIAL } from './credential';
import { createTransport, type SendOptions, type TransportOptions } from './transport';
import type { ApiContext, ConnectionOptions } from './types';
import { RECONCILERS } from './reconcilers';
import { type ApiClient, type OperationId, operationRow, type Request } from './operations';
import { createRequest, readField, readOverrides, requestOverride } from './overrides';

/** Waits after which a 404 of a new session is asked again: 1, 2 and 4 s (API document, Polling procedure, 5). */
const NEW_SESSION_DELAYS_MS = [1_000, 2_000, 4_000];

/** Statuses with which a service refuses a request that it expects in another form */
const SHAPE_STATUSES = [400, 405, 415, 422];

/** The error, with the override named where the refusal may be due to what we assume of the request. */
function addOverrideHint(id: OperationId, row: Request, error: unknown): unknown {
	const { assumed, version, method } = row;
	if (!(error instanceof WorkspaceAutomationError) || !(assumed || version)) return error;
	const { httpStatus = 0 } = error.context;
	if (!SHAPE_STATUSES.includes(httpStatus) && !(assumed === 'path' && httpStatus === 404))
		return error;
	const open = assumed === 'path' ? 'path' : method === 'GET' ? 'query' : 'body';
	const field = assumed ? open : 'version';
	error.description += ` ${requestOverride(id, field)}`;
	return error;
}

/**
 * Opens the way to the API with a node's credential.
 * @throws WorkspaceAutomationError for a mistake in the credential, before anything is sent
 */
export async function createClient(
	context: ApiContext,
	options?: TransportOptions,
): Promise<ApiClient> {
	const credential = await context.getCredentials(CREDENTIAL);
	const overrides = readOverrides(credential.overrides);
	const transport = createTransport(context, credential, options);
	const { baseUrl, clock, signal } = transport;

	const apiOver = (connection: ConnectionOptions | undefined): ApiClient => {
		const api: ApiClient = {
			baseUrl,
			clock,
			signal,
			async call(id, values, { extra, timeoutMs, ...given } = {}) {
				const row = { ...operationRow(id), ...overrides[id] };
				const request = createRequest(id, row, values, extra);
				if (timeoutMs !== undefined) request.timeoutMs = timeoutMs;
				const options: SendOptions = {
					urgent: row.urgent,
					...(row.newSession && { notFoundDelaysMs: NEW_SESSION_DELAYS_MS }),
					...given,
				};
				if (row.reconciler && !options.singleAttempt)
					options.reconcile ??= await RECONCILERS[row.reconciler](api, values, options);
				const sending = transport.send(request, options, connection);
				return await sending.catch((error: unknown) => {
					throw addOverrideHint(id, row, error);
				});
			},
			readField: (id, name, body) => readField(id, name, body, overrides[id]),
			isOverridden: (id, name) => overrides[id]?.answer?.[name] !== undefined,
			word: (id, word) => overrides[id]?.words?.[word],
			overrideFingerprint: (id) => fingerprint(JSON.stringify(overrides[id] ?? {})),
			withConnection: apiOver,
		};
		return api;
	};
	return apiOver(undefined);
}
