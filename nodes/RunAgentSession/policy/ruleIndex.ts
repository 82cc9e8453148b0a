import { compileRule, type CompiledRule } from './compiledRule';
import { foldCase, type MatchBudget } from './globs';
import type { Kind } from './kinds';
import type { Rule } from './rule';
import type { ComparedText } from './texts';

// Finds the rules that can be about a text by its words, so that it isn't compared with each of them.

export interface NamedRule {
	name: string;
	rule: Rule;
	compiled: CompiledRule;
}

/** Places of rules by the words that their texts have */
class Places {
	readonly byWord = new Map<string, number[]>();
	/** Of rules whose texts need no word */
	readonly others: number[] = [];

	add(word: string | undefined, place: number): void {
		if (word === undefined) this.others.push(place);
		else {
			const places = this.byWord.get(word);
			if (places) places.push(place);
			else this.byWord.set(word, [place]);
		}
	}

	find(words: Iterable<string>, found: Set<number>): void {
		for (const place of this.others) found.add(place);
		for (const word of words) for (const place of this.byWord.get(word) ?? []) found.add(place);
	}
}

const KEYS = {
	commands: ({ commandKey }: CompiledRule) => commandKey(),
	paths: ({ pathKey }: CompiledRule) => pathKey(),
	searches: () => undefined,
	addresses: ({ hostKey }: CompiledRule) => hostKey(),
};
const KINDS = Object.keys(KEYS) as Kind[];

export class RuleIndex {
	private readonly rules: readonly NamedRule[];
	private readonly places = Object.fromEntries(KINDS.map((kind) => [kind, new Places()])) as Record<
		Kind,
		Places
	>;
	private readonly byText = new Places();

	constructor(rules: readonly Rule[]) {
		this.rules = rules.map((rule, index) => ({
			name: rule.name ?? `rule ${index + 1}`,
			rule,
			compiled: compileRule(rule),
		}));
		for (const [place, { rule, compiled }] of this.rules.entries()) {
			const isForAll = rule.request !== undefined || compiled.isEverything;
			if (!isForAll) for (const text of compiled.exact) this.byText.add(text, place);
			for (const kind of KINDS)
				this.places[kind].add(isForAll ? undefined : KEYS[kind](compiled), place);
		}
	}

	/** Returns the rules that can be about a text, in their order. */
	find(text: ComparedText, budget: MatchBudget): NamedRule[] {
		const isForIt = ({ compiled }: NamedRule) => compiled.isFor(text.permission);
		if (text.isTooLong) return this.rules.filter(isForIt);
		const found = new Set<number>();
		if (text.text !== undefined) this.byText.find([text.text], found);
		const { commands, paths, searches, addresses } = this.places;
		if (text.command) this.findCommands(text, commands, found, budget);
		if (text.path) paths.find(text.path.segments(), found);
		if (text.isSearch) searches.find([], found);
		if (text.address) addresses.find(text.address.hosts, found);
		if (isUnread(text)) {
			const first = this.rules.findIndex((each) => !each.compiled.isApproval && isForIt(each));
			if (first >= 0) found.add(first);
		}
		return [...found]
			.sort((one, other) => one - other)
			.map((place) => this.rules[place])
			.filter(isForIt);
	}

	private findCommands(
		{ command, part }: ComparedText,
		commands: Places,
		found: Set<number>,
		budget: MatchBudget,
	): void {
		const words = command!.elsewhere();
		const program = part ? [part.program, part.words[0], foldCase(part.words[0])] : [];
		for (const list of [program, words.pieces, words.names, words.glued])
			commands.find(list, found);
		for (const glob of words.globs.values())
			for (const [word, places] of commands.byWord)
				if (glob.matches(word, budget)) for (const place of places) found.add(place);
	}
}

/** Returns whether any rule that denies or asks leaves a text to an approver. */
const isUnread = ({ command, path, address, approvedAs }: ComparedText): boolean =>
	command?.unread() !== undefined ||
	path?.hasOtherNotation === true ||
	(approvedAs === 'addresses' && address !== undefined && !address.isKnown);
