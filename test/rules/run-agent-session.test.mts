// The numbered rules of the Run Agent Session node, in simulated time. Those that need n8n itself stand in test/engine.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { toJson } from '../../nodes/RunAgentSession/output.ts';
import type { Policy } from '../../nodes/RunAgentSession/permissionPolicy.ts';
import { LIMITS } from '../../nodes/shared/base/limits.ts';
import {
	nothing,
	of,
	page,
	polls,
	errorOf,
	simulation,
	status,
	type Simulation,
	type Weather,
} from './simulation.mts';

const policy = (mode: Policy['mode'], changes: Partial<Policy> = {}): Policy => ({
	mode,
	rules: [],
	defaultDecision: 'ask',
	approveWith: 'once',
	...changes,
});
const seconds = (list: Array<{ at: number }>) => list.map(({ at }) => Math.round(at / 100) / 10);

describe('rule 1: start and continue', () => {
	test('a start posts once and waits for the end', async () => {
		const service = simulation();
		const outcome = await service.run('[work 20s] [say All links work]');
		expect(outcome).toMatchObject({
			kind: 'completed',
			session: { status: 'completed', latestMessage: { text: 'All links work' } },
		});
		expect(of(service.sent, 'POST', '/agent/sessions')).toHaveLength(1);
	});

	test('a continue waits for a session that exists and starts none', async () => {
		const service = simulation();
		const { session } = await service.run('[work 60s] [say Done]', { maxWaitMs: 10_000 });
		const outcome = await service.run('', {
			target: { operation: 'continue', sessionId: session.sessionId },
		});
		expect(outcome).toMatchObject({ kind: 'completed', session: { sessionId: session.sessionId } });
		expect(of(service.sent, 'POST', '/agent/sessions')).toHaveLength(1);
	});

	test('a message is sent first, and the result is that of its turn and not of the one before', async () => {
		const service = simulation();
		const { session } = await service.run('[say First]');
		const outcome = await service.run('', {
			target: {
				operation: 'continue',
				sessionId: session.sessionId,
				message: '[work 20s] [say Second]',
			},
		});
		expect(outcome.session.latestMessage?.text).toBe('Second');
		expect(of(service.sent, 'POST', '/messages')).toHaveLength(1);
	});
});

describe('rule 1: a message whose turn shows late', () => {
	test('is waited for, although the session still reads as it ended before', async () => {
		const service = simulation();
		const { session } = await service.run('[say First]');
		const stale = JSON.stringify(await service.call('GET', `/agent/sessions/${session.sessionId}`));
		const before = polls(service.sent).length;
		service.setWeather(({ method }) =>
			method === 'GET' && polls(service.sent).length < before + 3
				? { status: 200, body: stale }
				: 'fine',
		);
		const outcome = await service.run('', {
			target: {
				operation: 'continue',
				sessionId: session.sessionId,
				message: '[work 2s] [say Second]',
			},
		});
		expect(outcome.session.latestMessage?.text).toBe('Second');
	});

	test('is not waited for longer than half a minute', async () => {
		const service = simulation();
		const { session } = await service.run('[say First]');
		const stale = JSON.stringify(await service.call('GET', `/agent/sessions/${session.sessionId}`));
		service.setWeather(({ method }) => (method === 'GET' ? { status: 200, body: stale } : 'fine'));
		const since = service.now();
		const outcome = await service.run('', {
			target: { operation: 'continue', sessionId: session.sessionId, message: '[say Second]' },
		});
		expect(outcome.session.latestMessage?.text).toBe('First');
		expect(service.now() - since).toBeGreaterThanOrEqual(30_000);
		expect(service.now() - since).toBeLessThan(60_000);
	});
});

describe('rule 2: the first moments of a session', () => {
	test('a 404 is asked again after 1, 2 and 4 seconds', async () => {
		const service = simulation();
		let missing = 3;
		service.setWeather(({ method }) => (method === 'GET' && missing-- > 0 ? status(404) : 'fine'));
		expect((await service.run('[say Hello]')).kind).toBe('completed');
		expect(seconds(polls(service.sent)).slice(0, 4)).toEqual([5, 6, 8, 12]);
	});

	test('after that it is an error that names both causes and the session', async () => {
		const service = simulation();
		service.setWeather(({ method }) => (method === 'GET' ? status(404) : 'fine'));
		const error = await errorOf(service.run('[say Hello]'));
		expect(error.message).toBe('The session was not found');
		expect(error.description).toMatch(/no such session.*lacks a scope/s);
		expect(error.description).toContain((await service.sessions())[0].sessionId);
		expect(seconds(polls(service.sent))).toEqual([5, 6, 8, 12]);
	});
});

describe('rule 3: polling', () => {
	test('waits a twentieth of the age of the session, from 5 s up to where jitter reaches 10 s', async () => {
		const service = simulation();
		await service.run('[work 5m] [say Done]');
		const at = seconds(polls(service.sent));
		const gaps = at.slice(1).map((time, index) => Math.round((time - at[index]) * 10) / 10);
		expect(gaps.slice(0, 3)).toEqual([5, 5, 5]);
		expect(gaps.at(-1)).toBeCloseTo(8.35, 0);
		expect(Math.max(...gaps)).toBeLessThan(8.5);
	});

	test('polls a silent session as often as a busy one', async () => {
		const [silent, busy] = [simulation(), simulation()];
		await silent.run('[idle 60s] [say Done]');
		await busy.run('[work 60s] [say Done]');
		expect(seconds(polls(busy.sent))).toEqual(seconds(polls(silent.sent)));
	});

	test('never sooner than the poll interval, whatever the session does', async () => {
		const step = fc.constantFrom(
			'[work 3s]',
			'[idle 17s]',
			'[status odd 4s]',
			'[ask bash: x]',
			'[say a]',
		);
		await fc.assert(
			fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
				const service = simulation();
				await service.run(steps.join(' '));
				const at = polls(service.sent).map((request) => request.at);
				for (let index = 1; index < at.length; index++)
					expect(at[index] - at[index - 1]).toBeGreaterThanOrEqual(5000);
			}),
			{ numRuns: 30 },
		);
	});
});

