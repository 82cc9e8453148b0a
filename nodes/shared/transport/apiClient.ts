import { createHash } from 'node:crypto';

import { CREDENTIAL, readCredential } from './credential';
import type { Overrides } from '../api/overrides';
import { malformedError, networkError, responseError } from '../base/apiErrors';
import {
	CanceledError,
	IndeterminateError,
	resultOrError,
	WorkspaceAutomationError,
} from '../base/errors';
import { LIMITS } from '../base/limits';
import { clockWith, type Clock } from './clock';
import { Limiter } from './concurrency';
import { sendHttpRequest, withoutCancelSignal } from './httpRequest';
import { processGates, type RateLimitGates } from './rateLimitGate';
import {
	describeBody,
	isIdempotent,
	nextAction,
	NO_ATTEMPTS,
	retryAfterMs,
	type RetryState,
} from './retryPolicy';
import type { ApiContext, ApiRequest, ApiResponse, Attempt, ConnectionOptions } from './types';

/** Whether a request whose response was lost took effect; `unknown` where that cannot be told. */
export type Effect =
	{ applied: 'yes'; response: ApiResponse } | { applied: 'no' } | { applied: 'unknown' };

/** What a caller knows about a request that must not be sent twice. */
export interface Reconciliation {
	/** Finds out whether the request took effect. One that fails tells nothing. */
	reconcile?: () => Promise<Effect>;
	/** What to say where nobody can tell */
	message: string;
	description: string;
}

export interface SendOptions {
	/** Time, as the clock gives it, after which nothing is sent again */
	deadline?: number;
	/** The same in milliseconds from the first attempt on, for requests that may have to queue before it. 5 minutes by default */
	timeLimitMs?: number;
	/** How often a failing request is sent at most; a 429 does not count. 5 by default */
	maxAttempts?: number;
	/** The longest wait between two attempts in milliseconds, unless the service asks for more. 30 s by default */
	maxDelayMs?: number;
	/** Waits after which a 404 is asked again; one that outlasts them is final. None by default */
	notFoundDelaysMs?: readonly number[];
	/** Goes before other requests with the same key */
	urgent?: boolean;
	/** Sent a single time, whatever comes back */
	once?: true;
	/** For a request that must not be sent twice */
	reconciliation?: Reconciliation;
}

export interface ApiClient {
	/** Ends in `/v1`, without a slash after it */
	readonly baseUrl: string;
	readonly overrides: Overrides;
	readonly clock: Clock;
	/**
	 * Sends a request, again where that is safe, and returns the response. A DELETE whose first response was lost and that then
	 * finds nothing has succeeded.
	 * @throws IndeterminateError when it may have taken effect and nobody can tell
	 * @throws WorkspaceAutomationError when the service refused it or could not be reached in the time allowed
	 * @throws CanceledError when the execution was stopped
	 */
	send(request: ApiRequest, options?: SendOptions): Promise<ApiResponse>;
	/** The same client over connections with these options */
	withConnectionOptions(options: ConnectionOptions): ApiClient;
}

const UNKNOWN_EFFECT: Reconciliation = {
	message: 'It is not known whether the request took effect',
	description:
		'It is not sent again, so that nothing is done twice. Check the service, and run the workflow again if it did not.',
};

/** The error behind an attempt that did not succeed. */
export function attemptError(
	attempt: Attempt,
	{ scope }: Pick<ApiRequest, 'scope'>,
	nowMs: number,
): WorkspaceAutomationError {
	if (attempt.kind !== 'response') return networkError(attempt.kind, attempt.code);
	const { status, headers, body, text } = attempt;
	if (status >= 200 && status < 300) return malformedError(status, describeBody(attempt));
	const wait = retryAfterMs(headers, nowMs);
	const retryAfter = wait === undefined ? undefined : Math.ceil(wait / 1000);
	return responseError({ status, body, text, retryAfter, scope });
}

const NOTHING: ApiResponse = { status: 204, headers: {}, body: undefined };

const responseOf = (attempt: Attempt): ApiResponse =>
	attempt.kind === 'response' ? attempt : NOTHING;

/** The error for a request of unknown fate, with what is known about it. */
const indeterminate = (
	{ message, description }: Reconciliation,
	cause: WorkspaceAutomationError,
): IndeterminateError =>
	new IndeterminateError(
		message,
		`${description} What happened: ${cause.message}. ${cause.description}`,
		cause.context,
	);

export interface ClientOptions {
	clock?: Clock;
	/** How many requests may be under way at once; there is no limit by default */
	limiter?: Limiter;
	gates?: RateLimitGates;
}

/**
 * The one way to the API. A 429 slows down everything that this process sends with the same key.
 * Checks the credential first: a mistake in it is reported before anything is sent.
 */
