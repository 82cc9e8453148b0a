// Decisions of a policy, and requests that it leaves to an approver.
import { describe, expect, test } from '@jest/globals';
import type { Decision, Rule } from '../../nodes/RunAgentSession/policy/rule.ts';
import { checkRuleCount, readRules } from '../../nodes/RunAgentSession/panel/readLists.ts';
import { createJudge, type Policy } from '../../nodes/RunAgentSession/policy/rules.ts';
import { createDecider, decideRequest } from '../../nodes/RunAgentSession/requests/decisions.ts';
import { MAX_REQUEST_TEXTS, MAX_TEXT_CHARACTERS } from '../../nodes/shared/limits.ts';
import { policy, request, rule } from './policies.mts';

const checkRules = (rules: Rule[]) =>
	readRules('Rules', { rule: rules }, { raw: { rule: rules }, evaluate: String });

const ruling = (given: Policy, permission: string, patterns: string[]) =>
	createJudge(given)(request({ permission, patterns }));

describe('rules', () => {
	test('the first that applies decides', () => {
		const rules = [
			rule('bash', 'git push', 'deny'),
			rule('bash', 'git *', 'approve'),
			rule('*', '*', 'deny'),
		];
		expect(ruling(policy({ rules }), 'bash', ['git push'])).toEqual({
			decision: 'deny',
			decidedBy: 'rule 1',
			because: 'rule 1 denies «git push»',
		});
		expect(ruling(policy({ rules }), 'edit', ['a'])).toMatchObject({ decidedBy: 'rule 3' });
		const above = [rules[1], rules[0]];
		expect(ruling(policy({ rules: above }), 'bash', ['git push'])).toEqual({
			decision: 'approve',
			decidedBy: 'rule 1',
			because: 'rule 1 approves «git push»',
		});
	});

	test.each<[patterns: string[], Decision, decidedBy: string]>([
		[['git push', 'npm test'], 'approve', 'rule 1 and rule 2'],
		[['git push && npm test'], 'approve', 'rule 1 and rule 2'],
		[['git push', 'rm x'], 'deny', 'rule 3'],
		[['git push', 'curl x'], 'ask', 'rule 4'],
		[['git push', 'ls'], 'ask', 'default decision'],
		[['ls', 'rm x'], 'deny', 'rule 3'],
	])('decide each text and part: with %j, %s by %s', (patterns, decision, decidedBy) => {
		const rules = [
			rule('bash', 'git *', 'approve'),
			rule('bash', 'npm *', 'approve'),
			rule('bash', 'rm *', 'deny'),
			rule('bash', 'curl *', 'ask'),
		];
		expect(ruling(policy({ rules }), 'bash', patterns)).toMatchObject({ decision, decidedBy });
	});

	test.each<[Decision]>([['deny'], ['ask']])(
		'that say %s keep the default decision from approving what they may mean',
		(decision) => {
			const rules = [rule('bash', 'rm *', decision)];
			const by = policy({ rules, defaultDecision: 'approve' });
			expect(ruling(by, 'bash', ['ls $X'])).toMatchObject({ decision: 'ask', decidedBy: 'rule 1' });
			expect(ruling(by, 'bash', ['ls'])).toMatchObject({ decision: 'approve' });
			expect(ruling(by, 'edit', ['a b'])).toMatchObject({ decision: 'approve' });
		},
	);

	test.each<[string, string, Decision]>([
		['bash', 'bash', 'approve'],
		['*', 'any thing; at all', 'approve'],
		['ba*', 'bash', 'approve'],
		['ba*', 'ba;sh', 'ask'],
		['Bash', 'bash', 'ask'],
		['bas', 'bash', 'ask'],
	])('that approve %j are for the permission %j: %s', (permission, asked, decision) => {
		const rules = [rule(permission, 'x', 'approve')];
		expect(ruling(policy({ rules }), asked, ['x']).decision).toBe(decision);
	});

	test.each<[permission: string, pattern: string, fields: object, decision: Decision]>([
		['bash', 'https://evil.io/private/*', { url: 'https://evil.io/private/x' }, 'deny'],
		['bash', '*secret*', { url: 'https://a.io/x' }, 'approve'],
		['edit', '10.0.0.1', { url: 'https://10.0.0.1/x' }, 'deny'],
		['edit', 'rm *', { command: 'rm x' }, 'deny'],
		['webfetch', 'secrets/*', { path: 'secrets/key' }, 'deny'],
	])(
		'are compared with a field of another kind as with its own kind: %s, %j, %j: %s',
		(permission, pattern, metadata, decision) => {
			const rules = [rule('*', pattern, 'deny'), rule('*', '*', 'approve')];
			const asked = request({ permission, patterns: ['https://b.io/a'], metadata });
			expect(createJudge(policy({ rules }))(asked).decision).toBe(decision);
		},
	);

	test('that deny ignore the case of the permission', () => {
		const rules = [rule(' Ba* ', 'x', 'deny')];
		expect(ruling(policy({ rules }), 'BASH', ['x']).decision).toBe('deny');
	});

	test.each([
		'ls *.ts, [a] "$x"',
		' npm  test ',
		'a\nb; c & d > e',
		'\0\ufdd0 *',
		'C:\\x\\*',
		'x'.repeat(MAX_TEXT_CHARACTERS + 1),
	])('match a text that is exactly theirs, whatever characters it has: %j', (text) => {
		for (const decision of ['approve', 'deny'] as const)
			for (const permission of ['bash', 'edit', 'grep', 'webfetch'])
				expect(
					ruling(policy({ rules: [rule(permission, text, decision)] }), permission, [text]),
				).toMatchObject({ decision, decidedBy: 'rule 1' });
	});

	test('read a backslash before a wildcard, and values of expressions, as the character', () => {
		expect(
			ruling(policy({ rules: [rule('*', 'ls \\*.ts', 'approve')] }), 'bash', ['ls *.ts']),
		).toMatchObject({ decision: 'approve' });
		const built = { ...rule('bash', 'ls \\*', 'approve'), hasValues: true as const };
		expect(ruling(policy({ rules: [built] }), 'bash', ['ls *']).decision).toBe('approve');
		expect(ruling(policy({ rules: [built] }), 'bash', ['ls \\*']).decision).toBe('ask');
		expect(ruling(policy({ rules: [built] }), 'bash', ['ls x']).decision).toBe('ask');
	});
});

