// Sessions that are waited for while paused, in simulated time.
import { describe, expect, test } from '@jest/globals';
import { byId } from '../../n8n-host/workflows.mts';
import {
	getError,
	nothingPending,
	of,
	page,
	pausingRun,
	simulation,
	status,
	type Saved,
	type Simulation,
	type Weather,
} from './simulation.mts';

const HOUR = 3_600_000;
const ask = { permissionPolicy: 'ask' };

describe('wakes', () => {
	test('the first run of a message pauses before it polls for the answer', async () => {
		const service = simulation();
		const { sessionId } = await service.run('[say First]');
		const before = service.sent.length;
		const target = {
			operation: 'continue',
			sessionId: byId(sessionId),
			message: '[say Second]',
		};
		const { wakeAt } = await service.wake('', {}, target);
		expect(wakeAt).toBe(service.wallTime() + 5_000);
		expect(service.sent.slice(before).map(({ method }) => method)).toEqual(['GET', 'POST']);
	});

	test.each([1, 3, 10, 40])(
		'%d requests, up to a minute apart and decided by rules, take at most 150 s longer than while running, and a pause longer for each half hour',
		async (count) => {
			for (const gap of count < 10 ? ['5s', '20s', '45s', '59s'] : ['59s']) {
				const prompt = `${`[work ${gap}] [ask bash: x] `.repeat(count)}[work 20s] [say Done]`;
				const [memory, database] = [simulation(), simulation()];
				await memory.run(prompt, { maxWait: 240 });
				const { result } = await database.paused(prompt);
				expect(result.decisions).toHaveLength(count);
				const halfHours = Math.floor(memory.now() / (HOUR / 2));
				expect((database.now() - memory.now()) / 1_000).toBeLessThanOrEqual(150 + 70 * halfHours);
			}
		},
	);
});

describe('a manual execution', () => {
	const runByHand = async (prompt: string) => {
		const service = simulation();
		const result = await service.wake(prompt, {}, { mode: 'manual', ...ask });
		return { result, seconds: service.now() / 1_000 };
	};

	test.each([1, 5, 12, 20])(
		'asks before its first pause, at most 10 s after a request of the first 30 s (%d s)',
		async (second) => {
			const { result, seconds } = await runByHand(`[idle ${second}s] [ask bash: x] [say Done]`);
			expect(result.kind).toBe('needsApproval');
			expect(seconds - second).toBeLessThanOrEqual(10);
		},
	);

	test('returns the result of a short session before its first pause', async () => {
		const { result } = await runByHand('[work 12s] [say Done]');
		expect(result.kind).toBe('completed');
	});

	test('pauses after five minutes without a request', async () => {
		const { result, seconds } = await runByHand('[idle 10m] [say Done]');
		expect(result.kind).toBe('stillRunning');
		expect(seconds).toBeGreaterThan(290);
		expect(seconds).toBeLessThanOrEqual(300);
	});
});

describe('responses of another shape', () => {
	test.each<[string, Weather]>([
		['a web page', page],
		['a Retry-After of 2000 s', status(429, '2000')],
	])('%s in one poll neither ends nor aborts a session', async (_, weather) => {
		const service = simulation();
		service.meets('poll', weather, { skip: 1, first: 1 });
		const { result } = await service.paused('[work 3m] [say Done]');
		expect(result).toMatchObject({
			kind: 'completed',
			text: 'Done',
		});
		expect(of(service.sent, 'POST', '/abort')).toEqual([]);
	});

	test('an unknown status of an earlier wake is in the warnings', async () => {
		const service = simulation();
		const { result } = await service.paused('[status odd 3m] [work 5m] [say Done]');
		expect(result.kind).toBe('completed');
		expect(result.warnings.join()).toMatch(/unknown status, "odd"/);
	});

	test('after Max Wait with an unknown status, the error names the status instead of more time', async () => {
		const { description } = await getError(
			simulation().paused('[status odd 30m] [say Done]', { maxWait: 5 }),
		);
		expect(description).toMatch(/^Look at the session.*unknown status, "odd"/);
		expect(description).not.toMatch('Max Wait');
	});

	test('for three minutes and three wakes in a row, they end the wait with an error that quotes them', async () => {
		const service = simulation();
		service.meets('poll', { status: 200, body: '{"object":"list"}' });
		const error = await getError(service.paused('[work 3m]'));
		expect(error.description).toMatch(/unusable for \d+.*"object":"list"/);
		expect(error.context.sessionId).toBe(service.sessions()[0].sessionId);
		expect(of(service.sent, 'GET', '').length).toBeGreaterThanOrEqual(3);
	});
});