describe('rule 4: a blip loses nothing', () => {
	const blips: Array<[string, Weather]> = [
		['a reset connection', 'lost'],
		['a refused connection', 'unsent'],
		['429', status(429, '3')],
		['500', status(500)],
		['503', status(503)],
		['a web page', page],
		['an empty body', nothing],
		['half an answer', { status: 200, body: '{"sessionId":"x","sta' }],
		['JSON of something else', { status: 200, body: '{"object":"list"}' }],
		['a redirect', status(302)],
	];

	test.each(blips)('%s for two minutes of a running session', async (_, weather) => {
		const service = simulation();
		service.setWeather(({ method, at }) =>
			method === 'GET' && at > 9_000 && at < 129_000 ? weather : 'fine',
		);
		expect(await service.run('[work 20s] [say Done]')).toMatchObject({
			kind: 'completed',
			session: { latestMessage: { text: 'Done' } },
		});
		expect(of(service.sent, 'POST', '/agent/sessions')).toHaveLength(1);
	});

	test.each(blips)('%s for ever is reported only when the time is over', async (_, weather) => {
		const service = simulation();
		service.setWeather(({ method }) => (method === 'GET' ? weather : 'fine'));
		const outcome = await service.run('[work 20s]', { maxWaitMs: 5 * 60_000 });
		expect(outcome.kind).toBe('stillRunning');
		expect(outcome.warnings.join()).toMatch(/could not be read at the end/);
		expect(service.now()).toBeGreaterThan(4 * 60_000);
		expect(service.now()).toBeLessThanOrEqual(5 * 60_000);
	});

	test('and is over no later than the next poll would come', async () => {
		const service = simulation();
		service.setWeather(({ method, at }) =>
			method === 'GET' && at > 9_000 && at < 300_000 ? 'lost' : 'fine',
		);
		await service.run('[work 20s] [say Done]');
		const at = polls(service.sent).map((request) => request.at);
		expect(at.at(-1)).toBeGreaterThan(300_000);
		for (let index = 1; index < at.length; index++)
			expect(at[index] - at[index - 1]).toBeLessThanOrEqual(12_000);
	});

	test('Retry-After is obeyed', async () => {
		const service = simulation();
		let first = true;
		service.setWeather(({ method }) =>
			method === 'GET' && first ? ((first = false), status(429, '40')) : 'fine',
		);
		await service.run('[say Done]');
		const [one, two] = polls(service.sent);
		expect(two.at - one.at).toBeGreaterThanOrEqual(40_000);
	});

	test('Retry-After is never obeyed beyond the time the user allowed', async () => {
		const service = simulation();
		service.setWeather(({ method }) => (method === 'GET' ? status(429, '3600') : 'fine'));
		expect((await service.run('[say Done]', { maxWaitMs: 60_000 })).kind).toBe('stillRunning');
		expect(polls(service.sent)).toHaveLength(1);
	});

	test('a Retry-After that no timer takes ends with the time the user allowed, in one attempt', async () => {
		const service = simulation();
		service.setWeather(({ method }) => (method === 'GET' ? status(429, '9999999999') : 'fine'));
		const result = await service.run('[say Done]', { maxWaitMs: 60_000 });
		expect(result.kind).toBe('stillRunning');
		expect(result.warnings[0]).toMatch(/asked to wait 9999999999 seconds/);
		expect(polls(service.sent)).toHaveLength(1);
		expect(service.now()).toBeLessThanOrEqual(60_000);
	});

	test.each([
		[401, 'The API key was refused'],
		[403, 'The API key does not permit this'],
	])('%d stops at once and names session and dashboard', async (code, message) => {
		const service = simulation();
		service.setWeather(({ method, at }) =>
			method === 'GET' && at > 6_000 ? status(code) : 'fine',
		);
		const error = await errorOf(service.run('[work 60s]'));
		const [{ sessionId }] = await service.sessions();
		expect(error.message).toBe(message);
		expect(error.description).toContain(sessionId);
		expect(error.description).toContain('/dashboard/');
		expect(polls(service.sent)).toHaveLength(2);
	});
});

