import { HOLE } from './tokenizer';

/** n8n's expressions, {{ $json.source }}, by the offset of their start. They end with the first closing braces, as in n8n. */
export function expressionsIn(text: string): ReadonlyMap<number, string> {
	const expressions = new Map<number, string>();
	let start = text.indexOf('{{');
	while (start !== -1) {
		const end = text.indexOf('}}', start + 2);
		if (end === -1) break;
		expressions.set(start, text.slice(start, end + 2));
		start = text.indexOf('{{', end + 2);
	}
	return expressions;
}

/** The text with holes in place of its expressions, which may contain quotes of their own. Offsets stay the same. */
export function withHoles(text: string, expressions: ReadonlyMap<number, string>): string {
	const pieces: string[] = [];
	let end = 0;
	for (const [start, { length }] of expressions) {
		pieces.push(text.slice(end, start), HOLE.repeat(length));
		end = start + length;
	}
	return pieces.join('') + text.slice(end);
}
