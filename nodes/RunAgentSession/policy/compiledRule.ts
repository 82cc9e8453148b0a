import { AddressApproval, AddressObjection, type ComparedAddress } from './addresses';
import { CommandApproval } from './commandApproval';
import { CommandObjection } from './commandObjection';
import { ANY, escapePattern, Glob, hasWildcard, parsePattern, type MatchBudget } from './globs';
import { lazily } from './lazily';
import { pathKey, PathApproval, PathObjection, SearchApproval } from './paths';
import { doubt, NO, YES, type Reach } from './reach';
import { isSameRequest } from './remembered';
import type { Rule } from './rule';
import { TOO_LONG, type ComparedRequest, type ComparedText } from './texts';

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
	private readonly pattern: string;
	private readonly permission: Glob;
	private readonly commandApproval = lazily(() => new CommandApproval(this.pattern));
	private readonly commandObjection = lazily(() => new CommandObjection(this.pattern));
	private readonly pathApproval = lazily(() => new PathApproval(this.pattern));
	private readonly pathObjection = lazily(() => new PathObjection(this.pattern));
	private readonly searchApproval = lazily(() => new SearchApproval(this.pattern));
	private readonly addressApproval = lazily(
		() => new AddressApproval(parsePattern(this.pattern.trim())),
	);
	private readonly addressObjection = lazily(
		() => new AddressObjection(parsePattern(this.pattern.trim())),
	);

	constructor(rule: Rule) {
		this.rule = rule;
		const { isLiteral, hasValues, decision } = rule;
		this.isApproval = decision === 'approve';
		const permission = parsePattern(
			isLiteral ? escapePattern(rule.permission) : rule.permission.trim(),
		);
		this.permission = new Glob(this.isApproval ? permission : permission.trim().toLowerCase());
		this.pattern = isLiteral ? escapePattern(rule.pattern) : rule.pattern;
		const parsed = parsePattern(this.pattern);
		this.isEverything = parsed.trim() === ANY;
		this.exact = [...(hasValues ? [] : [rule.pattern]), ...(hasWildcard(parsed) ? [] : [parsed])];
	}

	isFor(asked: string): boolean {
		const { permission, rule } = this;
		if (rule.request) return true;
		if (!this.isApproval) return permission.matches(asked.trim().toLowerCase(), FREE);
		const isLimited = hasWildcard(permission.text) && permission.text !== ANY;
		return permission.matches(asked, FREE) && (!isLimited || PERMISSION.test(asked));
	}

	/** The word by which a command finds it. Without one, it's compared with each. */
	readonly commandKey = lazily(() =>
		this.isApproval ? this.commandApproval().program : this.commandObjection().name,
	);
	/** A name that each of its paths has */
	readonly pathKey = lazily(() => pathKey(this.pattern));
	/** The host of its addresses */
	readonly hostKey = lazily(() => (this.isApproval ? undefined : this.addressObjection().host));

	reach(compared: ComparedText, request: ComparedRequest, budget: MatchBudget): Reach {
		const { rule, isEverything, exact } = this;
		if (rule.request) {
			const whole = request.whole();
			return whole && isSameRequest(rule.request, whole) ? YES : NO;
		}
		if (isEverything || (compared.text !== undefined && exact.includes(compared.text))) return YES;
		if (compared.isTooLong) return this.isApproval ? NO : doubt(TOO_LONG);
		return this.isApproval
			? this.approve(compared, budget)
			: this.object(compared, request, budget);
	}

	private approve(compared: ComparedText, budget: MatchBudget): Reach {
		const { approvedAs, part, path, address, text = '', problem = '', permission } = compared;
		if (approvedAs === 'addresses') return this.addressApproval().reach(address!, budget);
		if (approvedAs === 'paths') return this.pathApproval().reach(path!, budget);
		if (approvedAs === 'searches') return this.searchApproval().reach(text, permission);
		return part
			? this.commandApproval().reach(part, budget)
			: this.commandApproval().reachUnread(text, problem, budget);
	}

	/** Reads the text in each way: one denial is enough. */
	private object(
		{ command, path, address, isSearch, approvedAs }: ComparedText,
		{ words }: ComparedRequest,
		budget: MatchBudget,
	): Reach {
		const reached = [
			command && this.commandObjection().reach(command, words, budget),
			path && this.pathObjection().reach(path, budget),
			address && this.objectToAddress(address, approvedAs === 'addresses', budget),
			isSearch && doubt('rules compare a search only as a whole'),
		].filter((each): each is Reach => !!each);
		return (
			reached.find(({ reach }) => reach === 'yes') ??
			reached.find(({ reach }) => reach === 'doubt') ??
			NO
		);
	}

	/** @param isAddress false for a text that can be anything */
	private objectToAddress(
		address: ComparedAddress,
		isAddress: boolean,
		budget: MatchBudget,
	): Reach {
		const reached = this.addressObjection().reach(address, budget);
		return reached.reach === 'doubt' && !isAddress ? NO : reached;
	}
}

const compiled = new WeakMap<Rule, CompiledRule>();

/** Compiles a rule once, however many requests it's compared with. */
export function compileRule(rule: Rule): CompiledRule {
	const found = compiled.get(rule) ?? new CompiledRule(rule);
	compiled.set(rule, found);
	return found;
}
