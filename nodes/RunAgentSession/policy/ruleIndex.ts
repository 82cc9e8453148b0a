import type { ComparedCommand } from './comparedCommand';
import { compileRule, type CompiledRule } from './compiledRule';
import { Glob, type MatchBudget } from './globs';
import { KINDS, type Kind } from './kinds';
import type { ComparedText } from './matcher';
import type { Rule } from './rule';

// Finds the rules that can be about a text by its words, so that it isn't compared with each of them.

export interface NamedRule {
	name: string;
	rule: Rule;
	compiled: CompiledRule;
}

/** Of rules that are compared with each text */
const ANY_WORD = '';

export class RuleIndex {
	private readonly rules: readonly NamedRule[];
	/** Places of rules by the words that their texts have */
	private readonly places = new Map<Kind | 'exact', Map<string, number[]>>();

	constructor(rules: readonly Rule[]) {
		this.rules = rules.map((rule, index) => ({
			name: rule.name ?? `rule ${index + 1}`,
			rule,
			compiled: compileRule(rule),
		}));
		for (const [place, { compiled }] of this.rules.entries()) {
			for (const text of compiled.exact) this.add('exact', text, place);
			for (const kind of KINDS) this.add(kind, compiled.key(kind) ?? ANY_WORD, place);
		}
	}

	private add(kind: Kind | 'exact', word: string, place: number): void {
		const words = this.places.get(kind) ?? new Map<string, number[]>();
		const places = words.get(word) ?? [];
		places.push(place);
		this.places.set(kind, words.set(word, places));
	}

	/** Returns the rules that can be about a text, in their order. */
	find(compared: ComparedText, budget: MatchBudget): NamedRule[] {
		const isForIt = ({ compiled }: NamedRule) => compiled.isFor(compared.permission);
		if (compared.isTooLong) return this.rules.filter(isForIt);
		const found = new Set<number>();
		const addAll = (kind: Kind | 'exact', words: Iterable<string>) => {
			for (const word of words)
				for (const place of this.places.get(kind)?.get(word) ?? []) found.add(place);
		};
		const { text = '', command, path, address, approvedAs } = compared;
		addAll('exact', [text]);
		addAll(approvedAs, [ANY_WORD]);
		if (command) addAll('commands', [ANY_WORD, ...this.findWords(command, budget)]);
		if (path) addAll('paths', [ANY_WORD, ...path.folded.split('/')]);
		if (address) addAll('addresses', [ANY_WORD, ...address.hosts]);
		if (isUnread(compared)) {
			const first = this.rules.findIndex((each) => !each.compiled.isApproval && isForIt(each));
			if (first >= 0) found.add(first);
		}
		return [...found]
			.sort((one, other) => one - other)
			.map((place) => this.rules[place])
			.filter(isForIt);
	}

	/** Returns the words of a command, and those that its wildcards can be. */
	private findWords(command: ComparedCommand, budget: MatchBudget): string[] {
		const { pieces, globs } = command.others();
		const known = [...(this.places.get('commands')?.keys() ?? [])];
		const met = [...globs].flatMap((text) => {
			const glob = new Glob(text);
			return known.filter((word) => glob.canMeet(word, budget));
		});
		return [...command.programs, ...command.words.slice(0, 1), ...pieces, ...met];
	}
}

/** Returns whether any rule that denies or asks leaves a text to an approver. */
const isUnread = ({ command, path, address, approvedAs }: ComparedText): boolean =>
	command?.unread() !== undefined ||
	path?.hasOtherNotation === true ||
	(approvedAs === 'addresses' && address?.isKnown === false);
