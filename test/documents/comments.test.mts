// Comments open with a verb or a noun and use the style guide's words, and functions have no names such as "itemOf".
import { describe, expect, test } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { findPhrases } from './phrases.mts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const PARTS: Record<string, string[]> = {
	package: [
		'credentials/*.ts',
		'nodes/RunAgentSession/**/*.ts',
		'nodes/shared/**/*.ts',
		'nodes/WorkspaceAutomation/**/*.ts',
		'nodes/WorkspaceAutomationTrigger/**/*.ts',
	],
	'local mock service': ['local-service/**/*.mts'],
	tools: ['bench/*.mts', 'n8n-host/*.mts', 'openapi/*.mts', 'tools/**/*.mts'],
	tests: ['test/**/*.mts'],
};

/** The share in code of AWS, Stripe, Temporal and others is 0 to 3 %. */
const MAX_SHARE = 0.03;
const NOUN_CLAUSE = /^(What|Whether|How|Where|When|Of|Whatever|Whoever)\b/;
const MAX_PHRASE_SHARE = 0.01;
const MAX_VAGUE_SHARE = 0.01;
const VAGUE_NAME = /[a-z](Of|In|By|As)$/;

const listFiles = (patterns: string[]): string[] =>
	globSync(patterns, { cwd: root, exclude: (path) => path.includes('node_modules') }).filter(
		(file) => !file.includes('node_modules'),
	);

const parse = (file: string): ts.SourceFile =>
	ts.createSourceFile(file, readFileSync(`${root}/${file}`, 'utf8'), ts.ScriptTarget.Latest, true);

function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
	visit(node);
	ts.forEachChild(node, (child) => walk(child, visit));
}

/** Returns the comments of a file. Adjacent lines with `//` are one comment. */
function listComments(source: ts.SourceFile): string[] {
	const { text } = source;
	const ranges = new Map<number, number>();
	walk(source, (node) => {
		for (const range of [
			...(ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []),
			...(ts.getTrailingCommentRanges(text, node.getEnd()) ?? []),
		])
			ranges.set(range.pos, range.end);
	});
	const comments: string[] = [];
	let previousEnd: number | undefined;
	for (const [start, end] of [...ranges].sort(([one], [other]) => one - other)) {
		const isLine = text.startsWith('//', start);
		const isNext = previousEnd !== undefined && /^\s*$/.test(text.slice(previousEnd, start));
		if (!isLine || !isNext) comments.push(text.slice(start, end).replace(/^\/[/*]+[\s*]*/, ''));
		previousEnd = isLine ? end : undefined;
	}
	return comments;
}

/** Returns the name of a declared function or method. */
function functionName(node: ts.Node): string | undefined {
	if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) return node.name?.getText();
	const isFunction =
		ts.isVariableDeclaration(node) &&
		node.initializer !== undefined &&
		(ts.isArrowFunction(node.initializer) || ts.isFunctionExpression(node.initializer));
	return isFunction ? node.name.getText() : undefined;
}

describe.each(Object.entries(PARTS))('%s', (_, patterns) => {
	const sources = listFiles(patterns).map(parse);

	test('at most 3 % of the comments open with a noun clause such as "What it holds"', () => {
		const comments = sources.flatMap(listComments);
		const clauses = comments.filter((comment) => NOUN_CLAUSE.test(comment));
		expect(comments.length).toBeGreaterThan(100);
		if (clauses.length > MAX_SHARE * comments.length) expect(clauses).toEqual([]);
	});

	test('at most 1 % of the comments have a phrase that must not come back', () => {
		const comments = sources
			.filter(({ fileName }) => !/package\/(phrases|prose)/.test(fileName))
			.map((source): [string, string[]] => [source.fileName, listComments(source)]);
		const found = findPhrases(new Map(comments));
		if (found.length > MAX_PHRASE_SHARE * comments.flatMap(([, each]) => each).length)
			expect(found).toEqual([]);
	});

	test('at most 1 % of the functions are named like "itemOf" or "filesIn"', () => {
		const names: string[] = [];
		let count = 0;
		for (const source of sources)
			walk(source, (node) => {
				const name = functionName(node);
				if (name) count++;
				if (name && VAGUE_NAME.test(name)) names.push(`${source.fileName}: ${name}`);
			});
		if (names.length > MAX_VAGUE_SHARE * count) expect(names).toEqual([]);
	});
});