describe('rule 5: permissions', () => {
	test('each is decided once, by the first rule that matches, and listed', async () => {
		const service = simulation();
		const rules = [
			{ permission: 'bash', pattern: 'git *', decision: 'approve' as const },
			{ permission: 'edit', pattern: '*', decision: 'deny' as const },
		];
		const outcome = await service.run(
			'[ask bash: git push] [work 6s] [ask edit: a.html] [work 6s] [say Done]',
			{ policy: policy('rules', { rules }) },
		);
		expect(outcome.kind).toBe('completed');
		expect(
			outcome.decisions.map(({ permission, decision, option, decidedBy }) => [
				permission,
				decision,
				option,
				decidedBy,
			]),
		).toEqual([
			['bash', 'approve', 'once', 'rule 1'],
			['edit', 'deny', 'reject', 'rule 2'],
		]);
		const [session] = await service.sessions();
		expect(session.interactions.map(({ value }: any) => value)).toEqual(['once', 'reject']);
		expect(of(service.sent, 'POST', '/resolve')).toHaveLength(2);
	});

	test('one that the service still lists after it was decided is left alone', async () => {
		const service = simulation();
		service.setWeather(({ method }) => {
			const resolved = of(service.sent, 'POST', '/resolve').length > 0;
			const stale = service.sent.find(({ answer }) => answer?.includes('"patterns":["x"]'))?.answer;
			return method === 'GET' && resolved && polls(service.sent).length < 4
				? { status: 200, body: stale }
				: 'fine';
		});
		const outcome = await service.run('[ask bash: x] [work 20s] [say Done]');
		expect(outcome.kind).toBe('completed');
		expect(polls(service.sent).length).toBeGreaterThan(4);
		expect(of(service.sent, 'POST', '/resolve')).toHaveLength(1);
	});

	test('one that the service still lists after several polls goes to a human, with the reason (rule 16)', async () => {
		const service = simulation();
		service.setWeather(({ method }) => {
			const resolved = of(service.sent, 'POST', '/resolve').length > 0;
			const stale = service.sent.find(({ answer }) => answer?.includes('"patterns":["x"]'))?.answer;
			return method === 'GET' && resolved ? { status: 200, body: stale } : 'fine';
		});
		const result = await service.run('[ask bash: x] [work 20s] [say Done]');
		expect(result.kind).toBe('needsApproval');
		expect(result.undecided[0].because).toMatch(/was resolved, and the service still lists it/);
		expect(of(service.sent, 'POST', '/resolve')).toHaveLength(1);
	});

	test('one that is listed twice is decided once', async () => {
		const service = simulation();
		service.setWeather(({ method }) => {
			const answer = service.sent.at(-1)?.answer;
			if (method !== 'GET' || !answer?.includes('"patterns"')) return 'fine';
			const body = JSON.parse(answer);
			return {
				status: 200,
				body: JSON.stringify({
					...body,
					pendingInteractions: [...body.pendingInteractions, ...body.pendingInteractions],
				}),
			};
		});
		const { session } = await service.run('[ask bash: x] [say Done]', { policy: policy('ask') });
		await service.run('', {
			target: { operation: 'continue', sessionId: session.sessionId },
			maxWaitMs: 20_000,
		});
		expect(of(service.sent, 'POST', '/resolve')).toHaveLength(1);
	});

	test('approve with always prefers the option that lasts', async () => {
		const service = simulation();
		const outcome = await service.run('[ask bash: x] [say Done]', {
			policy: policy('approve', { approveWith: 'always' }),
		});
		expect(outcome.decisions).toMatchObject([
			{ option: 'always', decision: 'approve', decidedBy: 'policy' },
		]);
	});

	test('one that somebody else resolved in between is passed over, and not listed as ours', async () => {
		const service = simulation();
		service.setWeather(async ({ method, path }): Promise<Weather> => {
			if (method === 'POST' && path.endsWith('/resolve'))
				await service.call('POST', path, { type: 'permission', response: 'reject' });
			return 'fine';
		});
		const outcome = await service.run('[ask bash: x] [say Done]');
		expect(outcome).toMatchObject({ kind: 'completed', decisions: [] });
	});

	test('a refusal that leaves it pending is an error that names the session', async () => {
		const service = simulation();
		service.setWeather(({ method, path }) =>
			method === 'POST' && path.endsWith('/resolve') ? status(400) : 'fine',
		);
		const error = await errorOf(service.run('[ask bash: x]'));
		expect(error.message).toBe('The service refused the request as invalid');
		expect(error.context.sessionId).toBe((await service.sessions())[0].sessionId);
	});
});

describe('rule 5: an agent that asks without end', () => {
	/** Every answer asks for one more permission. */
	const endless = () => {
		const service = simulation();
		let asked = 0;
		const more = (count: number, pattern = 'x') => ({
			status: 200,
			body: JSON.stringify({
				sessionId: 'any',
				status: 'running',
				pendingInteractions: Array.from({ length: count }, () => ({
					id: `i${asked++}`,
					type: 'permission',
					permission: 'bash',
					patterns: [pattern],
					response: { options: [{ value: 'once', label: 'Once' }] },
				})),
			}),
		});
		return { service, more };
	};
	const isSession = ({ method, path }: { method: string; path: string }) =>
		method === 'GET' || path.endsWith('/resolve');

	test('is answered until Max Wait and what is decided after it', async () => {
		const { service, more } = endless();
		service.setWeather((request) => (isSession(request) ? more(1) : 'fine'));
		const result = await service.run('x', { maxWaitMs: 60_000, lateMs: 500 });
		expect(result.kind).toBe('stillRunning');
		expect(service.now()).toBeLessThanOrEqual(60_000 + LIMITS.decisionsMs + 2_000);
	});

	test('is answered a thousand times at most, then a human is told why', async () => {
		const { service, more } = endless();
		service.setWeather((request) => (isSession(request) ? more(1) : 'fine'));
		const result = await service.run('x');
		expect(result.kind).toBe('needsApproval');
		expect(result.decisions).toHaveLength(LIMITS.decisions);
		expect(result.undecided[0].because).toMatch(/^1000 requests of this session were decided/);
	});

	test('is heard for a hundred requests at once, the rest goes to a human', async () => {
		const { service, more } = endless();
		service.setWeather((request) => (request.method === 'GET' ? more(150) : 'fine'));
		const result = await service.run('x', { policy: policy('ask') });
		const ours = result.undecided.filter(({ because }) => because === 'policy');
		expect([ours.length, result.undecided.length]).toEqual([LIMITS.interactions, 150]);
		expect(result.undecided[149].because).toBe('only 100 requests are looked at at once');
	});

	test('does not hold up n8n with requests made to stall the rules: together they get what one may take', async () => {
		const { service, more } = endless();
		const stalling = 'a'.repeat(LIMITS.request - 10);
		const rules = [
			{ permission: '*', pattern: `*${'a'.repeat(1_000)}b`, decision: 'approve' as const },
			{ permission: '*', pattern: '*', decision: 'approve' as const },
		];
		const [first, second] = [more(1, stalling), more(1)].map(({ body }) => JSON.parse(body));
		first.pendingInteractions.push(...second.pendingInteractions);
		const body = JSON.stringify(first);
		service.setWeather((request) => (request.method === 'GET' ? { status: 200, body } : 'fine'));
		const result = await service.run('x', { policy: policy('rules', { rules }) });
		expect(result.undecided.map(({ because }) => /too long/.test(because))).toEqual([true, true]);
	});

	test('whose permission is no text is answered and listed all the same', async () => {
		const { service } = endless();
		const interaction = {
			id: 'i1',
			type: 'permission',
			permission: { toString: 1, valueOf: 1 },
			patterns: [],
			response: { options: [{ value: 'once', label: 7 }] },
		};
		service.setWeather(({ method, path }) => {
			const resolved = of(service.sent, 'POST', '/resolve').length > 0;
			const body = {
				status: resolved ? 'completed' : 'running',
				pendingInteractions: [interaction],
			};
			if (resolved) body.pendingInteractions = [];
			return method === 'GET' || path.endsWith('/resolve')
				? { status: 200, body: JSON.stringify(body) }
				: 'fine';
		});
		const result = await service.run('x');
		expect(result.decisions).toMatchObject([{ permission: '{"toString":1,"valueOf":1}' }]);
	});
});

