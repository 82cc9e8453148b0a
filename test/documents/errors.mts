// Every error that the package's code throws on purpose, as the code words it: title, and what to do.
import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';

/** Errors whose second argument says what to do */
const FOR_PEOPLE =
	/^(WorkspaceAutomation|Indeterminate|Mistake|SessionOver|UnreadableSession)Error$|^(fieldError|NodeOperationError)$/;

interface ThrownError {
	/** The file, within nodes/ */
	file: string;
	message: string;
	/** The advice. Absent if the code has none, and `…` if the code builds it elsewhere. */
	next?: string;
}

/** Arguments of a call, by the names of the parameters */
type Bindings = Map<string, ts.Expression>;

/** Returns the text of a constant that the same file declares at its top level. */
function constantText(node: ts.Identifier): string | undefined {
	const [constant] = node
		.getSourceFile()
		.statements.flatMap((statement) =>
			ts.isVariableStatement(statement)
				? statement.declarationList.declarations.filter(
						(each) => ts.isIdentifier(each.name) && each.name.text === node.text,
					)
				: [],
		);
	return constant?.initializer && ts.isStringLiteralLike(constant.initializer)
		? constant.initializer.text
		: undefined;
}

/** Returns a text as a reader sees it, with `…` for parts that are only known at run time. */
export function wording(node: ts.Expression, bindings: Bindings = new Map()): string {
	const read = (each: ts.Expression) => wording(each, bindings);
	if (ts.isStringLiteralLike(node)) return node.text;
	if (ts.isParenthesizedExpression(node)) return read(node.expression);
	if (ts.isIdentifier(node)) {
		const bound = bindings.get(node.text);
		return bound ? wording(bound) : (constantText(node) ?? '…');
	}
	if (ts.isTemplateExpression(node))
		return (
			node.head.text +
			node.templateSpans.map(({ expression, literal }) => read(expression) + literal.text).join('')
		);
	if (ts.isConditionalExpression(node))
		return [node.whenTrue, node.whenFalse].map(read).join(' / ');
	if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken)
		return read(node.left) + read(node.right);
	return '…';
}

/** Returns the texts of a title. One that depends on a condition has two. */
const titles = (node: ts.Expression, bindings?: Bindings): string[] =>
	ts.isConditionalExpression(node)
		? [node.whenTrue, node.whenFalse].flatMap((each) => titles(each, bindings))
		: [wording(node, bindings)];

/** Calls a function with each node of a tree. */
function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
	visit(node);
	ts.forEachChild(node, (child) => walk(child, visit));
}

/** Returns the function that a node is in, and its name, if its parameters appear in the error. */
function findHelper(node: ts.NewExpression): { name: string; parameters: string[] } | undefined {
	let at: ts.Node = node;
	while (at && !ts.isArrowFunction(at) && !ts.isFunctionDeclaration(at)) at = at.parent;
	if (!at) return undefined;
	const { name } = ts.isArrowFunction(at) ? (at.parent as ts.VariableDeclaration) : at;
	if (!name || !ts.isIdentifier(name)) return undefined;
	const parameters = at.parameters.map((each) => each.name.getText());
	const texts = (node.arguments ?? []).slice(0, 2).map((each) => each.getText());
	const isUsed = parameters.some((each) => texts.some((text) => text.includes(each)));
	return isUsed ? { name: name.text, parameters } : undefined;
}

/** Returns the arguments of each call of a helper in the same file. */
function findCalls(source: ts.SourceFile, helper: ReturnType<typeof findHelper>): Bindings[] {
	const found: Bindings[] = [];
	walk(source, (node) => {
		if (helper && ts.isCallExpression(node) && node.expression.getText() === helper.name)
			found.push(new Map(helper.parameters.map((name, index) => [name, node.arguments[index]])));
	});
	return found;
}

/** Returns a title and advice that the code keeps apart from the error: `{message, description}`, or the pair `[title, advice]`. */
function findWording(node: ts.Node, file: string): ts.Expression[] | undefined {
	if (ts.isObjectLiteralExpression(node)) {
		const [message, description] = ['message', 'description'].map((name) =>
			node.properties.find((each) => ts.isPropertyAssignment(each) && each.name.getText() === name),
		) as Array<ts.PropertyAssignment | undefined>;
		return message && description && [message.initializer, description.initializer];
	}
	if (!file.endsWith('/attemptError.ts') || !ts.isArrayLiteralExpression(node)) return undefined;
	const isTitle = ts.isStringLiteralLike(node.elements[0]) && / /.test(node.elements[0].text);
	return isTitle && node.elements.length === 2 ? [...node.elements] : undefined;
}

