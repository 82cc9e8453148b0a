// A change on the approval page: every line has its sign, and hostile text is text.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { PAGE_STYLE } from '../../nodes/RunAgentSession/page/assets.ts';
import { changeView } from '../../nodes/RunAgentSession/page/changeView.ts';
import { readChange } from '../../nodes/RunAgentSession/changes/change.ts';

const PATH = 'src/a.ts';
const render = (metadata: object) => changeView(readChange({ permission: 'edit', metadata })).html;
const bdo = (text: string) => `<bdo dir="ltr">${text}</bdo>`;
const added = (text: string) => render({ path: PATH, oldText: '', newText: text });

/** Everything that this package writes itself. The rest is text. */
const OUR_TAGS =
	/<\/?(?:table|caption|tbody|tr|td|span|bdo|mark|p|details|summary)(?: (?:class|dir|aria-hidden)="[a-z ]+")*>/g;

describe('a change is shown', () => {
	test('with a sign, a word and a number for each line', () => {
		const html = render({ path: PATH, before: 'a\nb\n', after: 'a\nc\n' });
		expect(html).toContain(`<caption>${bdo(PATH)} (+1 −1)</caption>`);
		const cell = (sign: string, word: string) =>
			`<td class="sign"><span aria-hidden="true">${sign}</span><span class="spoken">${word}</span></td>`;
		expect(html).toContain(
			`<tr class="kept"><td class="number">1</td><td class="sign"></td><td>${bdo('a')}</td></tr>`,
		);
		expect(html).toContain(
			`<tr class="removed"><td class="number">2</td>${cell('−', 'Removed')}<td>${bdo('b')}</td></tr>`,
		);
		expect(html).toContain(
			`<tr class="added"><td class="number">2</td>${cell('+', 'Added')}<td>${bdo('c')}</td></tr>`,
		);
	});

	test.each([
		[400, ''],
		[1_000, '600 more lines of the change'],
	])('whole, folded after 400 lines: %d lines', (count, summary) => {
		const content = Array.from({ length: count }, (_, at) => `line ${at}`).join('\n');
		const html = render({ path: PATH, content });
		expect(html.split('<tr').length - 1).toBe(count);
		const [open, folded = ''] = html.split('<details>');
		expect(open.split('<tr').length - 1).toBe(400);
		expect(folded.slice('<summary>'.length).startsWith(summary)).toBe(true);
	});
});

describe('hostile text', () => {
	test.each<[string, string, string]>([
		['a script', '<script>alert(1)</script>', '&#60;script&#62;alert(1)&#60;/script&#62;'],
		['the end of the table', '</td></table>', '&#60;/td&#62;&#60;/table&#62;'],
		['a terminal’s color', '\u001b[31mred', '<mark>U+001B</mark>[31mred'],
		['a change of direction', 'a\u202eb', 'a<mark>U+202E</mark>b'],
		['a carriage return in a line', 'good\revil', 'good<mark>U+000D</mark>evil'],
		['an invisible character', 'a\u200b\0', 'a<mark>U+200B</mark><mark>U+0000</mark>'],
		['an indentation', '\tx', '<span class="tab">\t</span>x'],
	])('shows %s as text', (_, text, shown) => expect(added(text)).toContain(bdo(shown)));

	test('says that letters of several alphabets may imitate a word', () => {
		expect(added('cоlor')).toContain('A marked word mixes letters of different alphabets.');
	});

	test('has no element, attribute or line of its own, whatever it is', () => {
		const piece = fc.oneof(
			fc.string({ unit: 'binary' }),
			fc.constantFrom('<b class="added">', '"', "'", '&', '\n', '\r\n', '</bdo>', '@@', '--- x'),
		);
		const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
		fc.assert(
			fc.property(text, text, text, (path, before, after) => {
				const change = readChange({ metadata: { path, before, after, diff: after } });
				const { html } = changeView(change);
				expect(html.replace(OUR_TAGS, '')).not.toMatch(/[<>"']/);
				const lines = change.flatMap((file) => file.lines);
				expect(html.split('<tr').length - 1).toBe(lines.length);
			}),
		);
	});
});

test('its style needs no exception in the page’s Content-Security-Policy', () => {
	expect(PAGE_STYLE).not.toMatch(/url\(|@import|</);
	expect(added('x')).not.toMatch(/ style=| on\w+=/);
});
