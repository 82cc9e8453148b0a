import { AddressApproval, AddressObjection } from './addresses';
import { CommandApproval, CommandObjection } from './commands';
import { ANY, escapePattern, Glob, hasWildcard, parsePattern, type MatchBudget } from './globs';
import { lazily } from './lazily';
import { PathApproval, PathObjection, SearchApproval } from './paths';
import { doubt, NO, YES, type Reach } from './reach';
import { isSameRequest } from './remembered';
import type { Rule } from './rule';
import { TOO_LONG, type ComparedText } from './texts';

const FREE: MatchBudget = { left: Infinity };
const PERMISSION = /^[\p{L}\p{N}_.:-]*$/u;

/** A rule with its texts parsed. Each form is parsed when a request needs it. */
export class CompiledRule {
	private readonly rule: Rule;
	private readonly pattern: string;
	private readonly isEverything: boolean;
	/** Texts that it matches character by character */
	private readonly exact: ReadonlySet<string>;
	private readonly permission: Glob;
	private readonly commandApproval = lazily(() => new CommandApproval(this.pattern));
	private readonly commandObjection = lazily(() => new CommandObjection(this.pattern));
	private readonly pathApproval = lazily(() => new PathApproval(this.pattern));
	private readonly pathObjection = lazily(() => new PathObjection(this.pattern));
	private readonly searchApproval = lazily(() => new SearchApproval(this.pattern));
	private readonly addressApproval = lazily(() => new AddressApproval(this.pattern));
	private readonly addressObjection = lazily(() => new AddressObjection(this.pattern));

	constructor(rule: Rule) {
		this.rule = rule;
		const { isLiteral, hasValues, decision } = rule;
		const permission = parsePattern(
			isLiteral ? escapePattern(rule.permission) : rule.permission.trim(),
		);
		this.permission = new Glob(
			decision === 'approve' ? permission : permission.trim().toLowerCase(),
		);
		this.pattern = isLiteral ? escapePattern(rule.pattern) : rule.pattern;
		const parsed = parsePattern(this.pattern);
		this.isEverything = parsed.trim() === ANY;
		this.exact = new Set([
			...(hasValues ? [] : [rule.pattern]),
			...(hasWildcard(parsed) ? [] : [parsed]),
		]);
	}

	isFor(asked: string): boolean {
		const { permission, rule } = this;
		if (rule.request) return true;
		if (rule.decision !== 'approve') return permission.matches(asked.trim().toLowerCase(), FREE);
		const isLimited = hasWildcard(permission.text) && permission.text !== ANY;
		return permission.matches(asked, FREE) && (!isLimited || PERMISSION.test(asked));
	}

	reach(compared: ComparedText, all: readonly ComparedText[], budget: MatchBudget): Reach {
		const { rule, isEverything, exact } = this;
		if (rule.request)
			return compared.request && isSameRequest(rule.request, compared.request) ? YES : NO;
		if (isEverything || (compared.text !== undefined && exact.has(compared.text))) return YES;
		const isApproval = rule.decision === 'approve';
		if (compared.isTooLong) return isApproval ? NO : doubt(TOO_LONG);
		return isApproval ? this.approve(compared, budget) : this.object(compared, all, budget);
	}

	private approve(
		{ part, path, address, text = '', problem, permission }: ComparedText,
		budget: MatchBudget,
	): Reach {
		if (part) return this.commandApproval().reach(part, budget);
		if (path) return this.pathApproval().reach(path, budget);
		if (address) return this.addressApproval().reach(address, budget);
		return problem === undefined
			? this.searchApproval().reach(text, permission)
			: this.commandApproval().reachUnread(text, problem, budget);
	}

	private object(
		{ part, path, address, problem }: ComparedText,
		all: readonly ComparedText[],
		budget: MatchBudget,
	): Reach {
		if (part) return this.commandObjection().reach(part, listParts(all), budget);
		if (path) return this.pathObjection().reach(path, budget);
		if (address) return this.addressObjection().reach(address, budget);
		return doubt(
			problem === undefined
				? 'rules compare a search only as a whole'
				: `it isn't plain words, because it contains ${problem}`,
		);
	}
}

const listParts = (all: readonly ComparedText[]) => all.flatMap(({ part }) => part ?? []);

const compiled = new WeakMap<Rule, CompiledRule>();

/** Compiles a rule once, however many requests it's compared with. */
export function compileRule(rule: Rule): CompiledRule {
	const found = compiled.get(rule) ?? new CompiledRule(rule);
	compiled.set(rule, found);
	return found;
}