describe('rule 6: what needs a human', () => {
	test('goes to Needs Approval, with the decidable ones resolved', async () => {
		const service = simulation();
		const rules = [{ permission: 'bash', pattern: 'ls', decision: 'approve' as const }];
		const outcome = await service.run('[ask bash: ls + edit: a.html] [say Done]', {
			policy: policy('rules', { rules }),
		});
		expect(outcome.kind).toBe('needsApproval');
		expect(outcome.decisions.map(({ permission }) => permission)).toEqual(['bash']);
		expect(outcome.session.pendingInteractions.map(({ permission }) => permission)).toEqual([
			'edit',
		]);
		expect(outcome.undecided).toEqual([
			{ interactionId: outcome.session.pendingInteractions[0].id, because: 'default decision' },
		]);
	});

	test('is also what has a type that nobody has documented', async () => {
		const service = simulation();
		const outcome = await service.run('[question Which colour?]', { policy: policy('approve') });
		expect(outcome.kind).toBe('needsApproval');
		expect(outcome.undecided[0].because).toMatch(/question/);
	});

	test.each<['approve' | 'deny', RegExp]>([
		['approve', /Done/],
		['deny', /not|denied|without/i],
	])("is taken up again by continue with the human's answer: %s", async (answer, text) => {
		const service = simulation();
		const { session } = await service.run('[ask bash: x] [say Done]', { policy: policy('ask') });
		const outcome = await service.run('', {
			target: { operation: 'continue', sessionId: session.sessionId },
			policy: policy(answer),
		});
		expect(outcome).toMatchObject({ kind: 'completed', decisions: [{ decision: answer }] });
		expect(outcome.session.latestMessage?.text).toMatch(text);
	});
});

describe('rules 17 and 21', () => {
	test('an error lists the permissions that were decided before it', async () => {
		const service = simulation();
		service.setWeather(({ method }) =>
			method === 'GET' && of(service.sent, 'POST', '/resolve').length > 0 ? status(403) : 'fine',
		);
		const error = await errorOf(service.run('[ask bash: x] [work 10m]'));
		expect(error.context.decisions).toMatchObject([{ decision: 'approve', permission: 'bash' }]);
	});

	test('and names those that may have been decided', async () => {
		const service = simulation();
		service.setWeather(({ method, path }) => {
			if (method === 'POST' && path.endsWith('/resolve')) return 'lost-after';
			if (of(service.sent, 'POST', '/resolve').length === 0) return 'fine';
			return service.now() < 60_000 ? 'lost' : status(403);
		});
		const error = await errorOf(service.run('[ask bash: x] [work 10m]'));
		expect(error.context.decisions).toBeUndefined();
		expect(error.description).toMatch(/ Permission request \S+ may have been decided: "once"/);
	});

	test('completed with a request pending that nobody may decide is left for a human', async () => {
		const service = simulation();
		service.setWeather(({ method }) => {
			const answer = service.sent.find((each) => each.answer?.includes('"patterns"'))?.answer;
			return method === 'GET' && answer
				? { status: 200, body: JSON.stringify({ ...JSON.parse(answer), status: 'completed' }) }
				: 'fine';
		});
		const { session } = await service.run('[ask bash: x]', { policy: policy('ask') });
		const target = { operation: 'continue' as const, sessionId: session.sessionId };
		const result = await service.run('', { target, policy: policy('ask') });
		expect(result).toMatchObject({ kind: 'needsApproval', session: { status: 'completed' } });
	});
});

