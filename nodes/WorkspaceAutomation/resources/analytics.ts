import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { boundQuery, queryField, queryParameters } from '../../shared/analytics/query';
import { rowsOf } from '../../shared/api/overrides';
import { rememberInExecution } from '../../shared/n8n/customData';
import type { Operation } from '../../shared/n8n/operation';
import { TABLES } from './analytics/tables';

/** The service cuts results off here without saying so (API document, Limits). */
const MOST_ROWS = 100_000;

const OWN_QUERY = 'own';

/** Puts the query into the request, with values from other nodes written into it as literals. */
const bindQuery: Operation['prepare'] = function () {
	const evaluate = (expression: string) => this.evaluateExpression(expression, this.getItemIndex());
	return { query: boundQuery(this, evaluate) };
};

/** All rows in one item, and whether they were cut off. */
const readRows: Operation['result'] = function ({ body }, _values, api) {
	const warn = (message: string) => this.logger.warn(message, { node: this.getNode().name });
	const data = rowsOf(api, body, warn);
	const json: IDataObject = { rowCount: data.length, data };
	if (data.length >= MOST_ROWS) {
		const warning = `The analytics query returned ${MOST_ROWS} rows, the most that the service returns: there may be more. Narrow it down or group it.`;
		warn(warning);
		rememberInExecution(this, { analyticsRows: warning });
		json.rowLimitReached = true;
	}
	return { json };
};

/** Unless the user wants one item, the rows are the items; the last one says where they were cut off. */
const handOnRows: Operation['output'] = function (items) {
	if (this.getNodeParameter('options.rowsInOneItem', false) === true) return items;
	const { data, rowLimitReached } = items[0].json;
	const rows = data as IDataObject[];
	const last = rows.pop();
	if (last) rows.push({ ...last, ...(rowLimitReached === true && { rowLimitReached }) });
	return rows.map((json) => ({ json }));
};

export const analytics: Record<string, Operation> = {
	query: {
		description: 'Run a SQL query on the event data of the projects that the API key can access',
		request: 'queryAnalytics',
		fields: [
			{
				displayName: 'Query Template',
				name: 'table',
				type: 'options',
				noDataExpression: true,
				default: OWN_QUERY,
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
				displayOptions: { show: { table: [value] } },
			})),
		],
		prepare: bindQuery,
		result: readRows,
		output: handOnRows,
	},
};

const displayOptions = { show: { '/resource': ['analytics'], '/operation': ['query'] } };

/** The entries of Options for the analytics resource */
export const analyticsOptions: INodeProperties[] = [
	{ ...queryParameters, displayOptions },
	{
		displayName: 'Return as Single Item',
		name: 'rowsInOneItem',
		type: 'boolean',
		default: false,
		displayOptions,
		description:
			'Whether to return a single item, with the rows in data and their number in rowCount, instead of one item per row',
	},
];
