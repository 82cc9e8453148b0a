// What a reading of a session is, and answers while decisions can't be sent.
import { describe, expect, test } from '@jest/globals';
import {
	getError,
	of,
	pausingRun,
	simulation,
	status,
	byRules,
	type Settings,
} from './simulation.mts';

const OTHER = '99999999-9999-4999-8999-999999999999';
const HOUR = 3_600_000;

/** A reading in which a field says something else */
const says = (changes: object) => ({ change: (body: object) => ({ ...body, ...changes }) });

describe('a reading', () => {
	test('of another session for three minutes ends the wait with an error that names both', async () => {
		const service = simulation();
		service.meets('poll', says({ sessionId: OTHER }), { skip: 1 });
		const error = await getError(service.run('[work 10m]'));
		const [{ sessionId }] = service.sessions();
		expect(error.message).toBe('The service answered about another session');
		expect(error.description).toContain(`You asked for ${sessionId}`);
		expect(error.description).toContain(OTHER);
	});

	test('of another session ends a pausing execution only in the third wake, however late the second is', async () => {
		const service = simulation();
		const context = {};
		await service.wake('[work 1h]', context);
		service.meets('poll', says({ sessionId: OTHER }));
		for (const kind of ['stillRunning', 'stillRunning', 'error']) {
			service.advance(4 * 60_000);
			const result = await service.wake('[work 1h]', context).catch(() => ({ kind: 'error' }));
			expect(result.kind).toBe(kind);
		}
	});

	test('at the end of the wait is tried once more, so a session that completed is not aborted', async () => {
		const service = simulation();
		service.meets('poll', status(503), { from: 60_000, first: 1 });
		const limits = { maxWait: 1, onMaxWait: 'abort' as const };
		expect((await service.run('[work 57s] [say Done]', limits)).kind).toBe('completed');
		expect(of(service.sent, 'POST', '/abort')).toEqual([]);
	});

	test('comes before each denial, which may end the other requests', async () => {
		const service = simulation();
		const rules = ['a', 'b'].map((pattern) => ({
			permission: 'bash',
			pattern,
			decision: pattern === 'a' ? ('approve' as const) : ('deny' as const),
		}));
		await service.run('[ask bash: a + bash: b] [say Done]', { ...byRules(...rules) });
		const methods = service.sent.map(({ method }) => method);
		expect(methods.slice(methods.indexOf('GET')).join(' ')).toMatch(/^GET POST GET POST GET/);
	});

	test('that completed after the abort is a result', async () => {
		const service = simulation();
		service.meets('poll', says({ status: 'completed' }), { after: 'abort' });
		const limits = { maxWait: 1, onMaxWait: 'abort' as const };
		expect((await service.run('[work 10m]', limits)).kind).toBe('completed');
		expect(of(service.sent, 'POST', '/abort')).toHaveLength(1);
	});

	test('with the ID in another case is of this session', async () => {
		const service = simulation();
		service.meets('poll', {
			change: (body: any) => ({ ...body, sessionId: body.sessionId.toUpperCase() }),
		});
		expect((await service.run('[say Done]')).kind).toBe('completed');
	});

	test('of a completed session with an error is a result, with the text in warnings and sessionError', async () => {
		const service = simulation();
		service.meets('poll', says({ error: 'Two files were skipped' }));
		const result = await service.run('[say Done]', { options: { simplify: false } });
		expect(result).toMatchObject({
			kind: 'completed',
			warnings: ['The session completed, and the service says: Two files were skipped'],
		});
		expect(result).toMatchObject({ sessionError: 'Two files were skipped' });
		expect(await service.run('[say Done]')).not.toHaveProperty('sessionError');
	});
});

describe('while the service takes no decision', () => {
	/** An execution that pauses, with one request that approvers were asked about */
	async function asked(changes: Settings = {}) {
		const run = pausingRun('[ask bash: npm publish] [say Done]', changes);
		expect((await run.begin()).kind).toBe('needsApproval');
		return run;
	}
	const decided = ({ service }: Awaited<ReturnType<typeof asked>>) =>
		service.sessions()[0].interactions.map(({ value }: { value?: unknown }) => value);

	test('a later answer also replaces one that the service refused for now', async () => {
		const run = await asked();
		run.service.meets('decision', status(503));
		expect(await run.answer('Approve once')).toBe(true);
		await run.after(1_000);
		expect(await run.answer('Deny')).toBe(true);
		run.service.clear();
		await run.after(70_000);
		expect(decided(run)).toEqual(['reject']);
	});

	test('once a decision is sent, another answer changes nothing', async () => {
		const run = await asked();
		expect(await run.answer('Approve once')).toBe(true);
		await run.after(1_000);
		expect(decided(run)).toEqual(['once']);
		await run.answer('Deny');
		await run.after(70_000);
		expect(decided(run)).toEqual(['once']);
	});

	const approvals = { ifNobodyAnswers: 'deny' as const, unansweredAfter: 1 };

	test('an answer that comes after an untaken denial is sent in its place', async () => {
		const run = await asked({ approvals });
		run.service.meets('decision', status(503));
		await run.after(HOUR);
		expect(await run.answer('Approve once')).toBe(true);
		run.service.clear();
		await run.after(70_000);
		expect(decided(run)).toEqual(['once']);
	});
});