export async function createApiClient(
	context: ApiContext,
	{
		clock = clockWith(context.getExecutionCancelSignal?.()),
		limiter = new Limiter(Infinity),
		gates = processGates,
	}: ClientOptions = {},
): Promise<ApiClient> {
	const credential = await context.getCredentials(CREDENTIAL);
	const { baseUrl, apiKey, overrides } = readCredential(credential);
	const gateKey = createHash('sha256').update(`${baseUrl} ${apiKey}`).digest('base64');
	// n8n would read and decrypt it for every request.
	const getCredentials = async () => ({ ...credential });
	// A request that must not be repeated is allowed to finish after Stop: half sent, nobody could tell what became of it.
	const uncancelable = { ...withoutCancelSignal(context), getCredentials };
	const cancelable: ApiContext = {
		...uncancelable,
		getExecutionCancelSignal: () => context.getExecutionCancelSignal?.(),
	};

	async function attemptOnce(
		request: ApiRequest,
		deadline: number,
		options: ConnectionOptions | undefined,
	): Promise<Attempt> {
		clock.throwIfAborted();
		const timeoutMs = Math.min(request.timeoutMs ?? LIMITS.attemptMs, deadline - clock.now());
		return await sendHttpRequest(
			isIdempotent(request) ? cancelable : uncancelable,
			{ baseUrl, apiKey, options },
			{ ...request, timeoutMs: Math.max(LIMITS.shortestAttemptMs, timeoutMs) },
		);
	}

	/** Whether the request took effect after all. */
	async function findEffect(
		reconciliation: Reconciliation,
		cause: WorkspaceAutomationError,
	): Promise<Exclude<Effect, { applied: 'unknown' }>> {
		const found = await resultOrError(
			reconciliation.reconcile?.() ?? Promise.resolve<Effect>({ applied: 'unknown' }),
		);
		if (found instanceof WorkspaceAutomationError || found.applied === 'unknown')
			throw indeterminate(reconciliation, cause);
		return found;
	}

	async function send(
		request: ApiRequest,
		options: SendOptions,
		connection: ConnectionOptions | undefined,
	): Promise<ApiResponse> {
		const { timeLimitMs = LIMITS.callMs, reconciliation = UNKNOWN_EFFECT, urgent } = options;
		const limits = {
			deadline: options.deadline ?? Infinity,
			maxAttempts: options.maxAttempts ?? LIMITS.callAttempts,
			maxDelayMs: options.maxDelayMs,
			notFoundDelaysMs: options.notFoundDelaysMs ?? [],
			once: options.once,
		};
		const gate = gates.of(gateKey);
		let state: RetryState = NO_ATTEMPTS;

		const untilDone = async (): Promise<ApiResponse> => {
			let since: number | undefined;
			for (;;) {
				const { attempt, next } = await limiter.run(async () => {
					since ??= clock.now();
					if (options.deadline === undefined && state === NO_ATTEMPTS)
						limits.deadline = since + timeLimitMs;
					// What is due at the deadline itself, or with no time at all, is sent once, and may queue for a moment.
					const deadline = Math.max(limits.deadline, clock.now() + LIMITS.shortestAttemptMs);
					return await gate.pass({ since, urgent, deadline }, clock, async () => {
						const attempt = await attemptOnce(request, limits.deadline, connection);
						const now = clock.now();
						const next = nextAction(state, attempt, request, limits, now, Math.random());
						const { holdBackMs } = next;
						return { attempt, next, isAnswered: attempt.kind === 'response', holdBackMs };
					});
				});
				// Only a request that goes with the signal is cut off by it; the response to any other is needed even now.
				if (isIdempotent(request) && attempt.kind !== 'response') clock.throwIfAborted();

				state = next.state;
				const { action } = next;
				if (action.type === 'return') return responseOf(attempt);
				if (action.type === 'returnDeleted') return NOTHING;
				const error = attemptError(attempt, request, clock.now());
				if (action.type === 'fail') throw error;
				if (action.type === 'reconcile') {
					const effect = await findEffect(reconciliation, error);
					if (effect.applied === 'yes') return effect.response;
					if (action.delayMs === undefined) throw error;
				}
				await clock.sleep(action.delayMs ?? 0);
			}
		};
		return await untilDone().catch((error: unknown) => {
			const unresolved = state.mayHaveTakenEffect && !isIdempotent(request);
			throw error instanceof CanceledError && unresolved ? new CanceledError(true) : error;
		});
	}

	const clientOver = (connection: ConnectionOptions | undefined): ApiClient => ({
		baseUrl,
		overrides,
		clock,
		send: async (request, options = {}) => await send(request, options, connection),
		withConnectionOptions: clientOver,
	});
	return clientOver(undefined);
}
