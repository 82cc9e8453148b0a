import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { AdaptiveRate, type Waiting } from '../../nodes/shared/transport/adaptiveRate.ts';
import { RateLimitGates } from '../../nodes/shared/transport/rateLimitGate.ts';
import { createVirtualClock } from '../virtualClock.mts';

const request = (since = 0, changes: Partial<Waiting> = {}): Waiting => ({
	since,
	deadline: Infinity,
	...changes,
});

/** A rate after `accepted` requests within `tookMs` and a 429 that asks to wait `waitMs` */
function refusedAfter(accepted: number, tookMs: number, waitMs: number): AdaptiveRate<Waiting> {
	const rate = new AdaptiveRate<Waiting>();
	for (let index = 0; index < accepted; index++)
		rate.accept((tookMs * index) / Math.max(1, accepted - 1));
	rate.refuse(0, tookMs, waitMs);
	return rate;
}

/** When each of those that wait has its turn, by asking as a timer would */
function turnsOf<T extends Waiting>(
	rate: AdaptiveRate<T>,
	from: number,
): Array<{ at: number; who: T }> {
	const turns: Array<{ at: number; who: T }> = [];
	for (let now = from; rate.size > 0;) {
		const { go, waitMs } = rate.take(now);
		turns.push(...go.map((who) => ({ at: now, who })));
		now += Math.max(1, waitMs);
	}
	return turns;
}

/** Requests a second between the third turn and the last: the first may catch up on timers that were late */
function paceOf(rate: AdaptiveRate<Waiting>, count: number, from: number): number {
	for (let index = 0; index < count; index++) rate.enter(request(index));
	const turns = turnsOf(rate, from);
	return (1000 * (count - 3)) / (turns.at(-1)!.at - turns[2].at);
}

describe('the rate', () => {
	test('is nine tenths of what was accepted until the service accepts again', () => {
		// A bucket of 10 that gets 10 a second, and a window of 60 a minute
		expect(paceOf(refusedAfter(10, 50, 1_000), 6, 2_000)).toBeCloseTo(0.9 * (10 / 1.05), 0);
		expect(paceOf(refusedAfter(60, 1_000, 59_000), 6, 61_000)).toBeCloseTo(0.95, 1);
	});

	test('is eight tenths at each further 429, once for all that were on their way', () => {
		const rate = refusedAfter(100, 1_000, 1_000);
		const before = paceOf(rate, 20, 2_000);
		for (const sentAt of [2_500, 2_501, 2_502]) rate.refuse(sentAt, 2_200, 1_000);
		expect(paceOf(rate, 20, 3_200) / before).toBeCloseTo(0.8, 1);
	});

	test('grows slowly, and only while somebody waits', () => {
		const busy = refusedAfter(100, 1_000, 1_000);
		const first = paceOf(busy, 10, 2_000);
		paceOf(busy, 500, 3_000);
		const later = paceOf(busy, 10, 100_000);
		expect(later / first).toBeGreaterThan(1.1);
		expect(later / first).toBeLessThan(1.4);
		const idle = refusedAfter(100, 1_000, 1_000);
		for (let index = 0; index < 100; index++) {
			idle.enter(request());
			idle.take(2_000 + index * 1_000);
		}
		expect(paceOf(idle, 10, 200_000) / first).toBeLessThan(1.1);
	});

	test('told from a handful of requests is a guess that soon grows', () => {
		const rate = refusedAfter(2, 5_000, 1_000);
		expect(paceOf(rate, 5, 7_000)).toBeLessThan(2);
		paceOf(rate, 60, 20_000);
		expect(paceOf(rate, 5, 100_000)).toBeGreaterThan(8);
	});
});

describe('a closed gate', () => {
	test('lets nothing pass before the service accepts again', () => {
		const rate = refusedAfter(10, 0, 3_000);
		rate.enter(request());
		expect(rate.take(2_999)).toMatchObject({ go: [], tooLate: [], waitMs: 1 });
		expect(rate.take(3_000).go).toHaveLength(1);
	});

	test('lets an urgent request pass that cannot wait, and sends away any other', () => {
		const rate = refusedAfter(10, 0, 40_000);
		const abort = request(2, { deadline: 30_000, urgent: true });
		const poll = request(1, { deadline: 30_000 });
		const patient = request(0, { deadline: 50_000, urgent: true });
		for (const each of [poll, abort, patient]) rate.enter(each);
		expect(rate.take(1_000)).toMatchObject({ go: [abort], tooLate: [poll] });
		expect(rate.size).toBe(1);
	});

	test('is closed by a Retry-After of more than a minute for a second only', () => {
		const rate = refusedAfter(10, 0, 3_600_000);
		rate.enter(request(0, { deadline: 60_000 }));
		expect(rate.take(500)).toMatchObject({ go: [], tooLate: [], waitMs: 500 });
		expect(rate.take(1_000).go).toHaveLength(1);
	});
});

