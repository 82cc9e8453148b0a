// Typed results, in simulated time: the rules of a result that must have a format.
import { describe, expect, test } from '@jest/globals';
import { byId } from '../../n8n-host/workflows.mts';
import { forgetPackage } from '../engine/virtualTime.mts';
import { INSTRUCTIONS, LINKS, linksParser, RIGHT, WRONG } from '../support/outputParser.mts';
import {
	getError,
	of,
	simulation,
	status,
	type NodeError,
	type Saved,
	type Settings,
	type Simulation,
} from './simulation.mts';

const format = { outputParser: linksParser() };
const WRONG_ONCE = `[say ${WRONG}] [next turn] [work 10s] [say ${RIGHT}]`;
const WRONG_TWICE = `[say ${WRONG}] [next turn] [work 10s] [say Sorry.]`;

/** Runs an item to its end in a mode, or retries it. */
const MODES = {
	running: async (service: Simulation, prompt: string, changes: Settings = {}, saved: Saved = {}) =>
		await service.run(prompt, { asTool: false, ...format, ...changes }, saved),
	async paused(service: Simulation, prompt: string, changes: Settings = {}, saved: Saved = {}) {
		for (;;) {
			const result = await service.wake(prompt, saved, { ...format, ...changes });
			if (result.wakeAt === undefined) return result;
			service.advance(70_000);
		}
	},
};
const starts = ({ sent }: Simulation) => of(sent, 'POST', '/agent/sessions');
const messages = ({ sent }: Simulation) => of(sent, 'POST', '/messages');

/** A session that has completed with this text, to continue */
async function sessionThatSaid(service: Simulation, script: string) {
	const { sessionId } = await service.run(script);
	return { operation: 'continue', sessionId: byId(sessionId) };
}

describe('the instructions of the format', () => {
	test('are appended to a message, and without a message nothing is sent', async () => {
		const service = simulation();
		const target = await sessionThatSaid(service, `[say ${RIGHT}]`);
		const { output } = await MODES.running(service, '', target);
		expect(output).toEqual(LINKS);
		expect(messages(service)).toEqual([]);
		const message = `Again. [say ${RIGHT}]`;
		await MODES.running(service, '', { ...target, message });
		expect(messages(service).map(({ body }) => body.text)).toEqual([
			`${message}\n\n${INSTRUCTIONS}`,
		]);
	});
});

