import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { fingerprint } from '../values';
import {
	CanceledError,
	indeterminateError,
	resultOrError,
	throwIfAborted,
	WorkspaceAutomationError,
} from '../errors';
import { attemptError, RateLimitError } from './attemptError';
import { realClock, type Clock } from './clock';
import { processRateLimiters, type RateLimiters } from './rateLimiter';
import { createRedactor } from './redactSecret';
import { Semaphore } from './semaphore';
import { readCredential } from './credential';
import {
	isNonIdempotent,
	nextAction,
	NO_ATTEMPTS,
	type NextAction,
	type RetriedRequest,
	type RetryLimits,
} from './retryPolicy';
import { sendHttpRequest } from './httpRequest';
import type {
	ApiContext,
	ApiRequest,
	ApiResponse,
	Attempt,
	ConnectionOptions,
	ReconcileResult,
} from './types';

interface DecidedAttempt extends NextAction {
	attempt: Attempt;
}

export interface RetryOptions {
	request: RetriedRequest;
	/** Read after each attempt */
	limits: RetryLimits;
	clock: Clock;
	/** Ends the waits between attempts. Without one, the call continues after Stop. */
	signal: AbortSignal | undefined;
	reconcile?: () => Promise<ReconcileResult>;
	toError(attempt: Attempt): WorkspaceAutomationError;
}

/** Returns the error of a change that may have taken effect. The general advice, such as to try again later, would contradict it. */
function unconfirmedError({ effect }: RetriedRequest, error: WorkspaceAutomationError): Error {
	if (effect === 'read') return error;
	const happened = `${error.message}. ${error.facts ?? error.description}`.trim();
	const { kind, attempt } = error;
	return Object.assign(indeterminateError(effect, happened, error.context), { kind, attempt });
}

/** Returns the response if the request took effect, or undefined to send it again. */
async function reconcileAttempt(
	{ attempt, delayMs }: DecidedAttempt,
	{ request, reconcile, toError }: RetryOptions,
): Promise<ApiResponse | undefined> {
	const error = toError(attempt);
	const result = reconcile ? await resultOrError(reconcile()) : 'unknown';
	if (result === 'notApplied' && delayMs !== undefined) return undefined;
	if (result === 'notApplied') throw error;
	const isUnknown = result === 'unknown' || result instanceof WorkspaceAutomationError;
	if (!isUnknown) return result;
	throw unconfirmedError(request, error);
}

/**
 * Retries a non-idempotent request only after proof that it had no effect. Throws the same errors as the transport's `send`.
 * @param sendOnce sends the request and passes the attempt to `decide`, whose result it returns
 */
export async function withRetries(
	sendOnce: (decide: (attempt: Attempt) => DecidedAttempt) => Promise<DecidedAttempt>,
	options: RetryOptions,
): Promise<ApiResponse> {
	const { request, limits, clock, signal } = options;
	const isOnce = isNonIdempotent(request.effect);
	let state = NO_ATTEMPTS;
	/** The service's latest response that asked to wait */
	let throttled: Attempt | undefined;
	const decide = (attempt: Attempt): DecidedAttempt => {
		const moment = { monotonicMs: clock.monotonicMs(), wallMs: clock.now() };
		return { attempt, ...nextAction(state, attempt, request, limits, moment, Math.random()) };
	};
	try {
		for (;;) {
			const decided = await sendOnce(decide);
			const { attempt, type, delayMs } = decided;
			// Stop cut this attempt off. A non-idempotent request isn't cut off.
			if (attempt.kind !== 'response' && !isOnce) throwIfAborted(signal);
			state = decided.state;
			throttled = decided.pauseMs === undefined ? undefined : attempt;
			if (type === 'returnDeleted') return { status: 204, headers: {}, body: undefined };
			if (type === 'return' && attempt.kind === 'response') return attempt;
			if (type === 'fail' && !state.mayHaveTakenEffect) throw options.toError(attempt);
			if (type === 'fail') throw unconfirmedError(request, options.toError(attempt));
			const response = type === 'reconcile' && (await reconcileAttempt(decided, options));
			if (response) return response;
			await clock.sleep(delayMs ?? 0, signal);
		}
	} catch (error) {
		// The service's own words say more than that there was no time.
		if (error instanceof RateLimitError && throttled) throw options.toError(throttled);
		const isUnresolved = isOnce && state.mayHaveTakenEffect;
		throw error instanceof CanceledError && isUnresolved ? new CanceledError(true) : error;
	}
}

