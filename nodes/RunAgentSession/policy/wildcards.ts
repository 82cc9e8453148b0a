import type { Glob, MatchText } from './patterns';

// The text that wildcards of a rule that approves can match. All other text must be in the rule as its author typed it.

/** Shell syntax that no wildcard matches, quoted or not. */
const GUARDED_SYNTAX: ReadonlyArray<[what: string, where: RegExp]> = [
	// A comment would hide the rule's text after its wildcard.
	['a comment', /(?<![^\s;&|()<>])#/gu],
	// fish also runs commands in parentheses.
	['a second command', /[;&|()`\n\r\v\f\u0085\u2028\u2029]+|\$(?=\()/gu],
	['a redirection or a variable', /[<>$]+/gu],
	['a wildcard', /[*?[{]+/gu],
	['a control character', /[^\P{Cc}\t\n\r\v\f\u0085]|\p{Bidi_Control}/gu],
];

const DOT = '(?:\\.|%2e)';
const NAME = '[\\p{L}\\p{N}_]';
/** Characters before a slash that make a path relative to the current folder, and the schemes of addresses */
const BEFORE_RELATIVE =
	'[\\p{L}\\p{N}\\p{M}_.+~\\-/]|[^\\x00-\\x7f]|(?<![\\p{L}\\p{N}])(?:git\\+)?(?:https?|wss?|ssh|git):';

/** Paths that leave the current folder. Words are read with their quotation marks and without them. */
const GUARDED_PATHS: ReadonlyArray<[what: string, where: RegExp]> = [
	[
		'a path out of its folder',
		new RegExp(`(?<!${DOT})(?:(?<!${NAME})${DOT}{2}|${DOT}{2}(?!${NAME}))(?!${DOT})`, 'giu'),
	],
	['an absolute path', new RegExp(`/(?<!(?:${BEFORE_RELATIVE})/)`, 'giu')],
	// An option can have its path attached (-I/usr), Windows has drives and servers, and zsh looks up =program.
	['an absolute path', /\/(?<=^-[^=/.]*\/)|[a-z]:(?<![\p{L}\p{N}]..)(?=[\\/])|^\\\\|^=/giu],
	['a home folder', /~(?<![\p{L}\p{N}_)\]^]~)|~(?=\/)/gu],
];
/** Files that sed reads or writes, whose commands are attached to their paths */
const SED_FILE = /(?<=(?:^|[^\p{L}])[rw]\s*)\//giu;
const IS_SED = /(?:^|[\s/])g?sed\s/;
/** A change to the home folder, or to the folder before, without a path */
const LEADS_HOME = /(?:^|[\s;&|(])(?:cd|chdir|pushd)(?:\s+-[^\s;&|()]*)*\s*(?=$|[;&|)])/;
const leadsHome = (text: string): boolean => LEADS_HOME.test(text.replace(/['"\\]/g, ''));
const OPEN_QUOTE = "a quotation mark that isn't closed";
const GUARDED_NAMES = [
	...new Set([...GUARDED_SYNTAX, ...GUARDED_PATHS].map(([what]) => what)),
	OPEN_QUOTE,
];
/** A word without any of these signs can't leave the current folder. */
const PATH_SIGN = /[/.~=\\:%]/;
const OPTION_HOME = /~(?!\d)/gu;

/** A word without its quotation marks, and the places of its characters. */
interface PlainWord {
	text: string;
	places: number[];
}

/** Returns the words of a text as the shell splits them, and the place of a quotation mark that isn't closed. */
function readPlainWords(text: string): { words: PlainWord[]; open: number } {
	const words: PlainWord[] = [{ text: '', places: [] }];
	let quote = '';
	let open = -1;
	for (let at = 0; at < text.length; at++) {
		const word = words[words.length - 1];
		const character = text[at];
		if (character === quote) quote = '';
		else if (quote === '' && /['"]/.test(character)) [quote, open] = [character, at];
		else if (quote === '' && /\s/.test(character)) {
			if (word.text !== '') words.push({ text: '', places: [] });
		} else if (character !== '\\' || quote === "'") {
			word.text += character;
			word.places.push(at);
		} else if (at + 1 < text.length) {
			word.text += text[++at];
			word.places.push(at);
		}
	}
	return { words, open: quote === '' ? -1 : open };
}

const readRawWords = (text: string): PlainWord[] =>
	[...text.matchAll(/\S+/g)].map(({ 0: word, index }) => ({
		text: word,
		places: Array.from({ length: word.length }, (_, at) => index + at),
	}));

/** Returns a word for a program that reads it as a command once more, such as `sh -c`. */
function dropQuotes({ text, places }: PlainWord): PlainWord {
	const kept = [...places.keys()].filter((at) => !/['"\\]/.test(text[at]));
	return { text: kept.map((at) => text[at]).join(''), places: kept.map((at) => places[at]) };
}

/** Calls `found` for each place that no wildcard matches, with the name of the syntax there. */
function findPlaces(text: string, found: (what: string, place: number) => void): void {
	for (const [what, where] of GUARDED_SYNTAX)
		for (const { 0: match, index } of text.matchAll(where))
			for (let at = 0; at < match.length; at++) found(what, index + at);
	const { words, open } = readPlainWords(text);
	if (open >= 0) found(OPEN_QUOTE, open);
	const isSed = IS_SED.test(text);
	if (leadsHome(text)) found('a home folder', -1);
	const raw = readRawWords(text);
	for (const word of [...words, ...raw, ...raw.map(dropQuotes)]) {
		if (!PATH_SIGN.test(word.text)) continue;
		const home = word.text.startsWith('-') ? OPTION_HOME : /(?!)/g;
		const more = [
			['a home folder', home],
			['an absolute path', isSed ? SED_FILE : /(?!)/g],
		] as const;
		for (const [what, where] of [...GUARDED_PATHS, ...more])
			for (const { 0: match, index } of word.text.matchAll(where))
				for (const place of word.places.slice(index, index + match.length)) found(what, place);
	}
}

/** Returns the reasons why wildcards don't match a text that they would match otherwise. */
export function findGuarded(text: string): string[] {
	const all = new Set<string>();
	findPlaces(text, (what) => all.add(what));
	return GUARDED_NAMES.filter((what) => all.has(what));
}

/** A text, with the places that no wildcard of a rule that approves matches. */
export interface GuardedText {
	characters: readonly string[];
	guarded: readonly boolean[];
}

export function guardText(text: string): GuardedText {
	const places = new Set<number>();
	findPlaces(text, (_, place) => places.add(place));
	const characters = [...text];
	let at = 0;
	const guarded = characters.map((character) => {
		at += character.length;
		return places.has(at - character.length) || places.has(at - 1);
	});
	return { characters, guarded };
}

/** A text that no glob with other text matches */
const NO_MATCH: MatchText = { characters: ['\0'], canMatch: () => false };

const isSpace = (character: string | undefined): boolean =>
	character === undefined || /[\s'"]/.test(character);

/** Returns whether a wildcard is a separate argument at the end of a command: it matches the rest of the command. */
function matchesRest(glob: Glob, part: number): boolean {
	let first = part;
	while (glob[first]?.token === '*') first--;
	let next = part;
	while (glob[next]?.token === '*') next++;
	while (glob[next]?.character === ' ') next++;
	const { token = ';' } = glob[next] ?? {};
	return first >= 0 && /^\s$/.test(glob[first].token) && /^[;&|]$/.test(token);
}

/**
 * Returns a text with the limits for the wildcards of a rule that approves.
 *
 * - As a separate argument at the end, a wildcard matches the rest of one command.
 * - Anywhere else, it matches within one argument, and it doesn't begin an option.
 * - A glob that is just `*` matches everything.
 */
export function limitWildcards(glob: Glob, { characters, guarded }: GuardedText): MatchText {
	if (glob.length === 1 && glob[0].token === '*') return { characters };
	const typed = glob.map(({ token, character }) => (token === '*' ? 'x' : character)).join('');
	// A wildcard can match nothing: `cd * && rm -rf build` would run in the home folder.
	if (leadsHome(characters.join('')) && !leadsHome(typed)) return NO_MATCH;
	const firstSpace = glob.findIndex(({ token }) => /^\s$/.test(token));
	const limits = glob.map((_, part) => ({
		isRest: matchesRest(glob, part),
		isProgram: firstSpace < 0 || part < firstSpace,
	}));
	const canMatch = (part: number, at: number): boolean => {
		if (guarded[at]) return false;
		const { isRest, isProgram } = limits[part];
		if (isRest) return true;
		const character = characters[at];
		if (/[\s'"\\]/.test(character) || (character === '=' && isProgram)) return false;
		return character !== '-' || !isSpace(characters[at - 1]);
	};
	return { characters, canMatch };
}
