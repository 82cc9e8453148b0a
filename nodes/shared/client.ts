import { problemOf } from './answers';
import { clockWith, type Clock } from './clock';
import { connectionOf, CREDENTIAL, VERSION_HEADER, type Connection } from './connection';
import { Lanes } from './lanes';
import { Pace } from './pace';
import { Unclear, type Problem } from './problem';
import { isRepeatable, judge, waitMs, type Outcome } from './resend';
import { exchange, withoutCancelSignal, type ApiContext, type ApiRequest } from './transport';
import { lookSafely, unrepeatable, type Look } from './unrepeatable';

/** Whether a request whose answer was lost took effect; `unknown` where that cannot be told. */
export type Effect = { took: 'yes'; answer: unknown } | { took: 'no' } | { took: 'unknown' };

export interface SendOptions {
	/** Time, as the clock gives it, after which nothing is sent again; there is none by default */
	deadline?: number;
	/** The same in milliseconds from the first attempt on, for requests that may have to queue before it */
	patienceMs?: number;
	/** How often a failing request is sent at the most; a 429 does not count. 5 by default */
	attempts?: number;
	/** The longest wait between two attempts, unless the service asks for more. 30 s by default */
	longestWaitMs?: number;
	/** Whether the answer's JSON is what the request is for; one that is not counts as malformed */
	accept?: (body: unknown) => boolean;
	/** Waits after which a 404 is asked again; one that outlasts them is final. None by default */
	notFoundWaitsMs?: readonly number[];
	/** Looks whether an unrepeatable request took effect, for a caller who knows more than the table in `unrepeatable.ts` */
	look?: Look;
}

export interface Client {
	readonly names: Connection['names'];
	readonly clock: Clock;
	/**
	 * Sends a request, again where that is safe, and returns the answer's JSON. A DELETE whose first answer was lost and that then
	 * finds nothing has succeeded, and returns undefined.
	 * @throws Unclear when it may have taken effect and nobody can tell
	 * @throws Problem when the service refused it or could not be reached in the time allowed
	 * @throws Stopped when the execution was stopped
	 */
	send(request: ApiRequest, options?: SendOptions): Promise<unknown>;
}

const DEFAULT_ATTEMPTS = 5;
const DEFAULT_TIMEOUT_MS = 60_000;

const slowedDown = (waitMs: number) =>
	problemOf(
		{
			kind: 'answer',
			status: 429,
			headers: { 'retry-after': Math.ceil(waitMs / 1000) },
			body: undefined,
		},
		0,
	);

export interface ClientParts {
	clock?: Clock;
	/** How many requests may be under way at once; as many as there are by default */
	lanes?: Lanes;
}

/**
 * The one way to the API. A 429 slows down everything that is sent through the same client.
 * Checks the credential first: a mistake in it is reported before anything is sent.
 */
export async function createClient(
	context: ApiContext,
	{
		clock = clockWith(context.getExecutionCancelSignal?.()),
		lanes = new Lanes(Infinity),
	}: ClientParts = {},
): Promise<Client> {
	const pace = new Pace();
	const { baseUrl, names } = connectionOf(await context.getCredentials(CREDENTIAL));
	// An unrepeatable request is let finish after Stop: half sent, nobody could tell what became of it.
	const unstoppable = withoutCancelSignal(context);

	const attempt = async (
		request: ApiRequest,
		repeatable: boolean,
		deadline: number,
		accept: SendOptions['accept'],
	): Promise<Outcome> => {
		const slowedBy = pace.waitMs(clock.now());
		// Only a wait is refused: what is asked for at the deadline itself, or with no time at all, is asked once.
		if (slowedBy > 0 && clock.now() + slowedBy > deadline) throw slowedDown(slowedBy);
		await pace.ready(clock);
		clock.throwIfStopped();
		const timeoutMs = Math.max(
			1_000,
			Math.min(request.timeoutMs ?? DEFAULT_TIMEOUT_MS, deadline - clock.now()),
		);
		const outcome = await exchange(
			repeatable ? context : unstoppable,
			baseUrl,
			{ ...request, timeoutMs },
			VERSION_HEADER,
		);
		if (
			!accept ||
			judge(outcome, true) !== 'done' ||
			outcome.kind !== 'answer' ||
			accept(outcome.body)
		)
			return outcome;
		return {
			kind: 'malformed',
			status: outcome.status,
			found: 'JSON that lacks what was asked for',
		};
	};

	const send: Client['send'] = async (request, options = {}) => {
		const repeatable = isRepeatable(request.method, request.path);
		return await (repeatable
			? untilDone(request, options, true)
			: sendUnrepeatable(request, options));
	};

	/** Looks before it sends again, and gives up where nobody can tell what happened. */
	const sendUnrepeatable = async (request: ApiRequest, options: SendOptions) => {
		const { row, parameters } = unrepeatable(request.path);
		const { deadline, patienceMs, attempts, longestWaitMs } = options;
		const look =
			options.look ??
			(await row.watch?.(client, request, parameters, {
				deadline,
				patienceMs,
				attempts,
				longestWaitMs,
			}));
		return await untilDone(request, { accept: row.accept, ...options }, false, async (problem) => {
			const effect: Effect = look ? await lookSafely(look) : { took: 'unknown' };
			if (effect.took !== 'unknown') return effect;
			throw new Unclear(
				row.message,
				`${row.wayOut} What happened: ${problem.message}. ${problem.description}`,
				problem.facts,
			);
		});
	};

	const untilDone = async (
		request: ApiRequest,
		options: SendOptions,
		repeatable: boolean,
		whenUnclear?: (problem: Problem) => Promise<Exclude<Effect, { took: 'unknown' }>>,
	): Promise<unknown> => {
		const { attempts = DEFAULT_ATTEMPTS, patienceMs = Infinity, accept } = options;
		let { deadline = Infinity } = options;
		const notFoundWaits = [...(options.notFoundWaitsMs ?? [])];
		let mayHaveTaken = false;
		for (let tries = 1, failures = 0; ; tries++) {
			const outcome = await lanes.run(async () => {
				if (tries === 1) deadline = Math.min(deadline, clock.now() + patienceMs);
				return await attempt(request, repeatable, deadline, accept);
			});
			// Only a request that goes with the signal is cut off by it; the answer to any other is needed even now.
			if (repeatable && outcome.kind !== 'answer') clock.throwIfStopped();

			const verdict = judge(outcome, repeatable);
			if (verdict === 'done') return (outcome as Extract<Outcome, { kind: 'answer' }>).body;
			const status = outcome.kind === 'answer' ? outcome.status : undefined;
			if (status === 404 && notFoundWaits.length > 0) {
				await clock.pause(notFoundWaits.shift()!);
				continue;
			}
			if (status === 404 && request.method === 'DELETE' && mayHaveTaken) return undefined;
			const problem = problemOf(outcome, clock.now());
			if (verdict === 'final') throw problem;
			if (verdict === 'unclear') {
				const effect = await whenUnclear!(problem);
				if (effect.took === 'yes') return effect.answer;
			}

			const refused = status === 429;
			mayHaveTaken ||= !refused && outcome.kind !== 'unsent';
			failures += refused ? 0 : 1;
			const wait = waitMs(
				outcome,
				refused ? tries : failures,
				clock.now(),
				Math.random(),
				options.longestWaitMs,
			);
			if (refused) pace.slowDown(clock.now() + wait);
			if (failures >= attempts || clock.now() + wait > deadline) throw problem;
			await clock.pause(wait);
		}
	};

	const client: Client = { names, clock, send };
	return client;
}
