import {
	readOptions,
	chooseOption,
	readMeaning,
	type OptionPreferences,
} from '../../shared/approvals/options';
import { WorkspaceAutomationError } from '../../shared/errors';
import { fingerprintContent, type Interaction } from '../../shared/client/session';
import { canBeId } from '../../shared/validation';
import { isTooDeep, toText, isRecord } from '../../shared/values';
import type { Answer } from '../requests/answer';
import { findMismatch } from '../requests/request';
import {
	matchDenial,
	parseDenialGlob,
	type DenialGlob,
	readForDenials,
	type PartMatch,
	type ReadText,
} from './denials';
import {
	escapeGlob,
	matchesGlob,
	MATCH_BUDGET,
	parseGlob,
	trimGlob,
	type Glob,
	type MatchBudget,
	type MatchText,
} from './patterns';
import { findGuarded, guardText, limitWildcards, type GuardedText } from './wildcards';
import { quoteVisible } from '../../shared/approvals/visibleText';

// Decides requests and chooses options. Never throws for the service's data: approvers decide requests that rules can't read.

export const MAX_COMPARED_LENGTH = 100_000;

export type Decision = 'approve' | 'deny' | 'ask';

export interface Rule {
	/** Glob, such as `bash`. Empty means any, but not in a rule that approves. */
	permission: string;
	/** Globs, separated by commas or line breaks. Empty means any, but not in a rule that approves. */
	pattern: string;
	decision: Decision;
	/** True if both texts match only themselves */
	isLiteral?: true;
	/** Milliseconds since 1970 */
	expiresAt?: number;
	/** Shown in the output instead of `rule` with its position */
	name?: string;
}

export type AppliedAnswer = Answer & {
	/** `asked`: only the requests that the approver saw. `session`: all requests from now on. */
	appliesTo: 'asked' | 'session';
	asked: readonly Interaction[];
	sessionId: string;
	comment?: string;
};

export interface Policy extends OptionPreferences {
	mode: 'ask' | 'approve' | 'deny' | 'rules' | 'answer';
	rules: Rule[];
	/** Evaluated after `rules` */
	moreRules?: readonly Rule[];
	defaultDecision: Decision;
	answer?: AppliedAnswer;
	page?: PageAnswers;
}

export interface SettledVerdict {
	decision: 'approve' | 'deny';
	/** In the type that the service gave it */
	option: string | number;
	/** `policy`, `rule 2`, `more rule 2`, `default decision`, `answer` or `page` */
	decidedBy: string;
	/** True if the option can affect later requests */
	lasts?: true;
	fromNowOn?: true;
	comment?: string;
	approvers?: ApproverDecision[];
}

/** Choice of one of several approvers */
export interface ApproverDecision {
	name: string;
	decision: 'approve' | 'deny';
	/** ISO date-time */
	at: string;
	comment?: string;
}

/** By the request's fingerprint */
export type PageAnswers = Record<string, Omit<SettledVerdict, 'decidedBy'>>;

export interface AskVerdict {
	decision: 'ask';
	because: string;
	/** Missing if no setting could decide */
	decidedBy?: string;
}

export type Verdict = SettledVerdict | AskVerdict;

export type Ruling = Omit<SettledVerdict, 'option' | 'approvers'> | AskVerdict;

const askVerdict = (because: string, decidedBy?: string): AskVerdict => ({
	decision: 'ask',
	because,
	...(decidedBy !== undefined && { decidedBy }),
});

/** Splits `git *, npm run *` into globs. `\,` is a comma that belongs to a glob. */
export const splitPatterns = (pattern: string): string[] =>
	(pattern.match(/(?:\\[\s\S]|[^,\n])+/g) ?? []).map(trimGlob).filter(Boolean);

/**
 * Refuses rules that approve with an empty field: an expression that finds nothing would otherwise approve everything.
 * @throws WorkspaceAutomationError that names the rule, counted from 1
 */
export function checkRules(rules: readonly Rule[]): void {
	const refuse = (index: number, field: string, everything: string): never => {
		throw new WorkspaceAutomationError(
			`Rule ${index} has no ${field}`,
			`Enter a ${field} in rule ${index} of 'Rules', or * to approve ${everything}.`,
		);
	};
	for (const [index, { permission, pattern, decision }] of rules.entries()) {
		if (decision !== 'approve') continue;
		if (splitPatterns(pattern).length === 0) refuse(index + 1, 'pattern', 'everything');
		if (permission.trim() === '') refuse(index + 1, 'permission', 'every permission');
	}
}

