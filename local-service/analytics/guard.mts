// What a query may do, decided from the syntax tree of ClickHouse's own parser, so that no trick of spelling gets past it. Pure.
import { ATTRIBUTION } from './schema.mts';

/** A node of the tree, as `EXPLAIN AST` prints it: `Function count (alias views) (children 1)` */
export interface SyntaxNode {
	/** `Function`, `TableIdentifier`, ... */
	kind: string;
	/** What follows the kind, without alias and number of children: `count` */
	text: string;
	children: SyntaxNode[];
}

/** Reads the lines of `EXPLAIN AST`: one node per line, indented by one space more than its parent. */
export function readTree(lines: string[]): SyntaxNode {
	const root: SyntaxNode = { kind: 'Root', text: '', children: [] };
	const path = [root];
	for (const line of lines) {
		const [, indent, kind, text] = /^( *)(\S+)(.*?)(?: \(alias .*\))?(?: \(children \d+\))?$/.exec(
			line,
		)!;
		const node = { kind, text: text.trim(), children: [] };
		path.length = indent.length + 1;
		path.at(-1)!.children.push(node);
		path.push(node);
	}
	return root;
}

const QUOTED = /'(?:[^'\\]|\\[\s\S]|'')*'|`(?:[^`\\]|\\[\s\S]|``)*`|"(?:[^"\\]|\\[\s\S]|"")*"/g;

/** Whether a quoted name has an escape: the tree is read line by line, and a line break in a name could forge lines. */
export const hasForgedName = (statement: string): boolean =>
	(statement.match(QUOTED) ?? []).some((quoted) => quoted[0] !== "'" && /[\\\p{Cc}]/u.test(quoted));

/** What follows each outermost OVER of a statement in ClickHouse's own spelling, with its brackets. */
export function windowsOf(statement: string): string[] {
	// Quoted text is blanked, so that its brackets do not count
	const bare = statement.replace(QUOTED, (quoted) => '_'.repeat(quoted.length));
	const windows: string[] = [];
	for (const over of bare.matchAll(/\bOVER (?=\()/gi)) {
		const start = over.index + over[0].length;
		let end = start;
		let depth = 0;
		do depth += { '(': 1, ')': -1 }[bare[end++]] ?? 0;
		while (depth > 0 && end < bare.length);
		windows.push(statement.slice(start, end));
	}
	return windows;
}

/** What a SELECT is made of. Everything else is refused: SETTINGS (`Set`), FORMAT and INTO OUTFILE, APPLY, parameters, other statements. */
const KINDS = new Set([
	'Root',
	'SelectWithUnionQuery',
	'SelectIntersectExceptQuery',
	'SelectQuery',
	'ExpressionList',
	'WithElement',
	'Subquery',
	'TablesInSelectQuery',
	'TablesInSelectQueryElement',
	'TableExpression',
	'TableJoin',
	'ArrayJoin',
	'TableIdentifier',
	'SampleRatio',
	'Identifier',
	'Literal',
	'Function',
	'Asterisk',
	'QualifiedAsterisk',
	'ColumnsRegexpMatcher',
	'QualifiedColumnsRegexpMatcher',
	'ColumnsListMatcher',
	'QualifiedColumnsListMatcher',
	'ColumnsTransformerList',
	'ColumnsExceptTransformer',
	'ColumnsReplaceTransformer',
	'ColumnsReplaceTransformer::Replacement',
	'OrderByElement',
	'InterpolateElement',
	'WindowDefinition',
	'WindowListElement',
]);

const CALLED: Record<string, string> = {
	Set: 'SETTINGS',
	ColumnsApplyTransformer: 'APPLY',
	QueryParameter: 'A query parameter',
};

/** Table functions that only compute their rows */
const TABLE_FUNCTIONS = new Set([
	ATTRIBUTION,
	'numbers',
	'generateSeries',
	'generate_series',
	'values',
]);

/** What the parser inserts where a query names no table */
const NO_TABLE = 'system.one';

const MEMBERSHIP = /^(global)?(not)?(null)?in(ignoreset)?$/i;

/**
 * Why a query may not run; undefined when it may. A table without a database needs no check: it is one of the caller's own.
 * @param mayCall whether a function of that name may be called
 */
export function refusalOf(
	tree: SyntaxNode,
	mayCall: (name: string) => boolean,
): string | undefined {
	return refusalUnder(tree, undefined, mayCall);
}

function refusalUnder(
	node: SyntaxNode,
	parent: SyntaxNode | undefined,
	mayCall: (name: string) => boolean,
): string | undefined {
	const own = refusalOfNode(node, parent, mayCall);
	if (own !== undefined) return own;
	for (const child of node.children) {
		const refusal = refusalUnder(child, node, mayCall);
		if (refusal !== undefined) return refusal;
	}
	return undefined;
}

function refusalOfNode(
	{ kind, text, children }: SyntaxNode,
	parent: SyntaxNode | undefined,
	mayCall: (name: string) => boolean,
): string | undefined {
	const isOutput = kind === 'SelectWithUnionQuery' && children.length > 1;
	if (!KINDS.has(kind) || isOutput) {
		const what = isOutput
			? children.some((child) => child.kind === 'Set')
				? 'SETTINGS'
				: 'FORMAT or INTO OUTFILE'
			: (CALLED[kind] ?? kind);
		return `${what} is not available here`;
	}
	if (kind === 'TableIdentifier' && text !== NO_TABLE && text.includes('.'))
		return `Table ${text} is not available; tables are named without a database`;
	if (kind !== 'Function') return undefined;
	if (parent?.kind === 'TableExpression')
		return TABLE_FUNCTIONS.has(text) ? undefined : `Table function ${text} is not available`;
	if (!mayCall(text)) return `Function ${text} is not available`;
	// `x IN y` reads a table when y names one
	const table =
		MEMBERSHIP.test(text) &&
		children[0]?.children
			.slice(1)
			.find((child) => child.kind === 'Identifier' && child.text.includes('.'));
	return table
		? `Table ${table.text} is not available; tables are named without a database`
		: undefined;
}
