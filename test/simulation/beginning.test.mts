// Start of a run of Run Agent Session, which starts and sends nothing twice.
import { describe, expect, test } from '@jest/globals';
import { byId } from '../../n8n-host/workflows.mts';
import {
	getError,
	of,
	page,
	polls,
	processed,
	seconds,
	simulation,
	status,
	type Saved,
	type Weather,
} from './simulation.mts';

test.each([
	['50', 2],
	['70', 1],
])('a message has a minute: with Retry-After %s, it has %d tries', async (after, tries) => {
	const service = simulation();
	const { sessionId } = await service.run('[say First]');
	service.meets('message', status(429, after));
	await getError(service.continueWith(sessionId, 'More'));
	expect(of(service.sent, 'POST', '/messages')).toHaveLength(tries);
});

describe('a message whose turn shows late', () => {
	test('the node waits for it, even if the session still looks completed', async () => {
		const service = simulation();
		const { sessionId } = await service.run('[say First]');
		service.stale('message', { first: 2 });
		const outcome = await service.continueWith(sessionId, '[work 2s] [say Second]');
		expect(outcome.text).toBe('Second');
	});

	test('the node waits for it for at most half a minute', async () => {
		const service = simulation();
		const { sessionId } = await service.run('[say First]');
		service.stale('message');
		const since = service.now();
		const outcome = await service.continueWith(sessionId, '[say Second]');
		expect(outcome.text).toBe('First');
		expect(service.now() - since).toBeGreaterThanOrEqual(30_000);
		expect(service.now() - since).toBeLessThan(60_000);
	});

	test('three readings without it are needed, also if none was possible for half a minute', async () => {
		const service = simulation();
		const { sessionId } = await service.run('[say First]');
		service.meets('poll', status(500), { after: 'message', first: 8 });
		service.stale('message', { first: 2 });
		const since = service.now();
		const outcome = await service.continueWith(sessionId, '[say Second]');
		expect(outcome.text).toBe('Second');
		expect(service.now() - since).toBeGreaterThan(35_000);
	});
});

describe('Stop while the fate of a start is unknown', () => {
	test.each<Weather>(['lost-after', 'lost'])('is in the error: %s', async (weather) => {
		const service = simulation();
		service.meets('start', () => {
			service.stop();
			return weather;
		});
		const error = await getError(service.run('[work 10m]'));
		expect(error.description).toMatch(
			/a request may have taken effect\. It may have started a session/,
		);
	});
});

describe('the first moments of a session', () => {
	test('a 404 is retried after 1, 2 and 4 seconds', async () => {
		const service = simulation();
		service.meets('poll', status(404), { first: 3 });
		expect((await service.run('[say Hello]')).kind).toBe('completed');
		expect(seconds(polls(service.sent)).slice(0, 4)).toEqual([5, 6, 8, 12]);
	});

	test('a 404 after the last retry is an error that says that the session was started', async () => {
		const service = simulation();
		service.meets('poll', status(404));
		const error = await getError(service.run('[say Hello]'));
		expect(error.message).toBe("The session was started and can't be read yet");
		expect(error.description).toMatch(/Continue a Session/);
		expect(error.description).toContain(service.sessions()[0].sessionId);
		expect(seconds(polls(service.sent))).toEqual([5, 6, 8, 12]);
	});
});

describe('no second session', () => {
	test.each<[string, Weather]>([
		['the connection', 'lost-after'],
		['a server error', processed(status(500))],
		['a web page', processed(page)],
		['an answer without an ID', { status: 202, body: '{"ok":true}', processed: true }],
	])(
		"a start with a response lost to %s isn't repeated, not even by a retry",
		async (_, weather) => {
			const service = simulation();
			const saved: Saved = {};
			service.meets('start', weather);
			const error = await getError(service.run('[say Hello]', {}, saved));
			expect(error.message).toMatch(/session may have been started|A session was started/);
			expect(error.description).toMatch(/dashboard.*Continue a Session/s);
			service.clear();
			const again = await getError(service.run('[say Hello]', {}, saved));
			expect(again.message).toBe(error.message);
			expect(again.description).toMatch(/dashboard.*Continue a Session/s);
			expect(service.sessions()).toHaveLength(1);
		},
	);

	test.each<[string, Weather]>([
		['was refused for now', status(429, '2')],
		['met a service that is unavailable', status(503, '2')],
		['never left', 'unsent'],
	])('a start that %s is sent again', async (_, weather) => {
		const service = simulation();
		service.meets('start', weather, { first: 2 });
		expect((await service.run('[say Hello]')).kind).toBe('completed');
		expect(service.sessions()).toHaveLength(1);
	});

	test('a start that never reaches the service is an error after three minutes', async () => {
		const service = simulation();
		service.meets('start', 'unsent');
		const error = await getError(service.run('[say Hello]'));
		expect(error.message).toBe("The service couldn't be reached");
		expect(service.now()).toBeGreaterThanOrEqual(180_000);
		expect(service.now()).toBeLessThan(300_000);
	});

	test("a message with a lost response isn't repeated if the session shows it", async () => {
		const service = simulation();
		const { sessionId } = await service.run('[say First]');
		service.meets('message', 'lost-after');
		const outcome = await service.continueWith(sessionId, '[work 5s] [say Second]');
		expect(outcome.text).toBe('Second');
		expect(of(service.sent, 'POST', '/messages')).toHaveLength(1);
	});

	test("a message that may have arrived isn't sent again, even if the session never shows it", async () => {
		const service = simulation();
		const { sessionId } = await service.run('[say First]');
		service.meets('message', 'lost');
		const since = service.now();
		const error = await getError(service.continueWith(sessionId, '[say Second]'));
		expect(error.message).toBe('The message may have been sent');
		expect(service.now() - since).toBeGreaterThanOrEqual(27_000);
		expect(of(service.sent, 'POST', '/messages')).toHaveLength(1);
	});

	test('a message is sent once, even if the node is retried', async () => {
		const service = simulation();
		const saved: Saved = {};
		const { sessionId } = await service.run('[say First]');
		const send = async () =>
			await service.continueWith(sessionId, '[work 30s] [say Second]', {}, saved);
		service.meets('poll', status(403), { from: 12_000, until: 240_000 });
		service.advance(Math.max(0, 6_000 - service.now()));
		await getError(send());
		service.clear();
		const outcome = await send();
		expect(outcome.text).toBe('Second');
		expect(of(service.sent, 'POST', '/messages')).toHaveLength(1);
	});

	test('a message that was being sent when n8n died is not sent again, and the error names the session', async () => {
		const service = simulation();
		const { stage, sent } = service;
		const { sessionId } = await service.run('[say First]');
		const flow = {
			parameters: { operation: 'continue', sessionId: byId(sessionId), message: '[say Second]' },
		};
		const created = stage.initial(flow);
		expect(await stage.kill(flow, created, 2, 'after')).toBe(true);
		expect(of(sent, 'POST', '/messages')).toHaveLength(1);
		const run = await stage.run(flow, undefined, { data: created, mode: 'retry' });
		expect(run.data.resultData.error?.message).toBe('The message may have been sent');
		expect(run.data.resultData.error?.description).toContain(sessionId);
		expect(of(sent, 'POST', '/messages')).toHaveLength(1);
	});

	test('a message that was refused is sent by a retry', async () => {
		const service = simulation();
		const { sessionId } = await service.run('[say First]');
		const saved: Saved = {};
		const send = async () => await service.continueWith(sessionId, '[say Second]', {}, saved);
		service.meets('message', status(422), { first: 1 });
		await getError(send());
		expect((await send()).text).toBe('Second');
	});
});
