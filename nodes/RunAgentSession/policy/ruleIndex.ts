import type { ComparedCommand } from './comparedCommand';
import { compileRule, type CompiledRule } from './compiledRule';
import { Glob, type MatchBudget } from './globs';
import type { ComparedText } from './matcher';
import type { Rule } from './rule';

// Finds the rules that can be about a text by its words, so that it isn't compared with each of them.

export interface NamedRule {
	name: string;
	rule: Rule;
	compiled: CompiledRule;
}

/** Of rules that are compared with each command */
const ANY_WORD = '';

export class RuleIndex {
	private readonly rules: readonly NamedRule[];
	/** Places of rules by the words that their commands have */
	private readonly places = new Map<string, number[]>();

	constructor(rules: readonly Rule[]) {
		this.rules = rules.map((rule, index) => ({
			name: rule.name ?? `rule ${index + 1}`,
			rule,
			compiled: compileRule(rule),
		}));
		for (const [place, { compiled }] of this.rules.entries()) {
			const word = compiled.key ?? ANY_WORD;
			const places = this.places.get(word) ?? [];
			places.push(place);
			this.places.set(word, places);
		}
	}

	/** Returns the rules that can be about a text, in their order. */
	find({ permission, command, path }: ComparedText, budget: MatchBudget): NamedRule[] {
		const isForIt = ({ compiled }: NamedRule) => compiled.isFor(permission);
		if (!command || path) return this.rules.filter(isForIt);
		const found = new Set(
			this.findWords(command, budget).flatMap((word) => this.places.get(word) ?? []),
		);
		// A command that can't be read is left to an approver by any rule that denies or asks.
		if (command.unread() !== undefined)
			found.add(this.rules.findIndex((each) => !each.compiled.isApproval && isForIt(each)));
		return this.rules.filter((each, place) => found.has(place) && isForIt(each));
	}

	/** Returns the words of a command, and those that its wildcards can be. */
	private findWords(command: ComparedCommand, budget: MatchBudget): string[] {
		const { pieces, globs } = command.others();
		const met = [...globs].flatMap((text) => {
			const glob = new Glob(text);
			return [...this.places.keys()].filter((word) => glob.canMeet(word, budget));
		});
		return [ANY_WORD, ...command.programs, ...command.words.slice(0, 1), ...pieces, ...met];
	}
}