describe.each(Object.keys(MODES) as Array<keyof typeof MODES>)(
	'of an execution that is %s',
	(mode) => {
		const run = MODES[mode];

		test('two invalid answers are an error with the session, and no retry starts another or sends a second message', async () => {
			const service = simulation();
			const saved: Saved = {};
			const isMisfit = (error: NodeError, sessionId: string) => {
				expect(error.message).toBe("The result doesn't match the required format");
				expect(error.description).toMatch(/isn't valid JSON.*The result starts with: Sorry\./);
				expect(error.description).toContain(sessionId);
				expect(error.context).toMatchObject({
					sessionId,
					dashboardUrl: expect.stringContaining(sessionId),
				});
			};
			const error = await getError(run(service, WRONG_TWICE, {}, saved));
			const [{ sessionId }] = service.sessions();
			isMisfit(error, sessionId);
			for (const prompt of [WRONG_TWICE, 'Another prompt'])
				isMisfit(await getError(run(service, prompt, {}, saved)), sessionId);
			expect(starts(service)).toHaveLength(1);
			expect(messages(service)).toHaveLength(1);
		});

		test("a retry uses the session's answer at that time", async () => {
			const service = simulation();
			const saved: Saved = {};
			const error = await getError(run(service, WRONG_TWICE, {}, saved));
			const { sessionId } = error.context;
			await service.call('POST', `/agent/sessions/${sessionId}/messages`, {
				text: `[say ${RIGHT}]`,
			});
			service.advance(10_000);
			const result = await run(service, WRONG_TWICE, {}, saved);
			expect(result).toMatchObject({ kind: 'completed', output: LINKS });
			expect(starts(service)).toHaveLength(1);
		});

		test('a warning about the first answer is none about the second', async () => {
			const service = simulation();
			const at = '2026-10-05T07:00:00.000Z';
			const latestMessage = { role: 'assistant', text: WRONG, createdAt: at, completedAt: at };
			const ended = { status: 'completed', latestMessage, error: 'It took long' };
			const reading = () => ({ ...ended, sessionId: service.sessions()[0].sessionId });
			const first = () => ({ status: 200, body: JSON.stringify(reading()) });
			service.meets('poll', first, { first: 1 });
			const result = await run(service, WRONG_ONCE);
			expect(result).toMatchObject({ output: LINKS, warnings: [] });
			expect(messages(service)).toHaveLength(1);
		});

		test('a request in the repair turn is decided as always', async () => {
			const service = simulation();
			const prompt = `[say ${WRONG}] [next turn] [ask bash: x] [say ${RIGHT}]`;
			const result = await run(service, prompt);
			expect(result).toMatchObject({ output: LINKS, decisions: [{ decision: 'approve' }] });
		});
	},
);

describe('the repair message is sent once', () => {
	test("a lost response doesn't cause a second message, not even in a retry", async () => {
		const service = simulation();
		const saved: Saved = {};
		service.meets('message', 'lost');
		for (const _ of ['first', 'retry']) {
			const error = await getError(MODES.running(service, WRONG_TWICE, {}, saved));
			expect(error.message).toBe('The message may have been sent');
			expect(error.context.sessionId).toBeDefined();
		}
		expect(messages(service)).toHaveLength(1);
	});

	test('a retry finds the new answer if the message arrived without a response', async () => {
		const service = simulation();
		const saved: Saved = {};
		service.meets('message', 'lost-after');
		// What could tell that it arrived doesn't, for longer than the node asks.
		service.stale('message', { until: 60_000 });
		const first = await getError(MODES.running(service, WRONG_ONCE, {}, saved));
		expect(first.message).toBe('The message may have been sent');
		service.advance(60_000);
		const result = await MODES.running(service, WRONG_ONCE, {}, saved);
		expect(result).toMatchObject({ kind: 'completed', output: LINKS });
		expect(messages(service)).toHaveLength(1);
	});

	test('n8n killed right after it: the ledger shows that it was sent, and the new answer counts', async () => {
		const service = simulation();
		const saved: Saved = {};
		await service.wake(WRONG_ONCE, saved, format);
		const before = structuredClone(saved);
		service.advance(70_000);
		// Killed: what this wake has written is lost, except in n8n's store.
		await service.wake(WRONG_ONCE, saved, format);
		expect(messages(service)).toHaveLength(1);
		forgetPackage();
		const result = await MODES.paused(service, WRONG_ONCE, {}, before);
		expect(result).toMatchObject({ kind: 'completed', output: LINKS });
		expect(messages(service)).toHaveLength(1);
	});

	test('if the service refuses it, the error says so, and a retry sends it', async () => {
		const service = simulation();
		const saved: Saved = {};
		service.meets('message', status(422), { first: 1 });
		const error = await getError(MODES.running(service, WRONG_ONCE, {}, saved));
		expect(error.message).toBe("The result doesn't match the required format");
		expect(error.description).toMatch(/couldn't be sent: .*Try later/);
		const result = await MODES.running(service, WRONG_ONCE, {}, saved);
		expect(result).toMatchObject({ kind: 'completed', output: LINKS });
		expect(starts(service)).toHaveLength(1);
	});
});

describe('the turn of the repair message', () => {
	test('a poll of the previous turn is not the new answer', async () => {
		const service = simulation();
		service.stale('message', { first: 2 });
		const result = await MODES.running(service, WRONG_ONCE);
		expect(result).toMatchObject({ output: LINKS, warnings: [] });
		expect(messages(service)).toHaveLength(1);
	});

	test('that does not show within half a minute is an error that says so, and a retry uses the answer', async () => {
		const service = simulation();
		const saved: Saved = {};
		service.stale('message');
		const error = await getError(MODES.running(service, WRONG_ONCE, {}, saved));
		expect(error.message).toBe("The result doesn't match the required format");
		expect(error.description).toContain('No new turn was seen within 30 seconds');
		service.clear();
		const result = await MODES.running(service, WRONG_ONCE, {}, saved);
		expect(result).toMatchObject({ output: LINKS, warnings: [] });
		expect(messages(service)).toHaveLength(1);
	});
});

describe('timeouts cover both turns', () => {
	const LONG = `[work 60s] [say ${WRONG}] [next turn] [work 60s] [say ${RIGHT}]`;

	test('Max Wait ends in the repair turn: the session is still running, and the next run sends nothing', async () => {
		const service = simulation();
		const saved: Saved = {};
		const first = await getError(MODES.running(service, LONG, { maxWait: 1.5 }, saved));
		expect(first.message).toMatch(/It's still running$/);
		expect(service.now()).toBeLessThan(130_000);
		const result = await MODES.running(service, LONG, {}, saved);
		expect(result.output).toEqual(LINKS);
		expect(messages(service)).toHaveLength(1);
	});

	test('Max Wait counts from the start of the session', async () => {
		const service = simulation();
		const prompt = `[say ${WRONG}] [next turn] [work 10h] [say ${RIGHT}]`;
		const error = await getError(MODES.paused(service, prompt, { maxWait: 60 }));
		expect(error.message).toMatch(/did not finish within 1 hour and was aborted/);
		expect(service.now()).toBeLessThan(2 * 3_600_000);
	});

	test('an answer that comes when Max Wait has passed is parsed, and not repaired: no time is left', async () => {
		const service = simulation();
		const changes = { ...format, maxWait: 60 };
		const prompt = `[work 10m] [say ${WRONG}] [next turn] [say ${RIGHT}]`;
		const saved: Saved = {};
		await service.wake(prompt, saved, changes);
		service.advance(3_600_000);
		const error = await getError(service.wake(prompt, saved, changes));
		expect(error.message).toBe("The result doesn't match the required format");
		expect(messages(service)).toEqual([]);
		expect(of(service.sent, 'POST', '/abort')).toEqual([]);
	});
});

test('an item that needs approval has no `output`', async () => {
	const { asked } = await simulation().runOn('[ask bash: x]', {
		...format,
		permissionPolicy: 'ask',
		maxWait: 1,
	});
	expect(asked).toHaveLength(1);
	expect(asked[0]).not.toHaveProperty('output');
});
