import type { INodeProperties } from 'n8n-workflow';

const displayOptions = { show: { '/resource': ['analytics'], '/operation': ['query'] } };

/** The entries of Options for the analytics resource */
export const analyticsOptions: INodeProperties[] = [
	{
		displayName: 'Query Parameters',
		name: 'parameters',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		placeholder: 'Add Parameter',
		default: {},
		displayOptions,
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
	},
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
