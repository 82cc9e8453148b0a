// Sessions that are waited for while paused, in simulated time.
import { describe, expect, test } from '@jest/globals';
import { toJson } from '../../nodes/RunAgentSession/execution/output.ts';
import type { Ledger } from '../../nodes/shared/n8n/ledger.ts';
import type { Policy } from '../../nodes/RunAgentSession/policy/rules.ts';
import {
	answerOnPage,
	getError,
	nothingPending,
	of,
	page,
	simulation,
	status,
	type Weather,
} from './simulation.mts';

const HOUR = 3_600_000;
const ask: Policy = { mode: 'ask', rules: [], defaultDecision: 'ask', approveWith: 'once' };
describe('wakes', () => {
	test('the first run starts the session and pauses before it polls', async () => {
		const service = simulation();
		const nodeContext = {};
		const result = await service.wake('[work 10m]', nodeContext);
		expect(result.wakeAt).toBe(service.now() + Date.UTC(2026, 9, 5, 9) + 5_000);
		expect(service.sent.map(({ method }) => method)).toEqual(['POST']);
	});

	test('the first run of a message pauses before it polls for the answer', async () => {
		const service = simulation();
		const { session } = await service.run('[say First]');
		const before = service.sent.length;
		const target = {
			operation: 'continue' as const,
			sessionId: session.sessionId,
			message: '[say Second]',
		};
		const { wakeAt } = await service.wake('', {}, { target });
		expect(wakeAt).toBe(service.wallTime() + 5_000);
		expect(service.sent.slice(before).map(({ method }) => method)).toEqual(['GET', 'POST']);
	});

	test('a quiet session is polled once per wake', async () => {
		const service = simulation();
		const { result, wakes } = await service.paused('[idle 30m] [say Done]');
		expect(result).toMatchObject({
			kind: 'completed',
			session: { latestMessage: { text: 'Done' } },
		});
		expect(of(service.sent, 'GET', '').length).toBe(wakes - 1);
	});

	test.each([1, 3, 10, 100])(
		'%d requests, up to a minute apart and decided by rules, take at most 150 s longer than while running, and a pause longer for each half hour',
		async (count) => {
			for (const gap of count < 100 ? ['5s', '20s', '45s', '59s'] : ['59s']) {
				const prompt = `${`[work ${gap}] [ask bash: x] `.repeat(count)}[work 20s] [say Done]`;
				const [memory, database] = [simulation(), simulation()];
				await memory.run(prompt, { maxWaitMs: 4 * HOUR });
				const { result } = await database.paused(prompt);
				expect(result.decisions).toHaveLength(count);
				const halfHours = Math.floor(memory.now() / (HOUR / 2));
				expect((database.now() - memory.now()) / 1_000).toBeLessThanOrEqual(150 + 70 * halfHours);
			}
		},
	);

	test('the start and each decision are sent once, for any number of wakes', async () => {
		const service = simulation();
		await service.paused('[work 10m] [ask bash: a + bash: b] [work 10m] [ask bash: c] [say Done]');
		expect(of(service.sent, 'POST', '/agent/sessions')).toHaveLength(1);
		expect(of(service.sent, 'POST', '/resolve')).toHaveLength(3);
	});
});