describe('before the first 429', () => {
	const many = (count: number, since = 0) =>
		Array.from({ length: count }, (_, index) => request(since + index));
	const enterAll = (rate: AdaptiveRate<Waiting>, all: Waiting[]) => {
		for (const each of all) rate.enter(each);
	};

	test('ten go at once, and the number under way doubles with every round trip, up to a hundred', () => {
		const rate = new AdaptiveRate<Waiting>();
		enterAll(rate, many(1_000));
		const rounds: number[] = [];
		for (let { go } = rate.take(1_000); go.length > 0;) {
			rounds.push(go.length);
			const next: Waiting[] = [];
			for (const each of go) {
				rate.leave(each);
				next.push(...rate.take(1_000).go);
			}
			go = next;
		}
		expect(rounds.slice(0, 6)).toEqual([10, 20, 40, 80, 100, 100]);
		expect(Math.max(...rounds)).toBe(100);
	});

	test('what nobody needs does not make the number grow', () => {
		const rate = new AdaptiveRate<Waiting>();
		for (let now = 0; now < 1_000; now++) {
			enterAll(rate, many(5, now));
			const { go } = rate.take(now);
			expect(go).toHaveLength(5);
			for (const each of go) rate.leave(each);
		}
		enterAll(rate, many(100, 1_000));
		expect(rate.take(1_000).go).toHaveLength(10);
	});

	test('a service that does not answer holds up nobody for long, and nothing urgent at all', () => {
		const rate = new AdaptiveRate<Waiting>();
		enterAll(rate, many(20));
		expect(rate.take(100).go).toHaveLength(10);
		const abort = request(100, { urgent: true });
		const last = request(100, { deadline: 200 });
		enterAll(rate, [abort, last]);
		expect(rate.take(101)).toMatchObject({ go: [abort, last], tooLate: [] });
		expect(rate.take(9_999)).toMatchObject({ go: [], tooLate: [], waitMs: 11 });
		expect(rate.take(10_019).go).toHaveLength(10);
	});
});

describe('the queue', () => {
	const waiting = fc.record({
		since: fc.nat(1_000),
		deadline: fc.oneof(fc.constant(Infinity), fc.integer({ min: 1_000, max: 20_000 })),
		urgent: fc.boolean(),
	});

	test('serves each once or sends it away, never after its deadline, the older first among its like', () => {
		fc.assert(
			fc.property(fc.array(waiting, { maxLength: 60 }), (all) => {
				const rate = refusedAfter(20, 900, 1_000);
				for (const each of all) rate.enter(each);
				let away = 0;
				const turns: Array<{ at: number; who: Waiting }> = [];
				for (let now = 1_000; rate.size > 0;) {
					const { go, tooLate, waitMs } = rate.take(now);
					turns.push(...go.map((who) => ({ at: now, who })));
					away += tooLate.length;
					now += Math.max(1, waitMs);
				}
				expect(turns.length + away).toBe(all.length);
				expect(new Set(turns.map(({ who }) => who)).size).toBe(turns.length);
				for (const { at, who } of turns) expect(at).toBeLessThanOrEqual(who.deadline);
				const polls = turns.filter(({ who }) => !who.urgent).map(({ who }) => who.since);
				expect(polls).toEqual([...polls].sort((a, b) => a - b));
			}),
		);
	});

	test('serves what is urgent first, and starves nobody', () => {
		const rate = refusedAfter(20, 900, 1_000);
		const poll = request(0);
		rate.enter(poll);
		const urgent = Array.from({ length: 20 }, (_, index) => request(index, { urgent: true }));
		for (const each of urgent) rate.enter(each);
		const order = turnsOf(rate, 2_000).map(({ who }) => who);
		expect(order[0]).toBe(urgent[0]);
		expect(order.indexOf(poll)).toBeGreaterThan(0);
		expect(order.indexOf(poll)).toBeLessThan(4);
	});
});

