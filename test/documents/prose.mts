// Reads the prose of Markdown.

/** Represents code, which counts as one word. */
const CODE = 'X';

/** Returns the prose of Markdown: its paragraphs, list items, headings and table cells, without code, pictures and addresses. */
export function readBlocks(markdown: string): string[] {
	const text = markdown
		.replaceAll(/^```.*?^```$/gms, '')
		.replaceAll(/<!--.*?-->/gs, '')
		.replaceAll(/^ {4,}\S.*$/gm, (line) => (/^\s+([-*]|\d+\.) /.test(line) ? line : ''))
		.replaceAll(/<[^>]+>/g, '')
		.replaceAll(/`` ` ``/g, CODE)
		.replaceAll(/`[^`\n]+`/g, CODE)
		.replaceAll(/\]\([^)]*\)/g, ']')
		.replaceAll(/[[\]*_]/g, '');
	const blocks: string[] = [];
	let isOpen = false;
	for (const line of text.split('\n')) {
		const isRow = /^\s*\|/.test(line);
		if (isRow) blocks.push(...line.split(/(?<!\\)\|/).filter((cell) => /[a-z]/i.test(cell)));
		else if (isOpen && !/^\s*([-*>#]|\d+\.)\s/.test(line))
			blocks.push(`${blocks.pop()} ${line.trim()}`);
		else if (line.trim() !== '') blocks.push(line.replace(/^\s*(#+|>|[-]|\d+\.)\s+/, ''));
		isOpen = !isRow && line.trim() !== '' && !line.startsWith('#');
	}
	return blocks.map((block) => block.trim().replaceAll(/\s+/g, ' ')).filter(Boolean);
}

export const splitSentences = (block: string): string[] =>
	block.split(/(?<=[.!?]["”»)]?)\s+(?=["“«(]?[A-Z])/).filter((text) => /\w/.test(text));

export const countWords = (text: string): number => text.match(/[\p{L}\p{N}][^\s]*/gu)?.length ?? 0;
