// The operations of the Workspace Automation node, as its panel declares them: their endpoints, and the fields that they need.
import type { IDataObject, INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { WorkspaceAutomation } from '../../nodes/WorkspaceAutomation/WorkspaceAutomation.node.ts';
import { operations as contract } from '../../openapi/contract.mts';

const { properties } = new WorkspaceAutomation().description;

interface DeclaredOperation {
	/** `resource.operation` */
	name: string;
	resource: string;
	option: INodePropertyOptions;
	/** `METHOD /path` of its routing */
	endpoint: string;
}

/** In the panel's order */
export const declared: DeclaredOperation[] = properties
	.filter(({ name }) => name === 'operation')
	.flatMap(({ displayOptions, options }) =>
		(options as INodePropertyOptions[]).map((option) => {
			const resource = String(displayOptions!.show!.resource![0]);
			const { method, url } = option.routing!.request!;
			const endpoint = `${method} ${url}`;
			return { name: `${resource}.${String(option.value)}`, resource, option, endpoint };
		}),
	);

const documented = contract.map(({ method, path }) => `${method} ${path}`);

/** The names of the operations by endpoint, in the contract's order */
export const endpoints: Record<string, string[]> = Object.fromEntries(
	[...new Set([...documented, ...declared.map(({ endpoint }) => endpoint)])].map((endpoint) => [
		endpoint,
		declared.filter((each) => each.endpoint === endpoint).map(({ name }) => name),
	]),
);

const ID = '123e4567-e89b-12d3-a456-426614174000';

/** Returns the fields that an operation needs. */
export const requiredFields = (name: string): INodeProperties[] =>
	properties.filter(({ required, displayOptions }) => {
		const { resource = [], operation = [] } = displayOptions?.show ?? {};
		return required === true && name === `${String(resource[0])}.${String(operation[0])}`;
	});

/** Returns parameters with an ID in each field that an operation needs. */
export const withIds = (name: string): IDataObject =>
	Object.fromEntries(
		requiredFields(name).map((field) => [
			field.name,
			field.type === 'resourceLocator' ? { __rl: true, mode: 'id', value: ID } : ID,
		]),
	);
