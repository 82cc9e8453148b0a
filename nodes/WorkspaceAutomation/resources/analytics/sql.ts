import { WorkspaceAutomationError } from '../../../shared/errors/errors';
import { requireText } from '../../../shared/validation';

/** Comments, strings and quoted names, and everything else a character at a time. */
const TOKENS =
	/--[^\n]*|#![^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^'\\]|\\[\s\S]|'')*(?:'|$)|"(?:[^"\\]|\\[\s\S]|"")*(?:"|$)|`(?:[^`\\]|\\[\s\S]|``)*(?:`|$)|[^-#/'"`]+|[\s\S]/g;

/** A statement in pieces that put together are the statement again. */
export const tokensOf = (sql: string): string[] => sql.match(TOKENS) ?? [];

export const isComment = (token: string): boolean => /^(--|#!|\/\*)/.test(token);

/** A string, or a name in quotes */
export const isQuoted = (token: string): boolean => /^['"`]/.test(token);

/** A value between quotes of a kind, so that it cannot end them. */
export const quoted = (value: string, quote: string): string =>
	quote + value.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`) + quote;

/** The statement without its comments, and with strings and quoted names as empty ones: what it does, not what it says. */
const skeletonOf = (sql: string) =>
	tokensOf(sql)
		.map((token) => (isComment(token) ? ' ' : isQuoted(token) ? token[0] + token[0] : token))
		.join('');

/** A single SELECT or WITH statement (API document, POST /analytics/query, rule 1). */
export function requireSelect(field: string, value: unknown): string {
	const sql = requireText(field, value);
	const skeleton = skeletonOf(sql)
		.trim()
		.replace(/[;\s]+$/, '');
	if (!/^[(\s]*(select|with)\b/i.test(skeleton)) {
		throw new WorkspaceAutomationError(
			`'${field}' is not a SELECT or WITH statement`,
			'Analytics can only be read. Start the query with SELECT, or with WITH for common table expressions.',
		);
	}
	if (skeleton.includes(';')) {
		throw new WorkspaceAutomationError(
			`'${field}' has more than one statement`,
			'Remove what follows the first semicolon; one query runs at a time.',
		);
	}
	return sql;
}
