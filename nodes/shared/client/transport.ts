import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { fingerprint } from '../values';
import {
	CanceledError,
	resultOrError,
	throwIfAborted,
	indeterminateError,
	WorkspaceAutomationError,
} from '../errors';
import { attemptError } from './attemptError';
import { realClock, type Clock } from './clock';
import { Semaphore, processRateLimiters, type RateLimiters } from './rateLimiter';
import { readCredential } from './credential';
import { nextAction, NO_ATTEMPTS, type RetryLimits } from './retryPolicy';
import { sendHttpRequest } from './httpRequest';
import type { ApiContext, ApiRequest, ApiResponse, ConnectionOptions } from './types';

/** A request with all that is tried again, where its caller gives it no other time */
const CALL_MS = 5 * 60_000;
/** One attempt at a request, from its first byte to its last */
const ATTEMPT_MS = 60_000;
/** The least that an attempt gets, however little time is left */
const MIN_ATTEMPT_MS = 1_000;

/** What became of a request whose response was lost: what it would have returned, or that it was not done, or nobody can tell */
export type ReconcileResult = ApiResponse | 'undone' | 'unknown';

export interface SendOptions extends RetryLimits {
	/** In the place of a deadline, milliseconds from the first attempt on: a request may have to queue before it. 5 minutes by default */
	timeLimitMs?: number;
	/** Goes before other requests with the same key */
	urgent?: boolean;
	/** Whether the call goes on when the execution is stopped, and is made even after that */
	ignoreCancel?: boolean;
	/** Finds out whether a request that must not be done twice was done. One that fails tells nothing. */
	reconcile?: () => Promise<ReconcileResult>;
}

export interface TransportOptions {
	clock?: Clock;
	/** How many requests may be under way at once; there is no limit by default */
	semaphore?: Semaphore;
	rateLimiters?: RateLimiters;
}

/**
 * The connection to the service. A 429 slows down everything that this process sends with the same key.
 * @throws WorkspaceAutomationError for a mistake in the credential
 */
export function createTransport(
	context: ApiContext,
	credential: ICredentialDataDecryptedObject,
	{
		clock = realClock,
		semaphore: limiter = new Semaphore(Infinity),
		rateLimiters: gates = processRateLimiters,
	}: TransportOptions = {},
) {
	const { baseUrl, apiKey } = readCredential(credential);
	const key = fingerprint(`${baseUrl} ${apiKey}`);
	const executionSignal = context.getExecutionCancelSignal?.();
	// n8n would read and decrypt the credential for every request, and put the execution's signal in the place of the connection's.
	const bare: ApiContext = {
		helpers: context.helpers,
		getNode: () => context.getNode(),
		getCredentials: async () => ({ ...credential }),
		logger: context.logger,
	};

	/**
	 * Sends a request, again where that is safe, and returns the response. A DELETE whose first response was lost and that then
	 * finds nothing has succeeded.
	 * @throws IndeterminateError when it may have taken effect and nobody can tell
	 * @throws WorkspaceAutomationError when the service refused it or could not be reached in the time allowed
	 * @throws CanceledError when the execution was stopped
	 */
	async function send(
		request: ApiRequest,
		options: SendOptions = {},
		connection: ConnectionOptions = {},
	): Promise<ApiResponse> {
		const { timeLimitMs = CALL_MS, reconcile, urgent } = options;
		const isReadable = connection.skipSslCertificateValidation || baseUrl.startsWith('http:');
		// It would hand the key to whoever runs the proxy.
		if (connection.proxy && isReadable)
			throw new WorkspaceAutomationError(
				"'Proxy' under Request Options could read the API key",
				"Remove the proxy, or use it with an https base URL and without 'Ignore SSL Issues'.",
			);
		const once = typeof request.effect === 'object' ? request.effect : undefined;
		const signal = options.ignoreCancel ? undefined : executionSignal;
		// What must not be repeated is allowed to finish after Stop: half sent, nobody could tell what became of it.
		const requestSignal = once ? undefined : signal;
		let { deadline } = options;
		let since: number | undefined;
		let state = NO_ATTEMPTS;
		try {
			for (;;) {
				const { attempt, type, delayMs, ...next } = await limiter.run(async () => {
					const now = clock.now();
					since ??= now;
					const until = (deadline ??= since + timeLimitMs);
					// What is due at the deadline itself, or with no time at all, is sent once, and may queue for a moment.
					const latest = Math.max(until, now + MIN_ATTEMPT_MS);
					const waiting = { since, urgent, deadline: latest };
					return await gates.get(key).schedule(waiting, signal, async () => {
						throwIfAborted(signal);
						const { timeoutMs: wanted = ATTEMPT_MS } = request;
						const timeoutMs = Math.max(MIN_ATTEMPT_MS, Math.min(wanted, until - clock.now()));
						const attempt = await sendHttpRequest(
							bare,
							{ baseUrl, apiKey },
							{ ...request, timeoutMs },
							connection,
							requestSignal,
						);
						const limits = { ...options, deadline: until };
						const next = nextAction(state, attempt, request, limits, clock.now(), Math.random());
						return { attempt, ...next };
					});
				});
				// Only a request that goes with the signal is cut off by it; the response to any other is needed even now.
				if (attempt.kind !== 'response') throwIfAborted(requestSignal);
				state = next.state;
				if (type === 'returnDeleted') return { status: 204, headers: {}, body: undefined };
				if (type === 'return' && attempt.kind === 'response') return attempt;
				const error = attemptError(attempt, request, clock.now());
				if (type === 'fail') throw error;
				if (type === 'reconcile' && once) {
					const fate = reconcile ? await resultOrError(reconcile()) : 'unknown';
					if (fate === 'unknown' || fate instanceof WorkspaceAutomationError)
						throw indeterminateError(once, `${error.message}. ${error.description}`, error.context);
					if (fate !== 'undone') return fate;
					if (delayMs === undefined) throw error;
				}
				await clock.sleep(delayMs ?? 0, signal);
			}
		} catch (error) {
			const isUnresolved = once && state.mayHaveTakenEffect;
			throw error instanceof CanceledError && isUnresolved ? new CanceledError(true) : error;
		}
	}

	return { baseUrl, clock, signal: executionSignal, send };
}
