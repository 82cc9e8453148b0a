import { lazily, oncePer } from '../../shared/lazily';
import { approveAddresses, denyAddresses } from './addressRules';
import { approveCommands } from './commandApproval';
import { denyCommands } from './commandObjection';
import { ANY, escapePattern, Glob, hasWildcard, parsePattern, type MatchBudget } from './globs';
import type { Kind } from './kinds';
import { doubt, NO, YES, type ComparedText, type Matcher, type Reach } from './matcher';
import { approvePaths, approveSearches, denyPaths, denySearches } from './pathRules';
import { isSameRequest } from './remembered';
import type { Rule } from './rule';
import { TOO_LONG } from './texts';

type Make = (pattern: string) => Matcher;

const MATCHERS: Record<Kind, [approve: Make, object: Make]> = {
	commands: [approveCommands, denyCommands],
	paths: [approvePaths, denyPaths],
	searches: [approveSearches, denySearches],
	addresses: [
		(pattern) => approveAddresses(parsePattern(pattern.trim())),
		(pattern) => denyAddresses(parsePattern(pattern.trim())),
	],
};

const KINDS = Object.keys(MATCHERS) as Kind[];

const FREE: MatchBudget = { left: Infinity };
const PERMISSION = /^[\p{L}\p{N}_.:-]*$/u;

/** A rule with its texts parsed */
interface CompiledRule extends Matcher {
	rule: Rule;
	isFor(permission: string): boolean;
}

/** Compiles a rule once, however many requests it's compared with. */
const compileRule = oncePer((rule: Rule): CompiledRule => {
	const { isLiteral, hasValues, request } = rule;
	const isApproval = rule.decision === 'approve';
	const read = (text: string) => (isLiteral ? escapePattern(text) : text);
	const fold = (text: string) => (isApproval ? text : text.trim().toLowerCase());
	const typed = isLiteral ? read(rule.permission) : rule.permission.trim();
	const permission = new Glob(fold(parsePattern(typed)));
	const isLimited = isApproval && permission.text !== ANY && hasWildcard(permission.text);
	const pattern = read(rule.pattern);
	const parsed = parsePattern(pattern);
	const isEverything = parsed.trim() === ANY;
	/** Texts that it matches character by character */
	const exact = [...(hasValues ? [] : [rule.pattern]), ...(hasWildcard(parsed) ? [] : [parsed])];
	// Each form is parsed when a request needs it.
	const matchers = Object.fromEntries(
		KINDS.map((kind) => [kind, lazily(() => MATCHERS[kind][isApproval ? 0 : 1](pattern))]),
	) as Record<Kind, () => Matcher>;

	return {
		rule,
		key: request || isEverything ? undefined : matchers.commands().key,
		isFor: (asked) =>
			request !== undefined ||
			(permission.matches(fold(asked), FREE) && (!isLimited || PERMISSION.test(asked))),
		reach(compared, budget, all): Reach {
			if (request) {
				const whole = all.whole();
				return whole && isSameRequest(request, whole) ? YES : NO;
			}
			const { text, isTooLong, approvedAs } = compared;
			if (isEverything || (text !== undefined && exact.includes(text))) return YES;
			if (isTooLong) return isApproval ? NO : doubt(TOO_LONG);
			if (isApproval) return matchers[approvedAs]().reach(compared, budget, all);
			// One denial is enough.
			const reached = KINDS.map((kind) => matchers[kind]().reach(compared, budget, all));
			const find = (wanted: Reach['reach']) => reached.find(({ reach }) => reach === wanted);
			return find('yes') ?? find('doubt') ?? NO;
		},
	};
});

type NamedRule = CompiledRule & { name: string };

/** Returns a function that finds the rules that can be about a text by its words, in their order: it isn't compared with each of them. */
export function indexRules(rules: readonly Rule[]) {
	const named = rules.map((rule, at) => {
		return { ...compileRule(rule), name: rule.name ?? `rule ${at + 1}` };
	});
	const keys = [...new Set(named.map(({ key }) => key))];
	return ({ permission, command, path }: ComparedText, budget: MatchBudget): NamedRule[] => {
		const isForIt = ({ isFor }: NamedRule) => isFor(permission);
		if (!command || path) return named.filter(isForIt);
		const { pieces, globs } = command.others();
		const words = new Set([...command.programs, ...command.words.slice(0, 1), ...pieces]);
		const open = [...globs].map((glob) => new Glob(glob));
		const canHave = (key: string) =>
			words.has(key) || open.some((glob) => glob.canMeet(key, budget));
		const found = new Set(keys.filter((key) => key === undefined || canHave(key)));
		// Any rule that denies or asks leaves a command that can't be read to an approver.
		const isUnread = command.unread() !== undefined;
		return named.filter(
			(each) =>
				(found.has(each.key) || (isUnread && each.rule.decision !== 'approve')) && isForIt(each),
		);
	};
}
