import { malformedError, networkError, responseError } from '../base/apiErrors';
import { digest } from '../base/digest';
import {
	CanceledError,
	IndeterminateError,
	resultOrError,
	throwIfAborted,
	WorkspaceAutomationError,
} from '../base/errors';
import { realClock, type Clock } from './clock';
import { Limiter } from './concurrency';
import type { CheckedCredential } from './credential';
import { describeBody } from './evidence';
import { checkConnection, sendHttpRequest } from './httpRequest';
import { processGates, type RateLimitGates } from './rateLimitGate';
import { nextAction, NO_ATTEMPTS, retryAfterMs, type RetryState } from './retryPolicy';
import type { ApiContext, ApiRequest, ApiResponse, Attempt, ConnectionOptions } from './types';

/** A request with all that is tried again, where its caller gives it no other time */
const CALL_MS = 5 * 60_000;
const ATTEMPTS = 5;
/** One attempt at a request, from its first byte to its last */
const ATTEMPT_MS = 60_000;
/** The least that an attempt gets, however little time is left */
const SHORTEST_ATTEMPT_MS = 1_000;

/** Whether a request whose response was lost took effect; `unknown` where that cannot be told. */
export type Fate =
	{ applied: 'yes'; response: ApiResponse } | { applied: 'no' } | { applied: 'unknown' };

/** For a request that must not be done twice. */
export interface Reconciliation {
	/** Finds out whether the request took effect. One that fails tells nothing. */
	reconcile?: () => Promise<Fate>;
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
	/** Whether it is sent a single time, whatever comes back: for a caller who looks before sending again */
	once?: boolean;
	/** The longest wait between two attempts in milliseconds, unless the service asks for more. 30 s by default */
	maxDelayMs?: number;
	/** Waits after which a 404 is asked again; one that outlasts them is final. None by default */
	notFoundDelaysMs?: readonly number[];
	/** Goes before other requests with the same key */
	urgent?: boolean;
	/** Whether the call goes on when the execution is stopped, and is made even after that */
	afterStop?: boolean;
	reconciliation?: Reconciliation;
}

export interface Transport {
	/** Ends in `/v1`, without a slash after it */
	readonly baseUrl: string;
	readonly clock: Clock;
	/** The execution's, where it has one */
	readonly signal: AbortSignal | undefined;
	/**
	 * Sends a request, again where that is safe, and returns the response. A DELETE whose first response was lost and that then
	 * finds nothing has succeeded.
	 * @throws IndeterminateError when it may have taken effect and nobody can tell
	 * @throws WorkspaceAutomationError when the service refused it or could not be reached in the time allowed
	 * @throws CanceledError when the execution was stopped
	 */
	send(
		request: ApiRequest,
		options?: SendOptions,
		connection?: ConnectionOptions,
	): Promise<ApiResponse>;
}

const UNKNOWN_FATE: Reconciliation = {
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

/** What became of a request of unknown fate. @throws IndeterminateError where nobody can tell */
async function fateOf(
	{ reconcile, message, description }: Reconciliation,
	cause: WorkspaceAutomationError,
): Promise<Exclude<Fate, { applied: 'unknown' }>> {
	const found = await resultOrError(reconcile?.() ?? Promise.resolve<Fate>({ applied: 'unknown' }));
	if (!(found instanceof WorkspaceAutomationError) && found.applied !== 'unknown') return found;
	throw new IndeterminateError(
		message,
		`${description} What happened: ${cause.message}. ${cause.description}`,
		cause.context,
	);
}

export interface TransportOptions {
	clock?: Clock;
	/** How many requests may be under way at once; there is no limit by default */
	limiter?: Limiter;
	gates?: RateLimitGates;
}

/** The connection to the service. A 429 slows down everything that this process sends with the same key. */
export function openTransport(
	context: ApiContext,
	credential: Awaited<ReturnType<ApiContext['getCredentials']>>,
	{ baseUrl, apiKey }: CheckedCredential,
	{
		clock = realClock,
		limiter = new Limiter(Infinity),
		gates = processGates,
	}: TransportOptions = {},
): Transport {
	const gate = () => gates.of(digest(`${baseUrl} ${apiKey}`));
	const executionSignal = context.getExecutionCancelSignal?.();
	// n8n would read and decrypt the credential for every request, and put the execution's signal in the place of the connection's.
	const bare: ApiContext = {
		helpers: context.helpers,
		getNode: () => context.getNode(),
		getCredentials: async () => ({ ...credential }),
		logger: context.logger,
	};

	async function send(
		request: ApiRequest,
		options: SendOptions = {},
		connection?: ConnectionOptions,
	): Promise<ApiResponse> {
		const { timeLimitMs = CALL_MS, reconciliation = UNKNOWN_FATE, urgent, afterStop } = options;
		const over = { baseUrl, apiKey, options: connection };
		checkConnection(over);
		const signal = afterStop ? undefined : executionSignal;
		// What must not be repeated is allowed to finish after Stop: half sent, nobody could tell what became of it.
		const requestSignal = request.effect === 'once' ? undefined : signal;
		const limits = {
			deadline: options.deadline ?? Infinity,
			maxAttempts: options.maxAttempts ?? ATTEMPTS,
			once: options.once,
			maxDelayMs: options.maxDelayMs,
			notFoundDelaysMs: options.notFoundDelaysMs ?? [],
		};
		let state: RetryState = NO_ATTEMPTS;

		async function attemptOnce(): Promise<Attempt> {
			throwIfAborted(signal);
			const left = limits.deadline - clock.now();
			const wanted = request.timeoutMs ?? ATTEMPT_MS;
			const timeoutMs = Math.max(SHORTEST_ATTEMPT_MS, Math.min(wanted, left));
			return await sendHttpRequest(bare, over, { ...request, timeoutMs }, requestSignal);
		}

		async function untilDone(): Promise<ApiResponse> {
			let since: number | undefined;
			for (;;) {
				const { attempt, next } = await limiter.run(async () => {
					since ??= clock.now();
					if (options.deadline === undefined && state === NO_ATTEMPTS)
						limits.deadline = since + timeLimitMs;
					// What is due at the deadline itself, or with no time at all, is sent once, and may queue for a moment.
					const deadline = Math.max(limits.deadline, clock.now() + SHORTEST_ATTEMPT_MS);
					return await gate().pass({ since, urgent, deadline }, signal, async () => {
						const attempt = await attemptOnce();
						const now = clock.now();
						const next = nextAction(state, attempt, request, limits, now, Math.random());
						return { attempt, next, holdBackMs: next.holdBackMs };
					});
				});
				// Only a request that goes with the signal is cut off by it; the response to any other is needed even now.
				if (attempt.kind !== 'response') throwIfAborted(requestSignal);

				state = next.state;
				const { action } = next;
				if (action.type === 'return' && attempt.kind === 'response') return attempt;
				if (action.type === 'return' || action.type === 'returnDeleted') return NOTHING;
				const error = attemptError(attempt, request, clock.now());
				if (action.type === 'fail') throw error;
				if (action.type === 'reconcile') {
					const fate = await fateOf(reconciliation, error);
					if (fate.applied === 'yes') return fate.response;
					if (action.delayMs === undefined) throw error;
				}
				await clock.sleep(action.delayMs ?? 0, signal);
			}
		}
		return await untilDone().catch((error: unknown) => {
			const unresolved = state.mayHaveTakenEffect && request.effect === 'once';
			throw error instanceof CanceledError && unresolved ? new CanceledError(true) : error;
		});
	}

	return { baseUrl, clock, signal: executionSignal, send };
}
