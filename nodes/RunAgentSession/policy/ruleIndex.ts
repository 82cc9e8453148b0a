import { compileRule, type CompiledRule } from './compiledRule';
import { Glob, type MatchBudget } from './globs';
import type { ComparedText } from './matcher';
import type { Rule } from './rule';

// Finds the rules that can be about a text by its words, so that it isn't compared with each of them.

type NamedRule = CompiledRule & { name: string };

/** Returns a function that finds the rules that can be about a text, in their order. */
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