describe('rule 7: resolving is verified', () => {
	const resolveMeets = (service: ReturnType<typeof simulation>, first: Weather) => {
		let met = false;
		service.setWeather(({ method, path }) => {
			if (method !== 'POST' || !path.endsWith('/resolve') || met) return 'fine';
			met = true;
			return first;
		});
	};

	test.each<[string, Weather]>([
		['the connection', 'lost-after'],
		['a server error', { ...(status(500) as object), processed: true } as Weather],
		['a web page', { ...(page as object), processed: true } as Weather],
	])('an answer lost to %s after it took effect is not sent again', async (_, weather) => {
		const service = simulation();
		resolveMeets(service, weather);
		const outcome = await service.run('[ask bash: x] [say Done]');
		expect(outcome).toMatchObject({ kind: 'completed', decisions: [{ decision: 'approve' }] });
		expect(of(service.sent, 'POST', '/resolve')).toHaveLength(1);
	});

	test('one that only seemed resolved, because a reading left it out, is resolved when it shows again', async () => {
		const service = simulation();
		let lost = false;
		service.setWeather(({ method, path }) => {
			if (method === 'POST' && path.endsWith('/resolve') && !lost) {
				lost = true;
				return 'lost';
			}
			const last = service.sent.findLast(({ answer }) => answer?.includes('"patterns"'))?.answer;
			const readings = polls(service.sent).length;
			return method === 'GET' && lost && readings === 1
				? { status: 200, body: JSON.stringify({ ...JSON.parse(last!), pendingInteractions: [] }) }
				: 'fine';
		});
		const outcome = await service.run('[ask bash: x] [say Done]');
		expect(outcome).toMatchObject({ kind: 'completed', decisions: [{ decision: 'approve' }] });
		expect((await service.sessions())[0].interactions).toMatchObject([{ value: 'once' }]);
	});

	test('one that seemed resolved shortly before the time was over is told of as perhaps still pending', async () => {
		const service = simulation();
		service.setWeather(({ method, path }) => {
			if (method === 'POST' && path.endsWith('/resolve')) return 'lost';
			const { answer } = service.sent.findLast((sent) => sent.answer?.includes('"patterns"')) ?? {};
			return method === 'GET' && of(service.sent, 'POST', '/resolve').length > 0
				? { status: 200, body: JSON.stringify({ ...JSON.parse(answer!), pendingInteractions: [] }) }
				: 'fine';
		});
		const outcome = await service.run('[ask bash: x] [say Done]', { maxWaitMs: 12_000 });
		expect(outcome).toMatchObject({
			kind: 'stillRunning',
			decisions: [{ decision: 'approve' }],
			warnings: [expect.stringMatching(/^Permission request \S+ may still be pending/)],
		});
	});

	test('one of two whose answer was lost is not sent again before a reading shows it, and listed', async () => {
		const service = simulation();
		let lostAt = Infinity;
		service.setWeather(({ method, path }) => {
			const isSecond = of(service.sent, 'POST', '/resolve').length === 1;
			if (path.endsWith('/resolve') && isSecond) {
				lostAt = service.now();
				return 'lost-after';
			}
			return method === 'GET' && service.now() < lostAt + 15_000 && lostAt < Infinity
				? 'lost'
				: 'fine';
		});
		const outcome = await service.run('[ask bash: x + edit: y] [say Done]');
		expect(outcome).toMatchObject({
			kind: 'completed',
			decisions: [{ permission: 'bash' }, { permission: 'edit' }],
			warnings: [],
		});
		expect(of(service.sent, 'POST', '/resolve')).toHaveLength(2);
	});

	test('one that is refused because an earlier answer was carried out after all is listed', async () => {
		const service = simulation();
		let lostAt: number | undefined;
		let stale: string | undefined;
		service.setWeather(({ method, path }) => {
			const resolves = of(service.sent, 'POST', '/resolve').length;
			if (path.endsWith('/resolve') && resolves === 0) {
				lostAt = service.now();
				stale = service.sent.findLast(({ answer }) => answer?.includes('"patterns"'))?.answer;
				return 'lost-after';
			}
			if (method !== 'GET' || resolves !== 1) return 'fine';
			// What can be read again is behind.
			return service.now() < lostAt! + 15_000 ? 'lost' : { status: 200, body: stale };
		});
		const outcome = await service.run('[ask bash: x] [say Done]');
		expect(outcome).toMatchObject({ kind: 'completed', decisions: [{ permission: 'bash' }] });
		expect(of(service.sent, 'POST', '/resolve').length).toBeGreaterThan(1);
	});

	describe.each<[string, Weather]>([
		['carried out', 'lost-after'],
		['not carried out', 'lost'],
	])('one that was %s, and no answer came until the time was over', (_, weather) => {
		test.each(['route', 'stop'])(
			'is told of, and listed once by the try that learns of it (%s)',
			async (end) => {
				const service = simulation();
				service.setWeather(({ method, path }) => {
					if (of(service.sent, 'POST', '/resolve').length > 0) return 'lost';
					if (method === 'GET' || !path.endsWith('/resolve')) return 'fine';
					if (end === 'stop') service.stopAt(service.now());
					return weather;
				});
				const nodeContext = {};
				const job = { maxWaitMs: 20_000, abortOnStop: false };
				const prompt = '[ask bash: x] [say Done]';
				const first = await service.run(prompt, job, nodeContext).catch((error: Error) => error);
				expect(first).toMatchObject(
					end === 'stop'
						? { message: 'The execution was canceled' }
						: {
								kind: 'stillRunning',
								decisions: [],
								warnings: expect.arrayContaining([
									expect.stringMatching(/^Permission request \S+ may have been decided: "once"/),
								]),
							},
				);

				service.setWeather(() => 'fine');
				service.stopAt(Infinity);
				const outcome = await service.run(prompt, job, nodeContext);
				expect(outcome).toMatchObject({
					kind: 'completed',
					decisions: [{ decision: 'approve', patterns: ['x'] }],
					warnings: [],
				});
				expect((await service.sessions()).map(({ interactions }) => interactions)).toMatchObject([
					[{ value: 'once' }],
				]);
			},
		);
	});

	test('one lost before it took effect is sent again', async () => {
		const service = simulation();
		resolveMeets(service, 'lost');
		expect((await service.run('[ask bash: x] [say Done]')).kind).toBe('completed');
		expect(of(service.sent, 'POST', '/resolve')).toHaveLength(2);
	});
});

