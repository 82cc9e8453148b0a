import type {
	IExecuteSingleFunctions,
	INodeExecutionData,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
} from 'n8n-workflow';

import type { OperationId } from '../api/operations';
import type { Api, Values } from '../api/types';
import type { ApiResponse } from '../transport/types';

// An operation of a node: the fields that people fill in, the request that they come to, and the items that come of it.

/** A field of the panel. One with a `check` is part of the request: what the check returns is its value there. */
export interface Field extends Omit<INodeProperties, 'options'> {
	/** Checks what was entered and returns it as it is sent; throws for a mistake, before anything is sent */
	check?: (field: string, value: unknown) => unknown;
	/** Whether its value, an object, is put over the body of the request */
	isExtra?: true;
	options?: Array<Field | INodePropertyOptions | INodePropertyCollection>;
}

export interface Entered {
	values: Values;
	/** Put over the body that results */
	extra: Record<string, unknown>;
}

export interface Operation {
	/** What n8n's list of actions calls it, where that is not its name with that of the resource */
	action?: string;
	description: string;
	request: OperationId;
	fields: Field[];
	/** Values that need more than one field, the input item or the service */
	prepare?: (this: IExecuteSingleFunctions, entered: Entered, api: Api) => Promise<Values> | Values;
	/** The item for a response; by default its JSON */
	result?: (
		this: IExecuteSingleFunctions,
		response: ApiResponse,
		values: Values,
		api: Api,
	) => Promise<INodeExecutionData> | INodeExecutionData;
	/** The item for a call that failed, where the user wants one; undefined raises the error */
	recover?: (
		this: IExecuteSingleFunctions,
		error: unknown,
		values: Values,
		api: Api,
	) => Promise<INodeExecutionData | undefined>;
	/** Turns what came back into the items that are handed on */
	output?: (this: IExecuteSingleFunctions, items: INodeExecutionData[]) => INodeExecutionData[];
}