describe('a manual execution', () => {
	const runByHand = async (prompt: string) => {
		const service = simulation();
		const result = await service.wake(prompt, {}, { isWatched: true, policy: ask });
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
	const unusable: Array<[string, Weather]> = [
		['a web page', page],
		['a web page with status 404', { status: 404, body: '<html>Not found</html>' }],
		['a web page with status 403', { status: 403, body: '<!doctype html>' }],
		['JSON of another shape', { status: 200, body: '{"object":"list"}' }],
		['more than 1 MiB', { status: 200, body: `{"a":"${'x'.repeat(2 ** 20)}"}` }],
		['a Retry-After of 2000 s', status(429, '2000')],
	];

	test.each(unusable)('%s in one poll neither ends nor aborts a session', async (_, weather) => {
		const service = simulation();
		service.meets('poll', weather, { skip: 1, first: 1 });
		const { result } = await service.paused('[work 3m] [say Done]');
		expect(result).toMatchObject({
			kind: 'completed',
			session: { latestMessage: { text: 'Done' } },
		});
		expect(of(service.sent, 'POST', '/abort')).toEqual([]);
	});

	test('an unknown status of an earlier wake is in the warnings', async () => {
		const service = simulation();
		const { result } = await service.paused('[status odd 3m] [work 5m] [say Done]');
		expect(result.kind).toBe('completed');
		expect(result.warnings.join()).toMatch(/unknown status, "odd"/);
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
	const asking = (service: ReturnType<typeof simulation>) =>
		service.paused('[ask bash: a + edit: b] [say Done]', {
			policy: ask,
			timeouts: { maxWaitMs: 2 * HOUR },
		});

	test.each<[string, Weather, string | undefined]>([
		['with the name and the time zone of the project', 'fine', 'Europe/Berlin'],
		["in UTC if the projects can't be listed", status(403), undefined],
	])('happens %s', async (_, weather, timeZone) => {
		const service = simulation();
		service.meets('poll', (request) => (request.path.startsWith('/projects') ? weather : 'fine'));
		const nodeContext = {};
		const { id: projectId, name: projectName } = service.project;
		const origin = { projectId };
		const changes = { policy: ask, origin };
		await service.wake('[ask bash: a]', nodeContext, changes);
		service.advance(70_000);
		const result = await service.wake('[ask bash: a]', nodeContext, changes);
		expect(result.origin?.timeZone).toBe(timeZone);
		const question = String(toJson(result, false, false, result.asked![0]).question);
		expect(question).toContain(`Project: «${timeZone ? projectName : projectId}»`);
		expect(question).toContain(`(${timeZone ?? 'UTC'})`);
		expect(service.sent.filter(({ path }) => path.startsWith('/projects'))).toHaveLength(1);
	});

	test.each([
		[undefined, 'Choices: Approve once, Deny, Always approve'],
		[['always'], 'Choices: Approve once, Deny, Always deny'],
	])('with Deny Values %p names the same choices as the page', async (denyValues, line) => {
		const service = simulation();
		const result = await service.run('[ask bash: a]', { policy: { ...ask, denyValues } });
		expect(String(toJson(result, false, false, result.asked![0]).question)).toContain(line);
	});

	test('happens once per request, and Max Wait is checked meanwhile', async () => {
		const service = simulation();
		const nodeContext = {};
		let result = await service.wake('[ask bash: a + edit: b]', nodeContext, { policy: ask });
		const kinds: string[] = [];
		for (let wakes = 0; wakes < 8; wakes++) {
			service.advance(70_000);
			result = await service.wake('[ask bash: a + edit: b]', nodeContext, { policy: ask });
			kinds.push(result.kind);
		}
		expect(kinds.filter((kind) => kind === 'needsApproval')).toHaveLength(1);
		expect((await getError(asking(simulation()))).message).toMatch(/did not finish within 2 hours/);
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
			const { left, result } = await service.paused('[ask bash: a + edit: b] [say Done]', {
				policy: ask,
				timeouts: { ifNobodyAnswers: 'deny', unansweredAfterMs: HOUR / 2 },
			});
			expect(left.filter(({ kind }) => kind === 'needsApproval')).toHaveLength(1);
			expect(result.decisions.map(({ decision }) => decision)).toEqual(['deny', 'deny']);
			expect(service.now()).toBeLessThan(HOUR);
		},
	);

	test('a later request is sent to approvers, with the open requests', async () => {
		const service = simulation();
		const nodeContext = {};
		const prompt = '[ask bash: a] [ask edit: b] [say Done]';
		await service.wake(prompt, nodeContext, { policy: ask });
		service.advance(70_000);
		const first = await service.wake(prompt, nodeContext, { policy: ask });
		expect(first.asked).toHaveLength(1);
		const { id: interactionId } = first.undecided[0].interaction;
		await service.call(
			'POST',
			`/agent/sessions/${first.session.sessionId}/interactions/${interactionId}/resolve`,
			{
				type: 'permission',
				response: 'once',
			},
		);
		service.advance(70_000);
		const second = await service.wake(prompt, nodeContext, { policy: ask });
		expect(second.kind).toBe('needsApproval');
		expect(second.undecided).toMatchObject([{ interaction: { permission: 'edit' } }]);
	});
});

describe('a comment from the approval page', () => {
	const withComment = async (service: ReturnType<typeof simulation>, weather?: Weather) => {
		const nodeContext = {};
		const prompt = '[ask bash: a] [work 5s] [say Done]';
		const changes = { policy: ask, sendComments: true };
		await service.wake(prompt, nodeContext, changes);
		service.advance(70_000);
		const { undecided } = await service.wake(prompt, nodeContext, changes);
		answerOnPage(nodeContext, ['Approve once'], { comment: '[say Noted]' });
		expect(undecided).toHaveLength(1);
		if (weather) service.meets('message', weather);
		let result = await service.wake(prompt, nodeContext, changes);
		for (let wakes = 0; result.wakeAt !== undefined && wakes < 30; wakes++) {
			service.advance(70_000);
			result = await service.wake(prompt, nodeContext, changes);
		}
		return result;
	};

	test('is sent once, and the result is the answer to it', async () => {
		const service = simulation();
		const result = await withComment(service);
		expect(result).toMatchObject({
			kind: 'completed',
			session: { latestMessage: { text: 'Noted' } },
		});
		expect(of(service.sent, 'POST', '/messages')).toHaveLength(1);
	});

	test("that the service refuses is a warning: it's sent once, and the session completes", async () => {
		const service = simulation();
		const result = await withComment(service, status(422));
		expect(result).toMatchObject({
			kind: 'completed',
			session: { latestMessage: { text: 'Done' } },
		});
		expect(result.warnings.join()).toMatch(/The comment couldn't be sent/);
		expect(of(service.sent, 'POST', '/messages')).toHaveLength(1);
		expect(of(service.sent, 'POST', '/abort')).toEqual([]);
	});

	test('whose response is lost is not sent again, and changes no outcome', async () => {
		const service = simulation();
		const result = await withComment(service, 'lost');
		expect(result.kind).toBe('completed');
		expect(result.warnings.join()).toMatch(/may not have been sent/);
		expect(of(service.sent, 'POST', '/messages')).toHaveLength(1);
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
			session: { latestMessage: { text: 'Done' } },
		});
		expect(result.decisions).toHaveLength(2);
	});

	test('a message that is lost while lastActivityAt changes may have been sent, and no old answer is its result', async () => {
		const service = simulation();
		const { session } = await service.run('[say First]');
		service.meets('message', 'lost');
		let at = Date.UTC(2026, 9, 6);
		service.meets('poll', {
			change: (body) => ({ ...body, lastActivityAt: new Date((at += 1_000)).toISOString() }),
		});
		const target = {
			operation: 'continue' as const,
			sessionId: session.sessionId,
			message: '[say Second]',
		};
		const error = await getError(service.run('', { target }));
		expect(error.message).toMatch(/may|not known/);
		expect(of(service.sent, 'POST', '/messages')).toHaveLength(1);
	});

	test('a stale first poll after a message, which comes late in a wake, is not the result', async () => {
		const service = simulation();
		const projectId = service.project.id;
		const { sessionId } = await service.call('POST', '/agent/sessions', {
			projectId,
			prompt: '[say Old]',
		});
		service.advance(60_000);
		service.stale('message', { first: 2 });
		const target = { operation: 'continue' as const, sessionId, message: '[say New]' };
		const { result } = await service.paused('', { target });
		expect(result).toMatchObject({ session: { latestMessage: { text: 'New' } }, warnings: [] });
	});

	test('a poll with a time in the future hides no later poll', async () => {
		const service = simulation();
		const future = {
			change: (body: object) => ({ ...body, lastActivityAt: '2026-10-05T11:00:00Z' }),
		};
		service.meets('poll', future, { first: 1 });
		const result = await service.run('[work 20s] [say Done]', { maxWaitMs: 36_000 });
		expect(result).toMatchObject({
			kind: 'completed',
			session: { latestMessage: { text: 'Done' } },
		});
	});

	test('a poll that is older than the latest one is ignored', async () => {
		const service = simulation();
		service.meets(
			'poll',
			{
				change: (body) => ({
					...body,
					status: 'completed',
					pendingInteractions: [],
					lastActivityAt: '2026-10-05T08:00:00Z',
				}),
			},
			{ skip: 2, first: 2 },
		);
		const result = await service.run('[work 40s] [say Done]');
		expect(result).toMatchObject({
			kind: 'completed',
			session: { latestMessage: { text: 'Done' } },
		});
	});
});

describe('timeouts', () => {
	test("a slow start isn't cut off, even if Max Wait is short", async () => {
		const service = simulation();
		service.slow('start', 50_000);
		const { kind } = await service.run('[work 10m]', { maxWaitMs: 0 });
		expect(kind).toBe('stillRunning');
		expect(service.sessions()).toHaveLength(1);
	});

	test('a completed session is a result, even after Max Wait', async () => {
		const service = simulation();
		const nodeContext = {};
		const timeouts = { maxWaitMs: HOUR };
		await service.wake('[work 1m] [say Done]', nodeContext, { timeouts });
		service.advance(2 * HOUR);
		service.meets('poll', page, { first: 1 });
		const result = await service.wake('[work 1m] [say Done]', nodeContext, { timeouts });
		expect(result.kind).toBe('completed');
	});
});

describe('the ledger', () => {
	test('a message that was refused is sent again by a retry, because its record was taken back', async () => {
		const service = simulation();
		const { session } = await service.run('[say First]');
		const open = new Set<string>();
		const ledger: Ledger = {
			begin: async (effect) =>
				open.has(effect) ? { state: 'unknown' } : (open.add(effect), 'new'),
			done: async () => {},
			forget: async (effect) => void open.delete(effect),
		};
		const target = {
			operation: 'continue' as const,
			sessionId: session.sessionId,
			message: '[say Second]',
		};
		const nodeContext = {};
		service.meets('message', status(422), { first: 1 });
		await getError(service.run('', { target, ledger }, nodeContext));
		const result = await service.run('', { target, ledger }, nodeContext);
		expect(result.session.latestMessage?.text).toBe('Second');
		expect([...open]).toEqual(['message 0']);
	});
});