describe('rule 8: the time is over', () => {
	test('route hands the session on as it is and leaves it running', async () => {
		const service = simulation();
		const outcome = await service.run('[work 10m]', { maxWaitMs: 60_000 });
		expect(outcome).toMatchObject({ kind: 'stillRunning', session: { status: 'running' } });
		expect((await service.sessions())[0].aborted).toBe(false);
		expect(service.now()).toBeLessThanOrEqual(60_000);
		expect(service.now()).toBeGreaterThan(50_000);
	});

	test('the dashboard is named even if the last answers leave it out', async () => {
		const service = simulation();
		service.setWeather(({ method, at }) =>
			method === 'GET' && at > 20_000 ? { status: 200, body: '{"status":"running"}' } : 'fine',
		);
		const outcome = await service.run('[work 10m]', { maxWaitMs: 60_000 });
		expect(outcome.session.dashboardUrl).toMatch(/dashboard/);
	});

	test('abort ends the session and says so', async () => {
		const service = simulation();
		const error = await errorOf(
			service.run('[work 10m]', { maxWaitMs: 60_000, onMaxWait: 'abort' }),
		);
		expect(error.message).toBe('The session did not finish within 1 minute and was aborted');
		expect((await service.sessions())[0].aborted).toBe(true);
	});

	test('abort that fails says that the session may still be running', async () => {
		const service = simulation();
		service.setWeather(({ path }) => (path.endsWith('/abort') ? status(503) : 'fine'));
		const error = await errorOf(
			service.run('[work 10m]', { maxWaitMs: 60_000, onMaxWait: 'abort' }),
		);
		expect(error.message).toMatch(/could not be aborted/);
		expect(error.description).toMatch(/may still be running/);
	});

	test('an abort that gets nothing but 429 is given up in its time, after Stop too', async () => {
		for (const stopped of [false, true]) {
			const service = simulation();
			service.setWeather(({ path }) => (path.endsWith('/abort') ? status(429, '5') : 'fine'));
			const end = 60_000;
			if (stopped) service.stopAt(end);
			await errorOf(service.run('[work 10m]', { maxWaitMs: end, onMaxWait: 'abort' }));
			expect(of(service.sent, 'POST', '/abort').length).toBeGreaterThan(1);
			expect(service.now()).toBeLessThanOrEqual(end + LIMITS.abortMs);
		}
	});

	test('the last look is made although timers are late', async () => {
		const service = simulation();
		const outcome = await service.run('[idle 10m]', { maxWaitMs: 202_000, lateMs: 3 });
		expect(outcome).toMatchObject({ kind: 'stillRunning', warnings: [] });
		expect(polls(service.sent).at(-1)!.at).toBeGreaterThanOrEqual(202_000);
	});

	test('no time at all is one look, which decides what it finds', async () => {
		const service = simulation();
		const { session } = await service.run('[ask bash: x] [work 10m]', { policy: policy('ask') });
		const target = { operation: 'continue' as const, sessionId: session.sessionId };
		// A timer that is late, as real ones are.
		const outcome = await service.run('', { target, maxWaitMs: 0, lateMs: 3 });
		expect(outcome).toMatchObject({
			kind: 'stillRunning',
			decisions: [{ decision: 'approve' }],
			warnings: [],
		});
	});

	test('what was found is decided even if the first answer is lost by then', async () => {
		const service = simulation();
		const { session } = await service.run('[ask bash: x] [work 10m]', { policy: policy('ask') });
		service.setWeather(({ path }) =>
			path.endsWith('/resolve') && of(service.sent, 'POST', '/resolve').length === 0
				? 'lost'
				: 'fine',
		);
		const target = { operation: 'continue' as const, sessionId: session.sessionId };
		const outcome = await service.run('', { target, maxWaitMs: 0 });
		expect(outcome).toMatchObject({ kind: 'stillRunning', decisions: [{ decision: 'approve' }] });
		expect((await service.sessions())[0].interactions).toMatchObject([{ value: 'once' }]);
	});

	test('no time at all is one look', async () => {
		const service = simulation();
		const { session } = await service.run('[work 10m]', { maxWaitMs: 20_000 });
		const before = polls(service.sent).length;
		const outcome = await service.run('', {
			target: { operation: 'continue', sessionId: session.sessionId },
			maxWaitMs: 0,
		});
		expect(outcome).toMatchObject({ kind: 'stillRunning', session: { status: 'running' } });
		expect(polls(service.sent)).toHaveLength(before + 1);
	});
});

describe('rule 9: stopped', () => {
	test('aborts the remote session', async () => {
		const service = simulation();
		service.stopAt(12_000);
		await expect(service.run('[work 10m]')).rejects.toThrow('canceled');
		expect((await service.sessions())[0].aborted).toBe(true);
	});

	test('leaves it running where the user wants that, and says so in the log', async () => {
		const service = simulation();
		service.stopAt(12_000);
		await expect(service.run('[work 10m]', { abortOnStop: false })).rejects.toThrow('canceled');
		expect((await service.sessions())[0].aborted).toBe(false);
		expect(service.logged.at(-1)).toMatch(/Abort on Stop is off/);
	});
});

