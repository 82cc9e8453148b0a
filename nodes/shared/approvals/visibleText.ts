import { cutOff, lazily } from '../values';

// Makes an agent's text safe to show: people see all of it, and nothing in it has an effect.

const nameCodePoint = (character: string) =>
	`U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
const showCodePoint = (character: string) => `⟨${nameCodePoint(character)}⟩`;

const SHOWN_AS = new Map([
	// ASCII that a channel reads as markup, a mention, an entity or an escape, in its full-width form
	...[...'<>&*_~`|[]\\@'].map((character): [string, string] => [
		character,
		String.fromCharCode(character.charCodeAt(0) + 0xfee0),
	]),
	['\n', '⏎'],
	['\t', '⇥'],
	// Slack turns `:name:` into a picture. The ratio sign looks the same, and the full-width colon is common in Chinese.
	[':', '∶'],
	// Channels make links of bare domains and addresses (`evil.com/x`), and commands of `/words`. These look the same.
	['.', '․'],
	['/', '∕'],
]);
const SPACE_IN_A_ROW = '␣';
/** Shown as code points if the text itself has them */
const RESERVED_CHARACTERS = new Set([...SHOWN_AS.values(), SPACE_IN_A_ROW, '«', '»', '⟨', '⟩']);

/** Controls, formats (bidirectional ones too), unassigned and invisible characters, and all spaces but the plain one */
const UNSEEN = /^(?! )[\p{C}\p{Default_Ignorable_Code_Point}\p{Z}\u2800]$/u;
const MARK_CHARACTER = /^\p{M}$/u;
const LETTER = /^\p{L}$/u;
/** Combining marks after a letter in real writing. More of them can cover the lines around. */
const MAX_COMBINING_MARKS = 3;

/** Creates a test for invisible characters and marks that cover others. It needs all characters in their order. */
function createHiddenTest(): (character: string) => boolean {
	/** Since the latest letter. Without a letter, no mark fits. */
	let marks = MAX_COMBINING_MARKS;
	return (character) => {
		const isMark = MARK_CHARACTER.test(character);
		marks = LETTER.test(character) ? 0 : isMark ? marks + 1 : MAX_COMBINING_MARKS;
		return UNSEEN.test(character) || (isMark && marks > MAX_COMBINING_MARKS);
	};
}

/** Returns a text of the same length, with look-alikes for what has an effect in a channel */
type Defusing = (text: string) => string;

const lookAlike = (character: string): string => SHOWN_AS.get(character)!;

const defuse: Defusing = (text) => text.replace(/[<>&*_~`|[\]\\@\n\t:./]/g, lookAlike);

/** Endings of file names that are no top-level domains, so no channel makes links of them */
const FILE_ENDINGS =
	'html?|s?css|less|[cm]?[jt]sx?|json|ya?ml|toml|xml|txt|csv|log|lock|env|ini|svg|png|jpe?g|gif|webp|avif|ico|pdf|php|vue|svelte|astro';
const LINK_PARTS = new RegExp(
	[
		// Mentions, and markup that hides signs of a command, or for which Telegram refuses a message if it's unclosed
		'[<*_`[\\\\@\\n\\t]',
		':(?=//)',
		// Entities
		'&(?=#?[\\p{L}\\p{N}]+;)',
		// Bare domains, unless this is the end of a file's name
		`(?<=[\\p{L}\\p{N}])\\.(?!(?:${FILE_ENDINGS})(?![\\p{L}\\p{N}.-]))(?=\\p{L})`,
	].join('|'),
	'giu',
);

/** Leaves dots, slashes and colons as they are where they make no link. */
export const defuseLinks: Defusing = (text) => text.replace(LINK_PARTS, lookAlike);

