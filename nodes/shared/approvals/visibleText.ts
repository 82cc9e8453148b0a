// Text by an agent, made safe to show to a person: what it holds can be seen, and nothing in it acts.

const nameCodePoint = (character: string) =>
	`U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
const showCodePoint = (character: string) => `⟨${nameCodePoint(character)}⟩`;

const SHOWN_AS = new Map([
	// ASCII that one channel or another takes for markup, a mention, an entity or an escape, in its full-width form
	...[...'<>&*_~`|[]\\@'].map((character): [string, string] => [
		character,
		String.fromCharCode(character.charCodeAt(0) + 0xfee0),
	]),
	['\n', '⏎'],
	['\t', '⇥'],
	// Slack turns `:name:` into a picture. The sign for a ratio looks the same, and the full-width colon is an everyday one in Chinese.
	[':', '∶'],
	// Channels make links of bare domains and addresses (`evil.com/x`), and commands of `/words`. These look the same.
	['.', '․'],
	['/', '∕'],
]);
const SPACE_IN_A_ROW = '␣';
/** Characters with a meaning in what is shown; where the text has them itself, their code point is shown. */
const RESERVED_CHARACTERS = new Set([...SHOWN_AS.values(), SPACE_IN_A_ROW, '«', '»', '⟨', '⟩']);

/** Controls, formats (bidirectional ones too), unassigned, what is not drawn, and spaces and breaks other than the plain space. */
const UNSEEN = /^(?! )[\p{C}\p{Default_Ignorable_Code_Point}\p{Z}\u2800]$/u;
const MARK_CHARACTER = /^\p{M}$/u;
const LETTER = /^\p{L}$/u;
/** Combining marks after a letter that are real writing. More of them are piled up to cover the lines around. */
const MAX_MARKS = 3;

/** Tells the characters of a text that nobody sees, and the marks that cover others, from the rest. */
function createHiddenTest(): (character: string) => boolean {
	/** Number of marks after the latest letter. Without a letter, none fits. */
	let marks = MAX_MARKS;
	return (character) => {
		const isMark = MARK_CHARACTER.test(character);
		marks = LETTER.test(character) ? 0 : isMark ? marks + 1 : MAX_MARKS;
		return UNSEEN.test(character) || (isMark && marks > MAX_MARKS);
	};
}

/**
 * Shows foreign text in one line of at most `limit` UTF-16 units. `hidden` says how many are missing at the end.
 * Two different texts that are shown whole never look the same. Takes time in proportion to `limit`, however long the text is.
 */
export function visibleText(text: string, limit: number): { shown: string; hidden: number } {
	let shown = '';
	let taken = 0;
	const isHidden = createHiddenTest();
	// Every character shows as at least as many units as it has, so no more than these can be needed.
	const characters = [...text.slice(0, limit + 2)];
	for (const [at, character] of characters.entries()) {
		const isUnclear = isHidden(character) || RESERVED_CHARACTERS.has(character);
		const inARow = [characters[at - 1], characters[at + 1]].includes(' ');
		const sign = character === ' ' && inARow ? SPACE_IN_A_ROW : SHOWN_AS.get(character);
		const piece = sign ?? (isUnclear ? showCodePoint(character) : character);
		if (shown.length + piece.length > limit) break;
		shown += piece;
		taken += character.length;
	}
	return { shown, hidden: text.length - taken };
}

/** Foreign text between « and », which it cannot hold itself, with what was cut off counted behind them. */
export function quoteVisible(text: string, limit: number): string {
	const { shown, hidden } = visibleText(text, limit);
	return `«${shown}»${hidden > 0 ? ` (cut off, ${hidden} more characters)` : ''}`;
}

/** A part of a foreign text: as it is, a break in it, a word that mixes scripts, or the name of a character that nobody sees. */
export interface TextPart {
	kind: 'text' | 'line break' | 'tab' | 'mixed' | 'hidden';
	text: string;
}

/** Scripts whose letters look alike. Chinese, Japanese and Korean mix theirs with others, and look like none of them. */
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
].map((script) => new RegExp(`\\p{Script=${script}}`, 'u'));

const ASCII = /^[\0-\x7f]*$/;

/** Returns whether the letters of a word are from several scripts, so that it may not be the word it looks like. */
const mixesScripts = (word: string): boolean =>
	!ASCII.test(word) && SCRIPTS.filter((script) => script.test(word)).length > 1;

const TOKEN = /[\p{L}\p{M}\p{N}]+|\n|\t|[^]/gu;

const BREAKS = new Map<string, TextPart['kind']>([
	['\n', 'line break'],
	['\t', 'tab'],
]);

/**
 * The first `limit` UTF-16 units of a foreign text for a page that isolates and escapes them: as they are, with what can't be seen named.
 * @returns the parts in their order, and how many units are missing at the end
 */
export function splitVisible(text: string, limit: number): { parts: TextPart[]; hidden: number } {
	// Not half of a character
	const start = text.length > limit ? text.slice(0, limit).replace(/[\uD800-\uDBFF]$/, '') : text;
	const parts: TextPart[] = [];
	const add = (kind: TextPart['kind'], piece: string) => {
		const last = parts[parts.length - 1];
		if (last?.kind === kind && (kind === 'text' || kind === 'mixed')) last.text += piece;
		else parts.push({ kind, text: piece });
	};
	const isHidden = createHiddenTest();
	for (const [token] of start.matchAll(TOKEN)) {
		const kind = BREAKS.get(token) ?? (mixesScripts(token) ? 'mixed' : 'text');
		for (const character of token) {
			const isUnseen = isHidden(character) && !BREAKS.has(token);
			add(isUnseen ? 'hidden' : kind, isUnseen ? nameCodePoint(character) : character);
		}
	}
	return { parts, hidden: text.length - start.length };
}