describe('rule 10: no second session', () => {
	test('a retry takes up the session that runs', async () => {
		const service = simulation();
		const nodeContext = {};
		service.setWeather(({ at }) => (at > 12_000 && at < 20_000 ? status(401) : 'fine'));
		await errorOf(service.run('[work 60s] [say Done]', {}, nodeContext));
		service.advance(10_000);
		const outcome = await service.run('[work 60s] [say Done]', {}, nodeContext);
		expect(outcome.kind).toBe('completed');
		expect(await service.sessions()).toHaveLength(1);
	});

	test('a retry hands on the result of a session that has completed', async () => {
		const service = simulation();
		const nodeContext = {};
		const first = await service.run('[ask bash: x] [say Done]', {}, nodeContext);
		const second = await service.run('[ask bash: x] [say Done]', {}, nodeContext);
		expect(second).toMatchObject({
			kind: 'completed',
			session: first.session,
			decisions: first.decisions,
		});
		expect(await service.sessions()).toHaveLength(1);
	});

	test('a session that is known to have failed is started again', async () => {
		const service = simulation();
		const nodeContext = {};
		expect((await service.run('[fail Out of disk]', {}, nodeContext)).kind).toBe('failed');
		expect((await service.run('[fail Out of disk]', {}, nodeContext)).kind).toBe('failed');
		expect(await service.sessions()).toHaveLength(2);
	});

	test('a session that Stop aborted is started again', async () => {
		const service = simulation();
		const nodeContext = {};
		service.stopAt(12_000);
		await expect(service.run('[work 30s]', {}, nodeContext)).rejects.toThrow('canceled');
		service.stopAt(Infinity);
		expect((await service.run('[work 30s]', {}, nodeContext)).kind).toBe('completed');
		expect(await service.sessions()).toHaveLength(2);
	});

	test.each<[string, Weather]>([
		['the connection', 'lost-after'],
		['a server error', { ...(status(500) as object), processed: true } as Weather],
		['a web page', { ...(page as object), processed: true } as Weather],
		['an answer without an ID', { status: 202, body: '{"ok":true}', processed: true }],
	])(
		'a start whose answer was lost to %s is not repeated, not by a retry either',
		async (_, weather) => {
			const service = simulation();
			const nodeContext = {};
			service.setWeather(({ method }) => (method === 'POST' ? weather : 'fine'));
			const error = await errorOf(service.run('[say Hello]', {}, nodeContext));
			expect(error.message).toMatch(
				/not known whether the session was started|A session was started/,
			);
			expect(error.description).toMatch(/dashboard.*Continue a Session/s);
			service.setWeather(() => 'fine');
			expect((await errorOf(service.run('[say Hello]', {}, nodeContext))).message).toBe(
				'It is not known whether the session was started',
			);
			expect(await service.sessions()).toHaveLength(1);
		},
	);

	test.each<[string, Weather]>([
		['was refused for now', status(429, '2')],
		['never left', 'unsent'],
	])('a start that %s is sent again', async (_, weather) => {
		const service = simulation();
		let times = 2;
		service.setWeather(({ method }) => (method === 'POST' && times-- > 0 ? weather : 'fine'));
		expect((await service.run('[say Hello]')).kind).toBe('completed');
		expect(await service.sessions()).toHaveLength(1);
	});

	test('a message whose answer was lost is not repeated when the session shows it', async () => {
		const service = simulation();
		const { session } = await service.run('[say First]');
		service.setWeather(({ path }) => (path.endsWith('/messages') ? 'lost-after' : 'fine'));
		const outcome = await service.run('', {
			target: {
				operation: 'continue',
				sessionId: session.sessionId,
				message: '[work 5s] [say Second]',
			},
		});
		expect(outcome.session.latestMessage?.text).toBe('Second');
		expect(of(service.sent, 'POST', '/messages')).toHaveLength(1);
	});

	test('a message that may have arrived is not sent again, however long the session shows nothing of it', async () => {
		const service = simulation();
		const { session } = await service.run('[say First]');
		service.setWeather(({ path }) => (path.endsWith('/messages') ? 'lost' : 'fine'));
		const since = service.now();
		const error = await errorOf(
			service.run('', {
				target: { operation: 'continue', sessionId: session.sessionId, message: '[say Second]' },
			}),
		);
		expect(error.message).toBe('It is not known whether the message reached the session');
		expect(service.now() - since).toBeGreaterThanOrEqual(27_000);
		expect(of(service.sent, 'POST', '/messages')).toHaveLength(1);
	});

	test('a message is sent once, also when the node is tried again', async () => {
		const service = simulation();
		const nodeContext = {};
		const { session } = await service.run('[say First]');
		const target = {
			operation: 'continue' as const,
			sessionId: session.sessionId,
			message: '[work 30s] [say Second]',
		};
		service.setWeather(({ method, at }) =>
			method === 'GET' && at > 12_000 && at < 20_000 ? status(403) : 'fine',
		);
		service.advance(Math.max(0, 6_000 - service.now()));
		await errorOf(service.run('', { target }, nodeContext));
		service.setWeather(() => 'fine');
		const outcome = await service.run('', { target }, nodeContext);
		expect(outcome.session.latestMessage?.text).toBe('Second');
		expect(of(service.sent, 'POST', '/messages')).toHaveLength(1);
	});

	test('the journal serves nobody who asks for something else', async () => {
		const service = simulation();
		const nodeContext = {};
		await service.run('[say One]', {}, nodeContext);
		expect((await service.run('[say Two]', {}, nodeContext)).session.latestMessage?.text).toBe(
			'Two',
		);
	});
});

describe('rule 12: the output item', () => {
	test('has what the next node needs, and never a key that n8n takes for a failure', async () => {
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
			durationMs: service.now(),
		});
		expect(json).not.toHaveProperty('error');
		// Until the agent has spoken, the latest message is what it was told.
		expect(toJson(await service.run('[idle 10m]', { maxWaitMs: 10_000 })).text).toBe('');
		expect(toJson(await service.run('[fail Out of disk]'))).not.toHaveProperty('error');
	});
});

describe('rule 14: finding executions', () => {
	test('the session is reported before the first poll, and its dashboard with it', async () => {
		const service = simulation();
		await service.run('[say Done]');
		const [{ sessionId }] = await service.sessions();
		expect(service.recorded).toEqual([
			{ sessionId },
			{ sessionId, dashboardUrl: expect.stringContaining(sessionId) },
		]);
	});
});

