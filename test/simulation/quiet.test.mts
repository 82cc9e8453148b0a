// Ask If Quiet, in simulated time: when approvers are asked, what each answer does, and what takes the question back.
import { describe, expect, test } from '@jest/globals';
import {
	getError,
	pausingRun,
	simulation,
	status,
	type Outcome,
	type Settings,
	type Weather,
} from './simulation.mts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.UTC(2026, 9, 5, 9);
const QUIET = { askIfQuiet: 30 };
/** A session with Ask If Quiet for 30 minutes whose execution pauses */
function quietRun(prompt = '[quiet]', settings: Settings = {}) {
	const run = pausingRun(prompt, { permissionPolicy: 'approve', options: QUIET, ...settings });
	const { service, items, wake } = run;
	return {
		...run,
		/** Wakes as n8n does, until approvers are asked, the session has ended, or the time is over */
		async until(ms: number): Promise<Outcome> {
			for (;;) {
				const before = items.length;
				const result = await wake();
				if (result.kind === 'completed' || items.length > before) return result;
				const pause = Math.min(
					result.wakeAt! - service.wallTime(),
					START + ms - service.wallTime(),
				);
				if (pause <= 0) return result;
				service.advance(Math.max(pause, 5_000));
			}
		},
		messages: () => run.posted('/messages'),
		aborts: () => run.posted('/abort'),
		resolved: () => run.posted('/resolve'),
	};
}

/** Readings in which a message is no activity */
const FROZEN: Weather = {
	change: (body) => ({
		...body,
		lastActivityAt: new Date(START).toISOString(),
		latestMessage: undefined,
		latestTool: undefined,
	}),
};

