import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { fingerprint, getOrAdd, omit } from '../values';
import {
	CanceledError,
	indeterminateError,
	resultOrError,
	throwIfAborted,
	WorkspaceAutomationError,
} from '../errors';
import { attemptError, RateLimitError, isVersionRefused } from './attemptError';
import { realClock, type Clock } from './clock';
import { processRateLimiters, Semaphore, type RateLimiters, type Slot } from './rateLimiter';
import { createRedactor, readCredential } from './credential';
import {
	isNonIdempotent,
	nextAction,
	NO_ATTEMPTS,
	type NextAction,
	type RetryState,
} from './retryPolicy';
import { sendHttpRequest } from './httpRequest';
import type { CallOptions, ApiClient, OperationId, Routing } from './operations';
import {
	type ApiContext,
	type ApiRequest,
	type ApiResponse,
	type Attempt,
	type ConnectionOptions,
	CREDENTIAL,
	type Effect,
} from './apiTypes';
import { RECONCILERS } from './reconcilers';
import { requireAsked } from './responses';
import {
	applyOverride,
	createRequest,
	listPlaceholders,
	readField,
	requestOverride,
	type ServiceOperation,
} from './overrides';

/** Returns the error of a change that may have taken effect. The general advice, such as to try again later, would contradict it. */
function unconfirmedError(effect: Effect, error: WorkspaceAutomationError): Error {
	if (effect === 'read') return error;
	const happened = `${error.message}. ${error.facts ?? error.description}`.trim();
	const { kind, attempt } = error;
	return Object.assign(indeterminateError(effect, happened, error.context), { kind, attempt });
}

/** Returns the response if the request took effect, or undefined to send it again. @throws `error`, or that it may have taken effect */
async function reconcileAttempt(
	effect: Effect,
	{ reconcile }: CallOptions,
	canRetry: boolean,
	error: WorkspaceAutomationError,
): Promise<ApiResponse | undefined> {
	const result = reconcile ? await resultOrError(reconcile()) : 'unknown';
	if (result === 'notApplied' && canRetry) return undefined;
	if (result === 'notApplied') throw error;
	if (result === 'unknown' || result instanceof WorkspaceAutomationError)
		throw unconfirmedError(effect, error);
	return result;
}

const MAX_CALL_MS = 5 * 60_000;
const MAX_ATTEMPT_MS = 60_000;
const MIN_ATTEMPT_MS = 1_000;

/** What clients share, or replace in a test */
export interface TransportOptions {
	clock?: Clock;
	semaphore?: Semaphore;
	rateLimiters?: RateLimiters;
}

/** What all requests of a client are sent with */
interface Channel extends Required<TransportOptions> {
	context: ApiContext;
	service: { baseUrl: string; redactor: ReturnType<typeof createRedactor> };
	/** Of the API key. Requests with the same one have one rate limit. */
	key: string;
	/** Aborts when the execution is stopped */
	signal: AbortSignal | undefined;
}

/** @throws WorkspaceAutomationError if anyone who runs the proxy could read the key */
function checkProxy({ baseUrl }: Channel['service'], connection: ConnectionOptions): void {
	const isReadable = connection.skipSslCertificateValidation || baseUrl.startsWith('http:');
	if (!connection.proxy || !isReadable) return;
	throw new WorkspaceAutomationError(
		"'Proxy' under Request Options could read the API key",
		"Remove the proxy, or use it with an https base URL and without 'Ignore SSL Issues'.",
	);
}

/** Sends the request once, for at most the time that is left. */
async function sendOnce(
	{ context, service, clock }: Channel,
	request: ApiRequest,
	{ deadline = Infinity, minAttemptMs = MIN_ATTEMPT_MS }: CallOptions,
	connection: ConnectionOptions,
	signal: AbortSignal | undefined,
): Promise<Attempt> {
	const leftMs = Math.min(request.timeoutMs ?? MAX_ATTEMPT_MS, deadline - clock.monotonicMs());
	const timed = { ...request, timeoutMs: Math.max(minAttemptMs, leftMs) };
	// Never abort a non-idempotent request: after a cut, no response says whether it took effect.
	const requestSignal = isNonIdempotent(request.effect) ? undefined : signal;
	return await sendHttpRequest(context, service, timed, connection, requestSignal);
}

/** What a refusal means for an operation isn't known once an earlier attempt may have caused it. */
const errorOf = (
	attempt: Attempt,
	request: ApiRequest,
	{ mayHaveTakenEffect }: RetryState,
	wallMs: number,
): WorkspaceAutomationError =>
	attemptError(attempt, mayHaveTakenEffect ? omit(request, 'errors') : request, wallMs);

/**
 * Sends a request, and retries if that's safe: a non-idempotent one only after proof that it had no effect.
 * @throws IndeterminateError if a non-idempotent request may have taken effect
 * @throws RateLimitError if the rate limit leaves no time to send it, or CanceledError if the execution was stopped
 * @throws WorkspaceAutomationError if the service rejected it or couldn't be reached in time
 */
