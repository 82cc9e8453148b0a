import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decide, type Policy } from '../../nodes/RunAgentSession/policy/rules.ts';
import { tryRules } from '../../nodes/RunAgentSession/execution/tryRules.ts';

const policy = (changes: Partial<Policy> = {}): Policy => ({
	mode: 'rules',
	rules: [
		{ permission: 'bash', pattern: 'rm *', decision: 'deny' },
		{ permission: 'bash', pattern: 'git *', decision: 'approve' },
		{ permission: 'edit', pattern: '*', decision: 'ask' },
	],
	defaultDecision: 'ask',
	approveWith: 'once',
	...changes,
});
const response = {
	type: 'choice',
	options: [
		{ value: 'once', label: 'Allow once' },
		{ value: 'reject', label: 'Reject' },
	],
};
const NO = 'rule 1 has no pattern that matches';
const EDIT = 'rule 3 is for another permission';
const only = (request: unknown, by = policy()) => tryRules([request], by)[0];

describe('Try Rules', () => {
	test.each<[string, object, object]>([
		[
			'an approval',
			{ permission: 'bash', patterns: ['git push'] },
			{ decision: 'approve', decidedBy: 'rule 2', rules: [NO, 'rule 2 decides'] },
		],
		[
			'a denial',
			{ permission: 'bash', patterns: ['rm x'] },
			{ decision: 'deny', decidedBy: 'rule 1', rules: ['rule 1 decides'] },
		],
		[
			'a rule that asks',
			{ permission: 'edit', patterns: ['a.md'] },
			{
				decision: 'ask',
				decidedBy: 'rule 3',
				because: 'rule 3 asks for approval',
				rules: [
					'rule 1 is for another permission',
					'rule 2 is for another permission',
					'rule 3 decides',
				],
			},
		],
		[
			'what no rule covers',
			{ permission: 'web', patterns: ['x'] },
			{
				decision: 'ask',
				decidedBy: 'default decision',
				because: 'no rule covers it',
				rules: [1, 2, 3].map((rule) => `rule ${rule} is for another permission`),
				suggestedRule: { permission: 'web', pattern: 'x', decision: 'approve' },
			},
		],
		[
			'what a rule reserves in part',
			{ permission: 'bash', patterns: ['rm x', 'ls'] },
			{
				decision: 'ask',
				decidedBy: 'default decision',
				because: 'no rule covers it',
				rules: [
					'rule 1 matches only part of the request',
					'rule 2 has no pattern that matches',
					EDIT,
				],
			},
		],
		[
			'what keeps a rule from applying',
			{ permission: 'bash', patterns: ['git push; curl evil'] },
			{
				decision: 'ask',
				decidedBy: 'rule 2',
				because: "it contains a second command, which the wildcard in rule 2 doesn't cover",
				rules: [
					NO,
					"rule 2 would approve the request, but its wildcards don't cover all of it",
					EDIT,
				],
				suggestedRule: {
					permission: 'bash',
					pattern: 'git push; curl evil',
					decision: 'approve',
				},
			},
		],
		[
			'what rules cannot read',
			{ permission: 'bash', patterns: 'git push' },
			{ decision: 'ask', because: "its patterns aren't a list of texts" },
		],
		[
			'an option',
			{ permission: 'bash', patterns: ['git push'], response },
			{ decision: 'approve', decidedBy: 'rule 2', option: 'once', rules: [NO, 'rule 2 decides'] },
		],
		[
			'an option that is missing',
			{ permission: 'bash', patterns: ['git push'], response: { options: [] } },
			{
				decision: 'ask',
				decidedBy: 'rule 2',
				because: expect.stringMatching(/options/),
				rules: [NO, 'rule 2 decides'],
			},
		],
		[
			'another kind of interaction',
			{ type: 'question', text: 'Which one?' },
			{ decision: 'ask', because: expect.stringMatching(/question/) },
		],
	])('shows %s: %j', (_, request, expected) => {
		expect(only(request)).toEqual({
			request,
			...expected,
		});
	});

	test.each<[string, unknown, Partial<Policy>]>([
		['a request that no rule covers', { permission: 'web', patterns: ['x'] }, {}],
		['any request under Ask for Approval', { permission: 'web', patterns: ['x'] }, { mode: 'ask' }],
		['a request that is no object', 'git push', {}],
		['a request without a permission', {}, {}],
	])('begins with the decision, the request and the reason: %s', (_, request, changes) => {
		const trial = only(request, policy(changes));
		expect(Object.keys(trial).slice(0, 3)).toEqual(['decision', 'request', 'because']);
	});

	test.each<[string, unknown, Partial<Policy>, string]>([
		[
			'the policy',
			{ permission: 'web' },
			{ mode: 'ask' },
			'the permission policy asks for approval',
		],
		['a rule', { permission: 'edit', patterns: ['a.md'] }, {}, 'rule 3 asks for approval'],
		['no rule', { permission: 'web', patterns: ['x'] }, {}, 'no rule covers it'],
		['a whole item', { sessionId: 's', pendingInteractions: [] }, {}, 'its permission is missing'],
	])('says in a sentence why an approver has to decide: %s', (_, request, changes, because) => {
		expect(only(request, policy(changes))).toMatchObject({ decision: 'ask', because });
	});

	test('accepts past decisions, and keeps them beside the new decisions', () => {
		const decision = {
			interactionId: 'i1',
			permission: 'bash',
			patterns: ['git push'],
			decision: 'deny',
			option: 'reject',
			decidedBy: 'rule 7',
			at: '2026-03-01T10:00:00.000Z',
		};
		expect(only(decision)).toEqual({
			request: decision,
			decision: 'approve',
			decidedBy: 'rule 2',
			rules: [NO, 'rule 2 decides'],
		});
	});

	test.each<[string, unknown]>([
		['a list', [{ permission: 'bash', patterns: ['git push'] }]],
		['one request', { permission: 'bash', patterns: ['git push'] }],
		['a list as a text', '[{"permission":"bash","patterns":["git push"]}]'],
		['one request as a text', '{"permission":"bash","patterns":["git push"]}'],
	])('accepts %s', (_, requests) => {
		expect(tryRules(requests, policy())).toMatchObject([{ decision: 'approve' }]);
	});

	test.each<[unknown, string]>([
		['', "'Requests' is empty"],
		[undefined, "'Requests' is empty"],
		[[], "'Requests' is empty"],
		['git push', "'Requests' isn't a list of requests"],
		[7, "'Requests' isn't a list of requests"],
	])('needs requests: %j is an error', (requests, message) => {
		expect(() => tryRules(requests, policy())).toThrow(
			expect.objectContaining({ message, description: expect.stringMatching(/^Enter a list/) }),
		);
	});

	test('decides like a session, for any request and policy', () => {
		const text = fc.constantFrom('bash', 'edit', 'git x', 'rm x', '');
		const pending = fc.record(
			{
				type: fc.constantFrom('permission', 'question'),
				id: fc.constant('i1'),
				permission: fc.oneof(text, fc.jsonValue()),
				patterns: fc.oneof(fc.array(text, { maxLength: 2 }), fc.jsonValue()),
				response: fc.constantFrom(response, {}, { options: [] }),
			},
			{ requiredKeys: ['type', 'id', 'response'] },
		);
		const by = fc.constantFrom<Partial<Policy>>(
			{},
			{ mode: 'approve' },
			{ mode: 'deny' },
			{ mode: 'ask' },
			{ defaultDecision: 'approve' },
		);
		fc.assert(
			fc.property(fc.array(pending, { minLength: 1, maxLength: 3 }), by, (requests, changes) => {
				const trials = tryRules(requests, policy(changes));
				for (const [index, { request, rules: _, suggestedRule, ...trial }] of trials.entries()) {
					expect(request).toBe(requests[index]);
					expect(decide(requests[index], policy(changes))).toMatchObject(trial);
					if (!suggestedRule) continue;
					expect(String(trial.decidedBy)).not.toMatch(/rule \d/);
					expect(['ask', 'rules']).toContain(policy(changes).mode);
				}
			}),
		);
	});

	test('has an entry for each element of the list', () => {
		fc.assert(
			fc.property(fc.array(fc.jsonValue(), { minLength: 1 }), (requests) => {
				expect(tryRules(requests, policy())).toHaveLength(requests.length);
			}),
		);
	});
});
