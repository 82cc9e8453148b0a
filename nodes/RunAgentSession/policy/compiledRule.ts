import { AddressApproval, AddressObjection } from './addressRules';
import { CommandApproval } from './commandApproval';
import { CommandObjection } from './commandObjection';
import { ANY, escapePattern, Glob, hasWildcard, parsePattern, type MatchBudget } from './globs';
import { KINDS, type Kind } from './kinds';
import { lazily } from './lazily';
import {
	doubt,
	NO,
	YES,
	type ComparedRequest,
	type ComparedText,
	type Matcher,
	type Reach,
} from './matcher';
import { PathApproval, PathObjection, SearchApproval, SearchObjection } from './pathRules';
import { isSameRequest } from './remembered';
import type { Rule } from './rule';
import { TOO_LONG } from './texts';

type Matchers = Record<Kind, (pattern: string) => Matcher>;

const APPROVALS: Matchers = {
	commands: (pattern) => new CommandApproval(pattern),
	paths: (pattern) => new PathApproval(pattern),
	searches: (pattern) => new SearchApproval(pattern),
	addresses: (pattern) => new AddressApproval(parsePattern(pattern.trim())),
};
const OBJECTIONS: Matchers = {
	commands: (pattern) => new CommandObjection(pattern),
	paths: (pattern) => new PathObjection(pattern),
	searches: () => new SearchObjection(),
	addresses: (pattern) => new AddressObjection(parsePattern(pattern.trim())),
};

const FREE: MatchBudget = { left: Infinity };
const PERMISSION = /^[\p{L}\p{N}_.:-]*$/u;

/** A rule with its texts parsed. Each form is parsed when a request needs it. */
export class CompiledRule {
	readonly rule: Rule;
	readonly isApproval: boolean;
	/** True if it matches any text */
	readonly isEverything: boolean;
	/** Texts that it matches character by character */
	readonly exact: readonly string[];
	private readonly permission: Glob;
	private readonly matchers: Record<Kind, () => Matcher>;

	constructor(rule: Rule) {
		this.rule = rule;
		const { isLiteral, hasValues, decision } = rule;
		this.isApproval = decision === 'approve';
		const permission = parsePattern(
			isLiteral ? escapePattern(rule.permission) : rule.permission.trim(),
		);
		this.permission = new Glob(this.isApproval ? permission : permission.trim().toLowerCase());
		const pattern = isLiteral ? escapePattern(rule.pattern) : rule.pattern;
		const parsed = parsePattern(pattern);
		this.isEverything = parsed.trim() === ANY;
		this.exact = [...(hasValues ? [] : [rule.pattern]), ...(hasWildcard(parsed) ? [] : [parsed])];
		const make = this.isApproval ? APPROVALS : OBJECTIONS;
		this.matchers = Object.fromEntries(
			KINDS.map((kind) => [kind, lazily(() => make[kind](pattern))]),
		) as typeof this.matchers;
	}

	isFor(asked: string): boolean {
		const { permission, rule } = this;
		if (rule.request) return true;
		if (!this.isApproval) return permission.matches(asked.trim().toLowerCase(), FREE);
		const isLimited = hasWildcard(permission.text) && permission.text !== ANY;
		return permission.matches(asked, FREE) && (!isLimited || PERMISSION.test(asked));
	}

	/** Returns the word by which a command finds it. Without one, it's compared with each. */
	get key(): string | undefined {
		const isForAll = this.rule.request !== undefined || this.isEverything;
		return isForAll ? undefined : this.matchers.commands().key;
	}

	reach(compared: ComparedText, budget: MatchBudget, request: ComparedRequest): Reach {
		const { rule, isApproval, isEverything, exact, matchers } = this;
		if (rule.request) {
			const whole = request.whole();
			return whole && isSameRequest(rule.request, whole) ? YES : NO;
		}
		const { text, isTooLong, approvedAs } = compared;
		if (isEverything || (text !== undefined && exact.includes(text))) return YES;
		if (isTooLong) return isApproval ? NO : doubt(TOO_LONG);
		if (isApproval) return matchers[approvedAs]().reach(compared, budget, request);
		// One denial is enough.
		const reached = KINDS.map((kind) => matchers[kind]().reach(compared, budget, request));
		return (
			reached.find(({ reach }) => reach === 'yes') ??
			reached.find(({ reach }) => reach === 'doubt') ??
			NO
		);
	}
}

const compiled = new WeakMap<Rule, CompiledRule>();

/** Compiles a rule once, however many requests it's compared with. */
export function compileRule(rule: Rule): CompiledRule {
	const found = compiled.get(rule) ?? new CompiledRule(rule);
	compiled.set(rule, found);
	return found;
}
