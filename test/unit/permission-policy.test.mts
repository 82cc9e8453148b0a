import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { chooseOption } from '../../nodes/shared/agentSession/interactionOptions.ts';
import {
	decide,
	globsOf,
	ruling,
	type Decision,
	type Policy,
	type Rule,
} from '../../nodes/RunAgentSession/permissionPolicy.ts';

const policy = (changes: Partial<Policy> = {}): Policy => ({
	mode: 'rules',
	rules: [],
	defaultDecision: 'ask',
	approveWith: 'once',
	...changes,
});
const rule = (permission: string, pattern: string, decision: Decision): Rule => ({
	permission,
	pattern,
	decision,
});
const options = [
	{ value: 'once', label: 'Allow once' },
	{ value: 'always', label: 'Allow always' },
	{ value: 'reject', label: 'Reject' },
];
const request = (changes: object = {}) => ({
	type: 'permission',
	id: 'i1',
	permission: 'bash',
	patterns: ['git push'],
	response: { type: 'choice' as const, options },
	...changes,
});

describe('rules', () => {
	test('the first one that matches wins', () => {
		const rules = [
			rule('bash', 'git push', 'deny'),
			rule('bash', 'git *', 'approve'),
			rule('*', '*', 'deny'),
		];
		expect(ruling(policy({ rules }), 'bash', ['git push'])).toEqual({
			decision: 'deny',
			decidedBy: 'rule 1',
		});
		expect(ruling(policy({ rules }), 'bash', ['git status'])).toEqual({
			decision: 'approve',
			decidedBy: 'rule 2',
		});
		expect(ruling(policy({ rules }), 'edit', ['a'])).toEqual({
			decision: 'deny',
			decidedBy: 'rule 3',
		});
	});

	test('one that matches only a part of what is asked does not decide', () => {
		const rules = [rule('bash', 'git *', 'approve')];
		expect(
			ruling(policy({ rules, defaultDecision: 'deny' }), 'bash', ['git push', 'rm -rf /']),
		).toEqual({ decision: 'deny', decidedBy: 'default decision' });
	});

	test('several globs of one rule may share what is asked between them', () => {
		const rules = [rule('bash', 'git *, npm run *', 'approve')];
		expect(ruling(policy({ rules }), 'bash', ['git push', 'npm run build']).decision).toBe(
			'approve',
		);
	});

	test.each<[Decision]>([['deny'], ['ask']])(
		'nothing is approved over an earlier rule that says %s to a part of it',
		(decision) => {
			const rules = [rule('bash', 'rm *', decision), rule('*', '*', 'approve')];
			expect(ruling(policy({ rules }), 'bash', ['ls', 'rm -rf /']).decision).toBe('ask');
			expect(
				ruling(policy({ rules: [rules[0]], defaultDecision: 'approve' }), 'bash', [
					'ls',
					'rm -rf /',
				]).decision,
			).toBe('ask');
			expect(ruling(policy({ rules }), 'bash', ['ls']).decision).toBe('approve');
		},
	);

	test('a request for nothing in particular is covered by globs for anything only', () => {
		const rules = [rule('bash', 'git *', 'approve')];
		expect(ruling(policy({ rules }), 'bash', []).decision).toBe('ask');
		expect(ruling(policy({ rules: [rule('bash', '*', 'approve')] }), 'bash', []).decision).toBe(
			'approve',
		);
	});

	test('no match takes the default decision', () => {
		expect(ruling(policy({ defaultDecision: 'approve' }), 'bash', ['x'])).toEqual({
			decision: 'approve',
			decidedBy: 'default decision',
		});
	});

	test('a comma can belong to a glob', () => {
		expect(globsOf('a\\,b, c\nd')).toEqual(['a\\,b', 'c', 'd']);
		expect(ruling(policy({ rules: [rule('*', 'a\\,b', 'approve')] }), 'x', ['a,b']).decision).toBe(
			'approve',
		);
	});

	test('rules without an approval never approve, whatever is asked', () => {
		const anyRule = fc.record({
			permission: fc.string(),
			pattern: fc.string(),
			decision: fc.constantFrom<Decision>('deny', 'ask'),
		});
		fc.assert(
			fc.property(
				fc.array(anyRule),
				fc.string(),
				fc.array(fc.string()),
				fc.constantFrom<Decision>('deny', 'ask'),
				(rules, permission, patterns, defaultDecision) => {
					expect(
						ruling(policy({ rules, defaultDecision }), permission, patterns).decision,
					).not.toBe('approve');
				},
			),
		);
	});
});

