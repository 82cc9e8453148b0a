// Policies and what they decide on, for tests of both.
import type { Decision, Rule } from '../../nodes/RunAgentSession/policy/rule.ts';
import type { Policy } from '../../nodes/RunAgentSession/policy/rules.ts';

export { lastingRequest as request } from './interactions.mts';

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