async function sendWithRetries(
	channel: Channel,
	request: ApiRequest,
	options: CallOptions,
	connection: ConnectionOptions,
): Promise<ApiResponse> {
	const { clock, semaphore, rateLimiters, key } = channel;
	checkProxy(channel.service, connection);
	const signal = options.ignoreCancel ? undefined : channel.signal;
	const isOnce = isNonIdempotent(request.effect);
	let state = NO_ATTEMPTS;
	const toError = (attempt: Attempt) => errorOf(attempt, request, state, clock.now());
	let since: number | undefined;
	/** The service's latest response that asked to wait */
	let throttled: Attempt | undefined;
	try {
		for (;;) {
			await semaphore.acquire();
			// Counts from the first attempt, because a request may be queued before it.
			since ??= clock.monotonicMs();
			const limits = { ...options, deadline: options.deadline ?? since + MAX_CALL_MS };
			let slot: Slot | undefined;
			let attempt: Attempt;
			let next: NextAction | undefined;
			try {
				// An attempt that is due at its deadline may be queued for a moment.
				const deadline = Math.max(limits.deadline, clock.monotonicMs() + MIN_ATTEMPT_MS);
				slot = await rateLimiters
					.get(key)
					.acquire({ since, deadline, urgent: options.urgent }, signal);
				attempt = await sendOnce(channel, request, limits, connection, signal);
				const now = { monotonicMs: clock.monotonicMs(), wallMs: clock.now() };
				next = nextAction(state, attempt, request, limits, now, Math.random());
			} finally {
				slot?.release(next?.pauseMs);
				semaphore.release();
			}
			// Stop cut this attempt off. A non-idempotent request isn't cut off.
			if (attempt.kind !== 'response' && !isOnce) throwIfAborted(signal);
			state = next.state;
			throttled = next.pauseMs === undefined ? undefined : attempt;
			const { type, delayMs } = next;
			if (type === 'returnDeleted') return { status: 204, headers: {}, body: undefined };
			if (type === 'return' && attempt.kind === 'response') return attempt;
			if (type === 'fail' && !state.mayHaveTakenEffect) throw toError(attempt);
			if (type === 'fail') throw unconfirmedError(request.effect, toError(attempt));
			const response =
				type === 'reconcile' &&
				(await reconcileAttempt(request.effect, options, delayMs !== undefined, toError(attempt)));
			if (response) return response;
			await clock.sleep(delayMs ?? 0, signal);
		}
	} catch (error) {
		// The service's own words say more than that there was no time.
		if (error instanceof RateLimitError && throttled) throw toError(throttled);
		const isUnresolved = isOnce && state.mayHaveTakenEffect;
		throw error instanceof CanceledError && isUnresolved ? new CanceledError(true) : error;
	}
}

/** Slows down all requests of this process with the same key after a 429. @throws WorkspaceAutomationError if the credential is invalid */
export function createTransport(
	context: ApiContext,
	credential: ICredentialDataDecryptedObject,
	{
		clock = realClock,
		semaphore = new Semaphore(Infinity),
		rateLimiters = processRateLimiters,
	}: TransportOptions = {},
) {
	const { baseUrl, apiKey, overrides } = readCredential(credential);
	const signal = context.getExecutionCancelSignal?.();
	// n8n would decrypt the credential for every request, and replace the connection's signal by the execution's.
	const bareContext: ApiContext = {
		helpers: context.helpers,
		getNode: () => context.getNode(),
		getCredentials: async () => ({ ...credential }),
		logger: context.logger,
	};
	const channel: Channel = {
		context: bareContext,
		service: { baseUrl, redactor: createRedactor(apiKey) },
		key: fingerprint(`${baseUrl} ${apiKey}`),
		clock,
		semaphore,
		rateLimiters,
		signal,
	};
	return {
		baseUrl,
		overrides,
		clock,
		signal,
		send: async (
			request: ApiRequest,
			options: CallOptions = {},
			connection: ConnectionOptions = {},
		): Promise<ApiResponse> => await sendWithRetries(channel, request, options, connection),
	};
}

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

function mergeOperations({ overrides }: Pick<ReturnType<typeof readCredential>, 'overrides'>) {
	const merged = new Map<OperationId, ServiceOperation>();
	return (id: OperationId, routing?: Routing): ServiceOperation => {
		const operation = getOrAdd(merged, id, () => applyOverride(id, overrides[id]));
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
	const transport = createTransport(context, credential, options);
	const { baseUrl, clock, signal } = transport;
	const operation = mergeOperations(transport);

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
				// There's no body after a DELETE that was repeated, or where the API document shows none.
				if (called.resource && response.body !== undefined)
					requireAsked(called.resource, called, values, response.body);
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
