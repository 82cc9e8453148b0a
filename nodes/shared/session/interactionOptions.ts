// Which of an interaction's own options says "approve" and which says "deny". The API document shows the options' shape,
// `{value, label}`, but none of their values, so they are found by words; what is not clear is left to a human.

import { LIMITS } from '../base/limits';

/** An option as the service offers it. `value` keeps its type: a service that offers 1 may not understand "1". */
export interface Choice {
	value: string | number;
	label: string;
}

/** Whether to approve this one time only, or preferably with an option that lasts. */
export type ApproveWith = 'once' | 'always';

export interface OptionPreferences {
	approveWith: ApproveWith;
	/** Values of options that the user says approve, the preferred first. They win over all words, lasting ones included. */
	approveValues?: readonly string[];
	/** Values of options that the user says deny, the preferred first */
	denyValues?: readonly string[];
}

const words = (list: string) => list.split(' ');

/** Words that approve or deny, the preferred first. */
const APPROVES = words('allow approve accept grant permit proceed confirm continue ok yes');
const DENIES = words('reject deny decline refuse block disallow stop cancel');
/** Words of an approval that lasts, the preferred first. Each approves by itself, too: an option may be just `always`. */
const LASTS = words('always forever permanently all session');

type Kind =
	| 'approves'
	| 'denies'
	| 'once'
	| 'lasts'
	/** Makes an approval one for more than once, but does not approve by itself */
	| 'widens'
	/** Turns the next word into its opposite */
	| 'turns'
	/** Nothing is certain beside it */
	| 'clouds'
	| 'asks'
	| 'no';

const LISTS: Record<Kind, readonly string[]> = {
	approves: APPROVES,
	denies: DENIES,
	once: ['once'],
	lasts: LASTS,
	widens: words(
		'permanent sessions every everything everywhere any anything remember trust until times minutes hour hours day days',
	),
	turns: words('not never dont cannot cant wont'),
	clouds: words('without unless except neither nor'),
	asks: ['ask'],
	no: ['no', 'n'],
};
const KINDS: ReadonlyMap<string, Kind> = new Map(
	(Object.keys(LISTS) as Kind[]).flatMap((kind) => LISTS[kind].map((word) => [word, kind])),
);

/** Words that count only when they are the whole text: `no_limits` denies nothing. */
const ALONE: ReadonlyMap<string, Side> = new Map([
	['y', 'approve'],
	['no', 'deny'],
	['n', 'deny'],
]);

/** What a word that is turned round says: "don't allow" denies, "don't ask again" lasts. Any other is not understood. */
const TURNED: Partial<Record<Kind, Kind>> = { approves: 'denies', asks: 'widens' };

type Side = 'approve' | 'deny' | 'unclear' | 'silent';

interface Reading {
	side: Side;
	/** Whether it says that it holds for one time, and whether it says that it holds for more */
	once: boolean;
	lasting: boolean;
	words: string[];
}

