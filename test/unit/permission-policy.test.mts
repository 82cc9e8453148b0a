// Decisions of a policy, and requests that it leaves to an approver.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
	checkRules,
	decide,
	splitPatterns,
	MAX_COMPARED_LENGTH,
	judge,
	type Decision,
	type Policy,
	type Rule,
} from '../../nodes/RunAgentSession/policy/rules.ts';
import { policy, request, rule } from './policies.mts';

const ruling = (
	given: Policy,
	permission: string,
	patterns: string[],
	...told: [effort?: { left: number }, told?: string[]]
) => judge(request({ permission, patterns }), given, ...told);

describe('rules', () => {
	test('the first match decides', () => {
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

	test("a match of only a part of the request doesn't decide", () => {
		const rules = [rule('bash', 'git *', 'approve')];
		expect(
			ruling(policy({ rules, defaultDecision: 'deny' }), 'bash', ['git push', 'rm -rf /']),
		).toEqual({ decision: 'deny', decidedBy: 'default decision' });
	});

	test('several globs of one rule can cover the request together', () => {
		const rules = [rule('bash', 'git *, npm run *', 'approve')];
		expect(ruling(policy({ rules }), 'bash', ['git push', 'npm run build']).decision).toBe(
			'approve',
		);
	});

	test.each<[Decision]>([['deny'], ['ask']])(
		'nothing is approved against an earlier rule that says %s to a part of it',
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

	test('only globs for anything cover a request without a pattern', () => {
		const rules = [rule('bash', 'git *', 'approve')];
		expect(ruling(policy({ rules }), 'bash', []).decision).toBe('ask');
		expect(ruling(policy({ rules: [rule('bash', '*', 'approve')] }), 'bash', []).decision).toBe(
			'approve',
		);
	});

	test('a request without a match gets the default decision', () => {
		expect(ruling(policy({ defaultDecision: 'approve' }), 'bash', ['x'])).toEqual({
			decision: 'approve',
			decidedBy: 'default decision',
		});
	});

	test('a comma can be part of a glob', () => {
		expect(splitPatterns('a\\,b, c\nd')).toEqual(['a\\,b', 'c', 'd']);
		expect(ruling(policy({ rules: [rule('*', 'a\\,b', 'approve')] }), 'x', ['a,b']).decision).toBe(
			'approve',
		);
	});

	test('rules without an approval never approve, for any request', () => {
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

describe('a rule that approves', () => {
	test.each([
		['', 'pattern'],
		['  ', 'pattern'],
		[',', 'pattern'],
		[' ,\n, ', 'pattern'],
		['git *', 'permission'],
	])('and has %j as patterns is refused: it has no %s', (pattern, missing) => {
		const rules = [
			rule('bash', '*', 'deny'),
			rule(missing === 'permission' ? ' ' : 'bash', pattern, 'approve'),
		];
		expect(() => checkRules(rules)).toThrow(
			expect.objectContaining({
				message: `Rule 2 has no ${missing}`,
				description: expect.stringMatching(/or \* to approve every/),
			}),
		);
	});

	test('needs only a star to approve everything', () => {
		expect(() => checkRules([rule('*', '*', 'approve')])).not.toThrow();
		expect(decide(request(), policy({ rules: [rule('*', '*', 'approve')] }))).toMatchObject({
			decision: 'approve',
		});
	});

	test.each<[string, string]>([
		['bash', ''],
		['bash', ' , '],
		['', '*'],
	])(
		'with permission %j and pattern %j approves nothing, even unchecked',
		(permission, pattern) => {
			const rules = [rule(permission, pattern, 'approve')];
			expect(decide(request(), policy({ rules }))).toMatchObject({ decision: 'ask' });
		},
	);

	test.each<[Decision]>([['deny'], ['ask']])(
		'is the only one that needs a pattern: %s can leave it empty',
		(decision) => {
			const rules = [rule('', '', decision), rule('*', '*', 'approve')];
			expect(() => checkRules(rules)).not.toThrow();
			expect(decide(request(), policy({ rules })).decision).toBe(decision);
		},
	);
});

describe("a request that rules can't read", () => {
	const everything = policy({ rules: [rule('*', '*', 'approve')], defaultDecision: 'approve' });

	test.each<[string, object, RegExp]>([
		['has patterns that are a text', { patterns: 'rm -rf /' }, /patterns aren't a list of texts/],
		['has patterns that are null', { patterns: null }, /patterns aren't a list of texts/],
		['has patterns that are an object', { patterns: { 0: 'rm' } }, /aren't a list of texts/],
		['has patterns that are objects', { patterns: [{ command: 'rm' }] }, /aren't a list of texts/],
		['has nested patterns', { patterns: [['rm -rf /']] }, /aren't a list of texts/],
		['has numbers among its patterns', { patterns: ['ls', 1] }, /aren't a list of texts/],
		['has null among its patterns', { patterns: ['ls', null] }, /aren't a list of texts/],
		['has no patterns at all', { patterns: undefined }, /patterns are missing/],
		['has no permission', { permission: undefined }, /permission is missing/],
		['has a permission that is null', { permission: null }, /permission isn't a text/],
		['has a permission that is a number', { permission: 1 }, /permission isn't a text/],
		['has a permission that is a list', { permission: ['bash'] }, /permission isn't a text/],
		['is too long', { patterns: ['x'.repeat(MAX_COMPARED_LENGTH)] }, /characters, too many/],
	])('because it %s, is sent to an approver, for any rules', (_, changes, because) => {
		expect(decide(request(changes), everything)).toEqual({
			decision: 'ask',
			because: expect.stringMatching(because),
		});
		const deny = policy({ rules: [rule('*', '*', 'deny')], defaultDecision: 'deny' });
		expect(decide(request(changes), deny).decision).toBe('ask');
	});

	test('is not one with an empty list of patterns, which only * covers', () => {
		const nothing = request({ patterns: [] });
		expect(decide(nothing, everything).decision).toBe('approve');
		expect(decide(nothing, policy({ rules: [rule('*', 'git *', 'approve')] })).decision).toBe(
			'ask',
		);
		expect(decide(nothing, policy({ rules: [rule('*', 'rm *', 'deny')] })).decision).toBe('ask');
	});

	test.each<[Policy['mode'], 'approve' | 'deny']>([
		['approve', 'approve'],
		['deny', 'deny'],
	])("still gets the policy %s, which doesn't read its patterns", (mode, decision) => {
		const unread = request({ permission: undefined, patterns: undefined });
		expect(decide(unread, policy({ mode }))).toMatchObject({ decision, decidedBy: 'policy' });
	});

	test('includes one that takes too long to compare: globs and texts made to stall', () => {
		const pattern = Array.from({ length: 300 }, () => `*${'a'.repeat(500)}b`).join(', ');
		const rules = [rule('*', pattern, 'deny'), rule('*', '*', 'approve')];
		const long = request({ patterns: ['a'.repeat(MAX_COMPARED_LENGTH - 10)] });
		expect(decide(long, policy({ rules }))).toEqual({
			decision: 'ask',
			because: expect.stringMatching(/too long/),
		});
	});

	test('does not include a long one: 300 everyday globs and 99,000 characters', () => {
		const pattern = Array.from({ length: 300 }, (_, index) => `tool${index} *`).join(', ');
		const rules = [rule('*', pattern, 'deny'), rule('*', '*', 'approve')];
		const long = request({ patterns: ['x'.repeat(99_000)] });
		expect(decide(long, policy({ rules })).decision).toBe('approve');
	});
});

describe('a command beside the patterns', () => {
	const rules = [rule('bash', 'rm *', 'deny'), rule('bash', 'git *', 'approve')];
	const decided = (changes: object) => decide(request(changes), policy({ rules })).decision;

	test.each([
		[{ command: 'rm -rf /' }, 'ask'],
		[{ metadata: { command: 'rm -rf /' } }, 'ask'],
		[{ command: 'git push', metadata: { command: 'ls' } }, 'ask'],
		[{ command: 'git push && git pull' }, 'ask'],
		[{ command: ['rm', '-rf', '/'] }, 'ask'],
		[{ metadata: { command: { run: 'rm' } } }, 'ask'],
		[{ command: 'git status' }, 'approve'],
		[{ command: 'git push' }, 'approve'],
		[{ command: 'git push && git pull', patterns: ['git push', 'git pull'] }, 'approve'],
		[{ command: '', metadata: { command: null } }, 'approve'],
		[{ command: 'rm -rf /', patterns: ['rm -rf /'] }, 'deny'],
	])('counts like another pattern: %j', (changes, decision) => {
		expect(decided(changes)).toBe(decision);
	});
});

describe('a pending interaction', () => {
	test.each<[Policy['mode'], string]>([
		['approve', 'once'],
		['deny', 'reject'],
	])('is answered by the policy %s with %s', (mode, value) => {
		expect(decide(request(), policy({ mode }))).toMatchObject({
			decision: mode,
			option: value,
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
		['its ID is missing', request({ id: undefined }), policy({ mode: 'approve' })],
		['it is null', null, policy({ mode: 'approve' })],
		['it is a text', 'permission', policy({ mode: 'approve' })],
		['it is a list', [request()], policy({ mode: 'approve' })],
		['its response is null', request({ response: null }), policy({ mode: 'approve' })],
		[
			'it can only be approved for more than once',
			request({ response: { options: [{ value: 'always' }, { value: 'reject' }] } }),
			policy({ mode: 'approve' }),
		],
		['there is no answer', request(), policy({ mode: 'answer' })],
	])('is sent to an approver when %s', (_, interaction, by) => {
		const verdict = decide(interaction, by);
		expect(verdict).toMatchObject({ decision: 'ask', because: expect.stringMatching(/./) });
	});

	test("is answered with the service's own option value, also a number", () => {
		const numbers = [
			{ value: 1, label: 'Allow' },
			{ value: 2, label: 'Reject' },
		];
		expect(
			decide(request({ response: { options: numbers } }), policy({ mode: 'approve' })),
		).toMatchObject({ decision: 'approve', option: 1 });
	});

	test('is answered with the values from the panel', () => {
		const own = { response: { options: [{ value: 'go' }, { value: 'halt' }] } };
		expect(decide(request(own), policy({ mode: 'approve', approveValues: ['go'] }))).toMatchObject({
			option: 'go',
		});
		expect(decide(request(own), policy({ mode: 'deny', denyValues: ['halt'] }))).toMatchObject({
			option: 'halt',
		});
	});

	test('shows its type on a line that our code writes, shortened', () => {
		const verdict = decide(request({ type: `x\n${'y'.repeat(1_000)}` }), policy());
		expect(verdict).toMatchObject({ because: expect.stringMatching(/^its type «x⏎y+» .*$/) });
		expect((verdict as { because: string }).because.length).toBeLessThan(150);
	});
});

describe('a ruling says', () => {
	const rules = (...list: Rule[]) => policy({ rules: list });
	const ruled = (list: Rule[], patterns = ['x'], left?: number) => {
		const told: string[] = [];
		const effort = left === undefined ? undefined : { left };
		return { ...ruling(rules(...list), 'bash', patterns, effort, told), told };
	};

	test('that it takes too long, if the effort is spent', () => {
		for (const left of [0, 1, 50])
			expect(ruled([rule('bash', 'x', 'approve')], ['x'], left)).toMatchObject({
				decision: 'ask',
				because: 'comparing it with the rules would take too long',
			});
		expect(ruled([rule('bash', 'x', 'approve')], ['x'], 10_000)).toMatchObject({
			decision: 'approve',
		});
	});

	test('that an approval with an empty field approves nothing', () => {
		for (const empty of [rule('', 'x', 'approve'), rule('bash', '', 'approve')])
			expect(ruled([empty])).toMatchObject({
				decision: 'ask',
				told: ['rule 1 has an empty field, so it approves nothing'],
			});
		expect(ruled([rule(' bash ', 'x', 'approve')])).toMatchObject({ decidedBy: 'rule 1' });
	});

	test('which rule blocked an approval, and a denial is a denial', () => {
		const part = rule('bash', 'y', 'ask');
		expect(ruled([part, rule('bash', '*', 'approve')], ['x', 'y'])).toMatchObject({
			decision: 'ask',
			because: 'rule 1 matches part of the request',
			decidedBy: 'rule 1',
		});
		expect(ruled([part, rule('bash', '*', 'deny')], ['x', 'y'])).toMatchObject({
			decision: 'deny',
			decidedBy: 'rule 2',
		});
		expect(
			ruled([rule('bash', 'y', 'approve'), rule('bash', '*', 'approve')], ['x', 'y']),
		).toMatchObject({ decision: 'approve', decidedBy: 'rule 2' });
	});

	test('no rule if none decides', () => {
		expect(decide(request(), policy({ mode: 'ask' }))).not.toHaveProperty('decidedBy', undefined);
		expect(ruled([rule('bash', 'y*', 'approve')], ['y; rm'])).toMatchObject({
			because: "it contains a second command, which the wildcard in rule 1 doesn't cover",
		});
	});
});
