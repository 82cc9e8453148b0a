import { pluralize } from '../../shared/values';
import {
	describeCounts,
	MAX_PATH_LENGTH,
	type ProposedChange,
	type FileChange,
	type ShownLine,
} from '../changes/change';
import { agentText, cutOff, markup, MIXED_HINT, type Html, type Part } from './markup';

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

const ROWS: Record<ShownLine['sign'], { name: string; sign: string; spoken?: string }> = {
	'+': { name: 'added', sign: '+', spoken: 'Added' },
	'-': { name: 'removed', sign: '−', spoken: 'Removed' },
	' ': { name: 'kept', sign: '' },
	'@': { name: 'part', sign: '' },
};

function lineRow({ sign, old, new: current, text, cut = 0 }: ShownLine): Html {
	const { name, sign: shown, spoken } = ROWS[sign];
	const signs =
		spoken !== undefined &&
		markup`<span aria-hidden="true">${shown}</span><span class="spoken">${spoken}</span>`;
	const number = current ?? old;
	return markup`<tr class="${name}"><td class="number">${number !== undefined && String(number)}</td><td class="sign">${signs}</td><td>${agentText(text, Infinity)}${cutOff(cut)}</td></tr>`;
}

function fileCaption(file: FileChange): Part {
	const { path, from } = file;
	const counts = describeCounts(file);
	return [
		from !== undefined && [agentText(from, MAX_PATH_LENGTH), ' renamed to '],
		path === undefined ? 'A file' : agentText(path, MAX_PATH_LENGTH),
		counts !== '' && ` (${counts})`,
	];
}

function fileView(file: FileChange): Html {
	const { lines, hidden } = file;
	const caption = fileCaption(file);
	const body = markup`<table class="change"><caption>${caption}</caption><tbody>
${lines.map(lineRow)}</tbody></table>`;
	return markup`${lines.length > 0 ? body : markup`<p class="folder">${caption}</p>`}
${hidden > 0 && markup`<p class="hint">${pluralize(hidden, 'more line')} not shown.</p>`}`;
}

function leftOut({ hiddenFiles, isWhole }: ProposedChange, wholeUrl: string | undefined): Part {
	if (isWhole) return undefined;
	const more = wholeUrl
		? markup` <a href="${wholeUrl}">Show the whole change</a>`
		: ' You can see all of it in the dashboard only.';
	const files = hiddenFiles > 0 ? `${pluralize(hiddenFiles, 'more file')} not shown.` : '';
	return markup`<p class="hint">${files} Only a part of this change is shown.${more}</p>`;
}

/**
 * Renders a change.
 * @param wholeUrl address of a page with the whole change, if there is one
 */
export function changeView(change: ProposedChange, wholeUrl?: string): Html {
	const files = markup`${change.files.map(fileView)}`;
	// No text of the agent has these quotation marks in HTML.
	const isMixed = files.html.includes('class="mixed"');
	return markup`${files}
${isMixed && markup`<p class="hint">${MIXED_HINT}</p>`}
${leftOut(change, wholeUrl)}`;
}
