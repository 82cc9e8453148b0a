import { readOptions, chooseOption, type OptionPreferences } from '../../shared/approvals/options';
import { WorkspaceAutomationError } from '../../shared/errors';
import { fingerprintContent, type Interaction } from '../../shared/client/session';
import { canBeId } from '../../shared/validation';
import { toText, isRecord } from '../../shared/values';
import type { Answer } from '../approval/answer';
import { findMismatch } from '../approval/request';
import {
	matchesGlob,
	MATCH_BUDGET,
	parseGlob,
	type MatchBudget,
	type GuardedText,
} from './patterns';
import { listCommands, guardText, findGuarded } from './shell';
import { quoteVisible } from '../../shared/approvals/visibleText';

// Who decides a permission request, and how the decision is said in the service's terms. Decisions only, no effects, and no
// error whatever the service sends: what is not understood is for a person.

/** Characters of a request that is compared with rules: its permission and its patterns together */
export const MAX_COMPARED_LENGTH = 100_000;

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
	/** The session that is continued */
	sessionId: string;
};

export interface Policy extends OptionPreferences {
	mode: 'ask' | 'approve' | 'deny' | 'rules' | 'answer';
	rules: Rule[];
	/** For requests that no rule matches */
	defaultDecision: Decision;
	/** With mode `answer` */
	answer?: AppliedAnswer;
	/** What people chose on the page, for what is left to them */
	page?: PageAnswers;
}

export interface SettledVerdict {
	decision: 'approve' | 'deny';
	/** The option's value that the service wants to hear, with the type that the service gave it */
	option: string | number;
	/** `policy`, `rule 2`, `default decision`, `answer` or `page` */
	decidedBy: string;
	/** What the person wrote on the page */
	comment?: string;
}

/** What people chose on the page, by what stands for the request */
export type PageAnswers = Record<string, Omit<SettledVerdict, 'decidedBy'>>;

export interface AskVerdict {
	decision: 'ask';
	/** Why it is left for a person */
	because: string;
	/** What decided to ask; absent where nothing could decide */
	decidedBy?: string;
}

export type Verdict = SettledVerdict | AskVerdict;

/** What a policy says about a request, before it is known whether the service offers an option that says it. */
export type Ruling = Omit<SettledVerdict, 'option' | 'comment'> | AskVerdict;

const askVerdict = (because: string, decidedBy?: string): AskVerdict => ({
	decision: 'ask',
	because,
	...(decidedBy !== undefined && { decidedBy }),
});

/** The globs of `git *, npm run *`; `\,` is a comma that belongs to one. */
export const splitPatterns = (pattern: string): string[] =>
	(pattern.match(/(?:\\[\s\S]|[^,\n])+/g) ?? []).map((glob) => glob.trim()).filter(Boolean);

/**
 * Refuses rules that approve without saying what: an expression that finds nothing would otherwise approve everything.
 * Rules that deny or ask may leave both fields empty.
 * @throws WorkspaceAutomationError that names the rule, counted from 1
 */
export function checkRules(rules: readonly Rule[]): void {
	const refuse = (index: number, field: string, everything: string): never => {
		throw new WorkspaceAutomationError(
			`Rule ${index} has no ${field}`,
			`A rule that approves has to say what. Enter a ${field} in rule ${index} of 'Rules', or * to approve ${everything}.`,
		);
	};
	for (const [index, { permission, pattern, decision }] of rules.entries()) {
		if (decision !== 'approve') continue;
		if (splitPatterns(pattern).length === 0) refuse(index + 1, 'pattern', 'everything');
		if (permission.trim() === '') refuse(index + 1, 'permission', 'every permission');
	}
}

/** How far a rule speaks about a request, in words that follow its number. */
const REACH_TEXTS = {
	decides: 'decides',
	held: 'would approve it, but no wildcard of it covers all that it holds',
	part: 'speaks about a part of what is asked only',
	pattern: 'has no pattern that matches',
	permission: 'is for another permission',
	empty: 'has an empty field, and approves nothing',
};
type Reach = keyof typeof REACH_TEXTS;

/** The texts in which a rule looks for what it is about */
type TextReader = (text: string) => Iterable<string | GuardedText>;

/** What taking a text apart costs beside its characters, in comparisons of one */
const PARSE_COST = 100;

/** Whether a glob matches one of the texts. Once the effort is spent it says no, and `byRules` goes by none of it. */
function matchesAny(
	globs: string[],
	texts: Iterable<string | GuardedText>,
	effort: MatchBudget,
): boolean {
	const parsed = globs.map(parseGlob);
	for (const each of texts) {
		const text = typeof each === 'string' ? { characters: [...each] } : each;
		effort.left -= text.characters.length + PARSE_COST;
		if (parsed.some((glob) => matchesGlob(glob, text, effort))) return true;
		if (effort.left < 0) return false;
	}
	return false;
}

/** What is asked, as rules compare it */
interface ComparedRequest {
	permission: string;
	patterns: string[];
	effort: MatchBudget;
}

/** How far a rule's globs match what is asked. */
function findReach(
	kind: string,
	globs: string[],
	{ permission, patterns, effort }: ComparedRequest,
	look: TextReader,
): Reach {
	if (!matchesAny([kind], look(permission), effort)) return 'permission';
	// A request for nothing in particular is covered by globs for anything only.
	const asked = patterns.length > 0 ? patterns : [''];
	const covered = asked.map((pattern) => matchesAny(globs, look(pattern), effort));
	if (!covered.includes(true)) return 'pattern';
	return covered.includes(false) ? 'part' : 'decides';
}

