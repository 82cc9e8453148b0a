import type { INodeProperties } from 'n8n-workflow';

import { inWords, titleOf } from '../shared/base/values';
import type { Field, Operation } from '../shared/n8n/operation';
import { sendRouted } from '../shared/n8n/routing';

/** A field, shown for its operation. n8n passes over what it does not know of it. */
const property = (field: Field, show: Record<string, string[]>): INodeProperties => ({
	...(field as INodeProperties),
	displayOptions: { ...field.displayOptions, show: { ...show, ...field.displayOptions?.show } },
});

const nameOf = (operation: string) => (operation === 'getAll' ? 'Get Many' : titleOf(operation));

const actionOf = (operation: string, resource: string) => {
	const [first, ...others] = nameOf(operation).toLowerCase();
	const noun = `${inWords(resource)}${operation === 'getAll' ? 's' : ''}`;
	return `${first.toUpperCase()}${others.join('')} ${noun}`;
};

/**
 * The part of the panel that belongs to a resource: the list of its operations, then their fields, each shown for its operation. A
 * new node lists or, without a list, creates.
 * @param operations by their value, which workflows store
 */
export function panelOf(
	resource: string,
	operations: Record<string, Operation>,
): INodeProperties[] {
	const show = { resource: [resource] };
	const entries = Object.entries(operations).map(([value, operation]) => ({
		name: nameOf(value),
		value,
		action: operation.action ?? actionOf(value, resource),
		description: operation.description,
		// The one way to the API: this replaces n8n's own sending.
		routing: { operations: { pagination: sendRouted(operation) }, send: { paginate: true } },
	}));
	const values = Object.keys(operations);
	const first = ['getAll', 'create'].find((value) => values.includes(value)) ?? values[0];
	return [
		{
			displayName: 'Operation',
			name: 'operation',
			type: 'options',
			noDataExpression: true,
			displayOptions: { show },
			options: entries.sort((a, b) => (a.name < b.name ? -1 : 1)),
			default: first,
		},
		...Object.entries(operations).flatMap(([operation, { fields }]) =>
			fields.map((field) => property(field, { ...show, operation: [operation] })),
		),
	];
}