/** Returns the errors of a list of entries, whose words are in an object. `entries.ts` throws them. */
function listEntryErrors(node: ts.Node, file: string): ThrownError[] {
	if (!ts.isObjectLiteralExpression(node)) return [];
	const [label, noun, help] = ['label', 'noun', 'help'].map((name) => {
		const found = node.properties.find((each) => each.name?.getText() === name);
		return found && (ts.isPropertyAssignment(found) ? wording(found.initializer) : '…');
	});
	if (label === undefined || noun === undefined || help === undefined) return [];
	const entry = `${noun[0].toUpperCase()}${noun.slice(1)} … of '${label}'`;
	const isRequired = node.properties.some((each) => each.name?.getText() === 'isRequired');
	const titles = [
		`${entry} …`,
		...(isRequired ? [`'${label}' is empty`] : []),
		`'${label}' isn't a list of ${noun}s`,
	];
	return titles.map((message) => ({ file, message, next: `Nothing was sent. … ${help}` }));
}

/** Returns the errors that a source throws. */
function listErrors(file: string, text: string): ThrownError[] {
	if (file.endsWith('n8n/entries.ts')) return [];
	const found: ThrownError[] = [];
	const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
	const add = ([title, advice]: readonly ts.Expression[], bindings?: Bindings) => {
		if (!title) return;
		for (const message of titles(title, bindings))
			found.push({ file, message, next: advice && wording(advice, bindings) });
	};
	walk(source, (node) => {
		if (ts.isNewExpression(node) && FOR_PEOPLE.test(node.expression.getText())) {
			const calls = findCalls(source, findHelper(node));
			for (const bindings of calls) add(node.arguments ?? [], bindings);
			if (calls.length === 0) add(node.arguments ?? []);
		} else add(findWording(node, file) ?? []);
		found.push(...listEntryErrors(node, file));
	});
	return found;
}

/** Returns all errors, by file and in the order of the code. */
export function thrownErrors(): ThrownError[] {
	const folder = new URL('../../nodes/', import.meta.url);
	const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
		file.endsWith('.ts'),
	);
	return files
		.sort()
		.flatMap((file) => listErrors(file, readFileSync(new URL(file, folder), 'utf8')));
}

const isLetter = (text: string) => /[a-z]/i.test(text);

/** Returns the page with all errors that have a title, sorted by title. */
export const errorPage = (errors: ThrownError[]): string => {
	const cell = (text = '') =>
		text
			.replaceAll('|', '\\|')
			.replaceAll(/(?:… ?){2,}/g, '… ')
			.trim();
	const sortKey = (row: string) =>
		row
			.replaceAll(/[^a-z ]/gi, '')
			.trim()
			.toLowerCase();
	const byAdvice = new Map<string, Set<string>>();
	for (const { message, next = '' } of errors) {
		if (!isLetter(message)) continue;
		const advice = isLetter(next) ? cell(next) : 'See the description of the error.';
		byAdvice.set(advice, (byAdvice.get(advice) ?? new Set()).add(cell(message)));
	}
	const compare = (one: string, other: string) => (sortKey(one) < sortKey(other) ? -1 : 1);
	const rows = [...byAdvice].map(
		([advice, titles]) => `| ${[...titles].sort(compare).join('<br>')} | ${advice} |`,
	);
	return [
		'<!-- The table is written from the code by WRITE_DOCUMENT=1 npm test -- -i test/documents/errors. -->',
		'',
		'# Errors',
		'',
		'This page lists the errors of the nodes. `…` is a part that depends on the case, such as a name or an ID.',
		'',
		"If the service refuses a request, the title is the service's own message. The description has the status, the code and a link to the service's documentation. For sessions, it also has the session and its dashboard.",
		'',
		'See also [Troubleshoot](troubleshoot.md).',
		'',
		'| title | what to do |',
		'| --- | --- |',
		...rows.sort(compare),
		'',
	].join('\n');
};
