// Which of an interaction's own options says "approve" and which says "deny". The API document shows the options' shape,
// `{value, label}`, but none of their values, so they are understood by a closed vocabulary: a text that decides consists of
// these words and no others. What is not clear is left to a person.

/** An option as the service offers it. `value` keeps its type: a service that offers 1 may not understand "1". */
export interface Option {
	value: string | number;
	label: string;
}

/** Approve this one time only, or preferably with an option that lasts. */
export type ApproveWith = 'once' | 'always';

export interface OptionPreferences {
	approveWith: ApproveWith;
	/** Values of options that the user says approve, the preferred first. They win over all words, lasting ones included. */
	approveValues?: readonly string[];
	/** Values of options that the user says deny, the preferred first */
	denyValues?: readonly string[];
}

const splitWords = (list: string) => list.split(' ');

/** Words that approve or deny, the preferred first. */
const APPROVING_WORDS = splitWords(
	'allow approve accept grant permit proceed confirm continue ok yes',
);
const DENYING_WORDS = splitWords('reject deny decline refuse block disallow stop cancel');
/** Words of an approval that lasts, the preferred first. Each approves by itself, too: an option may be just `always`. */
const LASTING_WORDS = splitWords('always forever permanently all session');
/** Makes an approval one that lasts, but approves nothing by itself */
const WIDENS = 'permanent';
/** Words that change nothing of what is said */
const FILLER_WORDS = splitWords(
	'it this the that request time just only please go ahead and for do',
);
const KNOWN_WORDS = new Set([
	...APPROVING_WORDS,
	...DENYING_WORDS,
	...LASTING_WORDS,
	WIDENS,
	'once',
	...FILLER_WORDS,
]);

/** "Don't allow" denies, and "don't ask again" lasts; any other negation is no word that is known. */
const NEGATION = new RegExp(
	`\\b(?:do not|dont|not|never|cannot|cant|wont) (?:(?:${APPROVING_WORDS.join('|')})|(ask again))(?!\\S)`,
	'g',
);
/** Words that turn something round that is not understood */
const NEGATING_WORDS = splitWords('no not never dont cannot cant wont without except unless');
const SINGLE_WORDS = new Map([
	['y', 'yes'],
	['n', 'deny'],
	['no', 'deny'],
]);

