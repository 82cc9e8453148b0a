// A request on its way: the bytes and headers that leave, the bytes that return, and what ends early.
import { describe, expect, jest, test } from '@jest/globals';
import type { IHttpRequestOptions } from 'n8n-workflow';
import {
	CanceledError,
	IndeterminateError,
	WorkspaceAutomationError,
} from '../../nodes/shared/errors.ts';
import {
	parseBody,
	sendHttpRequest,
	toFailedAttempt,
} from '../../nodes/shared/client/httpRequest.ts';
import { createRedactor } from '../../nodes/shared/client/credential.ts';
import type { CallOptions } from '../../nodes/shared/client/operations.ts';
import { RateLimiters, Semaphore } from '../../nodes/shared/client/rateLimiter.ts';
import { createTransport, type TransportOptions } from '../../nodes/shared/client/createClient.ts';
import type {
	ApiContext,
	ApiRequest,
	ReconcileResult,
} from '../../nodes/shared/client/apiTypes.ts';
import { createVirtualClock, type VirtualClock } from '../support/virtualClock.mts';

const BASE = 'https://api.example.com/v1';
const KEY = 'wa_live_key';
const SECOND = 1_000;
const READ: ApiRequest = { method: 'GET', effect: 'read', path: '/tasks' };
const START: ApiRequest = {
	method: 'POST',
	effect: { message: 'It may have started', description: 'Look there.' },
	path: '/agent/sessions',
	body: {},
};

type Sent = IHttpRequestOptions & { abortSignal: AbortSignal };
type Helper = (options: Sent) => unknown;

/** A context whose n8n sends nothing, and lets the test answer */
function createContext(helper: Helper, more: object = {}) {
	const calls: Array<{ options: Sent }> = [];
	const context = {
		getNode: () => ({ name: 'Any' }),
		helpers: {
			async httpRequestWithAuthentication(_: string, options: Sent) {
				calls.push({ options });
				return await helper(options);
			},
		},
		...more,
	} as unknown as ApiContext;
	return { context, calls };
}

const redactor = createRedactor(KEY);

/** Sends one request that gets this response. */
async function exchange(response: unknown, request: Partial<ApiRequest> = {}) {
	const { context } = createContext(() => response);
	const timed = { ...READ, timeoutMs: 60 * SECOND, ...request };
	const service = { baseUrl: BASE, redactor };
	return { attempt: await sendHttpRequest(context, service, timed, {}, undefined) };
}

const ok = (body?: unknown, headers = {}) => ({ statusCode: 200, headers, body });
const withCode = (code: unknown) => Object.assign(new Error('x'), { code });

describe('a response', () => {
	/** @param end what ends the stream after its chunks */
	async function* stream(chunks: Uint8Array[], end?: Error) {
		yield* chunks;
		if (end) throw end;
	}

	const CP1252: Record<string, string> = { '€': '\x80', '–': '\x96', '„': '\x84', '“': '\x93' };

	test.each([
		['iso-8859-1', 'latin1', 'Über 50 €'.replace('€', 'EUR')],
		['"utf-16le"', 'utf16le', 'Über 50 € 🧹'],
		['UTF-8', 'utf8', 'Über 50 € 🧹'],
		['windows-1252', 'windows-1252', 'Über 50 € – „ja“'],
	] as const)('in %s is decoded as its Content-Type says', async (charset, encoding, text) => {
		const bytes =
			encoding === 'windows-1252'
				? Buffer.from(
						JSON.stringify({ text }).replace(/[€–„“]/g, (sign) => CP1252[sign]),
						'latin1',
					)
				: Buffer.from(JSON.stringify({ text }), encoding);
		const body = stream([bytes]);
		const headers = { 'content-type': `application/json; charset=${charset}` };
		const { attempt } = await exchange(ok(body, headers));
		expect(attempt).toMatchObject({ body: { text } });
	});

	test('in windows-1252 has no control characters, which the decoder of Node.js 20 leaves', async () => {
		const { decode } = TextDecoder.prototype;
		const decoder = jest.spyOn(TextDecoder.prototype, 'decode').mockImplementation(function (
			this: InstanceType<typeof TextDecoder>,
			bytes,
		) {
			const isLegacy = this.encoding === 'windows-1252';
			return isLegacy ? Buffer.from(bytes as Buffer).toString('latin1') : decode.call(this, bytes);
		});
		const headers = { 'content-type': 'application/json; charset=windows-1252' };
		const body = stream([Buffer.from('"50 \x80 \x96 \x84ja\x93"', 'latin1')]);
		const { attempt } = await exchange(ok(body, headers));
		decoder.mockRestore();
		expect(attempt).toMatchObject({ body: '50 € – „ja“' });
	});

	test.each<[charset: string, status: number, bytes: Buffer, contentType: string]>([
		['ebcdic-500', 404, Buffer.from('{}'), 'application/json; charset=ebcdic-500'],
		['utf-8', 200, Buffer.from('"Über"', 'latin1'), 'application/json'],
		['utf-16le', 200, Buffer.from('"ab'), 'text/json; charset=utf-16le'],
	])(
		'with bytes that %s does not have keeps the status %d, and names the charset',
		async (charset, statusCode, bytes, contentType) => {
			const headers = { 'content-type': contentType };
			const { attempt } = await exchange({ statusCode, headers, body: stream([bytes]) });
			expect(attempt).toEqual({
				kind: 'response',
				status: statusCode,
				headers,
				body: undefined,
				broken: `its bytes aren't in the charset ${charset}`,
			});
		},
	);

	test("that isn't JSON is kept up to 10,000 characters, and JSON in full", () => {
		const long = 'x'.repeat(10_001);
		expect(parseBody(long, redactor)).toEqual({ body: undefined, text: long.slice(1) });
		expect(parseBody(`"${long}"`, redactor)).toEqual({ body: long });
	});

	test.each([200, 299])(
		'that breaks off keeps the status %d and says why it has no body',
		async (statusCode) => {
			const body = stream([Buffer.from('{"a":')], withCode('ECONNRESET'));
			const headers = { date: 'today', echo: KEY };
			const { attempt } = await exchange({ statusCode, headers, body });
			expect(attempt).toEqual({
				kind: 'response',
				status: statusCode,
				headers: { date: 'today', echo: '[API key]' },
				body: undefined,
				broken: 'ECONNRESET',
			});
		},
	);
});

