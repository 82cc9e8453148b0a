// Every error that the package's code throws on purpose, as it stands there: what happened, and what to do next.
import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';

/** Errors whose second argument says what to do next */
const FOR_PEOPLE =
	/^(WorkspaceAutomation|Indeterminate|Mistake|UnreadableSession)Error$|^(fieldError|NodeOperationError)$/;

export interface ThrownError {
	/** The file, within nodes/ */
	file: string;
	message: string;
	/** What to do next; absent where the code has none, `…` where it is put together elsewhere */
	next?: string;
}

/** A text as a person would read it, with `…` for what is only known when it is thrown */
export function wording(node: ts.Expression): string {
	if (ts.isStringLiteralLike(node)) return node.text;
	if (ts.isParenthesizedExpression(node)) return wording(node.expression);
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

function errorsIn(file: string, source: string): ThrownError[] {
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

/** All of them, by file and in the order of the code */
export function thrownErrors(): ThrownError[] {
	const folder = new URL('../../nodes/', import.meta.url);
	const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
		file.endsWith('.ts'),
	);
	return files
		.sort()
		.flatMap((file) => errorsIn(file, readFileSync(new URL(file, folder), 'utf8')));
}

/** The table of them, as Markdown */
export const errorTable = (errors: ThrownError[]): string => {
	const cell = (text = '') => text.replaceAll('|', '\\|');
	const rows = errors.map(
		({ file, message, next }) => `| \`${file}\` | ${cell(message)} | ${cell(next)} |`,
	);
	return [
		'<!-- Written from the code by WRITE_ERRORS=1 npm test -- -i test/package/errors. "…" is known only when the error is thrown. -->',
		'',
		'| In `nodes/` | What happened | What to do next |',
		'| --- | --- | --- |',
		...rows,
		'',
	].join('\n');
};
