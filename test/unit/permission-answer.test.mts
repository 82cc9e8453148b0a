// The approver's answer decides, and nothing is approved without a rule or an approver.
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
	decide,
	type Decision,
	type AppliedAnswer,
	type Policy,
	type Rule,
} from '../../nodes/RunAgentSession/policy/rules.ts';
import { addOrigin } from '../../nodes/RunAgentSession/approval/request.ts';
import { planDecisions } from '../../nodes/RunAgentSession/session/ledger.ts';
import {
	fingerprintContent,
	type Interaction,
	type Session,
} from '../../nodes/shared/client/session.ts';
import { policy, request } from './policies.mts';

const asAsked = <T extends object>(interaction: T) =>
	addOrigin([interaction as unknown as Interaction], { sessionId: 's1' })[0];

describe('the answer of an approver', () => {
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
	])('%s decides the request', (answer, option) => {
		expect(decide(request(), answered({ answer }))).toMatchObject({
			decision: answer,
			option,
			decidedBy: 'answer',
		});
	});

	test.each<[string, object, RegExp]>([
		['another ID', { id: 'i2' }, /wasn't among the requests shown/],
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
	])('does not decide a request that has %s', (_, changes, because) => {
		const verdict = decide(request(changes), answered());
		expect(verdict).toEqual({ decision: 'ask', because: expect.stringMatching(because) });
	});

	test('applies to all later requests if the user says so', () => {
		const anything = request({ id: 'i9', permission: 'edit', patterns: ['b'] });
		expect(decide(anything, answered({ appliesTo: 'session', asked: [] }))).toMatchObject({
			decision: 'approve',
			decidedBy: 'answer',
		});
	});

	test('that is missing leaves it undecided', () => {
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

describe('an approver who answered on the page', () => {
	const pending = request();
	const content = fingerprintContent(pending)!;
	const answered = (decision: 'approve' | 'deny', option: string, changes: Partial<Policy> = {}) =>
		policy({ page: { [content]: { decision, option } }, ...changes });
	const everything = (decision: Decision): Partial<Policy> => ({
		rules: [{ permission: '*', pattern: '*', decision }],
	});

	test.each<[string, Partial<Policy>]>([
		['a rule that approves', everything('approve')],
		['a rule that denies', everything('deny')],
		['a rule that asks', everything('ask')],
		['Approve All', { mode: 'approve' }],
		['Deny All', { mode: 'deny' }],
		['Ask for Approval', { mode: 'ask' }],
	])('wins over %s', (_, changes) => {
		for (const [decision, option] of [
			['deny', 'reject'],
			['approve', 'once'],
		] as const)
			expect(decide(pending, answered(decision, option, changes))).toEqual({
				decision,
				option,
				decidedBy: 'page',
			});
	});

	test('decides exactly that request, and no other', () => {
		const by = answered('deny', 'reject', everything('approve'));
		expect(decide(request({ id: 'i2' }), by)).toMatchObject({ decidedBy: 'rule 1' });
		expect(decide(request({ metadata: {} }), by)).toMatchObject({ decidedBy: 'rule 1' });
		expect(decide(pending, policy({ page: {} })).decision).toBe('ask');
		const deep = request({ metadata: JSON.parse('['.repeat(200) + ']'.repeat(200)) });
		expect(decide(deep, policy({ page: { '': { decision: 'approve', option: 'once' } } }))).toEqual(
			{ decision: 'ask', because: "it's nested too deeply" },
		);
	});

	test('chose an option that lasts, and the decision says so', () => {
		expect(decide(pending, answered('approve', 'always'))).toEqual({
			decision: 'approve',
			option: 'always',
			decidedBy: 'page',
			lasts: true,
		});
	});
});

test.each<[string, Partial<Policy>]>([
	['Approve With', { approveWith: 'always' }],
	['Approve Values', { approveValues: ['always'] }],
])('a decision with an option that lasts by %s says so', (_, changes) => {
	expect(decide(request(), policy({ mode: 'approve', ...changes }))).toEqual({
		decision: 'approve',
		option: 'always',
		decidedBy: 'policy',
		lasts: true,
	});
	expect(decide(request(), policy({ mode: 'approve' }))).not.toHaveProperty('lasts');
});

test('of the pending requests, the policy decides some and leaves the others to approvers', () => {
	const by = policy({ rules: [{ permission: 'bash', pattern: 'git *', decision: 'approve' }] });
	const pendingInteractions = ['git push', 'rm x'].map((pattern, at): Interaction => ({
		...request({ patterns: [pattern] }),
		id: `i${at}`,
	}));
	const session: Session = { sessionId: 's1', status: 'running', pendingInteractions };
	const { due, undecided } = planDecisions([], session, by);
	expect(due.map(({ interaction }) => interaction.id)).toEqual(['i0']);
	expect(undecided.map(({ interaction }) => interaction.id)).toEqual(['i1']);
});

describe('nothing is approved', () => {
	/** Reference implementation of a glob. */
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
	/** Like a parser's result: fast-check's objects may have no prototype. */
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

	/** Returns whether rules allow an approval, said in another way than the code says it. */
	function rulesAllow({ rules, defaultDecision }: Policy, pending: any): boolean {
		const { permission, patterns } = pending;
		if (typeof permission !== 'string' || !Array.isArray(patterns) || patterns.length === 0)
			return false;
		if (!patterns.every((each) => typeof each === 'string')) return false;
		const touches = (rule: Rule, text: string) =>
			covers(rule.permission.trim(), permission) &&
			(covers(rule.pattern, text) || covers(rule.pattern, `${text} `));
		return patterns.every((text) => {
			const first = rules.find((rule) => touches(rule, text));
			return (first?.decision ?? defaultDecision) === 'approve';
		});
	}

	test('if a text has no rule that approves it before any other that covers it, for any JSON', () => {
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
		expect(approved).toBeGreaterThan(1);
	});

	test('if no rule and no approver approved it, for any policy, answer and request', () => {
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
		expect(byPerson).toBeGreaterThan(1);
	});

	test('and no error is thrown for any JSON', () => {
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
