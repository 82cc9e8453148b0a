import { digest } from '../base/values';
import { WorkspaceAutomationError } from '../base/errors';
import { CREDENTIAL } from '../transport/credential';
import { openTransport, type SendOptions, type TransportOptions } from '../transport/transport';
import type { ApiContext, ConnectionOptions } from '../transport/types';
import { LOOK_UPS } from './lookUps';
import { type Api, type OperationId, operationOf, type Request } from './operations';
import { createRequest, readAnswer, readOverrides, requestOverride } from './overrides';

/** Waits after which a 404 of a new session is asked again: 1, 2 and 4 s (API document, Polling procedure, 5). */
const NEW_SESSION_DELAYS_MS = [1_000, 2_000, 4_000];

/** Statuses with which a service refuses a request that it expects in another form */
const OTHER_SHAPE = [400, 405, 415, 422];

/** The error, with the override named where the refusal may be due to what we assume of the request. */
function withOverride(id: OperationId, row: Request, error: unknown): unknown {
	const { assumed, version, method } = row;
	if (!(error instanceof WorkspaceAutomationError) || !(assumed || version)) return error;
	const { httpStatus = 0 } = error.context;
	if (!OTHER_SHAPE.includes(httpStatus) && !(assumed === 'path' && httpStatus === 404))
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
export async function openApi(context: ApiContext, options?: TransportOptions): Promise<Api> {
	const credential = await context.getCredentials(CREDENTIAL);
	const overrides = readOverrides(credential.overrides);
	const transport = openTransport(context, credential, options);
	const { baseUrl, clock, signal } = transport;

	const apiOver = (connection: ConnectionOptions | undefined): Api => {
		const api: Api = {
			baseUrl,
			clock,
			signal,
			async call(id, values, { extra, timeoutMs, ...given } = {}) {
				const row = { ...operationOf(id), ...overrides[id] };
				const request = createRequest(id, row, values, extra);
				if (timeoutMs !== undefined) request.timeoutMs = timeoutMs;
				const options: SendOptions = {
					urgent: row.urgent,
					...(row.newSession && { notFoundDelaysMs: NEW_SESSION_DELAYS_MS }),
					...given,
				};
				if (row.look && !options.once)
					options.reconcile ??= await LOOK_UPS[row.look](api, values, options);
				const sending = transport.send(request, options, connection);
				return await sending.catch((error: unknown) => {
					throw withOverride(id, row, error);
				});
			},
			answer: (id, name, body) => readAnswer(id, name, body, overrides[id]),
			isMoved: (id, name) => overrides[id]?.answer?.[name] !== undefined,
			word: (id, word) => overrides[id]?.words?.[word],
			digestOf: (id) => digest(JSON.stringify(overrides[id] ?? {})),
			over: apiOver,
		};
		return api;
	};
	return apiOver(undefined);
}
