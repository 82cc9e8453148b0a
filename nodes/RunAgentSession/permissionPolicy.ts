import {
	choicesOf,
	chooseOption,
	type OptionPreferences,
} from '../shared/session/interactionOptions';
import { WorkspaceAutomationError } from '../shared/base/errors';
import type { Interaction } from '../shared/session/session';
import { LIMITS } from '../shared/base/limits';
import { canBeId } from '../shared/base/validation';
import { asText, isRecord } from '../shared/base/values';
import type { Answer } from './answer';
import { differences } from './askedInteractions';
import { matches, parseGlob, type Effort, type Glob } from './glob';
import { quoted } from './visibleText';

// Who decides a permission request, and how the decision is said in the service's terms. Decisions only, no effects, and no
// error whatever the service sends: what is not understood is for a human.

export type Decision = 'approve' | 'deny' | 'ask';

export interface Rule {
	/** Glob for the permission, such as `bash`; empty means any, but not in a rule that approves */
	permission: string;
	/** Globs for what it is asked for, separated by commas or line breaks; empty means any, but not in a rule that approves */
	pattern: string;
	decision: Decision;
}

/** What a person answered, and to what. */
export type AppliedAnswer = Answer & {
	/** `asked`: only the interactions that the person saw; `session`: everything from now on */
	appliesTo: 'asked' | 'session';
	/** The interactions that the person saw; they do not matter for `session` */
	asked: readonly Interaction[];
};

export interface Policy extends OptionPreferences {
	mode: 'ask' | 'approve' | 'deny' | 'rules' | 'answer';
	rules: Rule[];
	/** For requests that no rule matches */
	defaultDecision: Decision;
	/** With mode `answer` */
	answer?: AppliedAnswer;
}

export interface Settled {
	decision: 'approve' | 'deny';
	/** The option's value that the service wants to hear, with the type that the service gave it */
	option: string | number;
	/** `policy`, `rule 2`, `default decision` or `answer` */
	decidedBy: string;
}

export interface Asked {
	decision: 'ask';
	/** Why it is left for a human */
	because: string;
	/** What decided to ask; absent where nothing could decide */
	decidedBy?: string;
}

export type Verdict = Settled | Asked;

/** What a policy says about a request, before it is known whether the service offers an option that says it. */
export type Ruling = { decision: 'approve' | 'deny'; decidedBy: string } | Asked;

const ask = (because: string, decidedBy?: string): Asked => ({
	decision: 'ask',
	because,
	...(decidedBy !== undefined && { decidedBy }),
});

/** Splits `git *, npm run *`; `\,` is a comma that belongs to a glob. */
function typedGlobs(pattern: string): string[] {
	return (pattern.match(/(?:\\[\s\S]|[^,\n])+/g) ?? []).map((glob) => glob.trim()).filter(Boolean);
}

/** The globs of a rule's pattern; one that is empty stands for anything. */
export function globsOf(pattern: string): string[] {
	const globs = typedGlobs(pattern);
	return globs.length > 0 ? globs : ['*'];
}

/**
 * Refuses rules that approve without saying what: an expression that finds nothing would otherwise approve everything.
 * Rules that deny or ask may leave both fields empty.
 * @throws WorkspaceAutomationError that names the rule, counted from 1
 */
export function checkRules(rules: readonly Rule[]): void {
	rules.forEach(({ permission, pattern, decision }, index) => {
		if (decision !== 'approve') return;
		const missing =
			typedGlobs(pattern).length === 0
				? 'pattern'
				: permission.trim() === ''
					? 'permission'
					: undefined;
		if (!missing) return;
		throw new WorkspaceAutomationError(
			`Rule ${index + 1} has no ${missing}`,
			`A rule that approves has to say what. Enter a ${missing} in rule ${index + 1} of 'Rules', or * to approve ${missing === 'pattern' ? 'everything' : 'every permission'}. If it is an expression, check that the item it reads from has that field.`,
		);
	});
}

type Coverage = 'all' | 'some' | 'none';

/** How much of a request a rule speaks about; undefined when the effort is spent before that is known. */
function coverage(
	rule: Rule,
	permission: string[],
	patterns: string[][],
	effort: Effort,
): Coverage | undefined {
	// An approval covers only what was typed; see checkRules, which says so to the user.
	const approves = rule.decision === 'approve';
	const permissionGlob = rule.permission.trim() || (approves ? undefined : '*');
	const globs = (approves ? typedGlobs : globsOf)(rule.pattern).map(parseGlob);
	if (permissionGlob === undefined || globs.length === 0) return 'none';
	const matchesPermission = matches(parseGlob(permissionGlob), permission, effort);
	if (!matchesPermission) return matchesPermission === undefined ? undefined : 'none';
	// A request for nothing in particular is covered by globs for anything only.
	const asked = patterns.length > 0 ? patterns : [[]];
	const covered = asked.map((pattern) => matchesAny(globs, pattern, effort));
	if (covered.includes(undefined)) return undefined;
	return covered.includes(true) ? (covered.includes(false) ? 'some' : 'all') : 'none';
}

