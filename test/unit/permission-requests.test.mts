// What rules compare of a request, and what a verdict says about it.
import { describe, expect, test } from '@jest/globals';
import {
	decide,
	judge,
	MAX_COMPARED_LENGTH,
	type Policy,
	type PageAnswers,
} from '../../nodes/RunAgentSession/policy/rules.ts';
import { fingerprintContent } from '../../nodes/shared/client/session.ts';
import { policy, request, rule } from './policies.mts';

const decision = (changes: object, ...rules: Policy['rules']) =>
	decide(request(changes), policy({ rules })).decision;
const approving = (pattern: string) => rule('bash', pattern, 'approve');

describe('a command beside the patterns', () => {
	test.each([
		['with an operator at its end', { command: 'git push;' }],
		['with an operator before it', { command: '; git push' }],
		['with spaces around it', { command: ' git push ' }],
		['that is empty', { command: '' }],
	])('%s is the same command', (_, changes) => {
		expect(decision(changes, approving('git push'))).toBe('approve');
	});

	test.each([
		['a list', { command: ['git', 'push'] }],
		['a number in the metadata', { metadata: { command: 1 } }],
	])('that is %s is sent to an approver, because it is no text', (_, changes) => {
		expect(decide(request(changes), policy({ rules: [approving('*')] }))).toStrictEqual({
			decision: 'ask',
			because: "its command isn't a text",
		});
	});
});

test('rules compare a request up to its greatest length', () => {
	const most = MAX_COMPARED_LENGTH - 'bash'.length;
	expect(decision({ patterns: ['x'.repeat(most)] }, approving('*'))).toBe('approve');
	expect(decision({ patterns: ['x'.repeat(most + 1)] }, approving('*'))).toBe('ask');
});

test('a request without patterns has no text that a rule could deny', () => {
	expect(decision({ patterns: [] }, rule('bash', '?*', 'deny'))).toBe('ask');
	expect(decision({ patterns: [] }, rule('bash', '*', 'deny'))).toBe('deny');
});

test('only More Rules approve a request together, each with any of its globs', () => {
	const patterns = ['ls', 'cat x'];
	const rules = [approving('ls, pwd'), approving('cat *')];
	expect(decision({ patterns }, ...rules)).toBe('ask');
	const more = policy({ moreRules: rules });
	expect(decide(request({ patterns }), more).decision).toBe('approve');
});

describe('a verdict', () => {
	test('names the policy that asks', () => {
		expect(decide(request(), policy({ mode: 'ask' }))).toMatchObject({ decidedBy: 'policy' });
	});

	test('tells which rule could not read the request', () => {
		const told: string[] = [];
		const rules = [rule('bash', 'rm *', 'deny'), approving('*')];
		judge(request({ patterns: ['$x y'] }), policy({ rules }), undefined, told);
		expect(told).toEqual(["rule 1 can't read the request for certain", 'rule 2 decides']);
	});

	test('on the page lasts only if its option still says so', () => {
		const answered = (interaction: object, option: string) => {
			const page: PageAnswers = {
				[String(fingerprintContent(interaction))]: { decision: 'approve', option },
			};
			return decide(interaction, policy({ page }));
		};
		const approved = { decision: 'approve', decidedBy: 'page' };
		expect(answered(request(), 'always')).toEqual({ ...approved, option: 'always', lasts: true });
		expect(answered(request(), 'once')).toEqual({ ...approved, option: 'once' });
		expect(answered(request(), 'gone')).toEqual({ ...approved, option: 'gone' });
	});

	test('is never one of another request on the page', () => {
		let deep: unknown = {};
		for (let depth = 0; depth < 10_000; depth++) deep = [deep];
		for (const interaction of [request(), request({ metadata: deep })]) {
			const page: PageAnswers = { undefined: { decision: 'approve', option: 'once' } };
			expect(decide(interaction, policy({ page })).decision).toBe('ask');
		}
	});
});

describe('the budget of a request', () => {
	const spend = (command: string, rules: Policy['rules'], left = 100_000) => {
		const budget = { left };
		const verdict = judge(request({ patterns: [command] }), policy({ rules }), budget);
		return { spent: left - budget.left, verdict };
	};

	test('pays for each command in it', () => {
		const rules = [rule('bash', 'rm *', 'deny')];
		const { spent: few } = spend('sudo'.repeat(20), rules);
		const { spent: many } = spend('sudo '.repeat(20), rules);
		expect(few).toBeGreaterThan(100);
		expect(many - few).toBeGreaterThan(1_000);
	});

	test('can be spent, but not exceeded', () => {
		const rules = [approving('git *')];
		const { spent, verdict } = spend('git push', rules);
		expect(spend('git push', rules, spent).verdict).toEqual(verdict);
		expect(spend('git push', rules, spent - 1).verdict).toEqual({
			decision: 'ask',
			because: 'comparing it with the rules would take too long',
		});
	});
});
