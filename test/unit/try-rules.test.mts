import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Policy } from '../../nodes/RunAgentSession/policy/rules.ts';
import { decideRequest } from '../../nodes/RunAgentSession/requests/decisions.ts';
import { tryRules } from '../../nodes/RunAgentSession/operations/tryRules.ts';

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
const only = (request: unknown, by = policy()) => tryRules([request], by)[0];
const suggested = (permission: string, patterns: string[]) => ({
	request: { permission, patterns, hash: expect.stringMatching(/^.{20,}$/) },
	decision: 'approve',
});

describe('Try Rules', () => {
	const many = (count: number, pattern = 'git push') =>
		Array.from({ length: count }, () => ({ permission: 'bash', patterns: [pattern] }));

	test.each<[string, unknown, string]>([
		['requests', many(1_001), "'Requests' has more than 1000 requests"],
		['JSON', many(2, 'x'.repeat(4_200_000)), "'Requests' isn't a list of requests"],
	])('takes no more %s than it can read at once', (_, requests, message) => {
		expect(() => tryRules(requests, policy())).toThrow(message);
	});

	test('takes as many requests as a session decides', () => {
		expect(tryRules(many(1_000), policy())).toHaveLength(1_000);
	});

	test.each<[string, object, object]>([
		[
			'a rule that asks',
			{ permission: 'edit', patterns: ['a.md'] },
			{ decision: 'ask', decidedBy: 'rule 3', because: 'rule 3 asks for approval of «a.md»' },
		],
		[
			'what no rule covers',
			{ permission: 'web', patterns: ['x'] },
			{ decision: 'ask', decidedBy: 'default decision', because: 'no rule covers «x»' },
		],
		[
			'what keeps a rule from applying',
			{ permission: 'bash', patterns: ['git log ~'] },
			{
				decision: 'ask',
				decidedBy: 'default decision',
				because: "rule 2 doesn't approve «git log ~»: its wildcard doesn't match «~»",
			},
		],
		[
			'what a rule may mean',
			{ permission: 'bash', patterns: ['xargs rm'] },
			{
				decision: 'ask',
				decidedBy: 'rule 1',
				because: 'rule 1 denies «rm *», and may mean «xargs rm»: it has the same words',
			},
		],
		[
			'an option',
			{ permission: 'bash', patterns: ['git push'], response },
			{
				decision: 'approve',
				decidedBy: 'rule 2',
				option: 'once',
				because: 'rule 2 approves «git push»',
			},
		],
		[
			'an option that is missing',
			{ permission: 'bash', patterns: ['git push'], response: { options: [] } },
			{ decision: 'ask', decidedBy: 'rule 2', because: expect.stringMatching(/options/) },
		],
	])('shows %s: %j', (_, request, expected) => {
		const { permission, patterns } = request as { permission: string; patterns: string[] };
		const suggestedRule = suggested(permission, patterns);
		expect(only(request)).toEqual({ request, ...expected, suggestedRule });
	});

	test.each<[string, object, object]>([
		[
			'what rules cannot read',
			{ permission: 'bash', patterns: 'git push' },
			{ decision: 'ask', because: "its patterns aren't a list of texts" },
		],
		[
			'another kind of interaction',
			{ type: 'question', text: 'Which one?' },
			{ decision: 'ask', because: expect.stringMatching(/question/) },
		],
		[
			'a whole item',
			{ sessionId: 's', pendingInteractions: [] },
			{ decision: 'ask', because: 'its permission is missing' },
		],
	])('suggests no rule for %s', (_, request, expected) => {
		expect(only(request)).toEqual({ request, ...expected });
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
		const { permission, patterns } = decision;
		expect(only(decision)).toEqual({
			request: decision,
			decision: 'approve',
			decidedBy: 'rule 2',
			because: 'rule 2 approves «git push»',
			suggestedRule: only({ permission, patterns }).suggestedRule,
		});
	});

	test.each<[unknown, string]>([
		['', "'Requests' is empty"],
		[undefined, "'Requests' is empty"],
		[[], "'Requests' is empty"],
		['git push', "'Requests' isn't a list of requests"],
		[7, "'Requests' isn't a list of requests"],
	])('needs requests: %j is an error', (requests, message) => {
		expect(() => tryRules(requests, policy())).toThrow(
			expect.objectContaining({ message, description: expect.stringMatching(/Enter a list/) }),
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
				for (const [index, { request, suggestedRule: _, because, ...trial }] of trials.entries()) {
					expect(request).toEqual(JSON.parse(JSON.stringify(requests[index])));
					expect(decideRequest(requests[index], policy(changes))).toMatchObject(trial);
					expect(because).not.toBe('');
				}
			}),
		);
	});
});