function matchesAny(globs: Glob[], text: string[], effort: Effort): boolean | undefined {
	for (const glob of globs) {
		const matched = matches(glob, text, effort);
		if (matched !== false) return matched;
	}
	return false;
}

/**
 * What rules say about a request: the first one decides that covers the permission and all patterns. An earlier one that
 * denies or asks and covers a part of it keeps it from being approved.
 */
export function ruling(
	{ rules, defaultDecision }: Pick<Policy, 'rules' | 'defaultDecision'>,
	permission: string,
	patterns: string[],
	effort: Effort = { left: LIMITS.comparisons },
): Ruling {
	const characters = patterns.map((pattern) => [...pattern]);
	let objection: number | undefined;
	let decision = defaultDecision;
	let decidedBy = 'default decision';
	for (const [index, rule] of rules.entries()) {
		const covers = coverage(rule, [...permission], characters, effort);
		if (covers === undefined) return ask('comparing it with the rules would take too long');
		if (covers === 'all') {
			({ decision } = rule);
			decidedBy = `rule ${index + 1}`;
			break;
		}
		// Approving "ls, rm -rf /" because a later rule approves everything would overrule an earlier one that denies "rm *".
		if (covers === 'some' && rule.decision !== 'approve') objection ??= index + 1;
	}
	if (decision === 'ask') return ask(decidedBy, decidedBy);
	if (decision === 'approve' && objection !== undefined) {
		return ask(`rule ${objection}, which holds for a part of what is asked`, `rule ${objection}`);
	}
	return { decision, decidedBy };
}

type Understood = { permission: string; patterns: string[] };

/** The request as rules can read it, or why they cannot. */
function understand({ permission, patterns }: Record<string, unknown>): Understood | Asked {
	if (typeof permission !== 'string') return ask('its permission is not a text');
	if (patterns === undefined) return ask('it does not say what for: its patterns are missing');
	const areTexts =
		Array.isArray(patterns) && patterns.every((pattern) => typeof pattern === 'string');
	if (!areTexts) return ask('its patterns are not a list of texts');
	const length = patterns.reduce((sum, pattern) => sum + pattern.length, permission.length);
	if (length > LIMITS.request) {
		return ask(`it has more than ${LIMITS.request} characters, too many to compare with rules`);
	}
	return { permission, patterns };
}

type Request = Record<string, unknown>;

function byAnswer(request: Request, { answer }: Policy): Ruling {
	if (!answer) return ask('there is no answer');
	if (answer.answer === 'none') return ask(`nobody answered: ${answer.because}`);
	if (answer.appliesTo === 'asked') {
		const changes = answer.asked
			.filter(({ id }) => id === request.id)
			.map((asked) => differences(asked, request));
		if (changes.length === 0) return ask('it was not among what was asked');
		if (!changes.some((differing) => differing.length === 0)) {
			return ask(`it is not what was asked: its ${changes[0].join(' and ')} changed`);
		}
	}
	return { decision: answer.answer, decidedBy: 'answer' };
}

type Rules = (request: Request, policy: Policy, effort?: Effort) => Ruling;

const RULINGS: Record<Policy['mode'], Rules> = {
	ask: () => ask('policy', 'policy'),
	approve: () => ({ decision: 'approve', decidedBy: 'policy' }),
	deny: () => ({ decision: 'deny', decidedBy: 'policy' }),
	rules: (request, policy, effort) => {
		const understood = understand(request);
		return 'decision' in understood
			? understood
			: ruling(policy, understood.permission, understood.patterns, effort);
	},
	answer: byAnswer,
};

/**
 * What the policy says about an interaction. Approve All, Deny All and an answer do not read permission and patterns
 * themselves, so a request without them is theirs to decide; rules leave it to a human.
 */
export function ruleOn(interaction: unknown, policy: Policy, effort?: Effort): Ruling {
	if (!isRecord(interaction)) return ask('it is not an object');
	const { id, type } = interaction;
	if (typeof id !== 'string' || !canBeId(id)) return ask('it has no ID to answer to');
	if (type !== 'permission') {
		return ask(`its type ${quoted(asText(type), 60)} is not a permission request`);
	}
	return RULINGS[policy.mode](interaction, policy, effort);
}

/** The patterns of an interaction as texts, for people to read. */
export const patternsOf = ({ patterns }: { patterns?: unknown }): string[] =>
	Array.isArray(patterns) ? patterns.map(asText) : [];

/**
 * Decides one pending interaction. Whatever is not understood is for a human.
 * @param effort what comparing it with rules may take; those that are decided together share it
 */
export function decide(interaction: unknown, policy: Policy, effort?: Effort): Verdict {
	const ruled = ruleOn(interaction, policy, effort);
	if (ruled.decision === 'ask') return ruled;
	const { decision, decidedBy } = ruled;
	const option = chooseOption(choicesOf(interaction), decision, policy);
	if (option === undefined) {
		return ask(`none of its options clearly says "${decision}"`, decidedBy);
	}
	return { decision, option, decidedBy };
}
