import { isMixed } from '../../shared/approvals/visibleText';
import { pluralize } from '../../shared/values';
import { describeCounts, type FileChange } from '../changes/change';
import type { ChangeLine } from '../changes/unifiedDiff';
import { agentText, markup, MIXED_HINT, type Html, type Part } from './markup';

// Renders the change of an edit: a table for each file, with a sign and a word for each added or removed line.

/** Colors are those of `PAGE_STYLE`, and these: */
export const CHANGE_STYLE = `
:root{--added:#dff3e4;--removed:#fde4e1}
@media (prefers-color-scheme:dark){:root{--added:#143222;--removed:#44201d}}
.change{width:100%;margin:0 0 .5rem;border-collapse:collapse;border-radius:.5rem;background:var(--code);font:.8125rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;tab-size:4}
.change caption{padding:.25rem 0;text-align:left;font-weight:600}
.change td{padding:0 .25rem;vertical-align:top}
.change td:last-child{width:100%;padding-right:.5rem;overflow-wrap:anywhere}
.change .number{text-align:right;white-space:nowrap;color:var(--soft);-webkit-user-select:none;user-select:none}
.change .sign{font-weight:700;-webkit-user-select:none;user-select:none}
.change .added{background:var(--added)}
.change .added .sign{color:var(--good)}
.change .removed{background:var(--removed)}
.change .removed .sign{color:var(--bad)}
.change .part td{color:var(--soft)}
.spoken{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
`;

const rowParts = (name: string, sign: string, spoken?: string) => ({
	start: markup`<tr class="${name}"><td class="number">`,
	sign: markup`</td><td class="sign">${spoken !== undefined && markup`<span aria-hidden="true">${sign}</span><span class="spoken">${spoken}</span>`}</td><td>`,
});

/** What is the same in all rows of a sign: a change may have thousands. */
const ROWS: Record<ChangeLine['sign'], ReturnType<typeof rowParts>> = {
	'+': rowParts('added', '+', 'Added'),
	'-': rowParts('removed', '−', 'Removed'),
	' ': rowParts('kept', ''),
	'@': rowParts('part', ''),
};

function lineRow({ sign, old, new: current, text }: ChangeLine): string {
	const row = ROWS[sign];
	const number = current ?? old;
	const { html } = agentText(text, Infinity);
	return `${row.start.html}${number ?? ''}${row.sign.html}${html}</td></tr>`;
}

function fileCaption(file: FileChange): Part {
	const { path, from } = file;
	const counts = describeCounts(file);
	return [
		from !== undefined && [agentText(from, Infinity), ' renamed to '],
		path === undefined ? 'A file' : agentText(path, Infinity),
		counts !== '' && ` (${counts})`,
	];
}

function fileView(caption: Html, rows: Html): Html {
	return rows.html === ''
		? markup`<p class="folder">${caption}</p>`
		: markup`<table class="change"><caption>${caption}</caption><tbody>
${rows}</tbody></table>`;
}

/** Lines that aren't folded */
const MAX_OPEN_LINES = 400;

/** Renders a change, all of it. */
export function changeView(files: readonly FileChange[]): Html {
	let left = MAX_OPEN_LINES;
	let foldedLines = 0;
	const open: Html[] = [];
	const folded: Html[] = [];
	const toView = (caption: Part, lines: readonly ChangeLine[]): Html => {
		let html = '';
		for (const line of lines) html += lineRow(line);
		return fileView(markup`${caption}`, { html });
	};
	const hasMixed = files.some(({ path = '', from = '', lines }) =>
		isMixed([path, from, ...lines.map(({ text }) => text)]),
	);
	for (const file of files) {
		const { lines } = file;
		const [shown, rest] = [lines.slice(0, left), lines.slice(left)];
		if (left > 0) open.push(toView(fileCaption(file), shown));
		if (rest.length > 0 || left === 0)
			folded.push(toView([fileCaption(file), left > 0 && ', continued'], rest));
		left -= shown.length;
		foldedLines += rest.length;
	}
	return markup`${open}
${folded.length > 0 && markup`<details><summary>${pluralize(foldedLines, 'more line')} of the change</summary>${folded}</details>`}
${hasMixed && MIXED_HINT}`;
}
