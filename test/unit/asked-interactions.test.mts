import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { differences, readAsked } from '../../nodes/RunAgentSession/askedInteractions.ts';

const sameRequest = (one: unknown, other: unknown) => differences(one, other).length === 0;

const asked = {
	id: 'i1',
	type: 'permission',
	permission: 'bash',
	patterns: ['git push', 'git tag'],
	metadata: { tool: 'bash' },
	response: {
		type: 'choice',
		options: [
			{ value: 'once', label: 'Allow once' },
			{ value: 'reject', label: 'Reject' },
		],
		instruction: 'Push?',
	},
};
const [once, reject] = asked.response.options;

describe('a pending interaction is what was asked', () => {
	test.each<[string, object]>([
		['nothing changed', {}],
		['only the order of keys changed', { patterns: asked.patterns, permission: 'bash', id: 'i1' }],
		[
			'only the order of keys of an option changed',
			{ response: { options: [{ label: 'Allow once', value: 'once' }, reject] } },
		],
		['what else is told of it changed', { metadata: { tool: 'sh', seenAt: 1 } }],
	])('when %s', (_, changes) => expect(sameRequest(asked, { ...asked, ...changes })).toBe(true));

	test.each<[string, unknown]>([
		['its ID', { ...asked, id: 'i2' }],
		['its permission', { ...asked, permission: 'Bash' }],
		['a pattern', { ...asked, patterns: ['git push', 'git tag -d'] }],
		['the number of patterns', { ...asked, patterns: ['git push'] }],
		['the order of patterns', { ...asked, patterns: ['git tag', 'git push'] }],
		['the type of its patterns', { ...asked, patterns: 'git push,git tag' }],
		['its patterns, to none', { ...asked, patterns: undefined }],
		['its patterns, to null', { ...asked, patterns: null }],
		['the order of options', { ...asked, response: { options: [reject, once] } }],
		['the type of a value', { ...asked, response: { options: [{ ...once, value: 1 }, reject] } }],
		['a label', { ...asked, response: { options: [{ ...once, label: 'Allow forever' }, reject] } }],
		['what an option holds', { ...asked, response: { options: [{ ...once, x: 1 }, reject] } }],
		['its options, to none', { ...asked, response: {} }],
		['its response, to none', { ...asked, response: null }],
		['all of it', null],
		['all of it', 'i1'],
		['all of it', [asked]],
	])('not when this changed: %s', (_, pending) => {
		expect(sameRequest(asked, pending)).toBe(false);
		expect(sameRequest(pending, asked)).toBe(false);
	});

	test('by what JSON says, whatever it is', () => {
		fc.assert(
			fc.property(fc.jsonValue(), fc.jsonValue(), (patterns, others) => {
				const [a, b] = [patterns, others].map((each) => ({ ...asked, patterns: each }));
				const copy = JSON.parse(JSON.stringify(a)) as unknown;
				expect(sameRequest(a, copy)).toBe(true);
				expect(sameRequest(a, b)).toBe(JSON.stringify(patterns) === JSON.stringify(others));
			}),
		);
	});

	test('not when it is nested too deeply to tell', () => {
		const deep = () => JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)) as unknown;
		expect(sameRequest({ ...asked, patterns: deep() }, { ...asked, patterns: deep() })).toBe(false);
	});
});

describe("'Asked'", () => {
	test.each<[string, unknown]>([
		['a list', [asked]],
		['one interaction', asked],
		['a list as a text', JSON.stringify([asked])],
		['one interaction as a text', ` ${JSON.stringify(asked, null, 2)}\n`],
	])('takes %s', (_, value) => expect(readAsked(value)).toEqual([asked]));

	test('has IDs as texts, as a session has', () => {
		expect(readAsked([{ ...asked, id: 7 }])).toEqual([{ ...asked, id: '7' }]);
	});

	test.each([undefined, null, '', '  ', [], '[]'])('that is empty is an error: %j', (value) => {
		expect(() => readAsked(value)).toThrow(
			expect.objectContaining({
				message: "'Asked' is empty",
				description: expect.stringMatching(
					/^Drag pendingInteractions of the Needs Approval item here\./,
				),
			}),
		);
	});

	test.each([
		'i1',
		'[{"id":',
		'null',
		7,
		true,
		{},
		[{}],
		[asked, null],
		[asked, 'i2'],
		[{ ...asked, id: '' }],
		[{ ...asked, id: null }],
		{ data: { approved: true } },
		{ sessionId: 'x', pendingInteractions: [asked] },
	])('that is something else is an error: %j', (value) => {
		expect(() => readAsked(value)).toThrow(
			expect.objectContaining({
				message: "'Asked' is not a list of interactions",
				description: expect.stringMatching(/Drag pendingInteractions/),
			}),
		);
	});
});