function compareRule({ permission, pattern, decision }: Rule, asking: ComparedRequest): Reach {
	const kind = permission.trim();
	const globs = splitPatterns(pattern);
	// A rule that denies or asks looks at every part, without regard to case.
	if (decision !== 'approve') {
		const any = globs.length > 0 ? globs : ['*'];
		const lower = any.map((glob) => glob.toLowerCase());
		return findReach((kind || '*').toLowerCase(), lower, asking, listCommands);
	}
	// An approval covers only what was typed; see checkRules, which says so to the user.
	if (kind === '' || globs.length === 0) return 'empty';
	const reach = findReach(kind, globs, asking, (text) => [guardText(text)]);
	const isHeld = () => findReach(kind, globs, asking, (text) => [text]) === 'decides';
	return reach !== 'decides' && isHeld() ? 'held' : reach;
}

/**
 * What rules say about a request: the first one decides that covers the permission and all patterns. An earlier one that
 * denies or asks and covers a part of it keeps it from being approved. A request that they cannot read is for a person.
 * @param told gets a line for each rule that was looked at
 */
function applyRules(
	{ permission, patterns }: Record<string, unknown>,
	{ rules, defaultDecision }: Policy,
	effort: MatchBudget = { left: MATCH_BUDGET },
	told: string[] = [],
): Ruling {
	if (typeof permission !== 'string') return askVerdict('its permission is not a text');
	if (patterns === undefined)
		return askVerdict('it does not say what for: its patterns are missing');
	if (!Array.isArray(patterns) || !patterns.every((pattern) => typeof pattern === 'string'))
		return askVerdict('its patterns are not a list of texts');
	const length = patterns.reduce((sum, pattern) => sum + pattern.length, permission.length);
	if (length > MAX_COMPARED_LENGTH)
		return askVerdict(
			`it has more than ${MAX_COMPARED_LENGTH} characters, too many to compare with rules`,
		);
	let objection: string | undefined;
	let held: string | undefined;
	for (const [index, rule] of rules.entries()) {
		const name = `rule ${index + 1}`;
		const reach = compareRule(rule, { permission, patterns, effort });
		if (effort.left < 0) return askVerdict('comparing it with the rules would take too long');
		told.push(`${name} ${REACH_TEXTS[reach]}`);
		// Approving "ls, rm -rf /" because a later rule approves everything would overrule an earlier one that denies "rm *".
		if (reach === 'part' && rule.decision !== 'approve') objection ??= name;
		if (reach === 'held') held ??= name;
		if (reach === 'decides') return toRuling(rule.decision, name, objection);
	}
	if (held !== undefined) {
		const holds = findGuarded([permission, ...patterns].join(' ')).join(' and ');
		return askVerdict(`it holds ${holds}, which a wildcard of ${held} does not cover`, held);
	}
	return toRuling(defaultDecision, 'default decision', objection);
}

function toRuling(decision: Decision, name: string, objection?: string): Ruling {
	if (decision === 'ask') return askVerdict(name, name);
	if (decision === 'deny' || objection === undefined) return { decision, decidedBy: name };
	return askVerdict(`${objection}, which holds for a part of what is asked`, objection);
}

function applyAnswer(request: Record<string, unknown>, { answer }: Policy): Ruling {
	if (!answer) return askVerdict('there is no answer');
	if (answer.answer === 'none') return askVerdict(`nobody answered: ${answer.because}`);
	const because = answer.appliesTo === 'asked' && findMismatch(answer, request);
	if (because) return askVerdict(because);
	return { decision: answer.answer, decidedBy: 'answer' };
}

/**
 * What the policy says about an interaction. Approve All, Deny All and an answer do not read permission and patterns
 * themselves, so a request without them is theirs to decide; rules leave it to a person.
 */
export function judge(
	interaction: unknown,
	policy: Policy,
	effort?: MatchBudget,
	told?: string[],
): Ruling {
	if (!isRecord(interaction)) return askVerdict('it is not an object');
	const { id, type } = interaction;
	if (typeof id !== 'string' || !canBeId(id)) return askVerdict('it has no ID to answer to');
	if (type !== 'permission')
		return askVerdict(`its type ${quoteVisible(toText(type), 60)} is not a permission request`);
	const { mode } = policy;
	if (mode === 'answer') return applyAnswer(interaction, policy);
	if (mode !== 'rules')
		return mode === 'ask'
			? askVerdict('policy', 'policy')
			: { decision: mode, decidedBy: 'policy' };
	return applyRules(interaction, policy, effort, told);
}

/**
 * Decides one pending interaction. Whatever is not understood is for a person.
 * @param effort what comparing it with rules may take; those that are decided together share it
 * @param told gets a line for each rule that was looked at
 */
export function decide(
	interaction: unknown,
	policy: Policy,
	effort?: MatchBudget,
	told?: string[],
): Verdict {
	const ruled = judge(interaction, policy, effort, told);
	const onPage = policy.page?.[fingerprintContent(interaction) ?? ''];
	if (ruled.decision === 'ask') return onPage ? { ...onPage, decidedBy: 'page' } : ruled;
	const { decision, decidedBy } = ruled;
	const option = chooseOption(readOptions(interaction), decision, policy);
	if (option === undefined)
		return askVerdict(`none of its options clearly says "${decision}"`, decidedBy);
	return { decision, option, decidedBy };
}
