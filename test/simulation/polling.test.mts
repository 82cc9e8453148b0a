// Reading a session.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createStage } from '../engine/flow.mts';
import {
	nothing,
	of,
	page,
	polls,
	getError,
	simulation,
	status,
	type Saved,
	type Weather,
} from './simulation.mts';

test('more than 500 sessions that wait in one process are polled less often', async () => {
	const stage = createStage();
	const count = 600;
	await stage.run({
		items: Array.from({ length: count }, () => ({ prompt: '[work 6s] [say Done]' })),
		parameters: { whileWaiting: 'keepRunning', options: { maxConcurrentSessions: count } },
	});
	const readings = stage.requests.filter(({ path }) => path.startsWith('/agent/sessions/'));
	const second = readings.filter(({ path }, index) =>
		readings.slice(0, index).some((earlier) => earlier.path === path),
	);
	expect(second).toHaveLength(count);
	// 6 s after the first ones, less up to 5% by which they drift apart
	expect(Math.min(...second.map(({ at }) => at))).toBeGreaterThanOrEqual(5_000 + 5_700);
});

describe('a network error loses nothing', () => {
	const blips: Array<[string, Weather]> = [
		['a reset connection', 'lost'],
		['a refused connection', 'unsent'],
		['a certificate that has expired', 'tls'],
		['429', status(429, '3')],
		['500', status(500)],
		['503', status(503)],
		['a web page', page],
		['an empty body', nothing],
		['half an answer', { status: 200, body: '{"sessionId":"x","sta' }],
		['more than 1 MiB', { status: 200, body: `{"a":"${'x'.repeat(2 ** 20)}"}` }],
		['JSON of something else', { status: 200, body: '{"object":"list"}' }],
		['a redirect', status(302)],
	];

	/** Something responds, but not with a session: not an outage, and it may never end by itself */
	const UNUSABLE = [
		'a web page',
		'an empty body',
		'half an answer',
		'more than 1 MiB',
		'JSON of something else',
		'a redirect',
	];

	test.each(blips)('%s for two minutes of a running session', async (_, weather) => {
		const service = simulation();
		service.meets('poll', weather, { from: 9_000, until: 129_000 });
		expect(await service.run('[work 20s] [say Done]')).toMatchObject({
			kind: 'completed',
			text: 'Done',
		});
		expect(of(service.sent, 'POST', '/agent/sessions')).toHaveLength(1);
	});

	test.each(blips.filter(([name]) => !UNUSABLE.includes(name)))(
		"%s that doesn't end is reported only at the timeout",
		async (_, weather) => {
			const service = simulation();
			service.meets('poll', weather);
			const outcome = await service.run('[work 20s]', { maxWait: 5 });
			expect(outcome.kind).toBe('stillRunning');
			expect(outcome.warnings.join()).toMatch(/couldn't be read at the end/);
			expect(service.now()).toBeGreaterThan(4 * 60_000);
			// The last poll has half a minute.
			expect(service.now()).toBeLessThanOrEqual(5.5 * 60_000 + 15_000);
		},
	);

	test.each(blips.filter(([name]) => UNUSABLE.includes(name)))(
		'%s for three minutes in a row ends the wait, with the session',
		async (_, weather) => {
			const service = simulation();
			service.meets('poll', weather);
			const error = await getError(service.run('[work 20s]', { maxWait: 5 }));
			expect(error.description).toMatch(/unusable for 18\d(\.\d+)? seconds/);
			expect(error.context.sessionId).toBe(service.sessions()[0].sessionId);
			expect(service.now()).toBeGreaterThan(3 * 60_000);
			expect(service.now()).toBeLessThan(3.5 * 60_000);
		},
	);

	test.each<[string, Weather]>([
		['a good poll', 'fine'],
		['a 503', status(503)],
	])('web pages for two minutes, %s, and web pages again end nothing', async (_, weather) => {
		const service = simulation();
		const page = { status: 200, body: '<html>' };
		service.meets('poll', page, { from: 9_000, until: 130_000 });
		service.meets('poll', weather, { from: 130_000, until: 180_000 });
		service.meets('poll', page, { from: 180_000, until: 300_000 });
		expect(await service.run('[work 6m] [say Done]')).toMatchObject({ kind: 'completed' });
	});

	test.each([
		['of a year', '31536000'],
		['a day ahead', new Date(Date.UTC(2026, 9, 6, 9)).toUTCString()],
	])('a Retry-After %s silences a session for 10 minutes, paused or not', async (_, after) => {
		const service = simulation();
		service.meets('poll', status(429, after), { first: 1 });
		await service.run('[say Done]');
		const paused = simulation();
		paused.meets('poll', status(429, after), { skip: 1, first: 1 });
		await paused.paused('[work 5m] [say Done]', { maxWait: 0 });
		for (const each of [service, paused]) {
			const { at } = each.sent.find(({ weather }) => weather !== 'fine')!;
			const next = polls(each.sent).find((poll) => poll.at > at)!;
			expect(next.at - at).toBeGreaterThanOrEqual(600_000);
			expect(next.at - at).toBeLessThan(602_000);
		}
	});

	test("Retry-After never extends the wait beyond the user's timeout", async () => {
		const service = simulation();
		service.meets('poll', status(429, '9999999999'));
		expect((await service.run('[say Done]', { maxWait: 1 })).kind).toBe('stillRunning');
		expect(
			polls(service.sent)
				.map(({ at }) => at)
				.slice(0, 2),
		).toEqual([5_000, 60_000]);
		expect(service.now()).toBeLessThanOrEqual(90_000);
	});

	test.each([
		[401, 'The API key was refused'],
		[403, "The API key doesn't allow this"],
	])(
		'%d for three minutes in a row ends the wait, and names session and dashboard',
		async (code, message) => {
			const service = simulation();
			service.meets('poll', status(code), { from: 6_000 });
			const error = await getError(service.run('[work 60s]'));
			const [{ sessionId }] = service.sessions();
			expect(error.message).toBe(message);
			expect(error.description).toContain(sessionId);
			expect(error.description).toContain('/dashboard/');
			expect(service.now()).toBeGreaterThan(3 * 60_000);
			expect(service.now()).toBeLessThan(3.5 * 60_000);
		},
	);

	test.each([400, 401, 403, 404, 409, 410, 422, 423, 425, 499])(
		'one %d between good polls ends nothing',
		async (code) => {
			const service = simulation();
			service.meets('poll', status(code), { from: 6_000, first: 1 });
			expect((await service.run('[work 60s] [say Done]')).kind).toBe('completed');
		},
	);

	test.each([401, 403])('%d before the first good poll ends the wait at once', async (code) => {
		const service = simulation();
		service.meets('poll', status(code));
		await getError(service.run('[work 60s]'));
		expect(polls(service.sent)).toHaveLength(1);
	});
});

describe('undocumented statuses and types', () => {
	test('no response of any shape crashes the loop', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.dictionary(
					fc.constantFrom(
						'status',
						'pendingInteractions',
						'latestMessage',
						'error',
						'dashboardUrl',
						'lastActivityAt',
					),
					fc.jsonValue({ maxDepth: 2 }),
				),
				async (answer) => {
					const service = simulation();
					service.meets('poll', { status: 200, body: JSON.stringify(answer) });
					const running = service.run('[say Done]', { maxWait: 1 });
					const told = await running.then(
						({ kind }) => kind as string,
						({ message }: Error) => message,
					);
					expect([
						'completed',
						'failed',
						'stillRunning',
						'needsApproval',
						"The service's session can't be read",
					]).toContain(told.split(':')[0]);
				},
			),
			{ numRuns: 40 },
		);
	});
});

