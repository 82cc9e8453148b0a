import { WorkspaceAutomationError } from '../errors';
import { requireText } from '../validation';
import { bind } from './bind';
import { plainTemplate, tokenize, type Token } from './tokenizer';

const STATEMENT = /^(?:select|insert|update|delete|create|alter|drop|truncate|optimize|explain)$/i;
const isAs = (token: Token | undefined): boolean => /^as$/i.test(token?.text ?? '');

/** Returns the keyword of the statement that follows WITH and its expressions, which can have such names beside AS. */
function findStatement(tokens: Token[]): string | undefined {
	let depth = 0;
	const found = tokens.find(({ kind, text }, index) => {
		depth += Number(text === '(') - Number(text === ')');
		if (depth > 0 || kind !== 'word' || !STATEMENT.test(text)) return false;
		return !isAs(tokens[index - 1]) && !isAs(tokens[index + 1]);
	});
	return found?.text;
}

/** Returns a single SELECT or WITH statement as it is (API document, POST /analytics/query, rule 1). @throws WorkspaceAutomationError */
export function requireSelect(field: string, value: unknown): string {
	const sql = requireText(field, value);
	const tokens = [...tokenize(plainTemplate(sql))].filter(
		({ kind }) => kind !== 'space' && kind !== 'comment',
	);
	const first = tokens.findIndex(({ text }) => text !== '(');
	const isRead = tokens[first]?.kind === 'word' && /^(select|with)$/i.test(tokens[first].text);
	if (!isRead || !/^select$/i.test(findStatement(tokens.slice(first)) ?? 'select')) {
		throw new WorkspaceAutomationError(
			`'${field}' isn't a SELECT or WITH statement`,
			'Analytics data can only be read. Start the query with SELECT, or with WITH for common table expressions before a SELECT.',
		);
	}
	const end = tokens.findIndex(({ text }) => text === ';');
	if (end === -1 || tokens.slice(end).every(({ text }) => text === ';')) return sql;
	throw new WorkspaceAutomationError(
		`'${field}' has more than one statement`,
		'Remove the text after the first semicolon. A query is a single statement.',
	);
}

/** Returns the query with its values inserted as literals. @throws WorkspaceAutomationError if a value is missing or doesn't fit */
export const boundQuery = (
	sql: string,
	parameters: Map<string, unknown>,
	evaluate: (expression: string) => unknown,
): string => requireSelect('Query', bind(sql, { parameters, evaluate }));
