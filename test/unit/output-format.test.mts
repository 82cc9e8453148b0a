// What an output parser of n8n says of an answer: its exact reason where it tells one.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { openOutputFormat } from '../../nodes/RunAgentSession/execution/outputParser.ts';
import { connected, linksParser } from '../support/outputParser.mts';

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
	test.each([
		[{ output: null }, null],
		[{ output: { output: 1 } }, { output: 1 }],
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
	const failWith = async (issues: unknown, message = '[…]') =>
		await parsing(Object.assign(new Error(message), { issues }));

	test.each<[string, object, string]>([
		['no path', { message: 'Required' }, 'answer: Required'],
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

	test('says that an answer is no JSON, and names the position', async () => {
		expect(await (await open(linksParser())).parse('No links')).toEqual({
			misfit: expect.stringMatching(/^The answer isn't valid JSON: .*No links/),
		});
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
