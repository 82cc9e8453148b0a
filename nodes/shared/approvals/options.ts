import { getOrAdd, toText } from '../values';

// The API document shows the shape of options, `{value, label}`, but no values. So only texts that consist of known words decide.

interface Option {
	value: string;
	label: string;
	/** True if the option has another field, or the request a scope: nobody can list all words for what lasts */
	hasMore?: true;
	/** True if one of these fields says that it lasts */
	saysLasting?: true;
}

/** For how long an option lasts: the session, or longer */
export type LastsFor = 'session' | 'ever';

export type ApproveWith = 'once' | 'always';

export interface OptionPreferences {
	approveWith: ApproveWith;
	/** Values that the user says approve, the preferred first. They win over all words. */
	approveValues?: readonly string[];
	denyValues?: readonly string[];
}

const splitWords = (list: string) => list.split(' ');

/** The preferred word is first. */
const APPROVING_WORDS = splitWords(
	'allow approve accept grant permit proceed confirm continue ok yes',
);
const DENYING_WORDS = splitWords('reject deny decline refuse block disallow stop cancel');
/** Words of an approval that lasts. Each also approves by itself, because an option may be just `always`. */
const LASTING_WORDS = splitWords('always forever permanently all session');
/** Makes an approval last, but approves nothing by itself */
const WIDENS = 'permanent';
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

/** "Don't allow" denies, and "don't ask again" lasts. Any other negation is unknown. */
const NEGATION = new RegExp(
	`\\b(?:do not|dont|not|never|cannot|cant|wont) (?:(?:${APPROVING_WORDS.join('|')})|(ask again))(?!\\S)`,
	'g',
);
const NEGATING_WORDS = splitWords('no not never dont cannot cant wont without except unless');
const SINGLE_WORDS = new Map([
	['y', 'yes'],
	['n', 'deny'],
	['no', 'deny'],
]);