const permissionGlob = ({ permission, isLiteral }: Rule): string =>
	isLiteral ? escapeGlob(permission) : trimGlob(permission);

const patternGlobs = ({ pattern, isLiteral }: Rule): string[] =>
	isLiteral ? [escapeGlob(pattern)] : splitPatterns(pattern);

const REACH_TEXTS = {
	decides: 'decides',
	held: "would approve the request, but its wildcards don't cover all of it",
	doubt: "can't read the request for certain",
	part: 'matches only part of the request',
	pattern: 'has no pattern that matches',
	permission: 'is for another permission',
	empty: 'has an empty field, so it approves nothing',
};
type Reach = keyof typeof REACH_TEXTS;

/** A text in the form for each kind of rule. A form is read when the first rule of that kind needs it. */
interface ComparedText {
	text: string;
	readonly asApproval: GuardedText;
	readonly asDenial: ReadText;
}

interface ComparedRequest {
	permission: ComparedText;
	/** One empty text if the request has none, which only globs for anything cover */
	patterns: ComparedText[];
	budget: MatchBudget;
}

/** In comparisons of a character */
const READ_COST = 100;

function lazily<T>(read: () => T): () => T {
	let found: { value: T } | undefined;
	return () => (found ??= { value: read() }).value;
}

function compareText(text: string, budget: MatchBudget): ComparedText {
	budget.left -= text.length + READ_COST;
	const asApproval = lazily(() => guardText(text));
	const asDenial = lazily(() => {
		const read = readForDenials(text);
		for (const { characters } of read.forms) budget.left -= characters.length;
		return read;
	});
	return {
		text,
		get asApproval() {
			return asApproval();
		},
		get asDenial() {
			return asDenial();
		},
	};
}

/** Returns the reach for all texts, by the best match of each text. */
const joinMatches = (matches: readonly PartMatch[]): Reach => {
	if (!matches.includes('no') && !matches.includes('maybe')) return 'decides';
	if (matches.includes('yes')) return 'part';
	return matches.includes('maybe') ? 'doubt' : 'pattern';
};

function compareDenial(
	rule: Rule,
	{ permission: asked, patterns, budget }: ComparedRequest,
): Reach {
	const match = (globs: DenialGlob[], { asDenial }: ComparedText): PartMatch => {
		const found = globs.map((glob) => matchDenial(glob, asDenial, budget));
		return (['yes', 'maybe'] as const).find((each) => found.includes(each)) ?? 'no';
	};
	// The name of a permission isn't a command, so it can't hide another one.
	if (match([parseDenialGlob(permissionGlob(rule) || '*')], asked) !== 'yes') return 'permission';
	const typed = patternGlobs(rule);
	const globs = (typed.length > 0 ? typed : ['*']).map(parseDenialGlob);
	return joinMatches(patterns.map((each) => match(globs, each)));
}

function compareApproval(
	rule: Rule,
	{ permission: asked, patterns, budget }: ComparedRequest,
): Reach {
	const kind = permissionGlob(rule);
	const globs = patternGlobs(rule).map(parseGlob);
	// `checkRules` reports this to the user.
	if (kind === '' || globs.length === 0) return 'empty';
	const find = (read: (glob: Glob, text: ComparedText) => MatchText): Reach => {
		const covers = (glob: Glob, text: ComparedText) =>
			matchesGlob(glob, read(glob, text), budget) === true;
		if (!covers(parseGlob(kind), asked)) return 'permission';
		return joinMatches(
			patterns.map((each) => (globs.some((glob) => covers(glob, each)) ? 'yes' : 'no')),
		);
	};
	const reach = find((glob, { asApproval }) => limitWildcards(glob, asApproval));
	const isHeld = () => find((_, { asApproval: { characters } }) => ({ characters })) === 'decides';
	return reach !== 'decides' && isHeld() ? 'held' : reach;
}

const compareRule = (rule: Rule, request: ComparedRequest): Reach =>
	rule.decision === 'approve' ? compareApproval(rule, request) : compareDenial(rule, request);

const joinTexts = (texts: readonly string[]): string =>
	[texts.slice(0, -1).join(', '), ...texts.slice(-1)].filter(Boolean).join(' and ');

