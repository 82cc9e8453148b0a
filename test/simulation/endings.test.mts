// End of a run: rules 8, 9 and 12.
import { describe, expect, test } from '@jest/globals';
import { LAST_REQUESTS_MS } from '../../nodes/RunAgentSession/session/finish.ts';
import { toJson } from '../../nodes/RunAgentSession/execution/output.ts';
import {
	getError,
	of,
	page,
	policy,
	polls,
	simulation,
	status,
	type Weather,
} from './simulation.mts';

describe('a timeout', () => {
	test('route returns the item and leaves the session running', async () => {
		const service = simulation();
		const outcome = await service.run('[work 10m]', { maxWaitMs: 60_000 });
		expect(outcome).toMatchObject({ kind: 'stillRunning', session: { status: 'running' } });
		expect(service.sessions()[0].aborted).toBe(false);
		expect(service.now()).toBeLessThanOrEqual(60_000);
		expect(service.now()).toBeGreaterThan(50_000);
	});

	test('the dashboard is named even if the last responses leave it out', async () => {
		const service = simulation();
		service.meets('poll', { status: 200, body: '{"status":"running"}' }, { from: 20_000 });
		const outcome = await service.run('[work 10m]', { maxWaitMs: 60_000 });
		expect(outcome.session.dashboardUrl).toMatch(/dashboard/);
	});

	test('abort ends the session and says so', async () => {
		const service = simulation();
		const error = await getError(
			service.run('[work 10m]', { maxWaitMs: 60_000, onMaxWait: 'abort' }),
		);
		expect(error.message).toBe('The session did not finish within 1 minute and was aborted');
		expect(service.sessions()[0].aborted).toBe(true);
	});

	test('a failed abort says that the session may still be running', async () => {
		const service = simulation();
		service.meets('abort', status(503));
		const error = await getError(
			service.run('[work 10m]', { maxWaitMs: 60_000, onMaxWait: 'abort' }),
		);
		expect(error.message).toMatch(/couldn't be aborted/);
		expect(error.description).toMatch(/may still be running/);
	});

	test('an abort that gets only 429 ends at its timeout, even after Stop', async () => {
		for (const stopped of [false, true]) {
			const service = simulation();
			service.meets('abort', status(429, '5'));
			const end = 60_000;
			if (stopped) service.stopAt(end);
			await getError(service.run('[work 10m]', { maxWaitMs: end, onMaxWait: 'abort' }));
			expect(of(service.sent, 'POST', '/abort').length).toBeGreaterThan(1);
			expect(service.now()).toBeLessThanOrEqual(end + LAST_REQUESTS_MS);
		}
	});

	test('the last poll happens even if timers are late', async () => {
		const service = simulation();
		const outcome = await service.run('[idle 10m]', { maxWaitMs: 202_000, lateMs: 3 });
		expect(outcome).toMatchObject({ kind: 'stillRunning', warnings: [] });
		expect(polls(service.sent).at(-1)!.at).toBeGreaterThanOrEqual(202_000);
	});

	test('a request from the last poll is decided, even after the timeout', async () => {
		const service = simulation();
		const { session } = await service.run('[ask bash: x] [work 10m]', { policy: policy('ask') });
		service.meets('decision', 'lost', { first: 1 });
		const target = { operation: 'continue' as const, sessionId: session.sessionId };
		const outcome = await service.run('', { target, maxWaitMs: 1_000 });
		expect(outcome).toMatchObject({ kind: 'stillRunning', decisions: [{ decision: 'approve' }] });
		expect(service.sessions()[0].interactions).toMatchObject([{ value: 'once' }]);
	});
});

describe('an abort that a proxy answers', () => {
	test.each<[string, Weather]>([
		['a web page', page],
		['a redirect', status(302)],
	])('%s is no abort', async (_, weather) => {
		const service = simulation();
		service.meets('abort', weather);
		const job = { maxWaitMs: 60_000, onMaxWait: 'abort' as const };
		const error = await getError(service.run('[work 10m]', job));
		expect(error.message).toMatch(/couldn't be aborted$/);
		expect(service.sessions()[0].aborted).toBe(false);
	});
});

describe('Stop', () => {
	test('aborts the remote session', async () => {
		const service = simulation();
		service.stopAt(12_000);
		await expect(service.run('[work 10m]')).rejects.toThrow('canceled');
		expect(service.sessions()[0].aborted).toBe(true);
	});

	test('leaves it running if Abort on Stop is off', async () => {
		const service = simulation();
		service.stopAt(12_000);
		await expect(service.run('[work 10m]', { abortOnStop: false })).rejects.toThrow('canceled');
		expect(service.sessions()[0].aborted).toBe(false);
	});
});

describe('the output item', () => {
	test('has the other fields of the service without Simplify, and none of them replaces ours or is an error', async () => {
		const service = simulation();
		const more = { previewUrl: 'https://example.com/p', usage: { tokens: 7 } };
		const nested = JSON.parse('['.repeat(200) + ']'.repeat(200));
		service.meets('poll', {
			change: (body) => ({ ...body, ...more, nested, error: 'x', text: 'y', decisions: 'z' }),
		});
		const result = await service.run('[say Done]');
		const json = toJson(result);
		expect(json).toMatchObject({ ...more, text: 'Done', decisions: [] });
		for (const name of ['error', 'nested']) expect(json).not.toHaveProperty(name);
		const simple = toJson(result, false, true);
		for (const name of Object.keys(more)) expect(simple).not.toHaveProperty(name);
	});

	test('has the fields for the next node, and never a key that n8n treats as a failure', async () => {
		const service = simulation();
		const json = toJson(await service.run('[ask bash: git push] [say Done]'));
		expect(json).toMatchObject({
			sessionId: expect.any(String),
			dashboardUrl: expect.stringContaining('http'),
			status: 'completed',
			text: 'Done',
			latestMessage: { role: 'assistant' },
			lastActivityAt: expect.any(String),
			decisions: [
				{
					interactionId: expect.any(String),
					permission: 'bash',
					patterns: ['git push'],
					decision: 'approve',
					decidedBy: 'policy',
					at: expect.stringMatching(/Z$/),
				},
			],
			pollCount: polls(service.sent).length,
			durationMs: expect.any(Number),
		});
		expect(json).not.toHaveProperty('error');
		// Until the agent writes, the latest message is the user's.
		expect(toJson(await service.run('[idle 10m]', { maxWaitMs: 10_000 })).text).toBe('');
		expect(toJson(await service.run('[fail Out of disk]'))).not.toHaveProperty('error');
	});
});

test('the service kept its own contract in all tests', async () => {
	const service = simulation();
	await service.run('[work 5s] [ask bash: x + edit: y] [question Why?] [status odd 2s] [say Done]');
	expect(service.problems).toEqual([]);
});
