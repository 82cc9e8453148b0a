// Rules from data: what an entry of More Rules means, which entries are errors, and which rule Try Rules suggests.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
	canBeRemembered,
	exactRules,
	MAX_MORE_RULES,
	readMoreRules,
	withoutExpired,
} from '../../nodes/RunAgentSession/policy/moreRules.ts';
import { judge, type Policy } from '../../nodes/RunAgentSession/policy/rules.ts';
import { tryRules } from '../../nodes/RunAgentSession/execution/tryRules.ts';
import { policy, request, rule } from './policies.mts';

const entry = (changes: object = {}) => ({
	permission: 'bash',
	pattern: 'git push',
	decision: 'approve',
	...changes,
});
const by = (entries: unknown, changes: Partial<Policy> = {}) =>
	policy({ moreRules: readMoreRules(entries), ...changes });
const said = (entries: unknown, patterns = ['git push'], changes: Partial<Policy> = {}) =>
	judge(request({ patterns }), by(entries, changes));

describe('an entry of More Rules', () => {
	test('decides after the rules of the node', () => {
		expect(said([entry()])).toEqual({ decision: 'approve', decidedBy: 'more rule 1' });
		const rules = [rule('bash', 'git *', 'ask')];
		expect(said([entry()], undefined, { rules })).toMatchObject({ decidedBy: 'rule 1' });
	});

	test.each([
		['all of the request', ['git push'], 'deny'],
		['a part of the request', ['ls && git push'], 'deny'],
		['another pattern of the request', ['ls', 'git push'], 'ask'],
	])('never approves if a rule of the node denies %s', (_, patterns, decision) => {
		const rules = [rule('bash', 'git push*', 'deny')];
		const entries = [
			...patterns.map((pattern) => entry({ pattern })),
			entry({ pattern: '*', wildcard: true }),
		];
		expect(said(entries, patterns, { rules, defaultDecision: 'approve' })).toMatchObject({
			decision,
		});
	});

	test('is literal without `wildcard: true`', () => {
		for (const wildcard of [undefined, null, false, '']) {
			const entries = [entry({ pattern: 'git *', wildcard })];
			expect(said(entries)).toMatchObject({ decision: 'ask' });
			expect(said(entries, ['git *'])).toMatchObject({ decision: 'approve' });
		}
		expect(said([entry({ pattern: 'git *', wildcard: true })])).toMatchObject({
			decision: 'approve',
		});
		expect(said([entry({ permission: '*' })])).toMatchObject({ decision: 'ask' });
	});

	test('approves a request with several patterns together with others', () => {
		const entries = [entry({ pattern: 'a' }), entry({ pattern: 'c' }), entry({ pattern: 'b' })];
		expect(said(entries, ['a', 'b'])).toEqual({ decision: 'approve', decidedBy: 'more rule 3' });
		expect(said(entries, ['a', 'x'])).toMatchObject({ decision: 'ask' });
		const other = [entry({ pattern: 'a' }), entry({ permission: 'edit', pattern: 'b' })];
		expect(said(other, ['a', 'b'])).toMatchObject({ decision: 'ask' });
		const denied = [
			entry({ pattern: 'a' }),
			entry({ pattern: 'b', decision: 'deny' }),
			entry({ pattern: 'b' }),
		];
		expect(said(denied, ['a', 'b'])).toMatchObject({ decision: 'ask' });
	});

	test('also denies or asks', () => {
		expect(said([entry({ decision: 'deny' })])).toEqual({
			decision: 'deny',
			decidedBy: 'more rule 1',
		});
		expect(said([entry({ decision: 'ask' }), entry()])).toMatchObject({ decision: 'ask' });
	});

	test('denies or asks without regard to white space around its text, which approves only itself', () => {
		for (const pattern of ['git push\n', ' git push', '\tgit  push \n']) {
			expect(said([entry({ pattern, decision: 'deny' })])).toMatchObject({ decision: 'deny' });
			expect(said([entry({ pattern, decision: 'ask' }), entry()])).toMatchObject({
				decision: 'ask',
			});
			expect(said([entry({ pattern })])).toMatchObject({ decision: 'ask' });
			expect(said([entry({ pattern })], [pattern])).toMatchObject({ decision: 'approve' });
		}
	});

	test('is ignored when it has expired', () => {
		const now = Date.parse('2026-11-23T12:00:00Z');
		const said = (expires: unknown) =>
			judge(request(), withoutExpired(by([entry({ expires })]), now)).decision;
		for (const expires of ['2026-11-23T12:00:00Z', '2026-11-23', '2020-01-01', new Date(now - 1)])
			expect(said(expires)).toBe('ask');
		for (const expires of [
			'2026-11-23T12:00:01.5Z',
			'2026-11-24',
			null,
			'',
			undefined,
			new Date(now + 1),
		])
			expect(said(expires)).toBe('approve');
	});
});