function explainHeld(
	name: string,
	{ permission, pattern }: Rule,
	{ permission: asked, patterns }: ComparedRequest,
): string {
	const typed = parseGlob(`${permission} ${pattern}`).filter(({ token }) => !/^[*?]$/.test(token));
	const covered = findGuarded(typed.map(({ character }) => character).join(''));
	const all = findGuarded([asked, ...patterns].map(({ text }) => text).join(' '));
	const found = all.filter((what) => !covered.includes(what));
	const [contains] = [found, all, ['another argument or an option']].filter(({ length }) => length);
	return `it contains ${joinTexts(contains)}, which the wildcard in ${name} doesn't cover`;
}

function explainDoubt(name: string, { patterns }: ComparedRequest): string {
	const doubts = new Set(patterns.flatMap(({ asDenial }) => [...asDenial.shell.doubts]));
	const parts = doubts.size > 0 ? [...doubts] : ['a part that only the shell knows'];
	return `${name} can't read it for certain: it contains ${joinTexts(parts)}`;
}

const BETWEEN_COMMANDS = /\s*(?:&&|\|\||[;|&\n])\s*/;

const listCommands = ({ command, metadata }: Record<string, unknown>): unknown[] =>
	[command, isRecord(metadata) ? metadata.command : undefined].filter(
		(each) => each !== undefined && each !== null && each !== '',
	);

/** Returns the texts that rules compare: the patterns, and a command that doesn't consist of them. */
export function listTargets(request: Record<string, unknown>): string[] {
	const { patterns } = request as { patterns: string[] };
	const isListed = (command: string) =>
		patterns.includes(command) ||
		command.split(BETWEEN_COMMANDS).every((part) => part === '' || patterns.includes(part));
	const commands = listCommands(request).map(toText);
	return [...new Set([...patterns, ...commands.filter((command) => !isListed(command.trim()))])];
}

function findUnreadable(request: Record<string, unknown>): string | undefined {
	const { permission, patterns } = request;
	if (permission === undefined) return 'its permission is missing';
	if (typeof permission !== 'string') return "its permission isn't a text";
	if (patterns === undefined) return 'its patterns are missing';
	if (!Array.isArray(patterns) || !patterns.every((pattern) => typeof pattern === 'string'))
		return "its patterns aren't a list of texts";
	if (!listCommands(request).every((command) => typeof command === 'string'))
		return "its command isn't a text";
	const texts = [...patterns, ...listCommands(request).map(toText)];
	const length = texts.reduce((sum, text) => sum + text.length, permission.length);
	return length > MAX_COMPARED_LENGTH
		? `it has more than ${MAX_COMPARED_LENGTH} characters, too many to compare with rules`
		: undefined;
}

const TOO_SLOW = 'comparing it with the rules would take too long';

function coveredPatterns(rule: Rule, { patterns, budget }: ComparedRequest): number[] {
	const globs = patternGlobs(rule).map(parseGlob);
	return patterns.flatMap(({ asApproval }, at) =>
		globs.some((glob) => matchesGlob(glob, limitWildcards(glob, asApproval), budget) === true)
			? [at]
			: [],
	);
}

function compareRequest(request: Record<string, unknown>, budget: MatchBudget): ComparedRequest {
	const texts = listTargets(request);
	if ((request.patterns as string[]).length === 0) texts.unshift('');
	return {
		permission: compareText(request.permission as string, budget),
		patterns: texts.map((pattern) => compareText(pattern, budget)),
		budget,
	};
}

/**
 * Applies the first rule that covers the permission and all patterns. More Rules, with one pattern each, can approve together.
 * An earlier rule that denies or asks prevents an approval if it covers a part, or can't read it. `told` gets a line for each rule.
 */