const MAX_CALL_MS = 5 * 60_000;
const MAX_ATTEMPT_MS = 60_000;
const MIN_ATTEMPT_MS = 1_000;

export interface SendOptions extends RetryLimits {
	/** Counts from the first attempt, because a request may be queued before it. Used without a deadline, 5 minutes by default */
	timeLimitMs?: number;
	/** Even beyond the deadline. 1 second by default */
	minAttemptMs?: number;
	urgent?: boolean;
	/** Continues after Stop, and may even start after it */
	ignoreCancel?: boolean;
	/** The effect is unknown if this fails. */
	reconcile?: () => Promise<ReconcileResult>;
}

export interface TransportOptions {
	clock?: Clock;
	semaphore?: Semaphore;
	rateLimiters?: RateLimiters;
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
	const { baseUrl, apiKey } = readCredential(credential);
	const key = fingerprint(`${baseUrl} ${apiKey}`);
	const service = { baseUrl, redactor: createRedactor(apiKey) };
	const executionSignal = context.getExecutionCancelSignal?.();
	// n8n would decrypt the credential for every request, and replace the connection's signal by the execution's.
	const bare: ApiContext = {
		helpers: context.helpers,
		getNode: () => context.getNode(),
		getCredentials: async () => ({ ...credential }),
		logger: context.logger,
	};

	/** @throws WorkspaceAutomationError if anyone who runs the proxy could read the key */
	function checkProxy(connection: ConnectionOptions): void {
		const isReadable = connection.skipSslCertificateValidation || baseUrl.startsWith('http:');
		if (!connection.proxy || !isReadable) return;
		throw new WorkspaceAutomationError(
			"'Proxy' under Request Options could read the API key",
			"Remove the proxy, or use it with an https base URL and without 'Ignore SSL Issues'.",
		);
	}

	async function schedule(
		since: number,
		deadline: number,
		urgent: boolean | undefined,
		signal: AbortSignal | undefined,
		sendNow: () => Promise<DecidedAttempt>,
	): Promise<DecidedAttempt> {
		// An attempt that is due at its deadline may be queued for a moment.
		const latest = Math.max(deadline, clock.monotonicMs() + MIN_ATTEMPT_MS);
		const queued = { since, urgent, deadline: latest };
		return await rateLimiters.get(key).schedule(queued, signal, sendNow);
	}

	/**
	 * Sends a request, and retries if that's safe.
	 * @throws IndeterminateError if a non-idempotent request may have taken effect
	 * @throws RateLimitError if the rate limit leaves no time to send it, or CanceledError if the execution was stopped
	 * @throws WorkspaceAutomationError if the service rejected it or couldn't be reached in time
	 */
	async function send(
		request: ApiRequest,
		options: SendOptions = {},
		connection: ConnectionOptions = {},
	): Promise<ApiResponse> {
		checkProxy(connection);
		const signal = options.ignoreCancel ? undefined : executionSignal;
		// Never abort a non-idempotent request: once it's cut off, nobody can tell whether it took effect.
		const requestSignal = isNonIdempotent(request.effect) ? undefined : signal;
		const limits: RetryLimits = { ...options };
		let since: number | undefined;
		const sendAttempt = async (deadline: number): Promise<Attempt> => {
			const leftMs = deadline - clock.monotonicMs();
			const { timeoutMs: maxMs = MAX_ATTEMPT_MS } = request;
			const { minAttemptMs = MIN_ATTEMPT_MS } = options;
			const timeoutMs = Math.max(minAttemptMs, Math.min(maxMs, leftMs));
			const timed = { ...request, timeoutMs };
			return await sendHttpRequest(bare, service, timed, connection, requestSignal);
		};
		return await withRetries(
			async (decide) =>
				await semaphore.run(async () => {
					since ??= clock.monotonicMs();
					const deadline = (limits.deadline ??= since + (options.timeLimitMs ?? MAX_CALL_MS));
					return await schedule(since, deadline, options.urgent, signal, async () =>
						decide(await sendAttempt(deadline)),
					);
				}),
			{
				request,
				limits,
				clock,
				signal,
				reconcile: options.reconcile,
				toError: (attempt) => attemptError(attempt, request, clock.now()),
			},
		);
	}

	return { baseUrl, clock, signal: executionSignal, send };
}
