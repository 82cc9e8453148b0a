import type {
	DisplayCondition,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	NodeParameterValue,
	PostReceiveAction,
} from 'n8n-workflow';

import type { OperationId } from '../../shared/api/operations';
import {
	beginCall,
	placeParameter,
	type Check,
	type OperationHooks,
} from '../../shared/n8n/preSend';

/** A field of the panel. One with a `check` is part of the request: what the check returns is placed there. */
export interface Field extends Omit<INodeProperties, 'options'> {
	/** Checks what was entered and returns it as it is sent; throws for a mistake, before anything is sent */
	check?: Check;
	/** The name of the value in the request (`{placeholder}`), where it is not that of the parameter */
	sentAs?: string;
	options?: Array<Field | INodePropertyOptions | INodePropertyCollection>;
}

/** One operation of a resource: its entry in the list, its request and its fields. */
export interface Operation extends OperationHooks {
	name: string;
	value: string;
	action: string;
	description: string;
	/** The operation of the API that it calls */
	request: OperationId;
	fields: Field[];
	/** Turns what comes back into items */
	output?: PostReceiveAction[];
}

type Show = Record<string, Array<NodeParameterValue | DisplayCondition>>;

const isField = (entry: Field | INodePropertyOptions | INodePropertyCollection): entry is Field =>
	'type' in entry;

/** A field as n8n knows it, with the step that checks and places its value. */
function property({ check, sentAs, options, ...field }: Field, parent = ''): INodeProperties {
	const path = `${parent}${field.name}`;
	const step = check && placeParameter(field.displayName, path, sentAs ?? field.name, check);
	return {
		...field,
		...(options && {
			options: options.map((entry) => (isField(entry) ? property(entry, `${path}.`) : entry)),
		}),
		...(step && { routing: { send: { preSend: [step] } } }),
	};
}

const shownFor = (show: Show, field: INodeProperties): INodeProperties => ({
	...field,
	displayOptions: { ...field.displayOptions, show: { ...show, ...field.displayOptions?.show } },
});

/**
 * The part of the panel that belongs to a resource: the list of its operations, then their fields, each shown for its operation.
 * @param defaultOperation the one that is chosen in a new node
 */
export function resource(
	value: string,
	operations: Operation[],
	defaultOperation: string,
): INodeProperties[] {
	const show = { resource: [value] };
	const entries = operations.map(
		({
			name,
			value: operation,
			action,
			description,
			request,
			output,
			prepare,
			result,
			recover,
		}) => ({
			name,
			value: operation,
			action,
			description,
			routing: {
				send: { paginate: true, preSend: [beginCall(request, { prepare, result, recover })] },
				...(output && { output: { postReceive: output } }),
			},
		}),
	);
	return [
		{
			displayName: 'Operation',
			name: 'operation',
			type: 'options',
			noDataExpression: true,
			displayOptions: { show },
			options: entries.sort((a, b) => (a.name < b.name ? -1 : 1)),
			default: defaultOperation,
		},
		...operations.flatMap(({ value: operation, fields }) =>
			fields.map((field) => shownFor({ ...show, operation: [operation] }, property(field))),
		),
	];
}
