import { splitVisible, type TextPart } from '../../shared/approvals/visibleText';
import { cutOff } from '../../shared/values';

// HTML without external resources, in which all of an agent's words are isolated text.

export type Html = { html: string };
export type Part = string | Html | readonly Part[] | false | undefined;

// Most of thousands of short texts have nothing to replace, and a test takes less time.
const escape = (text: string): string =>
	/[&<>"']/.test(text)
		? text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
		: text;

const render = (part: Part): string => {
	if (part === undefined || part === false) return '';
	if (typeof part === 'string') return escape(part);
	if ('html' in part) return part.html;
	let html = '';
	for (const each of part) html += render(each);
	return html;
};

/** Returns HTML. Escapes inserted parts, unless they are HTML of this package. */
export function markup(texts: TemplateStringsArray, ...parts: Part[]): Html {
	let [html] = texts;
	for (let at = 0; at < parts.length; at++) html += render(parts[at]) + texts[at + 1];
	return { html };
}

/** HTML of a line break and a tab. The style adds the visible signs, so that copied text is unchanged. */
const BREAKS = new Map([
	['\n', '<span class="line">\n</span>'],
	['\t', '<span class="tab">\t</span>'],
]);

/** HTML of the parts, of which a text may have thousands */
const TEXT_PARTS: Record<TextPart['kind'], (text: string) => string> = {
	text: escape,
	break: (text) => BREAKS.get(text)!,
	mixed: (text) => `<mark class="mixed">${escape(text)}</mark>`,
	hidden: (text) => `<mark>${escape(text)}</mark>`,
};

/** Text in which nothing is hidden or mixed: a change may have thousands of such lines. */
const PLAIN = /^[\t\n -~]*$/;

const renderPlain = (text: string): string =>
	escape(text).replace(/[\n\t]/g, (character) => BREAKS.get(character)!);

/** Renders an agent's words unchanged, but isolated and with names for invisible characters. */
export function agentText(text: string, limit = 1_000): Html {
	if (text.length <= limit && PLAIN.test(text))
		return { html: `<bdo dir="ltr">${renderPlain(text)}</bdo>` };
	const { parts, hidden } = splitVisible(text, limit);
	let html = '';
	for (const { kind, text: piece } of parts) html += TEXT_PARTS[kind](piece);
	return markup`<bdo dir="ltr">${{ html }}</bdo>${cutOff(hidden)}`;
}

/** Explains the marks of words. */
export const MIXED_HINT = markup`<p class="hint">A marked word mixes letters of different alphabets. It may not be the word it looks like.</p>`;
