import type {
	IExecuteSingleFunctions,
	INodeExecutionData,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';

import type { components } from '../../../shared/contract';
import { rememberInExecution } from '../../../shared/customData';
import { step } from '../../../shared/routed';
import { requireText } from '../../../shared/validate';
import { bind } from './bind';
import { requireSelect } from './sql';
import { TABLES } from './tables';

const showOnlyForAnalyticsQuery = { resource: ['analytics'], operation: ['query'] };

/** The service cuts results off here without saying so (API document, Limits). */
const MOST_ROWS = 100_000;

const OWN_QUERY = 'own';

/** Puts the query into the request, with values from other nodes written into it as literals. */
const bindQuery = step(function (request) {
	const sql = requireText('Query', this.getNodeParameter('query'));
	const { values = [] } = this.getNodeParameter('options.parameters', {}) as {
		values?: Array<{ name: string; value: unknown }>;
	};
	const parameters = new Map(
		values.map(({ name, value }) => [
			requireText('The name of a query parameter', name).trim(),
			value,
		]),
	);
	const query = bind(sql, {
		parameters,
		evaluate: (expression) => this.evaluateExpression(expression, this.getItemIndex()),
	});
	return { ...request, body: { query: requireSelect('Query', query) } };
});

async function handOnRows(
	this: IExecuteSingleFunctions,
	items: INodeExecutionData[],
): Promise<INodeExecutionData[]> {
	const { data = [] } = items[0].json as Partial<components['schemas']['AnalyticsResult']>;
	if (data.length >= MOST_ROWS) {
		const warning = `The analytics query returned ${MOST_ROWS} rows, the most the service returns: there may be more. Narrow the query down, or group its rows.`;
		this.logger.warn(warning, { node: this.getNode().name });
		rememberInExecution(this, { analyticsRows: warning });
	}
	if (this.getNodeParameter('options.rowsInOneItem', false) === true) return items;
	return (data as Array<INodeExecutionData['json']>).map((row) => ({ json: row }));
}

export const operation: INodePropertyOptions = {
	name: 'Query',
	value: 'query',
	action: 'Query analytics',
	description: 'Run a SQL query on the event data of the projects that the API key can access',
	routing: {
		request: { method: 'POST', url: '/analytics/query' },
		send: { paginate: true, preSend: [bindQuery] },
		output: { postReceive: [handOnRows] },
	},
};

const queryField = {
	displayName: 'Query',
	name: 'query',
	type: 'string',
	default: '',
	// Expressions are resolved here: n8n would put their values into the query without escaping them.
	noDataExpression: true,
	typeOptions: { editor: 'sqlEditor', sqlDialect: 'StandardSQL', rows: 6 },
	required: true,
	placeholder:
		'e.g. SELECT day, countMerge(views_state) AS views FROM daily_page_rollups GROUP BY day',
	description:
		'A SELECT or WITH statement in ClickHouse SQL. The service filters by project. Values of expressions are inserted as escaped literals, so they cannot change the query.',
	hint: 'Read columns that end in _state with a merge function. Expressions need no quotes around them.',
} satisfies Partial<INodeProperties>;

export const fields: INodeProperties[] = [
	{
		displayName: 'Start From',
		name: 'table',
		type: 'options',
		noDataExpression: true,
		default: OWN_QUERY,
		displayOptions: { show: showOnlyForAnalyticsQuery },
		description:
			'Fills in a query that reads this table. A query you have edited is kept: to replace it, choose Own Query, clear the query and choose a table again.',
		options: [
			{ name: 'Own Query', value: OWN_QUERY, description: 'Start with an empty query' },
			...TABLES.map(({ name, value, description }) => ({ name, value, description })),
		],
	},
	// The panel shows the default of the table that is chosen, until somebody changes it.
	...[{ value: OWN_QUERY, query: '' }, ...TABLES].map(({ value, query }) => ({
		...queryField,
		default: query,
		displayOptions: { show: { ...showOnlyForAnalyticsQuery, table: [value] } },
	})),
];