/** The words of `allowAlways`, `allow_always`, "✅ Allow" or "Don't allow", lower case; any other text counts as a word. */
function normalizeWords(text: string): string[] {
	const plain = text
		.replace(/['’ʼ´`]/g, '')
		.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
		.replace(/[✅✔✓]\uFE0F?/gu, ' yes ')
		.replace(/[❌✖🚫⛔]\uFE0F?/gu, ' deny ')
		.toLowerCase()
		// "No, reject" is a no; what "no limits" or "no reject" mean is anybody's guess.
		.replace(/\bno\s*[,;.:!–—]/g, 'deny ')
		.replace(/[\s_\-,;.:!/()–—]+/g, ' ')
		.trim();
	return (SINGLE_WORDS.get(plain) ?? plain)
		.replace(NEGATION, (_, lasts) => (lasts ? WIDENS : 'deny'))
		.split(' ')
		.filter(Boolean);
}

/** Meaning of a text. `silent` if it has no word that approves or denies. */
interface OptionReading {
	side: 'approve' | 'deny' | 'unclear' | 'silent';
	/** True if the option holds for one time, and true if it holds for more */
	once: boolean;
	lasting: boolean;
	/** True if it may say something that is not understood; a number or a letter does not */
	foreign: boolean;
	words: string[];
}

/** The value or label of an option; it is unclear what a longer one says. */
const MAX_OPTION_LENGTH = 1_000;
/** Options that a person could choose from */
const MAX_OPTIONS = 1_000;

const UNCLEAR: OptionReading = {
	side: 'unclear',
	once: false,
	lasting: false,
	foreign: true,
	words: [],
};
/** A number, a letter or a part of a UUID */
const NAMES_NOTHING = /^(?:[a-z]?\d*|(?=.*\d)[\da-f]{4,})$/;

function readOptionText(text: string): OptionReading {
	if (text.length > MAX_OPTION_LENGTH) return UNCLEAR;
	const said = normalizeWords(text);
	const says = (list: readonly string[]) => said.some((word) => list.includes(word));
	const [denies, once, lasting] = [DENYING_WORDS, ['once'], [...LASTING_WORDS, WIDENS]].map(says);
	const approves = says([...APPROVING_WORDS, ...LASTING_WORDS, 'once']);
	const unknown = said.filter((word) => !KNOWN_WORDS.has(word));
	if (!approves && !denies) {
		if (says(NEGATING_WORDS)) return UNCLEAR;
		const foreign = unknown.some((word) => !NAMES_NOTHING.test(word));
		return { side: 'silent', once, lasting, foreign, words: said };
	}
	if (unknown.length > 0 || (denies && says(APPROVING_WORDS)) || (once && lasting)) return UNCLEAR;
	return { side: denies ? 'deny' : 'approve', once, lasting, foreign: false, words: said };
}

/** Combines the meanings of an option's value and label: one decides, and the other may veto. */
function readOption({ value, label }: Option): OptionReading {
	const read = [readOptionText(String(value)), readOptionText(label)];
	const [first, second] = read[0].side === 'silent' ? [read[1], read[0]] : read;
	const once = first.once || second.once;
	const lasting = first.lasting || second.lasting;
	const agree = second.side === 'silent' || first.side === second.side;
	// Unknown words may limit the time or the user: only a value that says so itself is taken beside it. A denial that
	// lasts still denies.
	const saysHowLong = read[0].side === 'approve' && (read[0].once || read[0].lasting);
	const mayMeanMore = (once && lasting) || (second.foreign && !saysHowLong);
	const unclear = !agree || (first.side === 'approve' && mayMeanMore);
	const { words: said } = lasting && !first.lasting ? second : first;
	return { ...first, side: unclear ? 'unclear' : first.side, once, lasting, words: said };
}

/** The words for a choice, everywhere that people read them */
export type ChoiceName = 'Approve once' | 'Always approve' | 'Deny' | 'Always deny';

/** Meaning of an option. */
export interface OptionMeaning {
	side: 'approve' | 'deny' | 'unclear';
	/** True if it can have an effect on later requests */
	lasts: boolean;
	/** Absent if nobody can tell what it means */
	name?: ChoiceName;
}

const CHOICE_NAMES = {
	approve: ['Approve once', 'Always approve'],
	deny: ['Deny', 'Always deny'],
	unclear: [undefined, undefined],
} as const;

const isNamed = (value: Option['value'], names: readonly string[] = []): boolean =>
	names.some((name) => name.trim() === String(value).trim());

/** Returns the side for which the user names a value, if there is one: a value named for both sides is for neither. */
function readNamedSide(
	value: Option['value'],
	{ approveValues, denyValues }: Partial<OptionPreferences>,
): OptionMeaning['side'] | undefined {
	const [approves, denies] = [isNamed(value, approveValues), isNamed(value, denyValues)];
	if (approves === denies) return approves ? 'unclear' : undefined;
	return approves ? 'approve' : 'deny';
}

/** Returns whether an option that the user names can have an effect on later requests, by words that may not be clear. */
function canLast(option: Option, reading: OptionReading): boolean {
	if (reading.once && !reading.lasting) return false;
	// The value alone is the user's own word; what is said beside it can say for how long.
	return reading.lasting || reading.side === 'unclear' || readOptionText(option.label).foreign;
}

function toMeaning(
	option: Option,
	reading: OptionReading,
	preferences: Partial<OptionPreferences>,
): OptionMeaning {
	const named = readNamedSide(option.value, preferences);
	const known = reading.side === 'silent' ? 'unclear' : reading.side;
	const side = named ?? known;
	const lasts = named === undefined ? reading.lasting : canLast(option, reading);
	return { side, lasts, name: CHOICE_NAMES[side][lasts ? 1 : 0] };
}

/** Returns what an option means, by the values that the user names and by its words. */
export const readMeaning = (
	option: Option,
	preferences: Partial<OptionPreferences> = {},
): OptionMeaning => toMeaning(option, readOption(option), preferences);

type Choice = Option & OptionMeaning & Pick<OptionReading, 'words'>;

/** Returns what each value means, once; a value that is offered with two meanings is left out. */
export function readChoices(
	options: readonly Option[],
	preferences: Partial<OptionPreferences> = {},
): Choice[] {
	if (options.length > MAX_OPTIONS) return [];
	const offered = new Map<string, Choice[]>();
	for (const option of options) {
		const reading = readOption(option);
		const choice = { ...option, ...toMeaning(option, reading, preferences), words: reading.words };
		const key = String(option.value);
		offered.set(key, [...(offered.get(key) ?? []), choice]);
	}
	return [...offered.values()]
		.filter(([{ value, side, lasts }, ...others]) =>
			others.every((o) => o.value === value && o.side === side && o.lasts === lasts),
		)
		.map(([choice]) => choice);
}

/** Returns the one choice with the first of the words that any has; undefined if two share it. */
function findPreferred(
	choices: readonly Choice[],
	preferred: readonly string[],
): Choice | undefined {
	const word = preferred.find((each) => choices.some(({ words }) => words.includes(each)));
	const having = choices.filter(({ words }) => words.includes(word!));
	return having.length === 1 ? having[0] : undefined;
}

/**
 * Returns the value of the option that clearly means `decision`, as the service wrote it, or undefined.
 *
 * A value that the user names comes first. An option that lasts is never chosen with `once`. With `always` it is preferred, and
 * an approval for one time is chosen if none lasts. A denial that lasts is chosen only if no other is offered.
 */
export function chooseOption(
	options: readonly Option[],
	decision: 'approve' | 'deny',
	preferences: OptionPreferences,
): Option['value'] | undefined {
	const { approveValues = [], denyValues = [], approveWith } = preferences;
	// A value that the user names for one side never counts for the other side.
	const usable = options.filter(({ value }) =>
		[decision, undefined].includes(readNamedSide(value, preferences) as typeof decision),
	);
	for (const name of decision === 'approve' ? approveValues : denyValues) {
		const named = usable.map(({ value }) => value).filter((value) => isNamed(value, [name]));
		if (new Set(named).size === 1) return named[0];
	}
	const fitting = readChoices(usable).filter(({ side }) => side === decision);
	const lasting = fitting.filter(({ lasts }) => lasts);
	const single = fitting.filter(({ lasts }) => !lasts);
	if (decision === 'deny')
		return findPreferred(single.length > 0 ? single : lasting, DENYING_WORDS)?.value;
	if (approveWith === 'always' && lasting.length > 0)
		return findPreferred(lasting, [...LASTING_WORDS, WIDENS])?.value;
	return findPreferred(single, ['once', ...APPROVING_WORDS])?.value;
}

/** The options of an interaction that can be chosen. What is no option (`value` a text or a number) is left out; never throws. */
export function readOptions(interaction: unknown): Option[] {
	const { response } = Object(interaction) as { response?: unknown };
	const { options } = Object(response) as { options?: unknown };
	if (!Array.isArray(options)) return [];
	return options.flatMap((option: unknown): Option[] => {
		const { value, label } = Object(option) as Record<string, unknown>;
		const usable = typeof value === 'string' ? value.trim() !== '' : Number.isFinite(value);
		if (!usable) return [];
		const readable = typeof label === 'string' || typeof label === 'number';
		// The check above leaves texts and finite numbers; the compiler does not see through `usable`.
		return [{ value: value as Option['value'], label: readable ? String(label) : '' }];
	});
}
