import { WorkspaceAutomationError } from '../errors';
import { requireText } from '../validation';
import { bind } from './bind';
import { plainTemplate, tokenize } from './tokenizer';

/** Returns a single SELECT or WITH statement as it is (API document, POST /analytics/query, rule 1). @throws WorkspaceAutomationError */
export function requireSelect(field: string, value: unknown): string {
	const sql = requireText(field, value);
	let isStarted = false;
	let isEnded = false;
	for (const { kind, text } of tokenize(plainTemplate(sql))) {
		if (kind === 'space' || kind === 'comment' || (text === '(' && !isStarted)) continue;
		if (!isStarted && !(kind === 'word' && /^(select|with)$/i.test(text))) break;
		isStarted = true;
		if (isEnded && text !== ';') {
			throw new WorkspaceAutomationError(
				`'${field}' has more than one statement`,
				'Remove the text after the first semicolon. A query is a single statement.',
			);
		}
		isEnded ||= text === ';';
	}
	if (isStarted) return sql;
	throw new WorkspaceAutomationError(
		`'${field}' isn't a SELECT or WITH statement`,
		'Analytics data can only be read. Start the query with SELECT, or with WITH for common table expressions.',
	);
}

/** Returns the query with its values inserted as literals. @throws WorkspaceAutomationError if a value is missing or doesn't fit */
export const boundQuery = (
	sql: string,
	parameters: Map<string, unknown>,
	evaluate: (expression: string) => unknown,
): string => requireSelect('Query', bind(sql, { parameters, evaluate }));
