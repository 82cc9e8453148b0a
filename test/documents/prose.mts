// Counts habits of writing in a text, so that tests can keep ours within the range of n8n's and Stripe's.

interface ProseFigures {
	words: number;
	/** The next five are per 1,000 words. */
	freeRelatives: number;
	homeMadeVerbs: number;
	contractions: number;
	semicolons: number;
	secondPerson: number;
	/** The next two are words in a sentence. */
	median: number;
	p95: number;
}

/** Clauses with "what", "whatever" or "whoever" as a noun. "What to do" and questions aren't among them. */
const FREE_RELATIVE =
	/\b(whatever|whoever|whichever|whomever|what (is|was|are|were|has|have|can|could|must|may|does|did|do|it|they|you|we|n8n|the|a|an|people|others|follows?|exists?|remains?|matters?|comes?|came|differs?)\b)/gi;

/** Verbs of ours for which the field has others: see PHRASES in prose.test.mts. */
const HOME_MADE_VERB =
	/\b(go(es|ing)? on|went on|gone on|com(es?|ing) (out|back)|came (out|back)|lead(s|ing)? (back|to|into)|led (back|to|into)|hand(s|ed|ing)? on|tak(es?|ing|en) up|took up|look(s|ed|ing)? (at|for)|st(and|ands|ood) (for|in)|park(s|ed|ing)?|put off|is told|are told|tells? of|wait(s|ed|ing)? (out|on)|leave(s)? by|speaks? (of|about)|break(s|ing)? off|broke off|see(s|n)? through)\b/gi;

const CONTRACTION =
	/\b(\w+n['’]t|\w+['’](re|ve|ll|m)|(it|that|there|what|here|who|he|she|let)['’]s)\b/gi;

/** Represents code, which counts as one word. */
export const CODE = 'X';

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

const at = (sorted: number[], share: number): number =>
	sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

/** Returns the sentences that have a free relative. */
export const findFreeRelatives = (sentences: string[]): string[] =>
	sentences.filter((sentence) => !sentence.endsWith('?') && sentence.match(FREE_RELATIVE));

/** Returns the sentences that have a home-made verb. */
export const findHomeMadeVerbs = (sentences: string[]): string[] =>
	sentences.filter((sentence) => sentence.match(HOME_MADE_VERB));

/** Counts the habits in blocks of prose. Labels, headings and cells without a full stop are no sentences. */
export function measureProse(blocks: string[]): ProseFigures {
	const sentences = blocks.flatMap(splitSentences);
	const words = sentences.reduce((sum, sentence) => sum + countWords(sentence), 0);
	const lengths = sentences
		.filter((sentence) => /[.!?:]["”»)]?$/.test(sentence))
		.map(countWords)
		.sort((one, other) => one - other);
	const rate = (pattern: RegExp, among = sentences) => {
		const found = among.flatMap((sentence) => sentence.match(pattern) ?? []).length;
		return Math.round((10_000 * found) / words) / 10;
	};
	return {
		words,
		freeRelatives: rate(FREE_RELATIVE, findFreeRelatives(sentences)),
		homeMadeVerbs: rate(HOME_MADE_VERB),
		contractions: rate(CONTRACTION),
		semicolons: rate(/;/g),
		secondPerson: rate(/\b(you|your|yours|yourself)\b/gi),
		median: at(lengths, 0.5),
		p95: at(lengths, 0.95),
	};
}