describe('a connection', () => {
	test('whose response stops in the middle is closed at its time limit', async () => {
		let signal: AbortSignal | undefined;
		const { context } = createContext(({ abortSignal }) => {
			signal = abortSignal;
			const hang = async function* () {
				yield Buffer.from('{');
				await new Promise(() => {});
			};
			return ok(hang());
		});
		const service = { baseUrl: BASE, redactor };
		const request = { ...READ, timeoutMs: 100 };
		const attempt = await sendHttpRequest(context, service, request, {}, undefined);
		expect(attempt).toMatchObject({
			status: 200,
			broken: 'ETIMEDOUT: it took longer than 0.1 seconds',
		});
		expect(signal?.aborted).toBe(true);
	});

	test.each([7, 'x ECONNREFUSED', 'ECONNREFUSED?'])(
		'that fails with %j, which is no system code, is lost for an unknown reason',
		(code) => {
			const unknown = { kind: 'lost', code: 'an unknown network error' };
			expect(toFailedAttempt(withCode(code))).toEqual(unknown);
		},
	);
});

const credential = { baseUrl: BASE, accessToken: KEY, apiVersion: '2026-10-05' };

function connect(
	helper: (options: Sent, clock: VirtualClock) => unknown = () => ok('{}'),
	{ signal, ...options }: TransportOptions & { signal?: AbortSignal } = {},
	changes: Partial<typeof credential> = {},
) {
	const clock = (options.clock as VirtualClock | undefined) ?? createVirtualClock(100 * SECOND);
	const { context, calls } = createContext((sent) => helper(sent, clock), {
		getExecutionCancelSignal: () => signal,
		getCredentials: async () => {
			throw new Error('It was decrypted again');
		},
		logger: { name: 'the log' },
	});
	const rateLimiters = new RateLimiters(clock);
	const transport = createTransport(
		context,
		{ ...credential, ...changes },
		{ rateLimiters, ...options, clock },
	);
	const send = async (request: ApiRequest = READ, sendOptions?: CallOptions) =>
		await clock.run(transport.send(request, sendOptions).catch((error: Error) => error));
	return { send, calls, clock };
}

