import { isMixed } from '../../shared/approvals/visibleText';
import { pluralize } from '../../shared/values';
import { describeCounts, type FileChange } from '../changes/change';
import type { ChangeLine } from '../changes/unifiedDiff';
import { agentText, markup, MIXED_HINT, type Html, type Part } from './markup';

// Renders the change of an edit: a table for each file, with a sign and a word for each added or removed line.

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
