import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { fingerprint } from '../values';
import { WorkspaceAutomationError } from '../errors';
import { attemptError } from './attemptError';
import { realClock, type Clock } from './clock';
import { processRateLimiters, type RateLimiters } from './rateLimiter';
import { createRedactor } from './redactSecret';
import { Semaphore } from './semaphore';
import { readCredential } from './credential';
import type { RetryLimits } from './retryPolicy';
import { sendHttpRequest } from './httpRequest';
import { withRetries, type DecidedAttempt } from './withRetries';
import type {
	ApiContext,
	ApiRequest,
	ApiResponse,
	Attempt,
	ConnectionOptions,
	ReconcileResult,
} from './types';

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
		const requestSignal = typeof request.effect === 'object' ? undefined : signal;
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