describe('a call', () => {
	test('that is repeated has the time that is left', async () => {
		const { send, calls, clock } = connect(() => {
			clock.advance(10 * SECOND);
			throw withCode('ECONNRESET');
		});
		const error = await send(READ, { deadline: clock.monotonicMs() + 30 * SECOND });
		expect(error).toMatchObject({ message: "The service didn't answer" });
		const timeouts = calls.map(({ options }) => Math.ceil(options.timeout! / SECOND));
		expect(timeouts).toEqual([30, 19, 7]);
	});

	test('counts its time from its first attempt, not from its place in a queue', async () => {
		const semaphore = new Semaphore(1);
		const { send, calls, clock } = connect(undefined, { semaphore });
		await semaphore.acquire();
		const sending = send();
		await new Promise((resolve) => setImmediate(resolve));
		expect(calls).toEqual([]);
		clock.advance(10 * 60 * SECOND);
		semaphore.release();
		expect(await sending).toMatchObject({ status: 200 });
		expect(calls[0].options.timeout).toBe(60 * SECOND);
	});

	const throttled = { statusCode: 429, headers: { 'retry-after': '5' }, body: '{}' };

	/** Sends a request that the service answers with a 429, and returns the times of the next one. */
	async function afterThrottling(changes: Partial<typeof credential>, options: CallOptions = {}) {
		const clock = createVirtualClock(100 * SECOND);
		const rateLimiters = new RateLimiters(clock);
		const first = connect(() => throttled, { clock, rateLimiters });
		await first.send(READ, { singleAttempt: true });
		const next = connect(undefined, { clock, rateLimiters }, changes);
		const result = await next.send(READ, options);
		return { result, waitedMs: clock.monotonicMs() - 100 * SECOND };
	}

	test('waits for a 429 of the same key at the same service, and for no other', async () => {
		const same = await afterThrottling({});
		expect(same.result).toMatchObject({ status: 200 });
		expect(same.waitedMs).toBeGreaterThanOrEqual(5 * SECOND);
		for (const other of [{ accessToken: 'wa_other' }, { baseUrl: 'https://b.example.com/v1' }])
			expect((await afterThrottling(other)).waitedMs).toBe(0);
	});

	test("that has no time left after a 429 ends with the service's words for it", async () => {
		const answer = (after: string, message: string) => ({
			statusCode: 429,
			headers: { 'retry-after': after },
			body: JSON.stringify({ error: { code: 'limited', message, doc_url: 'https://x.example' } }),
		});
		const answers = [answer('5', 'Ten a minute'), answer('60', 'Another limit')];
		const { send, clock } = connect(() => answers.shift());
		const [first] = await Promise.all([
			send(READ, { deadline: clock.monotonicMs() + 20 * SECOND }),
			send(READ, { singleAttempt: true }),
		]);
		expect(answers).toEqual([]);
		expect(first).toMatchObject({
			description: expect.stringContaining('The service says: Ten a minute.'),
		});
	});

	test('that is due at its deadline may be queued for a second, and not for longer', async () => {
		const queuedFor = async (ms: number) => {
			const clock = createVirtualClock(100 * SECOND);
			const rateLimiters = new RateLimiters(clock);
			const options = { singleAttempt: true, deadline: 100 * SECOND };
			await connect(() => throttled, { clock, rateLimiters }).send(READ, options);
			clock.advance(SECOND - ms);
			return await connect(undefined, { clock, rateLimiters }).send(READ, {
				deadline: clock.monotonicMs(),
			});
		};
		expect(await queuedFor(900)).toMatchObject({ status: 200 });
		expect((await afterThrottling({}, { deadline: 103 * SECOND })).result).toMatchObject({
			message: 'The service is receiving too many requests',
		});
	});
});

describe('after a lost response', () => {
	/** @param respond throws if the response is lost */
	async function start(
		options: CallOptions,
		respond: () => unknown = () => {
			throw withCode('ECONNRESET');
		},
		signal?: AbortSignal,
		request: ApiRequest = START,
	) {
		const { send, calls } = connect(respond, { signal });
		return { result: await send(request, options), sent: calls.length };
	}
	const reconcile = (result: ReconcileResult | Error) => ({
		reconcile: async () => {
			if (result instanceof Error) throw result;
			return result;
		},
	});

	test.each<[string, CallOptions]>([
		['without a check', {}],
		['if the check finds no proof', reconcile('unknown')],
		['if the check fails', reconcile(new WorkspaceAutomationError('No', 'Wait.'))],
	])('its effect is unknown %s, and the error says what happened', async (_, options) => {
		const { result, sent } = await start(options);
		expect(sent).toBe(1);
		expect(result).toBeInstanceOf(IndeterminateError);
		expect(result).toMatchObject({
			message: 'It may have started',
			description: expect.stringMatching(
				/^Look there\. What happened: The service didn't answer\. The connection failed with ECONNRESET\./,
			),
		});
	});

	describe('and Stop', () => {
		/** Stops the execution while the request is on its way. */
		async function stopDuring(
			request: ApiRequest,
			answer: object | string,
			options: CallOptions = {},
		) {
			const stop = new AbortController();
			const respond = () => {
				stop.abort();
				if (typeof answer === 'string') throw withCode(answer);
				return answer;
			};
			return (await start(options, respond, stop.signal, request)).result;
		}

		test('a request that reads is canceled, whatever the connection says', async () => {
			for (const code of ['ECONNRESET', 'CERT_HAS_EXPIRED']) {
				const result = await stopDuring(READ, code);
				expect(result).toBeInstanceOf(CanceledError);
				expect(result).toMatchObject({ mayHaveTakenEffect: false });
			}
		});

		test('a response to a request that must not run twice counts', async () => {
			expect(await stopDuring(START, ok('{"a":1}'))).toMatchObject({ body: { a: 1 } });
			const denied = { statusCode: 403, headers: {}, body: '{}' };
			expect(await stopDuring(START, denied)).toMatchObject({
				message: "The API key doesn't allow this",
			});
		});

		test('a request that must not run twice is reconciled all the same', async () => {
			const found = { status: 200, headers: {}, body: 'found' };
			expect(await stopDuring(START, 'ECONNRESET', reconcile(found))).toEqual(found);
			expect(await stopDuring(START, 'CERT_HAS_EXPIRED')).toMatchObject({
				message: 'No secure connection to the service',
			});
		});

		test('it may have taken effect if a later attempt is canceled, and not if none was lost', async () => {
			const may = await stopDuring(START, 'ECONNRESET', reconcile('notApplied'));
			expect(may).toMatchObject({ mayHaveTakenEffect: true });
			const not = await stopDuring(START, 'ECONNREFUSED');
			expect(not).toBeInstanceOf(CanceledError);
			expect(not).toMatchObject({ mayHaveTakenEffect: false });
		});
	});
});