/** The words of `allowAlways`, `allow_always` or "Don't allow", lower case, and whether a comma or the like follows each. */
function wordsOf(text: string): Array<{ word: string; pause: boolean }> {
	const plain = text.replace(/['’ʼ´`]/g, '').replace(/(\p{Ll})(\p{Lu})/gu, '$1_$2');
	return [...plain.matchAll(/([\p{L}\p{N}\p{M}]+)(\s*[,;.:!–—])?/gu)].map(([, word, pause]) => ({
		word: word.toLowerCase(),
		pause: pause !== undefined,
	}));
}

/** What each word of a text says, with negations applied to the words that they stand before. */
function kindsOf(said: ReturnType<typeof wordsOf>): Set<Kind> {
	const kinds = new Set<Kind>();
	for (let at = 0; at < said.length; at++) {
		const kind = KINDS.get(said[at].word);
		if (kind === 'turns') {
			const next = said[at].pause ? undefined : KINDS.get(said[at + 1]?.word);
			kinds.add((next && TURNED[next]) ?? 'clouds');
			at++;
		} else if (kind === 'no') {
			// "No, reject" is a no; what "no limits" or "no reject" mean is anybody's guess.
			kinds.add(said[at].pause ? 'no' : 'clouds');
		} else if (kind) {
			kinds.add(kind);
		}
	}
	return kinds;
}

function sideOf(kinds: Set<Kind>): Side {
	const approves = kinds.has('approves') || kinds.has('once') || kinds.has('lasts');
	if (kinds.has('clouds')) return 'unclear';
	if (kinds.has('denies')) return kinds.has('approves') ? 'unclear' : 'deny';
	if (!approves) return 'silent';
	return kinds.has('no') ? 'unclear' : 'approve';
}

function readText(text: string): Reading {
	if (text.length > LIMITS.option)
		return { side: 'unclear', once: false, lasting: false, words: [] };
	const said = wordsOf(text);
	const found = said.map(({ word }) => word);
	const alone = said.length === 1 ? ALONE.get(found[0]) : undefined;
	if (alone) return { side: alone, once: false, lasting: false, words: found };
	const kinds = kindsOf(said);
	const lasting = kinds.has('lasts') || kinds.has('widens');
	return { side: sideOf(kinds), once: kinds.has('once'), lasting, words: found };
}

/** What an option says by its value and its label together. A text that says nothing leaves it to the other one. */
function readChoice({ value, label }: Choice): Reading {
	const byValue = readText(String(value));
	const byLabel = readText(label);
	const [first, second] = byValue.side === 'silent' ? [byLabel, byValue] : [byValue, byLabel];
	const once = byValue.once || byLabel.once;
	const lasting = byValue.lasting || byLabel.lasting;
	const agree = second.side === 'silent' || first.side === second.side;
	// "Allow once for this session" cannot be both; a denial that lasts is still a denial.
	const fits = first.side !== 'approve' || !(once && lasting);
	return { side: agree && fits ? first.side : 'unclear', once, lasting, words: first.words };
}

/** The options by their value as text; one whose value is offered with two meanings is left out. */
function meaningsOf(choices: readonly Choice[]): Map<string, Choice & Reading> {
	const meanings = new Map<string, Choice & Reading>();
	const contradictory = new Set<string>();
	for (const choice of choices) {
		const key = String(choice.value);
		const read = { ...choice, ...readChoice(choice) };
		const other = meanings.get(key);
		if (!other) meanings.set(key, read);
		else if (
			other.value !== read.value ||
			other.side !== read.side ||
			other.lasting !== read.lasting
		) {
			contradictory.add(key);
		}
	}
	for (const key of contradictory) meanings.delete(key);
	return meanings;
}

/** How far down a list the best of the words stands; less is better. */
const rankIn = (preferred: readonly string[], said: readonly string[]) =>
	said.reduce((best, word) => {
		const place = preferred.indexOf(word);
		return place < 0 ? best : Math.min(best, place);
	}, preferred.length);

/** The one choice whose words stand highest in a list; undefined where two share that place. */
function bestOf(
	choices: ReadonlyArray<Choice & Reading>,
	preferred: readonly string[],
): Choice | undefined {
	const ranks = choices.map((choice) => rankIn(preferred, choice.words));
	const best = ranks.reduce((least, rank) => Math.min(least, rank), Infinity);
	const winners = choices.filter((_, index) => ranks[index] === best);
	return winners.length === 1 ? winners[0] : undefined;
}

/** The first of the values that the user named which the interaction offers, and offers once. */
function namedChoice(
	choices: readonly Choice[],
	named: readonly string[],
): Choice['value'] | undefined {
	if (named.length === 0) return undefined;
	const offered = new Map<string, Set<Choice['value']>>();
	for (const { value } of choices) {
		const key = String(value).trim();
		offered.set(key, (offered.get(key) ?? new Set()).add(value));
	}
	return named
		.map((name) => [...(offered.get(name) ?? [])])
		.find((values) => values.length === 1)?.[0];
}

/**
 * The value of the option that says `decision`, as the service wrote it, or undefined where none says it clearly: no match, no guess.
 *
 * An option's value is read first, then its label. What allows more than once is never taken with `once`; with `always` it is
 * preferred, and where there is none, an approval for one time does. A denial that lasts is taken only where no other is offered.
 */
export function chooseOption(
	options: readonly Choice[],
	decision: 'approve' | 'deny',
	preferences: OptionPreferences,
): Choice['value'] | undefined {
	const trimmed = (values: readonly string[] = []) =>
		values.map((value) => value.trim()).filter(Boolean);
	const lists = {
		approve: trimmed(preferences.approveValues),
		deny: trimmed(preferences.denyValues),
	};
	const opposite = new Set(lists[decision === 'approve' ? 'deny' : 'approve']);
	// A value that the user names for the other side does not serve this one, whatever its words or the other list say.
	const usable = options.filter(({ value }) => !opposite.has(String(value).trim()));
	const named = namedChoice(usable, lists[decision]);
	if (named !== undefined) return named;
	if (usable.length > LIMITS.options) return undefined;

	const fitting = [...meaningsOf(usable).values()].filter(({ side }) => side === decision);
	const lasting = fitting.filter((choice) => choice.lasting);
	const single = fitting.filter((choice) => !choice.lasting);
	if (decision === 'deny') {
		return bestOf(single.length > 0 ? single : lasting, [...DENIES, 'no', 'n'])?.value;
	}
	if (preferences.approveWith === 'always' && lasting.length > 0) {
		return bestOf(lasting, LASTS)?.value;
	}
	return bestOf(single, ['once', ...APPROVES, 'y'])?.value;
}

/** The options of an interaction that can be chosen. What is no option (`value` a text or a number) is left out; never throws. */
export function choicesOf(interaction: unknown): Choice[] {
	const { response } = Object(interaction) as { response?: unknown };
	const { options } = Object(response) as { options?: unknown };
	if (!Array.isArray(options)) return [];
	return options.flatMap((option: unknown): Choice[] => {
		const { value, label } = Object(option) as Record<string, unknown>;
		const usable = typeof value === 'string' ? value.trim() !== '' : Number.isFinite(value);
		if (!usable) return [];
		const readable = typeof label === 'string' || typeof label === 'number';
		// The check above leaves texts and finite numbers; the compiler does not see through `usable`.
		return [{ value: value as Choice['value'], label: readable ? String(label) : '' }];
	});
}