const withoutApostrophes = (text: string): string => text.replace(/['’ʼ´`]/g, '');

/** Returns the words of `allowAlways`, `allow_always`, "✅ Allow" or "Don't allow", in lower case. */
function normalizeWords(text: string): string[] {
	const plain = withoutApostrophes(text)
		.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
		.replace(/[✅✔✓]\uFE0F?/gu, ' yes ')
		.replace(/[❌✖🚫⛔]\uFE0F?/gu, ' deny ')
		.toLowerCase()
		// "No, reject" denies, but "no limits" and "no reject" are unclear.
		.replace(/\bno\s*[,;.:!–—]/g, 'deny ')
		.replace(/[\s_\-,;.:!/()–—]+/g, ' ')
		.trim();
	return (SINGLE_WORDS.get(plain) ?? plain)
		.replace(NEGATION, (_, lasts) => (lasts ? WIDENS : 'deny'))
		.split(' ')
		.filter(Boolean);
}

/** `silent`: no word approves or denies */
interface OptionReading {
	side: 'approve' | 'deny' | 'unclear' | 'silent';
	once: boolean;
	lasting: boolean;
	/** True if it may say something unknown. A number or a letter doesn't. */
	foreign: boolean;
	words: string[];
}

const MAX_OPTION_LENGTH = 1_000;
/** Of more options, none is clear. */
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
	const optionWords = normalizeWords(text);
	const says = (list: readonly string[]) => optionWords.some((word) => list.includes(word));
	const [denies, once, lasting] = [DENYING_WORDS, ['once'], [...LASTING_WORDS, WIDENS]].map(says);
	const approves = says([...APPROVING_WORDS, ...LASTING_WORDS, 'once']);
	const unknown = optionWords.filter((word) => !KNOWN_WORDS.has(word));
	if (!approves && !denies) {
		if (says(NEGATING_WORDS)) return UNCLEAR;
		const foreign = unknown.some((word) => !NAMES_NOTHING.test(word));
		return { side: 'silent', once, lasting, foreign, words: optionWords };
	}
	if (unknown.length > 0 || (denies && says(APPROVING_WORDS)) || (once && lasting)) return UNCLEAR;
	return { side: denies ? 'deny' : 'approve', once, lasting, foreign: false, words: optionWords };
}

/** Combines an option's value and label: one decides, and the other may veto. With more fields, only these words make it once. */
function readOption({ value, label, hasMore, saysLasting }: Option): OptionReading {
	const readings = [readOptionText(value), readOptionText(label)];
	const [first, second] = readings[0].side === 'silent' ? [readings[1], readings[0]] : readings;
	const once = first.once || second.once;
	const wordsLast = first.lasting || second.lasting;
	const mayLast = hasMore === true && first.side === 'approve' && !once;
	const lasting = wordsLast || saysLasting === true || mayLast;
	const agree = second.side === 'silent' || first.side === second.side;
	// Unknown words may limit an approval, unless the value itself says for how long. A denial that lasts still denies.
	const saysHowLong = readings[0].side === 'approve' && (readings[0].once || readings[0].lasting);
	const mayMeanMore = (once && wordsLast) || (second.foreign && !saysHowLong);
	// An unknown value may approve, even if its label denies.
	const mayApprove = first.side === 'deny' && first === readings[1] && second.foreign;
	const unclear = !agree || mayApprove || (first.side === 'approve' && mayMeanMore);
	const { words: optionWords } = second.lasting && !first.lasting ? second : first;
	return { ...first, side: unclear ? 'unclear' : first.side, once, lasting, words: optionWords };
}

export type ChoiceName = 'Approve once' | 'Always approve' | 'Deny' | 'Always deny';

interface OptionMeaning {
	side: 'approve' | 'deny' | 'unclear';
	/** True if it can affect later requests */
	lasts: boolean;
	name?: ChoiceName;
}

const CHOICE_NAMES = {
	approve: ['Approve once', 'Always approve'],
	deny: ['Deny', 'Always deny'],
	unclear: [undefined, undefined],
} as const;

const isNamed = (value: string, names: readonly string[] = []): boolean =>
	names.some((name) => name.trim() === value.trim());

/** Returns the side that the user names for a value. A value named for both sides is unclear. */
function readNamedSide(
	value: string,
	{ approveValues, denyValues }: Partial<OptionPreferences>,
): OptionMeaning['side'] | undefined {
	const [approves, denies] = [isNamed(value, approveValues), isNamed(value, denyValues)];
	if (approves === denies) return approves ? 'unclear' : undefined;
	return approves ? 'approve' : 'deny';
}

/** Returns whether an option that the user names can affect later requests. */
function canLast(option: Option, reading: OptionReading): boolean {
	if (reading.once && !reading.lasting) return false;
	// The user named the value only, and the label or the request's scope can say for how long.
	return (
		option.hasMore === true ||
		reading.lasting ||
		reading.side === 'unclear' ||
		readOptionText(option.label).foreign
	);
}

function toMeaning(
	option: Option,
	reading: OptionReading,
	preferences: Partial<OptionPreferences>,
): OptionMeaning {
	const namedSide = readNamedSide(option.value, preferences);
	const knownSide = reading.side === 'silent' ? 'unclear' : reading.side;
	const side = namedSide ?? knownSide;
	const lasts = namedSide === undefined ? reading.lasting : canLast(option, reading);
	return { side, lasts, name: CHOICE_NAMES[side][lasts ? 1 : 0] };
}

export const readMeaning = (
	option: Option,
	preferences: Partial<OptionPreferences> = {},
): OptionMeaning => toMeaning(option, readOption(option), preferences);

type OptionChoice = Option & OptionMeaning & Pick<OptionReading, 'words'>;

/** Returns for how long a choice lasts, if its own words say so. */
export function readDuration({ lasts, hasMore, words }: OptionChoice): LastsFor | undefined {
	if (!lasts || hasMore) return undefined;
	if (words.includes('session')) return 'session';
	return LASTING_WORDS.some((word) => words.includes(word)) ? 'ever' : undefined;
}

/** Returns the meaning of each value once. Leaves out values with two meanings. */
export function readChoices(
	options: readonly Option[],
	preferences: Partial<OptionPreferences> = {},
): OptionChoice[] {
	if (options.length > MAX_OPTIONS) return [];
	const choices = new Map<string, OptionChoice[]>();
	for (const option of options) {
		const reading = readOption(option);
		const choice = { ...option, ...toMeaning(option, reading, preferences), words: reading.words };
		getOrAdd(choices, option.value, () => []).push(choice);
	}
	const clear = [...choices.values()].filter(([{ value, side, lasts }, ...others]) =>
		others.every((o) => o.value === value && o.side === side && o.lasts === lasts),
	);
	return clear.map(([choice]) => choice);
}

/** Returns the choice with the first preferred word, or undefined if two share it. */
function findPreferred(
	choices: readonly OptionChoice[],
	preferred: readonly string[],
): OptionChoice | undefined {
	const word = preferred.find((each) => choices.some(({ words }) => words.includes(each)));
	const having = choices.filter(({ words }) => words.includes(word!));
	return having.length === 1 ? having[0] : undefined;
}

/**
 * Returns the value of the option that clearly means `decision`, or undefined. Values that the user names come first.
 * `once` never chooses a lasting approval, and `always` prefers one. A lasting denial is chosen only if no other is offered.
 */
export function chooseOption(
	options: readonly Option[],
	decision: 'approve' | 'deny',
	preferences: OptionPreferences,
): string | undefined {
	const { approveValues = [], denyValues = [], approveWith } = preferences;
	// A value that the user names for one side never counts for the other.
	const usable = options.filter(({ value }) =>
		[decision, undefined].includes(readNamedSide(value, preferences) as typeof decision),
	);
	for (const name of decision === 'approve' ? approveValues : denyValues) {
		const namedOptions = usable.filter(({ value }) => isNamed(value, [name]));
		const values = new Set(namedOptions.map(({ value }) => value));
		const mayApprove =
			decision === 'deny' && namedOptions.some((option) => readOption(option).side === 'approve');
		if (values.size === 1 && !mayApprove) return namedOptions[0].value;
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

/** Returns the options of a request. An option with any other field may last, whatever the field says. Never throws. */
export function readOptions(interaction: unknown): Option[] {
	const { response, scope: outer } = Object(interaction) as { response?: unknown; scope?: unknown };
	const { options, scope: inner } = Object(response) as { options?: unknown; scope?: unknown };
	if (!Array.isArray(options) || options.length > MAX_OPTIONS) return [];
	const scopes = [outer, inner].filter((scope) => scope !== undefined);
	return options.flatMap((option: unknown): Option[] => {
		const { value, label, ...others } = Object(option) as Record<string, unknown>;
		if (typeof value !== 'string' || value.trim() === '') return [];
		const more = [...Object.values(others), ...scopes];
		return [
			{
				value,
				label: typeof label === 'string' ? label : '',
				...(more.length > 0 && { hasMore: true as const }),
				...(more.some(saysLasting) && { saysLasting: true as const }),
			},
		];
	});
}

const saysLasting = (value: unknown): boolean =>
	normalizeWords(toText(value)).some((word) => [...LASTING_WORDS, WIDENS].includes(word));