describe('a paused execution', () => {
	test('asks once when the session has been quiet for the time, and names what it did last', async () => {
		const run = quietRun('[work 20s] [quiet]');
		const asked = await run.until(3 * HOUR);
		expect(asked.kind).toBe('needsApproval');
		const minutes = run.service.now() / MINUTE;
		expect(minutes).toBeGreaterThanOrEqual(30);
		expect(minutes).toBeLessThan(32);
		const [item] = run.items;
		expect(item.message).toMatch(
			/^The session has been quiet for 30 minutes\. No activity since [^\n]*\. Latest (?:tool|message): «/,
		);
		expect(item.message).toMatch(/Latest (?:tool|message): «[^»]+»/);
		expect(item.message.endsWith(item.approvalUrl)).toBe(true);
		expect(item.question).toContain('Keep waiting, Send a message, Abort the session');
		expect(item).toMatchObject({ pendingInteractions: [], undecided: [], decisions: [] });
		await run.until(5 * HOUR);
		expect(run.items).toHaveLength(1);
	});

	test('the prompt is nothing that the session did', async () => {
		const run = quietRun('[quiet]');
		await run.until(HOUR);
		expect(run.items[0].message).not.toContain('Latest');
	});

	test('wakes at the time, although readings are minutes apart by then', async () => {
		const run = quietRun('[quiet]', { options: { askIfQuiet: 217 } });
		await run.until(6 * HOUR);
		expect(run.items).toHaveLength(1);
		expect(run.service.now()).toBeGreaterThanOrEqual(217 * MINUTE);
		expect(run.service.now()).toBeLessThan(219 * MINUTE);
	});

	test('keep waiting counts anew, and sends nothing', async () => {
		const run = quietRun();
		await run.until(HOUR);
		const askedAt = run.service.now();
		expect(await run.answer('Keep waiting')).toBe(true);
		await run.wake();
		const again = await run.until(3 * HOUR);
		expect(again.kind).toBe('needsApproval');
		expect(again.decisions).toMatchObject([
			{
				kind: 'quiet',
				decision: 'answer',
				answer: 'Keep waiting',
				decidedBy: 'page',
				state: 'confirmed',
			},
		]);
		expect(run.service.now() - askedAt).toBeGreaterThanOrEqual(30 * MINUTE);
		expect(run.service.now() - askedAt).toBeLessThan(32 * MINUTE);
		expect([run.messages(), run.aborts(), run.resolved()]).toEqual([[], [], []]);
	});

	test('a message that provably was not taken is sent later, and once', async () => {
		const run = quietRun();
		await run.until(HOUR);
		await run.answer('Send a message', { text: '[say Done]' });
		run.service.meets('message', 'unsent');
		await run.wake();
		run.service.clear();
		const result = await run.until(2 * HOUR);
		expect(result.kind).toBe('completed');
		expect(run.messages().filter(({ weather }) => weather === 'fine')).toHaveLength(1);
	});

	test('a message with a lost response is a warning, and is not sent again', async () => {
		const run = quietRun('[quiet]', { maxWait: 120 });
		await run.until(HOUR);
		await run.answer('Send a message', { text: 'Go on' });
		run.service.meets('message', 'lost');
		await run.wake();
		await run.after(2 * MINUTE);
		run.service.clear();
		await run.until(90 * MINUTE);
		const error = await getError(run.until(3 * HOUR));
		expect(run.messages()).toHaveLength(1);
		expect(error.context.decisions).toMatchObject([{ state: 'unconfirmed' }]);
	});

	test.each([false, true])(
		'a message is recorded and not repeated after a kill (frozen: %s)',
		async (isFrozen) => {
			const run = quietRun();
			if (isFrozen) run.service.meets('poll', FROZEN);
			await run.until(HOUR);
			await run.answer('Send a message', { text: '[work 1h] [say Done]' });
			const before = run.save();
			await run.wake();
			run.restart(before);
			if (isFrozen) await run.until(run.service.now() + 25 * MINUTE);
			expect(run.items).toHaveLength(1);
			run.service.clear();
			const result = await run.until(3 * HOUR);
			expect(result).toMatchObject({ kind: 'completed', text: 'Done' });
			expect(run.messages()).toHaveLength(1);
			expect(run.items).toHaveLength(1);
			expect(result.decisions).toMatchObject([
				{
					kind: 'quiet',
					answer: '[work 1h] [say Done]',
					decidedBy: 'page',
					state: 'confirmed',
				},
			]);
		},
	);

	test('one approver is enough, whatever Approvals Needed says', async () => {
		const approver = ['Anna', 'Ben'].map((name) => ({ name, contact: name }));
		const approvals = { approvers: { approver }, approvalsNeeded: 2 };
		const run = quietRun('[quiet]', { approvals });
		await run.until(HOUR);
		expect(run.items.map(({ approver }) => approver.name)).toEqual(['Anna', 'Ben']);
		expect(run.items[0].question).not.toContain('approvals');
		expect(await run.answer('Keep waiting', { name: 'Ben' })).toBe(true);
		expect((await run.until(3 * HOUR)).decisions).toMatchObject([
			{ kind: 'quiet', approvers: [{ name: 'Ben', decision: 'answer' }] },
		]);
	});

	test.each([
		['Abort the session', undefined],
		['Send a message', 'Stop'],
	])('activity takes the question back, and an answer decides nothing: %s', async (label, text) => {
		const run = quietRun('[idle 40m] [work 2h] [say Done]');
		await run.until(HOUR);
		expect(run.items).toHaveLength(1);
		await run.until(39 * MINUTE);
		run.service.advance(65_000);
		expect(await run.answer(label, { text })).toBe(true);
		expect((await run.wake()).kind).toBe('stillRunning');
		const result = await run.until(4 * HOUR);
		expect(result).toMatchObject({ kind: 'completed', decisions: [] });
		expect([run.messages(), run.aborts()]).toEqual([[], []]);
		expect(run.items).toHaveLength(1);
	});

	test('a pending request is no silence, and the time counts from its decision', async () => {
		const run = quietRun('[ask bash: x] [quiet]', { permissionPolicy: 'ask' });
		await run.until(2 * HOUR);
		await run.until(2 * HOUR);
		expect(run.items.map(({ pendingInteractions }) => pendingInteractions.length)).toEqual([1]);
		const decidedAt = run.service.now();
		await run.answer('Approve once');
		await run.until(decidedAt + HOUR);
		expect(run.items.map(({ pendingInteractions }) => pendingInteractions.length)).toEqual([1, 0]);
		expect(run.service.now() - decidedAt).toBeGreaterThanOrEqual(30 * MINUTE);
	});

	test('the time counts from the last reading with a request, also if nothing else has changed', async () => {
		const run = quietRun('[ask bash: x]', { permissionPolicy: 'ask' });
		await run.until(HOUR);
		const began = run.service.now();
		let isPending = true;
		run.service.meets('poll', {
			change: (body) => ({
				...body,
				lastActivityAt: new Date(START + MINUTE).toISOString(),
				pendingInteractions: isPending ? body.pendingInteractions : [],
			}),
		});
		await run.until(began + HOUR);
		isPending = false;
		await run.until(began + HOUR + 20 * MINUTE);
		expect(run.items).toHaveLength(1);
		await run.until(began + 2 * HOUR);
		expect(run.items.map(({ pendingInteractions }) => pendingInteractions.length)).toEqual([1, 0]);
	});

	test.each(['deny', 'abort'] as const)(
		'if nobody answers, %s aborts the session',
		async (ifNobodyAnswers) => {
			const run = quietRun('[quiet]', {
				approvals: {
					ifNobodyAnswers,
					unansweredAfter: 1,
					answerIfNobodyAnswers: 'Keep waiting',
				},
			});
			await run.until(HOUR);
			expect(run.items[0].message).toContain('After that, the session is aborted.');
			const error = await getError(run.until(4 * HOUR));
			expect(error.message).toBe('The session was quiet for 30 minutes and was aborted');
			expect(error.context.decisions).toMatchObject([
				{ kind: 'quiet', decidedBy: 'policy', because: 'nobody answered', state: 'confirmed' },
			]);
			expect(run.aborts()).toHaveLength(1);
			expect(run.resolved()).toEqual([]);
			expect(run.service.now()).toBeLessThan(93 * MINUTE);
		},
	);

	test.each(['deny', 'abort'] as const)(
		'an answer that waits for the service wins over %s if nobody answers',
		async (ifNobodyAnswers) => {
			const run = quietRun('[quiet]', { approvals: { ifNobodyAnswers, unansweredAfter: 1 } });
			await run.until(HOUR);
			run.service.meets('poll', status(503));
			await run.answer('Keep waiting');
			await run.until(2 * HOUR);
			expect(run.aborts()).toEqual([]);
			run.service.clear();
			expect((await run.after(10 * MINUTE)).decisions).toMatchObject([{ answer: 'Keep waiting' }]);
		},
	);

	test('activity in the last poll before an abort ends the abort', async () => {
		const run = quietRun('[quiet]', {
			approvals: { ifNobodyAnswers: 'abort', unansweredAfter: 1 },
		});
		await run.until(HOUR);
		const from = run.service.now() + HOUR;
		run.service.meets('poll', status(503), { from, first: 1 });
		const lastActivityAt = new Date(START + from - MINUTE).toISOString();
		run.service.meets('poll', { change: (body) => ({ ...body, lastActivityAt }) }, { from });
		await run.until(from + 20 * MINUTE);
		expect(run.aborts()).toEqual([]);
	});

	test('a session that ends is a result, also with an open question and without other activity', async () => {
		const run = quietRun('[idle 40m] [say Done]');
		run.service.meets('poll', FROZEN);
		await run.until(HOUR);
		expect(run.items).toHaveLength(1);
		expect((await run.until(2 * HOUR)).kind).toBe('completed');
	});

	test('if nobody answers, wait waits until Max Wait', async () => {
		const run = quietRun('[quiet]', { maxWait: 360 });
		await run.until(HOUR);
		const error = await getError(run.until(8 * HOUR));
		expect(error.message).toBe('The session did not finish within 6 hours and was aborted');
		expect(run.items).toHaveLength(1);
	});

	test('a message that is not taken stops no timeout', async () => {
		const run = quietRun('[quiet]', {
			approvals: { ifNobodyAnswers: 'abort', unansweredAfter: 1 },
		});
		await run.until(HOUR);
		run.service.meets('message', 'unsent');
		await run.answer('Send a message', { text: 'Go on' });
		await getError(run.until(3 * HOUR));
		expect(run.aborts()).toHaveLength(1);
		expect(run.service.now()).toBeLessThan(105 * MINUTE);
	});

	test('without the option, nothing is asked and not one request more is sent', async () => {
		const [off, on] = [
			quietRun('[idle 50m] [say Done]', { options: {} }),
			quietRun('[work 50m] [say Done]'),
		];
		const result = await off.until(2 * HOUR);
		expect(result).toMatchObject({ kind: 'completed', decisions: [] });
		expect(off.items).toEqual([]);
		await on.until(2 * HOUR);
		expect(on.items).toEqual([]);
		const plain = quietRun('[work 50m] [say Done]', { options: {} });
		await plain.until(2 * HOUR);
		const paths = (run: typeof on) => run.service.sent.map(({ method, at }) => [method, at]);
		expect(paths(on)).toEqual(paths(plain));
	});
});

describe('an execution that keeps running', () => {
	const settings = { options: { askIfQuiet: 10 }, onMaxWait: 'abort' };

	test('asks once after the time, without a page', async () => {
		const service = simulation();
		const { asked, error } = await service.runOn('[quiet]', settings);
		expect(asked).toHaveLength(1);
		expect(asked[0]).not.toHaveProperty('approvalUrl');
		expect(asked[0].message).toContain('There’s no approval page while the execution runs.');
		expect(error?.message).toBe('The session did not finish within 30 minutes and was aborted');
	});

	test('asks again after activity', async () => {
		const prompt = '[idle 12m] [work 1m] [idle 12m] [say Done]';
		expect((await simulation().runOn(prompt, settings)).asked).toHaveLength(2);
	});
});
