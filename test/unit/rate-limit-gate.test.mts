import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { RateLimitError } from '../../nodes/shared/client/attemptError.ts';
import { RateLimiters, type QueuedRequest } from '../../nodes/shared/client/rateLimiter.ts';
import { createVirtualClock } from '../support/virtualClock.mts';

type Limiter = ReturnType<RateLimiters['get']>;

/** Sends a request when the limiter lets it, and releases its slot. */
async function schedule<T extends { pauseMs?: number }>(
	limiter: Limiter,
	queued: QueuedRequest,
	signal: AbortSignal | undefined,
	send: () => Promise<T>,
): Promise<T> {
	const slot = await limiter.acquire(queued, signal);
	const result = await send();
	slot.release(result.pauseMs);
	return result;
}

const request = (since = 0, changes: Partial<QueuedRequest> = {}): QueuedRequest => ({
	since,
	deadline: Infinity,
	...changes,
});

describe('a request that cannot be sent in time', () => {
	const never = async (): Promise<{ pauseMs?: number }> => {
		throw new Error('It was sent');
	};

	test('is rejected at once if the key is paused for longer, with the time to wait', async () => {
		const clock = createVirtualClock();
		const limiter = new RateLimiters(clock).get('key');
		await clock.run(schedule(limiter, request(), undefined, async () => ({ pauseMs: 40_000 })));
		const rejected = schedule(limiter, request(0, { deadline: 30_000 }), undefined, never);
		await expect(clock.run(rejected)).rejects.toBeInstanceOf(RateLimitError);
		await expect(rejected).rejects.toMatchObject({
			message: 'The service is receiving too many requests',
			description: expect.stringContaining('wait 40 seconds'),
			context: { httpStatus: 429, retryAfter: 40 },
		});
		expect(clock.now()).toBe(0);
	});

	test('is rejected at its deadline if it waits for other requests to end', async () => {
		const clock = createVirtualClock();
		const limiter = new RateLimiters(clock).get('key');
		const busy = Array.from({ length: 25 }, () =>
			schedule(limiter, request(), undefined, async () => {
				await clock.sleep(60_000);
				return {};
			}),
		);
		const deadline = 3_456;
		const rejected = schedule(limiter, request(1, { deadline }), undefined, never);
		const error = await clock.run(rejected.catch((thrown: unknown) => thrown));
		expect(error).toMatchObject({ context: { httpStatus: 429, retryAfter: undefined } });
		expect(clock.now()).toBeGreaterThanOrEqual(deadline);
		expect(clock.now()).toBeLessThanOrEqual(deadline + 2);
		await clock.run(Promise.all(busy));
	});

	test('is still sent once if it is urgent', async () => {
		const clock = createVirtualClock();
		const limiter = new RateLimiters(clock).get('key');
		// Until the rate is about at its lowest: a request a minute
		for (let count = 0; count < 30; count++)
			await clock.run(schedule(limiter, request(), undefined, async () => ({ pauseMs: 60_000 })));
		const urgent = request(0, { urgent: true, deadline: clock.now() + 5_000 });
		const since = clock.now();
		await clock.run(schedule(limiter, urgent, undefined, async () => ({})));
		expect(clock.now()).toBe(since);
	});
});

describe('the queue', () => {
	const waiting = fc.record({
		since: fc.nat(1_000),
		deadline: fc.oneof(fc.constant(Infinity), fc.integer({ min: 2_100, max: 20_000 })),
		urgent: fc.boolean(),
	});

	/** Requests behind 25 that are under way and a 429: which of them had a turn and when, and which were sent away */
	async function served(all: QueuedRequest[]) {
		const clock = createVirtualClock();
		const gate = new RateLimiters(clock).get('key');
		const turns: Array<{ at: number; who: QueuedRequest }> = [];
		const away: QueuedRequest[] = [];
		const first = Array.from({ length: 25 }, async (_, index) =>
			schedule(gate, request(), undefined, async () => {
				await clock.sleep(2_000);
				return { pauseMs: index === 24 ? 1_000 : undefined };
			}),
		);
		const others = all.map(async (who) =>
			schedule(gate, who, undefined, async () => {
				turns.push({ at: clock.now(), who });
				return {};
			}).catch(() => away.push(who)),
		);
		await clock.run(Promise.all([...first, ...others]));
		return { turns, away };
	}

	test('serves or rejects each request once, never after its deadline, and older requests of a kind first', async () => {
		await fc.assert(
			fc.asyncProperty(fc.array(waiting, { maxLength: 40 }), async (all) => {
				const { turns, away } = await served(all);
				expect(turns.length + away.length).toBe(all.length);
				expect(new Set([...turns.map(({ who }) => who), ...away]).size).toBe(all.length);
				for (const { at, who } of turns) expect(at).toBeLessThanOrEqual(who.deadline);
				const polls = turns.filter(({ who }) => !who.urgent).map(({ who }) => who.since);
				expect(polls).toEqual([...polls].sort((a, b) => a - b));
			}),
			{ numRuns: 40 },
		);
	});

	test('serves urgent requests first, and serves every request', async () => {
		const clock = createVirtualClock();
		const gate = new RateLimiters(clock).get('key');
		const order: string[] = [];
		const pass = async (name: string, changes: Partial<QueuedRequest>) =>
			await schedule(gate, request(0, changes), undefined, async () => {
				order.push(name);
				return { pauseMs: name === 'first' ? 1_000 : undefined };
			});
		await clock.run(pass('first', {}));
		const all = [
			pass('poll', {}),
			...Array.from({ length: 20 }, () => pass('urgent', { urgent: true })),
		];
		await clock.run(Promise.all(all));
		expect(order[1]).toBe('urgent');
		expect(order.indexOf('poll')).toBeLessThan(6);
	});
});