describe('a rule with an empty field is refused', () => {
	test.each<[permission: string, pattern: string, field: string]>([
		['bash', '', 'pattern'],
		['bash', ' \n', 'pattern'],
		[' ', 'git *', 'permission'],
	])('permission %j, pattern %j: it has no %s', (permission, pattern, field) => {
		for (const decision of ['approve', 'deny', 'ask'] as const)
			expect(() =>
				checkRules([rule('bash', '*', 'deny'), rule(permission, pattern, decision)]),
			).toThrow(
				expect.objectContaining({
					message: `Rule 2 of 'Rules' has no ${field}`,
					description: expect.stringMatching(/or \* for every/),
				}),
			);
	});

	test.each<[pattern: string, decision: Decision, isRefused: boolean]>([
		['https://docs.example.com*', 'approve', true],
		['curl -s https://docs.example.com*', 'approve', true],
		['https://10.0.0.?', 'approve', true],
		['https://docs.example.com/*', 'approve', false],
		['https://*', 'approve', false],
		['https://a.io:*/x', 'approve', false],
		['https://evil.io*', 'deny', false],
	])(
		'a host that ends with a wildcard is refused: %j to %s: %j',
		(pattern, decision, isRefused) => {
			const check = () => checkRules([rule('*', '*', 'deny'), rule('webfetch', pattern, decision)]);
			const refused = expect.objectContaining({
				message: "Rule 2 of 'Rules' has a host that ends with a wildcard",
				description: expect.stringMatching(/Enter the whole host/),
			});
			if (isRefused) expect(check).toThrow(refused);
			else expect(check).not.toThrow();
		},
	);

	test('more than 1,000 rules together are refused', () => {
		const rules = Array.from({ length: 1_001 }, () => rule('*', '*', 'deny'));
		expect(() => checkRules(rules.slice(1))).not.toThrow();
		expect(() => checkRules(rules)).toThrow("'Rules' has more than 1000 rules");
		expect(() => checkRuleCount(rules.slice(500), rules.slice(502))).not.toThrow();
		expect(() => checkRuleCount(rules.slice(500), rules.slice(500))).toThrow(
			expect.objectContaining({
				message: "'Rules' and 'More Rules' have too many rules together",
				description: expect.stringMatching(/1000\. 'Rules' has 501, and 'More Rules' 501\./),
			}),
		);
	});

	test('a pattern of more than 4,096 characters is refused', () => {
		const check = (length: number) => () => checkRules([rule('*', 'x'.repeat(length), 'deny')]);
		expect(check(4_096)).not.toThrow();
		expect(check(4_097)).toThrow("Rule 1 of 'Rules' has a pattern of more than 4096 characters");
	});

	test.each([
		['bash', ''],
		['', '*'],
	])('permission %j and pattern %j approve nothing, even unchecked', (permission, pattern) => {
		expect(
			decideRequest(request(), policy({ rules: [rule(permission, pattern, 'approve')] })),
		).toMatchObject({ decision: 'ask' });
	});
});