test('an entry keeps its number if entries before it are empty or have expired', () => {
	const entries = [entry({ expires: '2020-01-01' }), {}, entry({ pattern: 'ls' }), entry()];
	const policy = withoutExpired(by(entries), Date.parse('2026-11-23'));
	expect(judge(request(), policy)).toMatchObject({ decidedBy: 'more rule 4' });
	expect(tryRules([request()], policy)[0].rules).toEqual([
		'more rule 3 has no pattern that matches',
		'more rule 4 decides',
	]);
});

describe('More Rules accepts', () => {
	test.each<[string, unknown, number]>([
		['nothing', '', 0],
		['no list', undefined, 0],
		['an empty list', '[]', 0],
		['the empty item of Always Output Data', [{}], 0],
		['one rule', entry(), 1],
		['JSON', JSON.stringify([entry(), entry()]), 2],
		['rows with more fields', [entry({ id: 1, createdAt: new Date(), note: {} })], 1],
	])('%s', (_, value, count) => {
		expect(readMoreRules(value)).toHaveLength(count);
	});

	test.each<[string, unknown, string]>([
		['a text', ['git push'], 'is not an object'],
		['no permission', [entry({ permission: undefined })], 'has no permission'],
		['an empty permission', [entry({ permission: ' ' })], 'has no permission'],
		['no pattern', [entry({ pattern: '' })], 'has no pattern'],
		['a pattern that is a number', [entry({ pattern: 7 })], 'has no pattern'],
		['a list of patterns', [entry({ pattern: ['git push'] })], 'has no pattern'],
		['no decision', [entry({ decision: undefined })], 'has no decision'],
		['another decision', [entry({ decision: 'allow' })], 'has no decision'],
		[
			'a wildcard that is a text',
			[entry({ wildcard: 'true' })],
			"has a 'wildcard' that is neither true nor false",
		],
		['an expiry that is no date', [entry({ expires: 'tomorrow' })], "has an invalid 'expires'"],
		['an expiry that is a number', [entry({ expires: 7 })], "has an invalid 'expires'"],
		[
			'an expiry that does not exist',
			[entry({ expires: '2026-13-01' })],
			"has an invalid 'expires'",
		],
		['a day that does not exist', [entry({ expires: '2027-02-30' })], "has an invalid 'expires'"],
		[
			'a day that does not exist, with a time',
			[entry({ expires: '2027-02-30T10:00:00Z' })],
			"has an invalid 'expires'",
		],
	])('no entry with %s: the error names it', (_, value, problem) => {
		const entries = [entry(), ...(value as unknown[])];
		expect(() => readMoreRules(entries)).toThrow(
			expect.objectContaining({
				message: `Rule 2 of 'More Rules' ${problem}`,
				description: expect.stringMatching(/^Nothing was sent\./),
			}),
		);
	});

	test.each<[string, unknown, RegExp, RegExp]>([
		['other text', 'git push', /is not a list of rules/, /Enter a JSON list/],
		['number', 7, /is not a list of rules/, /Enter a JSON list/],
		[
			'longer list',
			Array.from({ length: MAX_MORE_RULES + 1 }, () => entry()),
			/has more than 1000 rules/,
			/It has 1001/,
		],
	])('no %s', (_, value, message, advice) => {
		expect(() => readMoreRules(value)).toThrow(
			expect.objectContaining({
				message: expect.stringMatching(message),
				description: expect.stringMatching(advice),
			}),
		);
	});

	test('as many rules as its limit', () => {
		const rules = readMoreRules(Array.from({ length: MAX_MORE_RULES }, () => entry()));
		expect(rules).toHaveLength(MAX_MORE_RULES);
		expect(rules[MAX_MORE_RULES - 1].name).toBe(`more rule ${MAX_MORE_RULES}`);
	});

	test('an entry with or without an end and wildcards, and only then has them', () => {
		const both = entry({ wildcard: true, expires: '1970-01-02' });
		expect(readMoreRules([entry(), both])).toStrictEqual([
			{ ...entry(), name: 'more rule 1', isLiteral: true },
			{ ...entry(), name: 'more rule 2', expiresAt: 86_400_000 },
		]);
	});
});

