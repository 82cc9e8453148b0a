import type { INodeProperties } from 'n8n-workflow';

import { WorkspaceAutomationError } from '../base/errors';
import { requireText } from '../base/validation';
import { bind } from './bind';
import { plainTemplate, tokensOf } from './tokenizer';

// The query as the panel shows it, and as it is sent.

export const queryField = {
	displayName: 'Query',
	name: 'query',
	type: 'string',
	default: '',
	// Expressions are resolved here and not by n8n, which would write what they say into the query as it is.
	noDataExpression: true,
	typeOptions: { editor: 'sqlEditor', sqlDialect: 'StandardSQL', rows: 6 },
	required: true,
	placeholder:
		'e.g. SELECT day, countMerge(views_state) AS views FROM daily_page_rollups GROUP BY day',
	description:
		'A SELECT or WITH statement in ClickHouse SQL. The service filters by project. Values of expressions are inserted as escaped literals, so they cannot change the query.',
	hint: 'Read columns that end in _state with a merge function. Expressions need no quotes around them.',
} satisfies INodeProperties;

/** An entry of Options: the values of the query's placeholders */
export const queryParameters: INodeProperties = {
	displayName: 'Query Parameters',
	name: 'parameters',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add Parameter',
	default: {},
	description:
		'Values for the placeholders {name:Type} in the query, where Type is a ClickHouse type such as String, UInt32, Date or Array(String). They cannot change the query.',
	options: [
		{
			displayName: 'Parameter',
			name: 'values',
			values: [
				{
					displayName: 'Name',
					name: 'name',
					type: 'string',
					default: '',
					placeholder: 'e.g. source',
					description: 'The name between the braces',
				},
				{
					displayName: 'Value',
					name: 'value',
					type: 'string',
					default: '',
					placeholder: 'e.g. newsletter',
				},
			],
		},
	],
};

/**
 * A single SELECT or WITH statement (API document, POST /analytics/query, rule 1), as it is.
 * @throws WorkspaceAutomationError for anything else, and for what cannot be told for certain
 */
export function requireSelect(field: string, value: unknown): string {
	const sql = requireText(field, value);
	let isStarted = false;
	let isEnded = false;
	for (const { kind, text } of tokensOf(plainTemplate(sql))) {
		if (kind === 'space' || kind === 'comment' || (text === '(' && !isStarted)) continue;
		if (!isStarted && !(kind === 'word' && /^(select|with)$/i.test(text))) break;
		isStarted = true;
		if (isEnded && text !== ';') {
			throw new WorkspaceAutomationError(
				`'${field}' has more than one statement`,
				'Remove what follows the first semicolon: a query is a single statement.',
			);
		}
		isEnded ||= text === ';';
	}
	if (isStarted) return sql;
	throw new WorkspaceAutomationError(
		`'${field}' is not a SELECT or WITH statement`,
		'Analytics data can only be read. Start the query with SELECT, or with WITH for common table expressions.',
	);
}

/**
 * The query of the panel with its values written into it as literals.
 * @param evaluate resolves one expression, given with its braces
 * @throws WorkspaceAutomationError for a value that is missing or does not fit, and for what is not a single SELECT
 */
export function boundQuery(
	context: { getNodeParameter(name: string, fallback?: unknown): unknown },
	evaluate: (expression: string) => unknown,
): string {
	const sql = requireText('Query', context.getNodeParameter('query'));
	const { values = [] } = context.getNodeParameter('options.parameters', {}) as {
		values?: Array<{ name: string; value: unknown }>;
	};
	const parameters = new Map(
		values.map(({ name, value }) => [requireText('Name', name).trim(), value]),
	);
	return requireSelect('Query', bind(sql, { parameters, evaluate }));
}
