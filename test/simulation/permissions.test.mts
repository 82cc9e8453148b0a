// Who decides what a session asks for.
import { describe, expect, test } from '@jest/globals';
import { byRules, of, polls, getError, simulation, status } from './simulation.mts';

describe('permissions', () => {
	test('a request that the service still lists after its decision gets no second decision', async () => {
		const service = simulation();
		service.stale('decision', { first: 3 });
		const outcome = await service.run('[ask bash: x] [work 20s] [say Done]');
		expect(outcome.kind).toBe('completed');
		expect(polls(service.sent).length).toBeGreaterThan(4);
		expect(of(service.sent, 'POST', '/resolve')).toHaveLength(1);
	});

	test('a request that the service still lists after several polls goes to an approver, with the reason', async () => {
		const service = simulation();
		service.stale('decision');
		const result = await service.run('[ask bash: x] [work 20s] [say Done]');
		expect(result.kind).toBe('needsApproval');
		expect(result.undecided[0].because).toMatch(/was resolved, and the service still lists it/);
		expect(of(service.sent, 'POST', '/resolve')).toHaveLength(1);
	});

	test('approve with always prefers the option that lasts', async () => {
		const service = simulation();
		const outcome = await service.run('[ask bash: x] [say Done]', {
			approvals: { approveWith: 'always' },
		});
		expect(outcome.decisions).toMatchObject([
			{ option: 'always', decision: 'approve', decidedBy: 'policy' },
		]);
	});

	test('an option that lasts only by the scope of the request is never sent for once', async () => {
		const service = simulation();
		const change = (body: any) => ({
			...body,
			pendingInteractions: body.pendingInteractions.map((each: object) => ({
				...each,
				response: { options: [{ value: 'allow', label: 'Allow' }] },
				scope: 'always',
			})),
		});
		service.meets('poll', { change });
		const result = await service.run('[ask bash: a] [say Done]', { permissionPolicy: 'approve' });
		expect(result.undecided.map(({ because }: any) => because)).toEqual([
			'none of its options clearly means "approve"',
		]);
		expect(of(service.sent, 'POST', '/resolve')).toEqual([]);
	});

	test('a request that another user resolved is skipped, and listed as gone', async () => {
		const service = simulation();
		service.meets('decision', async ({ path }) => {
			await service.call('POST', path, { type: 'permission', response: 'reject' });
			return 'fine' as const;
		});
		const outcome = await service.run('[ask bash: x] [say Done]');
		expect(outcome).toMatchObject({
			kind: 'completed',
			decisions: [{ option: 'once', state: 'gone' }],
		});
	});

	test('a refusal that leaves a request pending is an error that names the session', async () => {
		const service = simulation();
		service.meets('decision', status(400));
		const error = await getError(service.run('[ask bash: x]'));
		expect(error.message).toBe('The service refused the request as invalid');
		expect(error.context.sessionId).toBe(service.sessions()[0].sessionId);
	});
});

describe('an agent that asks endlessly', () => {
	/** Every answer asks for one more permission. */
	const endless = () => {
		const service = simulation();
		let asked = 0;
		const more = (count: number, pattern = 'x') => ({
			status: 200,
			body: JSON.stringify({
				sessionId: service.sessions()[0].sessionId,
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
	test('gets answers until Max Wait, and a last poll after it', async () => {
		const { service, more } = endless();
		service.meets('poll', () => more(1));
		service.meets('decision', () => more(1));
		const result = await service.run('x', { maxWait: 1 });
		expect(result.kind).toBe('stillRunning');
		expect(service.now()).toBeLessThanOrEqual(60_000 + 30_000 + 2_000);
	});

	test('gets at most a thousand answers, and then the item says why', async () => {
		const { service, more } = endless();
		service.meets('poll', () => more(1));
		service.meets('decision', () => more(1));
		// Every decision follows a poll.
		const result = await service.run('x', { maxWait: 240 });
		expect(result.kind).toBe('needsApproval');
		expect(result.decisions).toHaveLength(1_000);
		expect(result.undecided[0].because).toMatch(/^1000 requests of this session were decided/);
	});

	test('is asked about a hundred requests at once, and a warning counts the others', async () => {
		const { service, more } = endless();
		service.meets('poll', () => more(150));
		const result = await service.run('x', { permissionPolicy: 'ask' });
		expect(result.warnings).toContainEqual(
			expect.stringMatching(/^50 more requests are pending\. The node decides at most 100 at once/),
		);
	});
});

describe('requests for approvers', () => {
	test('a session goes to To Approve after the rules have resolved the decidable requests', async () => {
		const service = simulation();
		const rules = [{ permission: 'bash', pattern: 'ls', decision: 'approve' as const }];
		const outcome = await service.run('[ask bash: ls + edit: a.html] [say Done]', {
			...byRules(...rules),
		});
		expect(outcome.kind).toBe('needsApproval');
		expect(outcome.decisions.map(({ permission }: any) => permission)).toEqual(['bash']);
		expect(outcome.undecided).toMatchObject([
			{ because: expect.stringMatching(/^no rule covers/) },
		]);
		expect(outcome.pendingInteractions).toMatchObject([{ permission: 'edit' }]);
	});
});

test.each([
	['2026-10-05T09:00:10Z', 'needsApproval'],
	['2026-10-05T10:00:00Z', 'completed'],
])('a rule of More Rules until %s, for a request after 20 seconds: %s', async (expires, kind) => {
	const rule = { permission: 'bash', pattern: 'ls', decision: 'approve', expires };
	const approvals = { moreRules: JSON.stringify([rule]) };
	const prompt = '[work 20s] [ask bash: ls] [say Done]';
	expect((await simulation().run(prompt, { ...byRules(), approvals })).kind).toBe(kind);
});