/** A service with a token bucket, and as many clients as are wanted, in simulated time */
function stage(perSecond: number, burst: number, latencyMs: number) {
	const clock = createVirtualClock();
	const gates = new RateLimitGates(clock.clockFor());
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
		const own = clock.clockFor(signal);
		const since = own.now();
		for (let refusals = 0; ; refusals++) {
			const { holdBackMs: waitMs } = await worker.of('key').pass(request(since), own, async () => {
				await own.sleep(latencyMs);
				return { isAnswered: true, holdBackMs: take() };
			});
			if (waitMs === undefined) return refusals;
			await own.sleep(waitMs);
		}
	}
	return { clock, gates, counts, send };
}

describe('executions that share a key', () => {
	test('without a limit those of a normal workflow go at once, and 500 take eight round trips', async () => {
		for (const [count, tookMs] of [
			[5, 5],
			[10, 5],
			[500, 40],
		]) {
			const { clock, send } = stage(1_000, 1_000, 5);
			await clock.run(Promise.all(Array.from({ length: count }, () => send())));
			expect(clock.now()).toBe(tookMs);
		}
	});

	test('300 that start together at 10 requests a second waste at most a twentieth', async () => {
		const { clock, counts, send } = stage(10, 10, 50);
		const session = async () => {
			const refusals = [await send()];
			for (let poll = 0; poll < 2; poll++) {
				await clock.sleep(5_000);
				refusals.push(await send());
			}
			return Math.max(...refusals);
		};
		const refusals = await clock.run(Promise.all(Array.from({ length: 300 }, session)));
		expect(counts.refused / counts.sent).toBeLessThan(0.05);
		expect(Math.max(...refusals)).toBeLessThanOrEqual(3);
		expect(clock.now()).toBeLessThan(1.15 * 89_000);
	});

	test('one that was stopped when its turn came gives its room back', async () => {
		const { clock, gates } = stage(1_000, 1_000, 5);
		const stop = new AbortController();
		const gate = gates.of('key');
		const stopped = clock.clockFor(stop.signal);
		const hold = async (ms: number) => {
			await clock.sleep(ms);
			return { isAnswered: true };
		};
		const first = Array.from({ length: 10 }, () => gate.pass(request(), stopped, () => hold(50)));
		const waiting = Array.from({ length: 20 }, () =>
			gate.pass(request(), stopped, () => hold(1)).catch(String),
		);
		const stopping = clock.sleep(50).then(() => stop.abort());
		await clock.run(Promise.all([...first, ...waiting, stopping]));
		const since = clock.now();
		const others = Array.from({ length: 10 }, () =>
			gate.pass(request(since), clock.clockFor(), () => hold(5)),
		);
		await clock.run(Promise.all(others));
		expect(clock.now() - since).toBe(5);
	});

	test('100 of them at 10 requests a second waste at most a twentieth, nobody is refused thrice, and the rate is used', async () => {
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

	test('two workers of queue mode, each with a gate of its own, share the rate without agreeing on it', async () => {
		const { clock, counts, send } = stage(10, 10, 20);
		const workers = [0, 1].map(() => new RateLimitGates(clock.clockFor()));
		const finished = [0, 0];
		let mostRefusals = 0;
		const execution = async (index: number) => {
			await clock.sleep(index * 40);
			for (let each = 0; each < 5; each++) {
				const refusals = await send(undefined, workers[index % 2]);
				mostRefusals = Math.max(mostRefusals, refusals);
				await clock.sleep(5_000);
			}
			finished[index % 2] = clock.now();
		};
		await clock.run(Promise.all(Array.from({ length: 100 }, (_, index) => execution(index))));
		expect(counts.refused / counts.sent).toBeLessThan(0.05);
		expect(mostRefusals).toBeLessThanOrEqual(3);
		expect(Math.max(...finished) - 5_000).toBeLessThan(1.2 * 49_000);
		expect(Math.max(...finished) / Math.min(...finished)).toBeLessThan(1.5);
	});

	test('whatever the limit: everything is accepted in the end, and hardly anything is refused again and again', async () => {
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
	}, 60_000);

	test('Stop leaves the queue at once, and nobody behind waits for those that left', async () => {
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

	test('a key that nobody has used for a while is forgotten', async () => {
		const { clock, gates, send } = stage(1, 1, 5);
		await clock.run(Promise.all([send(), send()]));
		const gate = gates.of('key');
		await clock.run(clock.sleep(4 * 60_000));
		expect(gates.of('key')).toBe(gate);
		await clock.run(clock.sleep(6 * 60_000));
		gates.of('another key');
		expect(gates.of('key')).not.toBe(gate);
	});
});