describe('asking approvers', () => {
	test.each<[string, Weather, boolean]>([
		['with the name of the project', 'fine', true],
		["with its ID if the projects can't be listed", status(403), false],
		["with its ID if the service doesn't respond", 'hangs', false],
		["with its ID if the response isn't a list", { status: 200, body: '{"data":7}' }, false],
		[
			"with its ID if the list doesn't have it",
			{ change: (b) => ({ ...b, data: [], has_more: false }) },
			false,
		],
	])("happens %s, in the workflow's time zone", async (_, weather, isNamed) => {
		const run = pausingRun('[ask bash: a]');
		const { service } = run;
		service.meets('projects', weather);
		const { id, name } = service.project;
		const { question } = await run.begin({ timezone: 'Asia/Tokyo' });
		expect(question).toContain(`Project: «${isNamed ? name : id}»`);
		expect(question).toContain('(Asia/Tokyo)');
		expect(service.sent.filter(({ path }) => path.startsWith('/projects'))).toHaveLength(1);
		expect(service.now()).toBeLessThanOrEqual(75_000);
	});

	test.each([
		[undefined, 'Choices: Approve once, Deny, Always approve'],
		['always', 'Choices: Approve once, Deny, Always deny'],
	])('with the word %p for a denial names the same choices as the page', async (deny, line) => {
		const run = pausingRun('[ask bash: a]');
		const overrides = { resolveInteraction: { words: { deny } } };
		run.service.stage.credentials.overrides = JSON.stringify(overrides);
		expect((await run.begin()).question).toContain(line);
	});

	test('happens once per request, and Max Wait is checked meanwhile', async () => {
		const run = pausingRun('[ask bash: a + edit: b] [say Done]', { maxWait: 120 });
		await run.wake();
		const kinds: string[] = [];
		for (let wakes = 0; wakes < 8; wakes++) kinds.push((await run.after(70_000)).kind);
		expect(kinds.filter((kind) => kind === 'needsApproval')).toHaveLength(1);
		const error = await getError(run.after(2 * HOUR));
		expect(error.message).toMatch(/did not finish within 2 hours/);
	});

	test.each<[string, Weather]>([
		['one failed poll', status(503)],
		[
			'another order',
			{ change: (b) => ({ ...b, pendingInteractions: b.pendingInteractions.toReversed() }) },
		],
		['a reading without the requests', nothingPending],
	])(
		'after %s, no approver is asked again, and the time for an answer continues',
		async (_, weather) => {
			const service = simulation();
			service.meets('poll', weather, { skip: 2, first: 2 });
			const { asked, result } = await service.paused('[ask bash: a + edit: b] [say Done]', {
				...ask,
				approvals: { ifNobodyAnswers: 'deny', unansweredAfter: 0.5 },
			});
			expect(asked).toHaveLength(1);
			expect(result.decisions.map(({ decision }: any) => decision)).toEqual(['deny', 'deny']);
			expect(service.now()).toBeLessThan(HOUR);
		},
	);

	test('a later request is sent to approvers, with the open requests', async () => {
		const run = pausingRun('[ask bash: a] [ask edit: b] [say Done]');
		const first = await run.begin();
		const [{ id }] = first.pendingInteractions;
		await run.service.call(
			'POST',
			`/agent/sessions/${first.sessionId}/interactions/${id}/resolve`,
			{ type: 'permission', response: 'once' },
		);
		const second = await run.after(70_000);
		expect(second.kind).toBe('needsApproval');
		expect(second.pendingInteractions).toMatchObject([{ permission: 'edit' }]);
	});
});

