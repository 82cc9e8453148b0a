// What an output parser of n8n says of an answer: its exact reason where it tells one.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { openOutputFormat } from '../../nodes/RunAgentSession/execution/outputFormat.ts';
import {
	addInstructions,
	formatRepairMessage,
} from '../../nodes/RunAgentSession/session/format.ts';
import {
	connected,
	generalError,
	INSTRUCTIONS,
	LINKS,
	linksParser,
	REASON,
	RIGHT,
	WRONG,
} from '../support/outputParser.mts';

const open = async (parser: unknown) => await openOutputFormat(connected(parser));
/** The format of a parser that returns or throws this */
const parsing = async (outcome: unknown) =>
	await (
		await open({
			...linksParser(),
			async parse() {
				if (outcome instanceof Error) throw outcome;
				return outcome;
			},
		})
	).parse('x');

describe('the output of parsers', () => {
	test('the value in `output` is the result', async () => {
		const format = await open(linksParser());
		expect(await format.parse(RIGHT)).toEqual({ output: LINKS });
		expect(await format.parse(`\`\`\`json\n${RIGHT}\n\`\`\``)).toEqual({ output: LINKS });
	});

	test.each([
		[{ output: 0 }, 0],
		[{ output: null }, null],
		[{ output: { output: 1 } }, { output: 1 }],
		[
			['a', 'b'],
			['a', 'b'],
		],
		[
			{ output: 1, more: 2 },
			{ output: 1, more: 2 },
		],
	])('%j is the result %j', async (parsed, output) => {
		expect(await parsing(parsed)).toEqual({ output });
	});

	test.each([[{}], [undefined], [{ output: undefined }]])(
		'%j is no result: an old parser drops the keys that it does not know',
		async (parsed) => {
			expect(await parsing(parsed)).toEqual({ misfit: 'output: Required' });
		},
	);
});

