import type { IExecuteSingleFunctions, INodeExecutionData, INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import type { components } from '../../../shared/contract';
import { checked } from '../../../shared/routed';
import { requireSelect } from './sql';

const showOnlyForAnalyticsQuery = { resource: ['analytics'], operation: ['query'] };

/** The service cuts results off here without saying so (API document, Limits). */
const MOST_ROWS = 100_000;

async function rowsAsItems(this: IExecuteSingleFunctions, [{ json }]: INodeExecutionData[]): Promise<INodeExecutionData[]> {
	const { data = [] } = json as Partial<components['schemas']['AnalyticsResult']>;
	if (data.length >= MOST_ROWS) {
		this.logger.warn(`The analytics query returned ${MOST_ROWS} rows, the most the service gives: there may be more. Narrow it down or group it.`, { node: this.getNode().name });
	}
	return (data as Array<INodeExecutionData['json']>).map((row) => ({ json: row }));
}

export const operation: INodePropertyOptions = {
	name: 'Query',
	value: 'query',
	action: 'Query analytics',
	description: 'Run a SQL query over the event data of the projects that the key can act on',
	routing: {
		request: { method: 'POST', url: '/analytics/query' },
		send: { paginate: true, preSend: [checked('Query', 'query', requireSelect)] },
		output: { postReceive: [rowsAsItems] },
	},
};

export const fields: INodeProperties[] = [
	{
		displayName: 'Query',
		name: 'query',
		type: 'string',
		typeOptions: { editor: 'sqlEditor', sqlDialect: 'StandardSQL', rows: 6 },
		default: '',
		required: true,
		placeholder: 'e.g. SELECT day, countMerge(views_state) AS views FROM daily_page_rollups GROUP BY day',
		description: 'A SELECT or WITH statement in ClickHouse SQL. Columns that end in _state are read with a merge function; projects are filtered by the service.',
		displayOptions: { show: showOnlyForAnalyticsQuery },
		routing: { send: { type: 'body', property: 'query' } },
	},
];
