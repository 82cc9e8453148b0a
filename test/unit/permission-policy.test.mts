import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
	checkRules,
	decide,
	globsOf,
	LONGEST_REQUEST,
	ruling,
	type Decision,
	type AppliedAnswer,
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

describe('a rule that approves', () => {
	test.each([
		['', 'pattern'],
		['  ', 'pattern'],
		[',', 'pattern'],
		[' ,\n, ', 'pattern'],
		['git *', 'permission'],
	])('and says %j for what, is refused: it has no %s', (pattern, missing) => {
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

	test('needs no more than a star to approve everything', () => {
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
		'is the only one that has to say what for: %s may leave it empty',
		(decision) => {
			const rules = [rule('', '', decision), rule('*', '*', 'approve')];
			expect(() => checkRules(rules)).not.toThrow();
			expect(decide(request(), policy({ rules })).decision).toBe(decision);
		},
	);
});

describe('a request that rules cannot read', () => {
	const everything = policy({ rules: [rule('*', '*', 'approve')], defaultDecision: 'approve' });

	test.each<[string, object, RegExp]>([
		['has patterns that are a text', { patterns: 'rm -rf /' }, /patterns are not a list of texts/],
		['has patterns that are null', { patterns: null }, /patterns are not a list of texts/],
		['has patterns that are an object', { patterns: { 0: 'rm' } }, /not a list of texts/],
		['has patterns that are objects', { patterns: [{ command: 'rm' }] }, /not a list of texts/],
		['has nested patterns', { patterns: [['rm -rf /']] }, /not a list of texts/],
		['has numbers among its patterns', { patterns: ['ls', 1] }, /not a list of texts/],
		['has null among its patterns', { patterns: ['ls', null] }, /not a list of texts/],
		['has no patterns at all', { patterns: undefined }, /patterns are missing/],
		['has no permission', { permission: undefined }, /permission is not a text/],
		['has a permission that is null', { permission: null }, /permission is not a text/],
		['has a permission that is a number', { permission: 1 }, /permission is not a text/],
		['has a permission that is a list', { permission: ['bash'] }, /permission is not a text/],
		['is too long', { patterns: ['x'.repeat(LONGEST_REQUEST)] }, /characters, too many/],
	])('because it %s, is asked, whatever they say', (_, changes, because) => {
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
	])('is still one for the policy %s, which does not look at what it is for', (mode, decision) => {
		const unread = request({ permission: undefined, patterns: undefined });
		expect(decide(unread, policy({ mode }))).toMatchObject({ decision, decidedBy: 'policy' });
	});

	test('is also one that would take too long to compare: globs and texts made to stall', () => {
		const pattern = Array.from({ length: 300 }, () => `*${'a'.repeat(500)}b`).join(', ');
		const rules = [rule('*', pattern, 'deny'), rule('*', '*', 'approve')];
		const long = request({ patterns: ['a'.repeat(LONGEST_REQUEST - 10)] });
		expect(decide(long, policy({ rules }))).toEqual({
			decision: 'ask',
			because: expect.stringMatching(/too long/),
		});
	});

	test('is not one that is only long: 300 everyday globs and 99,000 characters', () => {
		const pattern = Array.from({ length: 300 }, (_, index) => `tool${index} *`).join(', ');
		const rules = [rule('*', pattern, 'deny'), rule('*', '*', 'approve')];
		const long = request({ patterns: ['x'.repeat(99_000)] });
		expect(decide(long, policy({ rules })).decision).toBe('approve');
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
	])('is for a person when %s', (_, interaction, by) => {
		const verdict = decide(interaction, by);
		expect(verdict).toMatchObject({ decision: 'ask', because: expect.stringMatching(/./) });
	});

	test('is answered with the option as the service wrote it, a number too', () => {
		const numbers = [
			{ value: 1, label: 'Allow' },
			{ value: 2, label: 'Reject' },
		];
		expect(
			decide(request({ response: { options: numbers } }), policy({ mode: 'approve' })),
		).toMatchObject({ decision: 'approve', option: 1 });
	});

	test('is answered with the values that the user names', () => {
		const own = { response: { options: [{ value: 'go' }, { value: 'halt' }] } };
		expect(decide(request(own), policy({ mode: 'approve', approveValues: ['go'] }))).toMatchObject({
			option: 'go',
		});
		expect(decide(request(own), policy({ mode: 'deny', denyValues: ['halt'] }))).toMatchObject({
			option: 'halt',
		});
	});

	test('shows its type in a line of its own making, bounded', () => {
		const verdict = decide(request({ type: `x\n${'y'.repeat(1_000)}` }), policy());
		expect(verdict).toMatchObject({ because: expect.stringMatching(/^its type «x⏎y+» .*$/) });
		expect((verdict as { because: string }).because.length).toBeLessThan(150);
	});
});

const asAsked = <T extends object>(interaction: T) => ({
	...interaction,
	about: { sessionId: 's1' },
});

describe('the answer of a person', () => {
	const answered = (changes: Partial<AppliedAnswer> = {}) =>
		policy({
			mode: 'answer',
			answer: {
				answer: 'approve',
				appliesTo: 'asked',
				asked: [asAsked(request())],
				sessionId: 's1',
				...changes,
			} as AppliedAnswer,
		});

	test.each<['approve' | 'deny', string]>([
		['approve', 'once'],
		['deny', 'reject'],
	])('%s decides what was asked', (answer, option) => {
		expect(decide(request(), answered({ answer }))).toMatchObject({
			decision: answer,
			option,
			decidedBy: 'answer',
		});
	});

	test.each<[string, object, RegExp]>([
		['another ID', { id: 'i2' }, /not among what was asked/],
		['another permission', { permission: 'edit' }, /its permission changed/],
		['other patterns', { patterns: ['git push', 'rm -rf /'] }, /its patterns changed/],
		['no patterns', { patterns: undefined }, /its patterns changed/],
		[
			'other options',
			{ response: { options: [{ value: 'once', label: 'Allow forever' }] } },
			/its response changed/,
		],
		[
			'another permission and other patterns',
			{ permission: 'edit', patterns: [] },
			/its permission and patterns changed/,
		],
	])('does not decide what has %s', (_, changes, because) => {
		const verdict = decide(request(changes), answered());
		expect(verdict).toEqual({ decision: 'ask', because: expect.stringMatching(because) });
	});

	test('holds for everything from now on, where the user says so', () => {
		const anything = request({ id: 'i9', permission: 'edit', patterns: ['b'] });
		expect(decide(anything, answered({ appliesTo: 'session', asked: [] }))).toMatchObject({
			decision: 'approve',
			decidedBy: 'answer',
		});
	});

	test('that nobody gave leaves it undecided', () => {
		const nobody = { answer: 'none', because: 'the time limit is over' } as const;
		expect(decide(request(), answered({ ...nobody, appliesTo: 'session' }))).toEqual({
			decision: 'ask',
			because: 'nobody answered: the time limit is over',
		});
	});

	test('does not approve with an option that lasts', () => {
		const lasting = request({ response: { options: [{ value: 'always' }] } });
		expect(decide(lasting, answered({ asked: [asAsked(lasting)] }))).toMatchObject({
			decision: 'ask',
		});
	});
});

describe('nothing is approved', () => {
	/** What a glob means, as plainly as possible. */
	const covers = (glob: string, text: string): boolean =>
		new RegExp(
			`^${[...glob].map((each) => (each === '*' ? '.*' : each === '?' ? '.' : each)).join('')}$`,
			'su',
		).test(text);

	const part = fc.constantFrom('a', 'b', 'ab', 'a b', 'rm a', '');
	const glob = fc.constantFrom('*', 'a', 'a*', 'rm *', '?', 'b', '', ',', ' ', 'a, b');
	const decision = fc.constantFrom<Decision>('approve', 'deny', 'ask');
	const anyRule = fc.record({ permission: glob, pattern: glob, decision });
	const orJson = <T,>(usual: fc.Arbitrary<T>) =>
		fc.oneof({ weight: 20, arbitrary: usual }, { weight: 1, arbitrary: fc.jsonValue() });
	const option = orJson(
		fc.record({
			value: orJson(fc.constantFrom('once', 'allow', 'always', 'reject', 'allow_session', 'x')),
			label: orJson(fc.constantFrom('Allow', 'No', 'Forever', '', '')),
		}),
	);
	/** As it comes out of a parser: fast-check's objects may have no prototype. */
	const asJson = (value: unknown): any => JSON.parse(JSON.stringify(value));
	const interaction = orJson(
		fc.record(
			{
				type: orJson(fc.constant('permission')),
				id: orJson(fc.constantFrom('i1', 'i2')),
				permission: orJson(part),
				patterns: orJson(fc.array(orJson(part), { maxLength: 3 })),
				response: orJson(fc.record({ options: orJson(fc.array(option, { maxLength: 3 })) })),
			},
			{ requiredKeys: ['type', 'id', 'response'] },
		),
	).map(asJson);
	const anyPolicy = fc.record<Policy>({
		mode: fc.constantFrom('ask', 'approve', 'deny', 'rules', 'answer'),
		rules: fc.array(anyRule, { maxLength: 4 }),
		defaultDecision: decision,
		approveWith: fc.constantFrom('once', 'always'),
	});

	/** Whether rules allow an approval, said in another way than the code says it. */
	function rulesAllow({ rules, defaultDecision }: Policy, pending: any): boolean {
		const { permission, patterns } = pending;
		if (typeof permission !== 'string' || !Array.isArray(patterns)) return false;
		if (!patterns.every((each) => typeof each === 'string')) return false;
		const asked: string[] = patterns.length > 0 ? patterns : [''];
		const touched = ({ permission: kind, pattern, decision: says }: Rule) => {
			const typed = pattern.split(',').map((each) => each.trim());
			const globs = typed.filter((each) => each !== '');
			const any = says === 'approve' ? [] : ['*'];
			const kinds = kind.trim() === '' ? any : [kind.trim()];
			if (!kinds.some((each) => covers(each, permission))) return [];
			return asked.filter((each) =>
				(globs.length > 0 ? globs : any).some((one) => covers(one, each)),
			);
		};
		const allowedBy = rules.findIndex((each) => touched(each).length === asked.length);
		const says = allowedBy < 0 ? defaultDecision : rules[allowedBy].decision;
		const before = allowedBy < 0 ? rules : rules.slice(0, allowedBy);
		const objections = before.filter(
			(each) => each.decision !== 'approve' && touched(each).length > 0,
		);
		return says === 'approve' && objections.length === 0;
	}

	test('that no rule covers as text, and that an earlier rule speaks against, whatever JSON it is', () => {
		let approved = 0;
		fc.assert(
			fc.property(interaction, anyPolicy, (pending, by) => {
				const rulesOnly: Policy = { ...by, mode: 'rules' };
				const verdict = decide(pending, rulesOnly);
				if (verdict.decision !== 'approve') return;
				approved++;
				expect(rulesAllow(rulesOnly, pending)).toBe(true);
			}),
			{ numRuns: 5_000 },
		);
		expect(approved).toBeGreaterThan(20);
	});

	test('that no rule and no person approved, whatever policy, answer and interaction', () => {
		const anyAnswer = fc.record({
			answer: fc.constantFrom('approve', 'deny', 'none'),
			because: fc.constant('x'),
			appliesTo: fc.constantFrom('asked', 'session'),
			asked: fc.array(interaction, { maxLength: 2 }),
			sawAs: fc.constantFrom(undefined, {}, { id: 'i2' }, { permission: 'b' }, { patterns: ['a'] }),
		});
		let byPerson = 0;
		fc.assert(
			fc.property(interaction, anyPolicy, anyAnswer, (pending, by, { sawAs, ...given }) => {
				const asked = [
					...given.asked,
					...(sawAs ? [asAsked({ ...asJson(pending), ...sawAs })] : []),
				].filter((each) => typeof each === 'object' && each !== null);
				const answer = { ...given, asked, sessionId: 's1' } as AppliedAnswer;
				const verdict = decide(pending, { ...by, answer });
				if (verdict.decision !== 'approve') return;
				const seen = asked.some((each) => isDeepStrictEqual(each, asAsked(pending)));
				const person =
					by.mode === 'answer' &&
					given.answer === 'approve' &&
					(given.appliesTo === 'session' || seen);
				if (person) byPerson++;
				const ruled = by.mode === 'approve' || (by.mode === 'rules' && rulesAllow(by, pending));
				expect(person || ruled).toBe(true);
			}),
			{ numRuns: 5_000 },
		);
		expect(byPerson).toBeGreaterThan(20);
	});

	test('and nothing thrown at any JSON at all', () => {
		fc.assert(
			fc.property(fc.jsonValue(), anyPolicy, (pending, by) => {
				expect(decide(pending, by).decision).toBe('ask');
			}),
		);
		// Nested far deeper than a stack holds
		const deep = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)) as unknown;
		for (const patterns of [deep, [deep]]) {
			const pending = request({ patterns, response: { options: deep } });
			const asked = [request({ patterns, response: { options: [] } })];
			const answer = { answer: 'approve', appliesTo: 'asked', asked } as unknown as AppliedAnswer;
			expect(decide(pending, policy({ mode: 'rules' })).decision).toBe('ask');
			expect(decide(pending, policy({ mode: 'answer', answer })).decision).toBe('ask');
		}
	});
});