describe('the reason', () => {
	test('is exact: it names the field and the expected value', async () => {
		expect(await (await open(linksParser())).parse(WRONG)).toEqual({ misfit: REASON });
	});

	test('names each field once', async () => {
		const issues = [
			{ path: ['output', 'a', 0], message: 'Expected string, received number', expected: 'string' },
			{ path: ['output', 'b'], message: 'Required', expected: 'number' },
			{ path: [], message: 'Unrecognized key' },
		];
		expect(await parsing(Object.assign(new Error('[…]'), { issues }))).toEqual({
			misfit:
				'output.a.0: Expected string, received number\noutput.b: Required (expected number)\nanswer: Unrecognized key',
		});
	});

	test.each([
		['zod 3', (issues: object[][]) => ({ unionErrors: issues.map((each) => ({ issues: each })) })],
		['zod 4', (issues: object[][]) => ({ errors: issues })],
	])('names what each alternative of a schema expected, as in %s', async (_, toUnion) => {
		const text = { path: ['output', 'a'], message: 'Expected string, received number' };
		const nothing = { path: ['output', 'a'], message: 'Expected null, received number' };
		const entry = { path: ['x'], message: 'Required', expected: 'number' };
		const issues = [
			{ path: ['output', 'a'], message: 'Invalid input', ...toUnion([[text], [nothing]]) },
			{
				path: ['output', 'c', 'output', 'c'],
				message: 'Should pass single schema',
				...toUnion([[{ path: [], message: 'Expected string, received object' }], [entry]]),
			},
		];
		expect(await parsing(Object.assign(new Error('[…]'), { issues }))).toEqual({
			misfit: [
				'output.a: Invalid input (output.a: Expected string, received number, or output.a: Expected null, received number)',
				'output.c: Should pass single schema (answer: Expected string, received object, or x: Required (expected number))',
			].join('\n'),
		});
	});

	const failWith = async (issues: unknown, message = '[…]') =>
		await parsing(Object.assign(new Error(message), { issues }));

	test('is the message if the schema lists no problems', async () => {
		expect(await failWith([], 'Too long')).toEqual({ misfit: 'Too long' });
		expect(await failWith('none', 'Too long')).toEqual({ misfit: 'Too long' });
	});

	test.each<[string, object, string]>([
		['no path', { message: 'Required' }, 'answer: Required'],
		['no message', { path: ['a'] }, 'a: Invalid'],
		['no alternatives', { path: ['a'], message: 'No', unionErrors: [] }, 'a: No'],
		[
			'alternatives without problems',
			{
				path: ['a'],
				message: 'No',
				unionErrors: [{}, { issues: [{ path: ['b'], message: 'X' }] }],
			},
			'a: No (b: X)',
		],
		[
			'several problems of an alternative',
			{ message: 'No', errors: [[{ message: 'X' }, { message: 'Y' }], [{ message: 'Z' }]] },
			'answer: No (answer: X, answer: Y, or answer: Z)',
		],
		['a field that is named twice', { path: ['a', 'a'], message: 'No' }, 'a.a: No'],
	])('is complete for a problem with %s', async (_, issue, misfit) => {
		expect(await failWith([issue])).toEqual({ misfit });
	});

	test('names alternatives in alternatives down to the third level', async () => {
		const nest = (level: number): object => ({
			path: [level],
			message: 'No',
			...(level < 6 && { errors: [[nest(level + 1)]] }),
		});
		expect(await failWith([nest(1)])).toEqual({ misfit: '1: No (2: No (3: No (4: No)))' });
	});

	test('says that an answer is no JSON, and names the position', async () => {
		expect(await (await open(linksParser())).parse('No links')).toEqual({
			misfit: expect.stringMatching(/^The answer isn't valid JSON: .*No links/),
		});
	});

	test('is n8n’s own if the parser has no other, else the message', async () => {
		expect(await parsing(generalError('Invalid JSON in model output'))).toEqual({
			misfit: 'Invalid JSON in model output',
		});
		expect(await parsing(generalError())).toEqual({
			misfit: "Model output doesn't fit required format",
		});
	});

	test('has no link for developers', async () => {
		const url =
			'https://docs.langchain.com/oss/javascript/langchain/errors/OUTPUT_PARSING_FAILURE/';
		const error = new Error(`Expected 3 items but got 2.\n\nTroubleshooting URL: ${url}\n`);
		expect(await parsing(error)).toEqual({ misfit: 'Expected 3 items but got 2.' });
	});

	test('has at most 2,000 characters, for any error of a parser', async () => {
		await fc.assert(
			fc.asyncProperty(fc.oneof(fc.anything(), fc.constant('x'.repeat(9_000))), async (thrown) => {
				const parser = { ...linksParser(), parse: async () => await Promise.reject(thrown) };
				const parsed = (await (await open(parser)).parse('x')) as { misfit: string };
				expect(typeof parsed.misfit).toBe('string');
				expect(parsed.misfit.length).toBeLessThanOrEqual(2_000);
			}),
		);
	});
});

describe('instructions', () => {
	test('are appended to the prompt after a blank line, and without a format the prompt is unchanged', async () => {
		const format = await open(linksParser());
		expect(addInstructions('Check all links', format)).toBe(`Check all links\n\n${INSTRUCTIONS}`);
		expect(addInstructions('Check all links', undefined)).toBe('Check all links');
	});

	test('are in the message that asks for another answer, after the reason', async () => {
		const format = await open(linksParser());
		const message = formatRepairMessage(REASON, format);
		expect(message).toMatch(/^Your answer doesn't match the required format\./);
		expect(message).toContain(`\n${REASON}\n`);
		expect(message.endsWith(`\n\n${INSTRUCTIONS}`)).toBe(true);
	});
});

describe('the connection', () => {
	test.each([
		['n8n returns nothing', undefined],
		['n8n throws', new Error('A Output Parser sub-node must be connected and enabled')],
	])('without a parser, an error names the node to connect: %s', async (_, parser) => {
		await expect(open(parser)).rejects.toMatchObject({
			message: 'No output parser is connected',
			description: expect.stringMatching(/^Connect a Structured Output Parser.*Nothing was sent/),
		});
	});

	test("the error of an incomplete parser is n8n's own", async () => {
		const error = Object.assign(new Error('Error in sub-node Structured Output Parser'), {
			functionality: 'configuration-node',
		});
		await expect(open(error)).rejects.toBe(error);
	});
});