describe('options', () => {
	const choose = (
		values: string[],
		decision: 'approve' | 'deny',
		approveWith: 'once' | 'always' = 'once',
	) =>
		chooseOption(
			values.map((value) => ({ value })),
			decision,
			approveWith,
		);

	test.each<[string[], 'approve' | 'deny', 'once' | 'always', string | undefined]>([
		[['always', 'once', 'reject'], 'approve', 'once', 'once'],
		[['always', 'once', 'reject'], 'approve', 'always', 'always'],
		[['always', 'once', 'reject'], 'deny', 'once', 'reject'],
		[['always', 'reject'], 'approve', 'once', 'always'],
		[['once', 'reject'], 'approve', 'always', 'once'],
		[['allow_once', 'always_allow', 'no'], 'approve', 'once', 'allow_once'],
		[['alwaysAllow', 'allowOnce', 'no'], 'approve', 'always', 'alwaysAllow'],
		[['yes', 'no'], 'approve', 'once', 'yes'],
		[['yes', 'no'], 'deny', 'once', 'no'],
		[['APPROVE', 'DECLINE'], 'deny', 'once', 'DECLINE'],
		[['left', 'right'], 'approve', 'once', undefined],
		[['do_not_allow', 'later'], 'approve', 'once', undefined],
		[['reject_once', 'reject_always'], 'approve', 'once', undefined],
		[['reject_once', 'reject_always'], 'deny', 'once', 'reject_once'],
		[['allow_a', 'allow_b'], 'approve', 'once', undefined],
		[[], 'approve', 'once', undefined],
	])('of %j, %s with %s is %j', (values, decision, approveWith, expected) => {
		expect(choose(values, decision, approveWith)).toBe(expected);
	});

	test('the label decides where the value says nothing', () => {
		const labelled = [
			{ value: '1', label: 'Yes, go ahead' },
			{ value: '2', label: 'No' },
		];
		expect(chooseOption(labelled, 'approve', 'once')).toBe('1');
		expect(chooseOption(labelled, 'deny', 'once')).toBe('2');
	});

	test('a value and a label that contradict each other are not guessed at', () => {
		expect(
			chooseOption([{ value: 'yes', label: 'No, reject' }], 'approve', 'once'),
		).toBeUndefined();
	});

	test('an approval never picks an option that says no', () => {
		const word = fc.constantFrom(
			'allow',
			'once',
			'always',
			'yes',
			'accept',
			'not',
			'no',
			'reject',
			'deny',
			'never',
			'later',
			'x',
		);
		const value = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join('_'));
		fc.assert(
			fc.property(fc.array(value, { maxLength: 4 }), (values) => {
				expect(choose(values, 'approve') ?? '').not.toMatch(/not|never|\bno|_no|reject|deny/);
			}),
		);
	});
});

describe('a pending interaction', () => {
	test.each<[Policy['mode'], string]>([
		['approve', 'once'],
		['deny', 'reject'],
	])('is answered by the policy %s with %s', (mode, value) => {
		expect(decide(request(), policy({ mode }))).toMatchObject({
			decision: mode,
			value,
			decidedBy: 'policy',
		});
	});

	test.each([
		['the policy asks', request(), policy({ mode: 'ask' })],
		['its type is not known', request({ type: 'question' }), policy({ mode: 'approve' })],
		[
			'its options are not understood',
			request({ response: { options: [{ value: 'maybe' }] } }),
			policy({ mode: 'approve' }),
		],
		['it has no options', request({ response: undefined }), policy({ mode: 'deny' })],
		[
			'its options are no list',
			request({ response: { options: 'once' } }),
			policy({ mode: 'approve' }),
		],
		['it has no ID', request({ id: '' }), policy({ mode: 'approve' })],
	])('is for a human when %s', (_, interaction, by) => {
		const verdict = decide(interaction as never, by);
		expect(verdict).toMatchObject({ decision: 'ask', because: expect.stringMatching(/./) });
	});
});
