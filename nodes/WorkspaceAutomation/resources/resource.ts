import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

/** What the file of an operation exports. */
export interface Operation {
	/** The entry in the list of operations, with the routing of its request */
	operation: INodePropertyOptions;
	/** Its fields, each shown for this operation only */
	fields: INodeProperties[];
}

/** The part of the panel that belongs to a resource: the list of its operations, then their fields. */
export const resource = (
	value: string,
	operations: Operation[],
	defaultOperation: string,
): INodeProperties[] => [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: [value] } },
		options: operations
			.map(({ operation }) => operation)
			.sort((a, b) => (a.name < b.name ? -1 : 1)),
		default: defaultOperation,
	},
	...operations.flatMap(({ fields }) => fields),
];
