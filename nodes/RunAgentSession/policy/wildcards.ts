import type { Glob, MatchText } from './patterns';

// Limits the wildcards of rules that approve. All other text must be in the rule as its author typed it.

/** Syntax that no wildcard matches, quoted or not */
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
/** Characters before the slash of a relative path, and schemes of addresses */
const BEFORE_RELATIVE =
	'[\\p{L}\\p{N}\\p{M}_.+~\\-/]|[^\\x00-\\x7f]|(?<![\\p{L}\\p{N}])(?:git\\+)?(?:https?|wss?|ssh|git):';

/** Paths that leave the current folder, compared with and without quotation marks */
const GUARDED_PATHS: ReadonlyArray<[what: string, where: RegExp]> = [
	[
		'a path out of its folder',
		new RegExp(`(?<!${DOT})(?:(?<!${NAME})${DOT}{2}|${DOT}{2}(?!${NAME}))(?!${DOT})`, 'giu'),
	],
	['an absolute path', new RegExp(`/(?<!(?:${BEFORE_RELATIVE})/)`, 'giu')],
	// An option can have its path attached (-I/usr), Windows has drives and servers, and zsh looks up =program.
	['an absolute path', /\/(?<=^-[^=/.]*\/)|[a-z]:(?<![\p{L}\p{N}]..)(?=[\\/])|^\\\\|^=/giu],
	// Editors run the command after a plus sign (+e/etc/x). The sign also begins formats of dates and text to search for.
	['an absolute path', /\/(?<=^\+(?!(?:%[bdhjmsy]|[^\p{L}%!])*\/)[^/]*\/)/giu],
	['a home folder', /~(?<![\p{L}\p{N}_)\]^]~)|~(?=\/)/gu],
];
/** Files of sed's commands, which are attached to their paths */
const SED_FILE = /(?<=(?:^|[^\p{L}])[rw]\s*)\//giu;
const IS_SED = /(?:^|[\s/])g?sed\s/;
/** Changes to the home folder or the folder before, without a path */
const LEADS_HOME = /(?:^|[\s;&|(])(?:cd|chdir|pushd)(?:\s+-[^\s;&|()]*)*\s*(?=$|[;&|)])/;
const leadsHome = (text: string): boolean => LEADS_HOME.test(text.replace(/['"\\]/g, ''));
const OPEN_QUOTE = "a quotation mark that isn't closed";
const GUARDED_NAMES = [
	...new Set([...GUARDED_SYNTAX, ...GUARDED_PATHS].map(([what]) => what)),
	OPEN_QUOTE,
];
/** Without any of these signs, a word can't leave the current folder. */
const PATH_SIGN = /[/.~=\\:%]/;
const OPTION_HOME = /~(?!\d)/gu;

interface PlainWord {
	text: string;
	places: number[];
}

/** Splits a text as the shell does. `open` is the place of a quotation mark that isn't closed, or -1. */
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

/** Removes quotation marks, for programs that read a word as a command once more, such as `sh -c`. */
function dropQuotes({ text, places }: PlainWord): PlainWord {
	const kept = [...places.keys()].filter((at) => !/['"\\]/.test(text[at]));
	return { text: kept.map((at) => text[at]).join(''), places: kept.map((at) => places[at]) };
}

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

/** Returns names for the parts of a text that no wildcard matches. */
export function findGuarded(text: string): string[] {
	const all = new Set<string>();
	findPlaces(text, (what) => all.add(what));
	return GUARDED_NAMES.filter((what) => all.has(what));
}

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

const NO_MATCH: MatchText = { characters: ['\0'], canMatch: () => false };

const isSpace = (character: string | undefined): boolean =>
	character === undefined || /[\s'"]/.test(character);

/** Returns whether a wildcard is a separate argument at the end, which matches the rest of the command. */
function matchesRest(glob: Glob, part: number): boolean {
	let first = part;
	while (glob[first]?.token === '*') first--;
	let next = part;
	while (glob[next]?.token === '*') next++;
	while (glob[next]?.character === ' ') next++;
	const { token = ';' } = glob[next] ?? {};
	return first >= 0 && /^\s$/.test(glob[first].token) && /^[;&|]$/.test(token);
}

/** Limits wildcards to one argument, but not an option's start. A separate last one matches the command's rest, a lone `*` all. */
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
