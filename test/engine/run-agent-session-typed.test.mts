// Typed results as the engine runs them: the sub-node of n8n is one of the test's own.
import { describe, expect, test } from '@jest/globals';
import {
	INSTRUCTIONS,
	LINKS,
	linksParser,
	REASON,
	RIGHT,
	WRONG,
} from '../support/outputParser.mts';
import { itemsOn, useRunAgentSession } from './runAgentSession.mts';

const { of, run, setup } = useRunAgentSession();

const typed = (prompt: string, more: object = {}, changes: object = {}) =>
	setup({ prompt, hasOutputParser: true, ...changes }, { outputParser: linksParser(), ...more });
const prompts = async () =>
	(await of('POST', '/agent/sessions')).map(({ body }) => (body as any).prompt);
const TWICE = `[say ${WRONG}] [next turn] [say Sorry.]`;
const MISFIT = "The result doesn't match the required format";

describe.each([true, false])('with Simplify %s', (simplify) => {
	test('a completed item has `output` beside `text`, after one repair', async () => {
		const prompt = `[say ${WRONG}] [next turn] [say ${RIGHT}]`;
		const execution = await run(typed(prompt, {}, { options: { simplify } }));
		expect(itemsOn(execution, 'completed').map(({ json }) => json)).toMatchObject([
			{ status: 'completed', text: RIGHT, output: LINKS },
		]);
		expect(await prompts()).toEqual([`${prompt}\n\n${INSTRUCTIONS}`]);
		const messages = await of('POST', '/messages');
		expect(messages).toHaveLength(1);
		expect((messages[0].body as any).text).toContain(REASON);
	});
});

test('each item of a run is parsed and repaired separately', async () => {
	const items = [`[say ${RIGHT}]`, `[say ${WRONG}] [next turn] [say ${RIGHT}]`, TWICE];
	const execution = await run(
		typed('={{ $json.prompt }}', {
			items: items.map((prompt) => ({ prompt })),
			settings: { onError: 'continueErrorOutput' },
		}),
	);
	expect(itemsOn(execution, 'completed').map(({ json }) => json.output)).toEqual([LINKS, LINKS]);
	expect(itemsOn(execution, 'error').map(({ json }) => json.error)).toEqual([MISFIT]);
	expect(await of('POST', '/messages')).toHaveLength(2);
});

describe('two invalid answers', () => {
	test('a retry can have another format or none: the session is resumed', async () => {
		const first = await run(typed(TWICE));
		const lenient = { ...linksParser(), parse: async () => ({ output: 'anything' }) };
		const second = await run(typed(TWICE, { retryOf: first, outputParser: lenient }));
		expect(itemsOn(second, 'completed')[0].json.output).toBe('anything');
		const third = await run(setup({ prompt: TWICE }, { retryOf: first }));
		expect(itemsOn(third, 'completed')[0].json).toMatchObject({ text: 'Sorry.' });
		expect(await of('POST', '/agent/sessions')).toHaveLength(1);
	});
});

describe('the parser', () => {
	test('that does not return is given up after 60 seconds', async () => {
		const parse = async () => await new Promise(() => {});
		const execution = await run(typed('[say x]', { outputParser: { ...linksParser(), parse } }));
		expect(execution.error?.message).toBe("The output parser didn't return within 60 seconds");
	});

	test('is ignored by Try Rules', async () => {
		const trial = {
			operation: 'tryRules',
			requestsFrom: 'json',
			requests: '[{"permission": "bash"}]',
		};
		const execution = await run(setup({ ...trial, hasOutputParser: true }));
		expect(itemsOn(execution, 'completed')).toHaveLength(1);
	});

	test('is ignored in a tool, which has no input for a parser', async () => {
		const more = { asTool: true, outputParser: undefined };
		const execution = await run(typed(`[say ${RIGHT}]`, more));
		expect(execution.outputs[0].map(({ json }) => json.text)).toEqual([RIGHT]);
		expect(await prompts()).toEqual([`[say ${RIGHT}]`]);
	});
});