/** Shows text in one line of at most `limit` UTF-16 units, and counts the rest. Different texts that are shown whole look different. */
export function visibleText(
	text: string,
	limit: number,
	defused: Defusing = defuse,
): { shown: string; hidden: number } {
	let shown = '';
	let length = 0;
	const isHidden = createHiddenTest();
	// Each character shows as at least as many units as it has. The limit keeps long texts from taking more time.
	const start = text.slice(0, limit + 2);
	const signs = defused(start);
	const characters = [...start];
	for (const [at, character] of characters.entries()) {
		const isUnclear = isHidden(character) || RESERVED_CHARACTERS.has(character);
		const inARow = [characters[at - 1], characters[at + 1]].includes(' ');
		const isDefused = signs[length] !== start[length];
		const sign = isDefused ? signs[length] : isUnclear ? showCodePoint(character) : character;
		const piece = character === ' ' && inARow ? SPACE_IN_A_ROW : sign;
		if (shown.length + piece.length > limit) break;
		shown += piece;
		length += character.length;
	}
	return { shown, hidden: text.length - length };
}

/** Quotes foreign text with « and », which it can't contain, and counts the rest. */
export function quoteVisible(text: string, limit: number, defused?: Defusing): string {
	const { shown, hidden } = visibleText(text, limit, defused);
	return `«${shown}»${cutOff(hidden)}`;
}

/** Quotes the first line that isn't blank, and counts the characters after it. */
export function quoteFirstLine(text: string, limit: number, defused?: Defusing): string {
	const whole = text.trim();
	const [line] = whole.split('\n', 1);
	const { shown, hidden } = visibleText(line, limit, defused);
	return `«${shown}»${cutOff(hidden + whole.length - line.length)}`;
}

/** `break`: a line break or a tab. `mixed`: a word that mixes scripts, or a word or sign that looks like another one. `hidden`: the name of an invisible character. */
export interface TextPart {
	kind: 'text' | 'break' | 'mixed' | 'hidden';
	text: string;
}

/** Scripts whose letters look alike. Chinese, Japanese and Korean mix their scripts, but look like none of these. */
const SCRIPTS = [
	...[
		'Latin',
		'Cyrillic',
		'Greek',
		'Armenian',
		'Cherokee',
		'Coptic',
		'Georgian',
		'Lisu',
		'Deseret',
	],
	...['Osage', 'Gothic', 'Old_Italic', 'Carian', 'Lycian', 'Lydian', 'Tifinagh', 'Glagolitic'],
	...['Canadian_Aboriginal', 'Vai', 'Warang_Citi', 'Bamum', 'Runic'],
].map((script) => `\\p{Script=${script}}`);

const ASCII = /^[\0-\x7f]*$/;

const anyOf = (scripts: readonly string[]): RegExp => new RegExp(`[${scripts.join('')}]`, 'u');
/** Finds a letter, in the group of its script */
const ANY_SCRIPT = new RegExp(SCRIPTS.map((script) => `(${script})`).join('|'), 'u');
/** The scripts but one, by its place */
const OTHER_SCRIPTS = SCRIPTS.map((_, at) => anyOf(SCRIPTS.filter((__, other) => other !== at)));

/** Returns whether a text mixes the letters of several scripts. */
function mixesScripts(text: string): boolean {
	const found = ANY_SCRIPT.exec(text);
	return found !== null && OTHER_SCRIPTS[found.indexOf(found[0], 1) - 1].test(text);
}

/** Words of which every letter looks like one of ours, in scripts that are in use */
const IMITATES =
	/^(?:[асеорхуѕіјһԁԛԝӏАВЕКМНОРСТХУЅІЈԌԜҺ\p{N}]{2,}|[αογνρικυχωΑΒΕΖΗΙΚΜΝΟΡΤΥΧ\p{N}]{2,}|[օհոսցզՕՍԼ\p{N}]{2,})$/u;
/** Letters of scripts that few people read */
const RARE =
	/[\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}\p{Script=Deseret}\p{Script=Gothic}\p{Script=Old_Italic}\p{Script=Carian}\p{Script=Lycian}\p{Script=Lydian}\p{Script=Warang_Citi}]/u;
