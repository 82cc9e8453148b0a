// Checks that a note on the canvas shows all of its text, and that no node covers it: from the workflow's file, by the sizes that n8n's editor
// gives its text (measured in n8n 2.41).
import type { WorkflowFile, WorkflowNode } from '../n8n-host/workflows.mts';

/** n8n's own size of a node, with its name below */
export const NODE_SIZE = { width: 96, height: 144 };

/** Beside the text, on both sides together, and above and below it */
const FRAME = { width: 50, height: 18 };
/** The heights of a line, the space below, and what a bullet takes of the width */
const HEADING = { line: 32.4, below: 8, letter: 13 };
const PARAGRAPH = { line: 18.9, below: 8, letter: 6.8 };
const LIST = { line: 18.2, below: 8, letter: 6.8, bullet: 20 };

/** Into how many lines n8n breaks a text, a little more rather than less */
function getLines(text: string, width: number, letter: number): number {
	let lines = 1;
	let used = 0;
	for (const word of text.replaceAll(/[*`]/g, '').split(' ')) {
		const size = word.length * letter;
		if (used > 0 && used + size > width) {
			lines++;
			used = 0;
		}
		used += size + letter;
	}
	return lines;
}

/** A list's bullet or number, at the beginning of a line */
const ITEM = /^(- |\d+\. )/;

/** The least height with which a note of this width shows all of its text: a heading, paragraphs, and one list at the end */
function neededHeight(content: string, width: number): number {
	const inner = width - FRAME.width;
	const heights = content.split('\n').map((line) => {
		if (line.startsWith('## '))
			return HEADING.line * getLines(line.slice(3), inner, HEADING.letter) + HEADING.below;
		if (ITEM.test(line))
			return LIST.line * getLines(line.replace(ITEM, ''), inner - LIST.bullet, LIST.letter);
		return PARAGRAPH.line * getLines(line, inner, PARAGRAPH.letter) + PARAGRAPH.below;
	});
	const list = content.split('\n').some((line) => ITEM.test(line)) ? LIST.below : 0;
	return Math.ceil(heights.reduce((sum, height) => sum + height, FRAME.height + list));
}

export const isNote = ({ type }: WorkflowNode): boolean => type.endsWith('.stickyNote');

const getSize = (node: WorkflowNode) =>
	isNote(node)
		? { width: Number(node.parameters.width), height: Number(node.parameters.height) }
		: NODE_SIZE;

/** Returns the problems with a workflow's notes, one line each. */
export function noteProblems({ nodes }: WorkflowFile): string[] {
	return nodes.filter(isNote).flatMap((note) => {
		const { width, height } = getSize(note);
		const needed = neededHeight(String(note.parameters.content), width);
		const [x, y] = note.position;
		const covering = nodes.filter((node) => {
			const [left, top] = node.position;
			const size = getSize(node);
			return (
				node !== note &&
				left < x + width &&
				left + size.width > x &&
				top < y + height &&
				top + size.height > y
			);
		});
		return [
			...(height < needed ? [`${note.name} is ${height} high and needs ${needed}`] : []),
			...covering.map(({ name }) => `${name} lies on ${note.name}`),
		];
	});
}
