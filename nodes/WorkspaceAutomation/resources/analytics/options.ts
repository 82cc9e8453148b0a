import type { INodeProperties } from 'n8n-workflow';

const displayOptions = { show: { '/resource': ['analytics'], '/operation': ['query'] } };

/** What the node's Options hold for analytics. */
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
			'Values that the query names as {name:Type}, with a ClickHouse type such as String, UInt32, Date or Array(String). Whatever a value says, it stays a value.',
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
		displayName: 'Rows in One Item',
		name: 'rowsInOneItem',
		type: 'boolean',
		default: false,
		displayOptions,
		description:
			'Whether to put out a single item with rowCount and all rows in data, instead of an item for each row',
	},
];
