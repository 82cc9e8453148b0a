// Every error that the package's code throws on purpose, as the code words it: title, when, and what to do.
import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';

/** Errors whose second argument says what to do */
const FOR_PEOPLE =
	/^(WorkspaceAutomation|Indeterminate|Mistake|UnreadableSession)Error$|^(fieldError|NodeOperationError)$/;

/** When the code of a file throws, by its path in nodes/. The longest path wins. */
const WHEN: Record<string, string> = {
	'RunAgentSession/approval/answer.ts': 'You apply an answer.',
	'RunAgentSession/approval/request.ts': 'You apply an answer.',
	'RunAgentSession/output.ts': 'The session ends.',
	'RunAgentSession/panel': 'The node reads its fields.',
	'RunAgentSession/policy': 'The node reads its rules.',
	'RunAgentSession/session': 'Run Agent Session starts, polls or ends a session.',
	'RunAgentSession/session/items.ts': 'Run Agent Session reads its items.',
	'RunAgentSession/session/journal.ts': 'An item returns to the node.',
	'RunAgentSession/tryRules.ts': 'You try rules.',
	'WorkspaceAutomation/fileContent.ts': 'You get the content of a file.',
	'WorkspaceAutomation/resources/agentSession.ts': 'You resolve an interaction.',
	'WorkspaceAutomation/resources/file.ts': 'You create a file.',
	'WorkspaceAutomation/resources/product.ts': 'You create or update a product.',
	'WorkspaceAutomation/resources/sharedPreview.ts': 'You create a shared preview.',
	'WorkspaceAutomation/resources/task.ts': 'You update a task.',
	WorkspaceAutomationTrigger: 'The trigger polls.',
	'shared/analytics': 'You run an analytics query.',
	'shared/client/attemptError.ts': 'The service answers.',
	'shared/client/credential.ts': 'A node reads the credential.',
	'shared/client/lists.ts': 'A node reads a list.',
	'shared/client/overrides.ts': 'A node applies overrides.',
	'shared/client/session.ts': 'A node reads a session ID.',
	'shared/client/sessions.ts': 'A node starts a session.',
	'shared/client/transport.ts': 'A node sends a request.',
	'shared/errors.ts': 'A node sends a request.',
	'shared/n8n/declarative.ts': 'A node runs an operation.',
	'shared/n8n/fields.ts': 'An AI agent uses the node.',
	'shared/n8n/journal.ts': 'A retry finds an earlier attempt.',
	'shared/n8n/listSearch.ts': 'You open a list of files.',
	'shared/validation.ts': 'A node reads its fields.',
};

/** Returns when the errors of a file occur. Throws for a file that WHEN doesn't name. */
function describeWhen(file: string): string {
	const [path] = Object.keys(WHEN)
		.filter((each) => file === each || file.startsWith(`${each}/`))
		.sort((one, other) => other.length - one.length);
	if (path === undefined) throw new Error(`WHEN in test/package/errors.mts doesn't name ${file}`);
	return WHEN[path];
}

export interface ThrownError {
	/** The file, within nodes/ */
	file: string;
	message: string;
	/** What to do. Absent if the code has none, and `…` if the code builds it elsewhere. */
	next?: string;
}

/** Returns the text of a constant that the same file declares at its top level. */
function constantText(node: ts.Identifier): string | undefined {
	const file = node.parent?.getSourceFile();
	const [constant] = (file?.statements ?? []).flatMap((statement) =>
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
export function wording(node: ts.Expression): string {
	if (ts.isStringLiteralLike(node)) return node.text;
	if (ts.isParenthesizedExpression(node)) return wording(node.expression);
	if (ts.isIdentifier(node)) return constantText(node) ?? '…';
	if (ts.isTemplateExpression(node))
		return (
			node.head.text +
			node.templateSpans
				.map(({ expression, literal }) => wording(expression) + literal.text)
				.join('')
		);
	if (ts.isConditionalExpression(node))
		return [node.whenTrue, node.whenFalse].map(wording).join(' / ');
	if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken)
		return wording(node.left) + wording(node.right);
	return '…';
}

/** Returns the errors that a source throws. */
function listErrors(file: string, source: string): ThrownError[] {
	const found: ThrownError[] = [];
	const visit = (node: ts.Node): void => {
		if (ts.isNewExpression(node) && FOR_PEOPLE.test(node.expression.getText())) {
			const [message, next] = node.arguments ?? [];
			found.push({ file, message: wording(message), next: next && wording(next) });
		}
		ts.forEachChild(node, visit);
	};
	visit(ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true));
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
	const rows = errors
		.filter(({ message }) => isLetter(message))
		.map(({ file, message, next = '' }) => {
			const advice = isLetter(next) ? cell(next) : 'See the description of the error.';
			return `| ${cell(message)} | ${describeWhen(file)} | ${advice} |`;
		});
	return [
		'<!-- The table is written from the code by WRITE_ERRORS=1 npm test -- -i test/package/errors. -->',
		'',
		'# Errors',
		'',
		'This page lists the errors of the nodes. `…` is a part that depends on the case, such as a name or an ID.',
		'',
		"If the service refuses a request, the title is the service's own message. The description has the status, the code and a link to the service's documentation. For sessions, it also has the session and its dashboard.",
		'',
		'See also [Troubleshoot](troubleshoot.md).',
		'',
		'| title | when | what to do |',
		'| --- | --- | --- |',
		...[...new Set(rows)].sort((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1)),
		'',
	].join('\n');
};
