import { fingerprint } from '../values';
import { WorkspaceAutomationError } from '../errors';
import { isVersionRefused } from './attemptError';
import { CREDENTIAL } from './credential';
import { createTransport, type TransportOptions } from './transport';
import type { ApiContext, ConnectionOptions } from './apiTypes';
import { RECONCILERS } from './reconcilers';
import { requireAsked } from './resource';
import type { ApiClient, CallOptions, OperationId, Routing } from './operations';
import {
	applyOverride,
	createRequest,
	listPlaceholders,
	readField,
	readOverrides,
	requestOverride,
	type ServiceOperation,
} from './overrides';

/** Waits after each of which a 404 of a new session is retried (API document, Polling procedure, 5) */
const NEW_SESSION_DELAYS_MS = [1_000, 2_000, 4_000];

/** Rejections of a request that may have the wrong shape */
const SHAPE_STATUSES = [400, 405, 415, 422];

/** Names the override if an assumption of ours may have caused the rejection. */
function addOverrideHint(
	{ id, assumed, version, method }: ServiceOperation,
	error: unknown,
): unknown {
	if (!(error instanceof WorkspaceAutomationError)) return error;
	if (isVersionRefused(error.context)) {
		error.description += ` ${requestOverride(id, 'version')}`;
		return error;
	}
	if (!(assumed || version)) return error;
	const { httpStatus = 0 } = error.context;
	if (!SHAPE_STATUSES.includes(httpStatus) && !(assumed === 'path' && httpStatus === 404))
		return error;
	const open = assumed === 'path' ? 'path' : method === 'GET' ? 'query' : 'body';
	const field = assumed ? open : 'version';
	error.description += ` ${requestOverride(id, field)}`;
	return error;
}

function mergeOperations(overrides: ReturnType<typeof readOverrides>) {
	const merged = new Map<OperationId, ServiceOperation>();
	return (id: OperationId, routing?: Routing): ServiceOperation => {
		const operation = merged.get(id) ?? applyOverride(id, overrides[id]);
		merged.set(id, operation);
		const { method = routing?.method, path = routing?.path } = overrides[id] ?? {};
		return { ...operation, ...(method && { method }), ...(path && { path }) };
	};
}

/** @throws WorkspaceAutomationError if the credential is invalid, before anything is sent */
export async function createClient(
	context: ApiContext,
	options?: TransportOptions,
): Promise<ApiClient> {
	const credential = await context.getCredentials(CREDENTIAL);
	const operation = mergeOperations(readOverrides(credential.overrides));
	const transport = createTransport(context, credential, options);
	const { baseUrl, clock, signal } = transport;

	const connect = (connection: ConnectionOptions | undefined): ApiClient => {
		const api: ApiClient = {
			baseUrl,
			clock,
			signal,
			async call(id, values, { extra, routing, timeoutMs, ...given } = {}) {
				const called = operation(id, routing);
				const request = createRequest(called, values, extra);
				if (timeoutMs !== undefined) request.timeoutMs = timeoutMs;
				const sendOptions: CallOptions = {
					urgent: called.urgent,
					maxAttempts: called.maxAttempts,
					...(called.newSession && { notFoundDelaysMs: NEW_SESSION_DELAYS_MS }),
					...given,
				};
				if (called.reconciler && !sendOptions.singleAttempt)
					sendOptions.reconcile ??= await RECONCILERS[called.reconciler](
						api,
						values,
						sendOptions,
						id,
					);
				const sending = transport.send(request, sendOptions, connection);
				const response = await sending.catch((error: unknown) => {
					throw addOverrideHint(called, error);
				});
				requireAsked(called, values, response.body);
				return response;
			},
			readField: (id, name, body) => readField(operation(id), name, body),
			word: (id, word) => operation(id).words[word],
			hasPlaceFor(id, value) {
				const { path, query, body } = operation(id);
				return listPlaceholders([path, query, body]).includes(value);
			},
			overrideFingerprint: (id) => fingerprint(operation(id).overrideJson),
			withConnection: connect,
		};
		return api;
	};
	return connect(undefined);
}