/** Hyphens, slashes, colons, bars, tildes, asterisks, brackets and letters that look like ASCII */
const IMITATING_SIGN =
	/[\u2010-\u2013\u2212\u02D7\u2043\u2044\u2215\u29F8\u2571\u27CB\u2216\u29F5\u2236\u02D0\uA789\u2223\u01C0\u2502\u2758\u223C\u02DC\u2217\u204E\u2039\u203A\u02C2\u02C3\u01C3\u0251\u0261]/;
/** Full-width signs of Chinese and Japanese texts, and numbers in superscript */
const ORDINARY =
	/[\uFF01-\uFF0F\uFF1A-\uFF20\uFF3B-\uFF40\uFF5B-\uFF5E\u00AA\u00B2\u00B3\u00B9\u00BA\u2070-\u209F]/u;
/** A mathematical letter is another form of an ASCII character, and so is U+037E. */
const isFormOfAscii = (character: string): boolean =>
	!ASCII.test(character) &&
	!ORDINARY.test(character) &&
	/^[!-~]$/.test(character.normalize('NFKC'));

const hasFormOfAscii = (text: string): boolean =>
	text.normalize('NFKC') !== text && [...text].some(isFormOfAscii);

/** What a word or sign has that may imitate another one. A text has it too. */
const IMITATIONS: ReadonlyArray<(text: string) => boolean> = [
	mixesScripts,
	(text) => RARE.test(text),
	(text) => IMITATING_SIGN.test(text),
	hasFormOfAscii,
];

/** Creates a test for words and signs of a text. What the text doesn't have isn't looked for in each word. */
function createImitationTest(text: string): (token: string) => boolean {
	const possible = IMITATIONS.filter((isIn) => isIn(text));
	return (token) =>
		!ASCII.test(token) &&
		(possible.some((isIn) => isIn(token)) || (IMITATES.test(token) && !/^\p{N}+$/u.test(token)));
}

/** Most texts, in which nothing has to be looked for */
const PLAIN_TEXT = /^[ -~]*$/;

/** A word, signs of ASCII, or any other character */
const TOKEN = /[\p{L}\p{M}\p{N}]+|[ !-/:-@[-`{-~]+|[^]/gu;
/** One of the characters that the test for hidden ones looks for */
const MAY_BE_HIDDEN = /(?! )[\p{M}\p{C}\p{Default_Ignorable_Code_Point}\p{Z}\u2800]/u;

/** Splits the first `limit` UTF-16 units of foreign text for a page that isolates and escapes them, and counts the rest. */
export function splitVisible(text: string, limit: number): { parts: TextPart[]; hidden: number } {
	// Never ends with half of a character
	const start = text.length > limit ? text.slice(0, limit).replace(/[\uD800-\uDBFF]$/, '') : text;
	const hidden = text.length - start.length;
	if (PLAIN_TEXT.test(start))
		return { parts: start === '' ? [] : [{ kind: 'text', text: start }], hidden };
	const parts: TextPart[] = [];
	const add = (kind: TextPart['kind'], piece: string) => {
		const last = parts[parts.length - 1];
		if (last?.kind === kind && (kind === 'text' || kind === 'mixed')) last.text += piece;
		else parts.push({ kind, text: piece });
	};
	const imitates = createImitationTest(start);
	const wordKind = (token: string) => (imitates(token) ? 'mixed' : 'text');
	for (const [token] of start.matchAll(TOKEN)) {
		if (token === '\n' || token === '\t') add('break', token);
		else if (!MAY_BE_HIDDEN.test(token)) add(wordKind(token), token);
		else {
			// Marks belong to a letter of the same word.
			const isHidden = createHiddenTest();
			const kind = lazily(() => wordKind(token));
			for (const character of token)
				if (isHidden(character)) add('hidden', nameCodePoint(character));
				else add(kind(), character);
		}
	}
	return { parts, hidden };
}

/** Returns whether a word or sign in one of these texts may imitate another one. */
export const isMixed = (texts: readonly string[], limit = Infinity): boolean =>
	texts.some(
		(text) =>
			!ASCII.test(text) && splitVisible(text, limit).parts.some(({ kind }) => kind === 'mixed'),
	);