describe('rule 15: what nobody has documented', () => {
	test('an unknown status counts as running and is reported', async () => {
		const service = simulation();
		const outcome = await service.run('[status hibernating 30s] [say Done]');
		expect(outcome.kind).toBe('completed');
		expect(outcome.warnings).toEqual([
			'The service reported the undocumented status "hibernating", which was taken for running.',
		]);
	});

	test('no shape of an answer crashes the loop', async () => {
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
					service.setWeather(({ method }) =>
						method === 'GET' ? { status: 200, body: JSON.stringify(answer) } : 'fine',
					);
					const outcome = await service.run('[say Done]', { maxWaitMs: 60_000 });
					expect(['completed', 'failed', 'stillRunning', 'needsApproval']).toContain(outcome.kind);
				},
			),
			{ numRuns: 100 },
		);
	}, 60_000);
});

describe('rule 19: time and rate limits', () => {
	const refusePoll = (service: Simulation, which: number, weather: Weather) =>
		service.setWeather(({ method }) =>
			method === 'GET' && polls(service.sent).length === which ? weather : 'fine',
		);

	test('a Retry-After of 0 is no hot loop', async () => {
		const service = simulation();
		service.setWeather(({ method }) => (method === 'GET' ? status(429, '0') : 'fine'));
		await service.run('[work 10m]', { maxWaitMs: 60_000 });
		const at = polls(service.sent).map((request) => request.at);
		expect(at.length).toBeGreaterThan(3);
		for (let index = 1; index < at.length; index++)
			expect(at[index] - at[index - 1]).toBeGreaterThanOrEqual(1_000);
	});

	test("a Retry-After beyond one session's Max Wait holds up no other session", async () => {
		const service = simulation();
		refusePoll(service, 0, status(429, '3600'));
		expect((await service.run('[work 2s]', { maxWaitMs: 60_000 })).kind).toBe('stillRunning');
		const since = service.now();
		expect((await service.run('[work 2s] [say Done]', { maxWaitMs: 60_000 })).kind).toBe(
			'completed',
		);
		expect(service.now() - since).toBeLessThan(10_000);
	});

	test('and aborts nothing before Max Wait, nor what has completed by then', async () => {
		const service = simulation();
		refusePoll(service, 0, status(429, '3600'));
		const changes = { maxWaitMs: 60_000, onMaxWait: 'abort' as const };
		const outcome = await service.run('[work 20s] [say Done]', changes);
		expect(outcome).toMatchObject({
			kind: 'completed',
			session: { latestMessage: { text: 'Done' } },
		});
		expect((await service.sessions())[0].aborted).toBe(false);
		expect(service.now()).toBeLessThan(62_000);
	});

	test('the abort goes through while the service refuses all that is read, and a retry reads what became of it', async () => {
		const service = simulation();
		const nodeContext = {};
		service.setWeather(({ method, at }) =>
			method === 'GET' && at < 200_000 ? status(429, '45') : 'fine',
		);
		const changes = { maxWaitMs: 60_000, onMaxWait: 'abort' as const };
		const error = await errorOf(service.run('[work 20s] [say Done]', changes, nodeContext));
		expect(error.message).toMatch(/was aborted$/);
		expect(service.now()).toBeLessThan(95_000);
		service.advance(200_000);
		await service.run('[work 20s] [say Done]', changes, nodeContext).catch(() => {});
		expect(await service.sessions()).toHaveLength(1);
	});

	test('a start has a time of its own, however short Max Wait is', async () => {
		const service = simulation();
		service.setWeather(({ method }) => {
			if (method === 'POST') service.advance(20_000);
			return 'fine';
		});
		const outcome = await service.run('[work 10m]', { maxWaitMs: 0 });
		expect(outcome.kind).toBe('stillRunning');
		expect(outcome.session.sessionId).toBe((await service.sessions())[0].sessionId);
	});

	test('all decisions together have half a minute after Max Wait', async () => {
		const service = simulation();
		const asked = Array.from({ length: 30 }, (_, index) => `bash: ${index}`).join(' + ');
		const { session } = await service.run(`[ask ${asked}] [work 10m]`, { policy: policy('ask') });
		service.setWeather(({ path }) => {
			if (path.endsWith('/resolve')) service.advance(4_000);
			return 'fine';
		});
		const since = service.now();
		const target = { operation: 'continue' as const, sessionId: session.sessionId };
		const outcome = await service.run('', { target, maxWaitMs: 0 });
		expect(outcome.decisions.length).toBeGreaterThan(5);
		expect(service.now() - since).toBeLessThan(36_000);
	});

	test.each([true, false])(
		'Stop while a start is under way: abort on Stop %s',
		async (abortOnStop) => {
			const service = simulation();
			service.stopAt(3_000);
			service.setWeather(({ path }) => {
				if (path.endsWith('/agent/sessions')) service.advance(10_000);
				return 'fine';
			});
			await expect(service.run('[work 10m]', { abortOnStop })).rejects.toThrow('canceled');
			const [{ sessionId, aborted }] = await service.sessions();
			expect(aborted).toBe(abortOnStop);
			expect(service.logged.at(-1)).toContain(sessionId);
		},
	);

	test('an answer that is longer under way than a poll may take is asked for again', async () => {
		const service = simulation();
		service.setWeather(({ method }) => {
			if (method === 'GET' && polls(service.sent).length === 0) service.advance(300_000);
			return 'fine';
		});
		expect((await service.run('[say Done]')).kind).toBe('completed');
		expect(polls(service.sent)).toHaveLength(2);
	});
});

test('the service kept its own contract in all of it', async () => {
	const service = simulation();
	await service.run('[work 5s] [ask bash: x + edit: y] [question Why?] [status odd 2s] [say Done]');
	expect(service.problems).toEqual([]);
});