/** Texts with all that globs, lists and shells could read differently */
const text = fc
	.array(
		fc.constantFrom(
			'git',
			'rm',
			' ',
			'*',
			'?',
			',',
			'\\',
			';',
			'\n',
			'..',
			'~',
			'"',
			'$(x)',
			'-f',
			'é',
			'😀',
		),
		{
			minLength: 1,
			maxLength: 6,
		},
	)
	.map((parts) => parts.join(''))
	.filter((each) => each.trim() !== '');
const texts = fc.array(text, { minLength: 1, maxLength: 3 });

describe('the rules for a request', () => {
	test('to remember approve exactly that request', () => {
		fc.assert(
			fc.property(text, texts, texts, (permission, patterns, others) => {
				const decided = by(exactRules([{ permission, patterns }]));
				const ask = (changes: object) =>
					judge(request({ permission, patterns, ...changes }), decided).decision;
				expect(ask({})).toBe('approve');
				expect(ask({ permission: `${permission}x` })).toBe('ask');
				const isCovered = others.every((each) => patterns.includes(each));
				expect(ask({ patterns: others })).toBe(isCovered ? 'approve' : 'ask');
			}),
		);
	});

	test('are none if the request has no texts to compare', () => {
		for (const changes of [
			{ patterns: [] },
			{ patterns: [''] },
			{ patterns: ['x', ' '] },
			{ patterns: [7] },
			{ patterns: 'x' },
			{ permission: '' },
			{ permission: ' ' },
			{ permission: {} },
		])
			expect(exactRules([request(changes)])).toEqual([]);
		expect(exactRules([request(), request({ id: 'i2' })])).toHaveLength(1);
	});

	test.each<[string, object, boolean]>([
		['its patterns are texts', {}, true],
		['its patterns contain its command', { command: 'git push' }, true],
		['its command consists of its patterns', { patterns: ['a', 'b'], command: 'a && b' }, true],
		['its command is not among its patterns', { command: 'git push -f' }, false],
		['its command is white space', { command: ' ' }, true],
		['it has no patterns', { patterns: [] }, false],
		['it has no patterns, but a command', { patterns: [], command: 'git push' }, false],
		['a pattern is empty', { patterns: ['git push', ' '] }, false],
		['a pattern is no text', { patterns: ['git push', 7] }, false],
		['its permission is empty', { permission: ' ' }, false],
	])('can be remembered or not if %s', (_, changes, expected) => {
		expect(canBeRemembered(request(changes))).toBe(expected);
	});

	test('that Try Rules suggests decides it, in Rules and in More Rules, and covers nothing else', () => {
		fc.assert(
			fc.property(text, texts, texts, (permission, patterns, others) => {
				const [{ suggestedRule }] = tryRules([{ permission, patterns }], policy());
				const { permission: kind, pattern, decision } = suggestedRule!;
				for (const applied of [
					policy({ rules: [{ permission: kind, pattern, decision }] }),
					by([suggestedRule]),
				]) {
					const ask = (asked: string[]) =>
						judge(request({ permission, patterns: asked }), applied).decision;
					expect(ask(patterns)).toBe('approve');
					const isCovered = others.every((each) => patterns.includes(each));
					expect(ask(others)).toBe(isCovered ? 'approve' : 'ask');
				}
			}),
		);
	});

	test('is suggested only if no rule decides the request', () => {
		const suggested = (changes: Partial<Policy>) =>
			tryRules([request()], policy(changes))[0].suggestedRule;
		const exact = { permission: 'bash', pattern: 'git push', decision: 'approve' };
		expect(suggested({})).toEqual(exact);
		expect(suggested({ mode: 'ask' })).toEqual(exact);
		expect(suggested({ defaultDecision: 'deny' })).toEqual(exact);
		expect(suggested({ rules: [rule('bash', 'npm *', 'approve')] })).toEqual(exact);
		for (const decision of ['approve', 'deny', 'ask'] as const)
			expect(suggested({ rules: [rule('bash', 'git *', decision)] })).toBeUndefined();
		for (const mode of ['approve', 'deny'] as const) expect(suggested({ mode })).toBeUndefined();
		expect(suggested({ moreRules: readMoreRules([entry()]) })).toBeUndefined();
	});
});
