// Policies and what they decide on, for tests of both.
import type { Decision, Policy, Rule } from '../../nodes/RunAgentSession/policy/rules.ts';

export const policy = (changes: Partial<Policy> = {}): Policy => ({
	mode: 'rules',
	rules: [],
	defaultDecision: 'ask',
	approveWith: 'once',
	...changes,
});

export const rule = (permission: string, pattern: string, decision: Decision): Rule => ({
	permission,
	pattern,
	decision,
});

const options = [
	{ value: 'once', label: 'Allow once' },
	{ value: 'always', label: 'Allow always' },
	{ value: 'reject', label: 'Reject' },
];

export const request = (changes: object = {}) => ({
	type: 'permission',
	id: 'i1',
	permission: 'bash',
	patterns: ['git push'],
	response: { type: 'choice' as const, options },
	...changes,
});