/** A service with a token bucket, and as many clients as are wanted, in simulated time */
function stage(perSecond: number, burst: number, latencyMs: number) {
	const clock = createVirtualClock();
	const gates = new RateLimiters(clock);
	const bucket = { tokens: burst, at: 0 };
	const counts = { sent: 0, refused: 0 };
	const take = () => {
		const gained = ((clock.now() - bucket.at) / 1000) * perSecond;
		bucket.tokens = Math.min(burst, bucket.tokens + gained);
		bucket.at = clock.now();
		counts.sent++;
		if (bucket.tokens >= 1) return void bucket.tokens--;
		counts.refused++;
		return 1_000;
	};
	/** Sends until it is accepted. Returns how often it was refused. */
	async function send(signal?: AbortSignal, worker = gates): Promise<number> {
		const since = clock.now();
		for (let refusals = 0; ; refusals++) {
			const { pauseMs: waitMs } = await schedule(
				worker.get('key'),
				request(since),
				signal,
				async () => {
					await clock.sleep(latencyMs);
					return { pauseMs: take() };
				},
			);
			if (waitMs === undefined) return refusals;
			await clock.sleep(waitMs, signal);
		}
	}
	return { clock, gates, counts, send };
}

describe('executions that share a key', () => {
	test('without a limit those of a normal workflow start at once, and 500 take twenty round trips', async () => {
		for (const [count, tookMs] of [
			[5, 5],
			[25, 5],
			[500, 100],
		]) {
			const { clock, send } = stage(1_000, 1_000, 5);
			await clock.run(Promise.all(Array.from({ length: count }, () => send())));
			expect(clock.now()).toBe(tookMs);
		}
	});

	test('one that is stopped at its turn frees its slot', async () => {
		const { clock, gates } = stage(1_000, 1_000, 5);
		const stop = new AbortController();
		const gate = gates.get('key');
		const hold = async (ms: number) => {
			await clock.sleep(ms);
			return {};
		};
		const first = Array.from({ length: 25 }, () =>
			schedule(gate, request(), stop.signal, () => hold(50)),
		);
		const waiting = Array.from({ length: 20 }, () =>
			schedule(gate, request(), stop.signal, () => hold(1)).catch(String),
		);
		const stopping = clock.sleep(50).then(() => stop.abort());
		await clock.run(Promise.all([...first, ...waiting, stopping]));
		const since = clock.now();
		const others = Array.from({ length: 25 }, () =>
			schedule(gate, request(since), undefined, () => hold(5)),
		);
		await clock.run(Promise.all(others));
		expect(clock.now() - since).toBe(5);
	});

	test('100 of them at 10 requests a second waste at most a twentieth, no request is refused three times, and the rate is used', async () => {
		const { clock, counts, send } = stage(10, 10, 20);
		let mostRefusals = 0;
		// n8n starts them over some seconds; each sends five requests, five seconds apart
		const execution = async (index: number) => {
			await clock.sleep(index * 40);
			for (let each = 0; each < 5; each++) {
				const refusals = await send();
				mostRefusals = Math.max(mostRefusals, refusals);
				await clock.sleep(5_000);
			}
		};
		await clock.run(Promise.all(Array.from({ length: 100 }, (_, index) => execution(index))));
		expect(counts.refused / counts.sent).toBeLessThan(0.05);
		expect(mostRefusals).toBeLessThan(3);
		expect(clock.now() - 5_000).toBeLessThan(1.1 * 49_000);
	});

	test('under any limit every request is accepted in the end, and hardly any is refused repeatedly', async () => {
		const limit = fc.record({
			perSecond: fc.integer({ min: 1, max: 50 }),
			burstS: fc.integer({ min: 1, max: 3 }),
			latencyMs: fc.integer({ min: 1, max: 500 }),
		});
		await fc.assert(
			fc.asyncProperty(limit, async ({ perSecond, burstS, latencyMs }) => {
				const { clock, send } = stage(perSecond, perSecond * burstS, latencyMs);
				const all = Array.from({ length: 150 }, async (_, index) => {
					await clock.sleep(index * 20);
					return await send();
				});
				const refusals = await clock.run(Promise.all(all));
				expect(Math.max(...refusals)).toBeLessThanOrEqual(8);
				expect(refusals.filter((count) => count > 3).length).toBeLessThan(8);
			}),
			{ numRuns: 15 },
		);
	});

	test("Stop leaves the queue at once, and later requests don't wait for stopped ones", async () => {
		const { clock, send } = stage(1, 1, 5);
		await clock.run(Promise.all([send(), send()]));
		const stop = new AbortController();
		const stopped = Array.from({ length: 50 }, () => send(stop.signal).catch(String));
		const other = send();
		const since = clock.now();
		const stopping = clock.sleep(100).then(() => stop.abort());
		const [reasons] = await clock.run(Promise.all([Promise.all(stopped), other, stopping]));
		expect(reasons.filter((reason) => /canceled/.test(String(reason))).length).toBeGreaterThan(45);
		expect(clock.now() - since).toBeLessThan(10_000);
	});

	test('a key that is unused for more than five minutes is forgotten', async () => {
		const clock = createVirtualClock(1_000_000);
		const gates = new RateLimiters(clock);
		const gate = gates.get('key');
		clock.advance(5 * 60_000);
		gates.get('another key');
		expect(gates.get('key')).toBe(gate);
		clock.advance(1);
		gates.get('another key');
		expect(gates.get('key')).not.toBe(gate);
	});
});
