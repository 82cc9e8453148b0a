// End of a run.
import { describe, expect, test } from '@jest/globals';
import { getError, of, page, polls, simulation, status, type Weather } from './simulation.mts';

describe('a timeout', () => {
	test('the dashboard is named even if the last responses leave it out', async () => {
		const service = simulation();
		service.meets('poll', { status: 200, body: '{"status":"running"}' }, { from: 20_000 });
		const outcome = await service.run('[work 10m]', { maxWait: 1 });
		expect(outcome.dashboardUrl).toMatch(/dashboard/);
	});

	const abort = { maxWait: 1, onMaxWait: 'abort' as const };

	test('abort ends the session and says so', async () => {
		const service = simulation();
		const error = await getError(service.run('[work 10m]', abort));
		expect(error.message).toBe('The session did not finish within 1 minute and was aborted');
		expect(error.description).toMatch(/^Raise 'Max Wait'/);
		expect(of(service.sent, 'POST', '/abort')[0].at).toBe(60_000);
		expect(service.sessions()[0].aborted).toBe(true);
	});

	test.each<[string, Weather]>([
		['is refused', status(503)],
		['is answered by a web page', page],
		['is answered by a redirect', status(302)],
	])('an abort that %s leaves a session that may still be running', async (_, weather) => {
		const service = simulation();
		service.meets('abort', weather);
		const error = await getError(service.run('[work 10m]', abort));
		expect(error.message).toMatch(/couldn't be aborted$/);
		expect(error.description).toMatch(/may still be running/);
		expect(service.sessions()[0].aborted).toBe(false);
	});

	test('an abort that gets only 429 ends at its timeout', async () => {
		const service = simulation();
		service.meets('abort', status(429, '5'));
		await getError(service.run('[work 10m]', abort));
		expect(of(service.sent, 'POST', '/abort').length).toBeGreaterThan(1);
		expect(service.now()).toBeLessThanOrEqual(abort.maxWait * 60_000 + 30_000);
	});

	test('the last poll happens even if timers are late', async () => {
		const service = simulation();
		service.stage.time.delayTimers(3);
		const outcome = await service.run('[idle 10m]', { maxWait: 3 });
		expect(outcome).toMatchObject({ kind: 'stillRunning', warnings: [] });
		expect(polls(service.sent).at(-1)!.at).toBeGreaterThanOrEqual(180_000);
	});

	test('a request from the last poll is decided, even after the timeout', async () => {
		const service = simulation();
		const { sessionId } = await service.run('[ask bash: x] [work 10m]', {
			permissionPolicy: 'ask',
		});
		service.meets('decision', 'lost', { first: 1 });
		const limit = { maxWait: 1 / 60 };
		const outcome = await service.continueWith(sessionId, undefined, limit);
		expect(outcome).toMatchObject({ kind: 'stillRunning', decisions: [{ decision: 'approve' }] });
		expect(service.sessions()[0].interactions).toMatchObject([{ value: 'once' }]);
	});
});

describe('the output item', () => {
	test('has no text until the agent writes, and never a key that n8n treats as a failure', async () => {
		const service = simulation();
		const waiting = await service.run('[idle 10m]', { maxWait: 1 / 6 });
		expect(waiting.text).toBe('');
		expect(await service.run('[fail Out of disk]')).not.toHaveProperty('error');
	});

	test('has the other fields of the service without Simplify, and none of them replaces ours or is an error', async () => {
		const service = simulation();
		const more = { previewUrl: 'https://example.com/p', usage: { tokens: 7 } };
		service.meets('poll', {
			change: (body) => ({ ...body, ...more, error: 'x', text: 'y', decisions: 'z' }),
		});
		const json = await service.run('[say Done]', { options: { simplify: false } });
		expect(json).toMatchObject({ ...more, text: 'Done', decisions: [] });
		expect(json).not.toHaveProperty('error');
		const simple = await service.run('[say Done]');
		for (const name of Object.keys(more)) expect(simple).not.toHaveProperty(name);
	});
});