describe('time and rate limits', () => {
	test("a Retry-After beyond one session's Max Wait delays no other session", async () => {
		const service = simulation();
		service.meets('poll', status(429, '3600'), { first: 1 });
		await service.run('[work 2s]', { maxWait: 1 });
		const since = service.now();
		expect((await service.run('[work 2s] [say Done]', { maxWait: 1 })).kind).toBe('completed');
		expect(service.now() - since).toBeLessThan(10_000);
	});

	test('the abort is sent even if the service refuses polls, and a retry polls for the result', async () => {
		const service = simulation();
		const saved: Saved = {};
		service.meets('poll', status(429, '45'), { until: 200_000 });
		const changes = { maxWait: 1, onMaxWait: 'abort' as const };
		const error = await getError(service.run('[work 20s] [say Done]', changes, saved));
		expect(error.message).toMatch(/may have been aborted$/);
		expect(service.now()).toBeLessThan(95_000);
		service.advance(200_000);
		await service.run('[work 20s] [say Done]', changes, saved).catch(() => {});
		expect(service.sessions()).toHaveLength(1);
	});

	test('all decisions together have half a minute after Max Wait', async () => {
		const service = simulation();
		const asked = Array.from({ length: 30 }, (_, index) => `bash: ${index}`).join(' + ');
		const { sessionId } = await service.run(`[ask ${asked}] [work 10m]`, {
			permissionPolicy: 'ask',
		});
		service.slow('decision', 4_000);
		const since = service.now();
		const limit = { maxWait: 0.0166667 };
		const outcome = await service.continueWith(sessionId, undefined, limit);
		expect(outcome.decisions.length).toBeGreaterThan(5);
		expect(service.now() - since).toBeLessThan(36_000);
	});

	test("a response that's slower than a poll's timeout is requested again", async () => {
		const service = simulation();
		service.slow('poll', 300_000, { first: 1 });
		expect((await service.run('[say Done]')).kind).toBe('completed');
		expect(polls(service.sent)).toHaveLength(2);
	});
});
