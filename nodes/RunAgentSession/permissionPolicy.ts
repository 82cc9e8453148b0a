import {
	choicesOf,
	chooseOption,
	type ApproveWith,
} from '../shared/agentSession/interactionOptions';
import type { Interaction } from '../shared/agentSession/session';
import { globMatches } from './glob';

// Who decides a permission request, and how the decision is said in the service's terms. Decisions only, no effects.

export type Decision = 'approve' | 'deny' | 'ask';

export interface Rule {
	/** Glob for the permission, such as `bash`; empty means any */
	permission: string;
	/** Globs for what it is asked for, separated by commas or line breaks; empty means any */
	pattern: string;
	decision: Decision;
}

export interface Policy {
	mode: 'ask' | 'approve' | 'deny' | 'rules';
	rules: Rule[];
	/** For requests that no rule matches */
	defaultDecision: Decision;
	/** Which approval to prefer where the service offers one for now and one for good */
	approveWith: ApproveWith;
}

export type Verdict =
	/** `value` is the option's value that the service wants to hear */
	| { decision: 'approve' | 'deny'; value: string; decidedBy: string }
	| { decision: 'ask'; because: string };

/** Splits `git *, npm run *`; `\,` is a comma that belongs to a glob. */
export function globsOf(pattern: string): string[] {
	const globs = (pattern.match(/(?:\\[\s\S]|[^,\n])+/g) ?? [])
		.map((glob) => glob.trim())
		.filter(Boolean);
	return globs.length > 0 ? globs : ['*'];
}

type Coverage = 'all' | 'some' | 'none';

/** How much of a request a rule speaks about. A request without patterns is covered by globs for anything only. */
function coverage(rule: Rule, permission: string, patterns: string[]): Coverage {
	if (!globMatches(rule.permission.trim() || '*', permission)) return 'none';
	const globs = globsOf(rule.pattern);
	const asked = patterns.length > 0 ? patterns : [''];
	const covered = asked.filter((pattern) => globs.some((glob) => globMatches(glob, pattern)));
	return covered.length === asked.length ? 'all' : covered.length > 0 ? 'some' : 'none';
}

/** What the rules say, before it is known whether the service offers a matching option. */
export function ruling(
	policy: Policy,
	permission: string,
	patterns: string[],
): { decision: Decision; decidedBy: string } {
	if (policy.mode !== 'rules') return { decision: policy.mode, decidedBy: 'policy' };
	const covers = policy.rules.map((rule) => coverage(rule, permission, patterns));
	const index = covers.indexOf('all');
	const decision = index < 0 ? policy.defaultDecision : policy.rules[index].decision;
	const decidedBy = index < 0 ? 'default decision' : `rule ${index + 1}`;
	// Approving "ls, rm -rf /" because a later rule approves everything would overrule an earlier one that denies "rm *".
	const reserved = covers.findIndex(
		(cover, at) =>
			cover === 'some' && policy.rules[at].decision !== 'approve' && (index < 0 || at < index),
	);
	if (decision === 'approve' && reserved >= 0) {
		return {
			decision: 'ask',
			decidedBy: `rule ${reserved + 1}, which holds for a part of what is asked`,
		};
	}
	return { decision, decidedBy };
}

export const patternsOf = (interaction: Interaction): string[] =>
	Array.isArray(interaction.patterns) ? interaction.patterns.map(String) : [];

/** Decides one pending interaction. Whatever is not understood is for a human. */
export function decide(interaction: Interaction, policy: Policy): Verdict {
	const ask = (because: string): Verdict => ({ decision: 'ask', because });
	if (interaction.id === '') return ask('it has no ID to answer to');
	if (interaction.type !== 'permission')
		return ask(`its type "${interaction.type}" is not a permission request`);
	const { decision, decidedBy } = ruling(
		policy,
		String(interaction.permission ?? ''),
		patternsOf(interaction),
	);
	if (decision === 'ask') return ask(decidedBy);
	const value = chooseOption(choicesOf(interaction), decision, policy.approveWith);
	if (value === undefined) return ask(`none of its options clearly says "${decision}"`);
	return { decision, value, decidedBy };
}