describe('a comment from the approval page', () => {
	const withComment = async (weather: Parameters<Simulation['meets']>[1]) => {
		const run = pausingRun('[ask bash: a] [work 5m] [say Done]', {
			approvals: { sendComments: true },
		});
		await run.begin();
		await run.answer('Approve once', { comment: '[say Noted]' });
		run.service.meets('message', weather);
		let result = await run.wake();
		while (result.wakeAt !== undefined) result = await run.after(70_000);
		expect(result.kind).toBe('completed');
		expect(run.posted('/abort')).toEqual([]);
		return { result, messages: run.posted('/messages') };
	};

	test('is sent once, and the result is the answer to it', async () => {
		const { result, messages } = await withComment('fine');
		expect(result).toMatchObject({ text: 'Noted', warnings: [] });
		expect(messages).toHaveLength(1);
	});

	test.each<[string, Weather, RegExp]>([
		[
			"that the service refuses is a warning: it's sent once, and the session completes",
			status(422),
			/couldn't be sent/,
		],
		[
			'whose response is lost is not sent again, and changes no outcome',
			'lost',
			/may not have been sent/,
		],
	])('%s', async (_, weather, warning) => {
		const { result, messages } = await withComment(weather);
		expect(result.text).toBe('Done');
		expect(result.warnings).toEqual([expect.stringMatching(warning)]);
		expect(messages).toHaveLength(1);
	});

	test('that does not leave is sent at a later poll', async () => {
		let tries = 0;
		const { result, messages } = await withComment(() => (++tries < 7 ? 'unsent' : 'fine'));
		expect(result.warnings).toEqual([]);
		expect(messages.filter(({ weather }) => weather === 'fine')).toHaveLength(1);
	});

	test('that never leaves is given up, and reported once', async () => {
		const { result } = await withComment('unsent');
		expect(result.warnings).toEqual([expect.stringMatching(/^The comment couldn't be sent: ./)]);
	});
});

describe('proof', () => {
	test('the response to a decision never ends a session, only a poll does', async () => {
		const service = simulation();
		service.meets('decision', {
			change: (body) => ({ ...body, status: 'completed', pendingInteractions: [] }),
		});
		const result = await service.run('[ask bash: a + bash: b] [work 30s] [say Done]');
		expect(result).toMatchObject({
			kind: 'completed',
			text: 'Done',
		});
		expect(result.decisions).toHaveLength(2);
	});

	test('a poll with a time in the future hides no later poll', async () => {
		const service = simulation();
		const future = {
			change: (body: object) => ({ ...body, lastActivityAt: '2026-10-05T11:00:00Z' }),
		};
		service.meets('poll', future, { first: 1 });
		const result = await service.run('[work 20s] [say Done]', { maxWait: 0.6 });
		expect(result).toMatchObject({
			kind: 'completed',
			text: 'Done',
		});
	});
});

describe('timeouts', () => {
	test("a slow start isn't cut off, even if Max Wait is short", async () => {
		const service = simulation();
		service.slow('start', 50_000);
		const { kind } = await service.run('[work 10m]', { maxWait: 0 });
		expect(kind).toBe('stillRunning');
		expect(service.sessions()).toHaveLength(1);
	});

	test('a completed session is a result, even after Max Wait', async () => {
		const service = simulation();
		const saved: Saved = {};
		const limit = { maxWait: 60 };
		await service.wake('[work 1m] [say Done]', saved, limit);
		service.advance(2 * HOUR);
		service.meets('poll', page, { first: 1 });
		const result = await service.wake('[work 1m] [say Done]', saved, limit);
		expect(result.kind).toBe('completed');
	});
});
