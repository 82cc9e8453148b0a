import type { INodeProperties } from 'n8n-workflow';

import { queryParameters } from '../../../shared/analytics/query';

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