describe("a request that rules can't read", () => {
	const everything = policy({ rules: [rule('*', '*', 'approve')], defaultDecision: 'approve' });

	test.each<[string, object, RegExp]>([
		['has patterns that are a text', { patterns: 'rm -rf /' }, /patterns aren't a list of texts/],
		['has numbers among its patterns', { patterns: ['ls', 1] }, /aren't a list of texts/],
		['has no patterns at all', { patterns: undefined }, /patterns aren't a list of texts/],
		['has an empty list of patterns', { patterns: [] }, /it has no patterns/],
		['has no permission', { permission: undefined }, /permission isn't a text/],
		['has a permission that is a number', { permission: 1 }, /permission isn't a text/],
		['has a command that is a list', { command: ['rm'] }, /its command isn't a text/],
	])('because it %s, is sent to an approver, for any rules', (_, changes, because) => {
		expect(decideRequest(request(changes), everything)).toEqual({
			decision: 'ask',
			because: expect.stringMatching(because),
		});
		const deny = policy({ rules: [rule('*', '*', 'deny')], defaultDecision: 'deny' });
		expect(decideRequest(request(changes), deny).decision).toBe('ask');
	});
});

describe('a request that is too much for rules', () => {
	const TOO_LONG = expect.stringMatching(/it's too much for rules/);

	test("isn't one with 100 paths, compared with 1,000 denials", () => {
		const patterns = Array.from({ length: 100 }, (_, at) => `src/components/card-${at}/index.tsx`);
		const rules = Array.from({ length: 1_000 }, (_, at) => rule('edit', `secret-${at}/*`, 'deny'));
		const by = policy({ rules: [...rules, rule('edit', 'src/*', 'approve')] });
		expect(decideRequest(request({ permission: 'edit', patterns }), by).decision).toBe('approve');
	});
	const many = (count: number) => Array.from({ length: count }, (_, at) => `ls ${at}`);

	test.each<[string, string[]]>([
		['a text', [`ls ${'x'.repeat(MAX_TEXT_CHARACTERS)}`]],
		['many patterns', many(MAX_REQUEST_TEXTS + 1)],
		['many parts', [many(MAX_REQUEST_TEXTS + 1).join(';')]],
		['many parts of all patterns', [many(60).join(';'), many(60).reverse().join(';')]],
	])('because of %s, is sent to an approver', (_, patterns) => {
		const by = (rules: Policy['rules'], defaultDecision: Decision) =>
			ruling(policy({ rules, defaultDecision }), 'bash', patterns);
		const asks = { decision: 'ask', because: TOO_LONG };
		expect(by([rule('bash', 'ls *', 'approve')], 'approve')).toMatchObject(asks);
		expect(by([rule('bash', 'rm *', 'deny'), rule('*', '*', 'approve')], 'deny')).toMatchObject({
			...asks,
			decidedBy: 'rule 1',
		});
		expect(by([rule('*', '*', 'approve'), rule('bash', 'rm *', 'deny')], 'ask')).toMatchObject({
			decision: 'approve',
		});
		expect(by([rule('*', '*', 'deny')], 'ask')).toMatchObject({ decision: 'deny' });
	});

	test('after 500 different texts in one reading, except for exact texts and a star', () => {
		const rules = [
			rule('bash', 'x', 'deny'),
			rule('bash', 'ls *', 'approve'),
			rule('edit', '*', 'approve'),
			rule('write', 'a.md', 'approve'),
		];
		const decide = createDecider(policy({ rules }));
		const decided = (permission: string, text: string) =>
			decide(request({ permission, patterns: [text] })).decision;
		for (let at = 0; at < 500; at++) expect(decided('bash', `ls ${at}`)).toBe('approve');
		expect(decided('bash', 'ls 0')).toBe('approve');
		expect(decided('bash', 'ls another')).toBe('ask');
		expect(decided('edit', 'b.md')).toBe('approve');
		expect(decided('write', 'a.md')).toBe('approve');
		expect(decided('bash', 'x')).toBe('deny');
	});
});

describe('a command beside the patterns', () => {
	const rules = [rule('bash', 'git *', 'approve'), rule('bash', 'rm *', 'deny')];
	const decided = (changes: object) => decideRequest(request(changes), policy({ rules })).decision;

	test.each([
		[{ command: 'rm -rf /' }, 'deny'],
		[{ metadata: { command: 'rm -rf /' } }, 'deny'],
		[{ command: 'git push', metadata: { command: 'ls' } }, 'ask'],
		[{ command: 'git push && git $x' }, 'ask'],
		[{ command: 'git push && git pull' }, 'approve'],
		[{ command: ' git push ;' }, 'approve'],
		[{ command: '', metadata: { command: null } }, 'approve'],
		[{ permission: 'edit', patterns: ['a'], command: 'rm x' }, 'ask'],
	])('counts like another pattern: %j', (changes, decision) => {
		expect(decided(changes)).toBe(decision);
	});
});

describe('a pending interaction', () => {
	test.each([
		['the policy asks', request(), policy({ mode: 'ask' })],
		['its type is not known', request({ type: 'question' }), policy({ mode: 'approve' })],
		[
			'its options are not understood',
			request({ response: { options: [{ value: 'maybe' }] } }),
			policy({ mode: 'approve' }),
		],
		['it has no options', request({ response: undefined }), policy({ mode: 'deny' })],
		['it has no ID', request({ id: '' }), policy({ mode: 'approve' })],
		['it is null', null, policy({ mode: 'approve' })],
		['it is a text', 'permission', policy({ mode: 'approve' })],
		[
			'it can only be approved for more than once',
			request({ response: { options: [{ value: 'always' }, { value: 'reject' }] } }),
			policy({ mode: 'approve' }),
		],
	])('is sent to an approver when %s', (_, interaction, by) => {
		const verdict = decideRequest(interaction, by);
		expect(verdict).toMatchObject({ decision: 'ask', because: expect.stringMatching(/./) });
	});
});