function applyRules(
	request: Record<string, unknown>,
	{ rules, moreRules = [], defaultDecision }: Policy,
	budget: MatchBudget,
	told: string[],
): Ruling {
	const unreadable = findUnreadable(request);
	if (unreadable !== undefined) return askVerdict(unreadable);
	const compared = compareRequest(request, budget);
	const covered = new Set<number>();
	let objection: AskVerdict | undefined;
	let held: AskVerdict | undefined;
	for (const [index, rule] of [...rules, ...moreRules].entries()) {
		const { name = `rule ${index + 1}` } = rule;
		let reach = compareRule(rule, compared);
		if (index >= rules.length && reach === 'part' && rule.decision === 'approve') {
			for (const at of coveredPatterns(rule, compared)) covered.add(at);
			if (covered.size === compared.patterns.length) reach = 'decides';
		}
		if (budget.left < 0) return askVerdict(TOO_SLOW);
		told.push(`${name} ${REACH_TEXTS[reach]}`);
		// Otherwise, a later rule that approves everything would approve "ls, rm -rf /" despite an earlier one that denies "rm *".
		if (reach === 'part' && rule.decision !== 'approve')
			objection ??= askVerdict(`${name} matches part of the request`, name);
		if (reach === 'doubt') objection ??= askVerdict(explainDoubt(name, compared), name);
		if (reach === 'held') held ??= askVerdict(explainHeld(name, rule, compared), name);
		if (reach === 'decides') return toRuling(rule.decision, name, objection);
	}
	return held ?? toRuling(defaultDecision, DEFAULT_DECISION, objection);
}

const DEFAULT_DECISION = 'default decision';

function toRuling(decision: Decision, name: string, objection?: AskVerdict): Ruling {
	if (decision === 'ask')
		return askVerdict(
			name === DEFAULT_DECISION ? 'no rule covers it' : `${name} asks for approval`,
			name,
		);
	if (decision === 'deny' || objection === undefined) return { decision, decidedBy: name };
	return objection;
}

function applyAnswer(request: Record<string, unknown>, { answer }: Policy): Ruling {
	if (!answer) return askVerdict('there is no answer');
	if (answer.answer === 'none') return askVerdict(`nobody answered: ${answer.because}`);
	const because = answer.appliesTo === 'asked' && findMismatch(answer, request);
	if (because) return askVerdict(because);
	const { comment } = answer;
	return {
		decision: answer.answer,
		decidedBy: 'answer',
		...(comment !== undefined && { comment }),
	};
}

/** Returns the reason why a pending request can't be decided, or undefined. */
export function findObstacle(interaction: unknown): string | undefined {
	if (isTooDeep(interaction)) return "it's nested too deeply";
	if (!isRecord(interaction)) return "it isn't an object";
	const { id, type } = interaction;
	if (typeof id !== 'string' || !canBeId(id)) return 'it has no ID to answer to';
	return type === 'permission'
		? undefined
		: `its type ${quoteVisible(toText(type), 60)} isn't a permission request`;
}

/** Applies the policy. Only rules need a permission and patterns, and leave a request without them to an approver. */
export function judge(
	interaction: unknown,
	policy: Policy,
	budget: MatchBudget = { left: MATCH_BUDGET },
	told: string[] = [],
): Ruling {
	const obstacle = findObstacle(interaction);
	if (obstacle !== undefined || !isRecord(interaction)) return askVerdict(String(obstacle));
	const { mode } = policy;
	if (mode === 'answer') return applyAnswer(interaction, policy);
	if (mode === 'rules') return applyRules(interaction, policy, budget, told);
	return mode === 'ask'
		? askVerdict('the permission policy asks for approval', 'policy')
		: { decision: mode, decidedBy: 'policy' };
}

function settle(
	interaction: unknown,
	{ option, ...verdict }: SettledVerdict,
	policy: Policy,
): SettledVerdict {
	const chosen = readOptions(interaction).find(({ value }) => value === option);
	const { lasts = false } = chosen ? readMeaning(chosen, policy) : {};
	return { ...verdict, option, ...(lasts && { lasts }) };
}

function readPageAnswer(
	interaction: unknown,
	{ page = {} }: Policy,
): PageAnswers[string] | undefined {
	const content = fingerprintContent(interaction);
	return content !== undefined && Object.hasOwn(page, content) ? page[content] : undefined;
}

/** Decides a pending request. An answer on the page wins over the policy. `told` gets a line for each rule that was compared. */
export function decide(
	interaction: unknown,
	policy: Policy,
	budget?: MatchBudget,
	told?: string[],
): Verdict {
	const onPage = readPageAnswer(interaction, policy);
	if (onPage) return settle(interaction, { ...onPage, decidedBy: 'page' }, policy);
	const ruled = judge(interaction, policy, budget, told);
	if (ruled.decision === 'ask') return ruled;
	const { decision, decidedBy } = ruled;
	const option = chooseOption(readOptions(interaction), decision, policy);
	if (option === undefined)
		return askVerdict(`none of its options clearly means "${decision}"`, decidedBy);
	return settle(interaction, { ...ruled, option }, policy);
}
