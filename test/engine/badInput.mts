// Rows of bad input: what an expression may give a field of a kind, and what the node says to it.
import type { IDataObject } from 'n8n-workflow';
import { byId as rl } from '../../n8n-host/workflows.mts';
import { declared, requiredFields, withIds } from '../support/endpoints.mts';

export const ID = '123e4567-e89b-12d3-a456-426614174000';

export { rl };

export const NULL = '={{ null }}';

export const NUMBER = '={{ 7 }}';

const NO_ID = '={{ "p1" }}';

export const LONG = (length: number, start = '') => `={{ "${start}" + "x".repeat(${length}) }}`;

export type Row = [operation: string, spoilt: IDataObject, message: RegExp, description: RegExp];

export const texts = (
	operation: string,
	parameter: string,
	field: string,
	wrap = (value: string): IDataObject => ({ [parameter]: value }),
): Row[] => [
	[operation, wrap(NULL), new RegExp(`^'${field}' is empty$`), /Enter a value/],
	[operation, wrap('={{ "  " }}'), new RegExp(`^'${field}' is empty$`), /Enter a value/],
	[operation, wrap(NUMBER), new RegExp(`^'${field}' is not a text$`), /Enter a value/],
];

export const ids = (
	operation: string,
	parameter: string,
	field: string,
	wrap: (value: string) => unknown = rl,
): Row[] => [
	[
		operation,
		{ [parameter]: wrap(NULL) } as IDataObject,
		new RegExp(`^'${field}' is empty$`),
		/Enter a value/,
	],
	[
		operation,
		{ [parameter]: wrap(NO_ID) } as IDataObject,
		new RegExp(`^'${field}' isn't a valid ID$`),
		/UUID/,
	],
];

export const emptyTexts = (
	operation: string,
	parameter: string,
	field: string,
	wrap?: (value: string) => IDataObject,
): Row[] => texts(operation, parameter, field, wrap).slice(0, 2);

/** IDs of any form: only nothing, and what would lead to another path, is refused */
export const anyIds = (
	operation: string,
	parameter: string,
	field: string,
	wrap: (value: string) => unknown = (value) => value,
): Row[] => [
	...emptyTexts(
		operation,
		parameter,
		field,
		(value) => ({ [parameter]: wrap(value) }) as IDataObject,
	),
	...['..', '\\ud800', 'a\\u0001b'].map((id): Row => [
		operation,
		{ [parameter]: wrap(`={{ "${id}" }}`) } as IDataObject,
		new RegExp(`^'${field}' isn't a valid ID$`),
		/can't be an ID/,
	]),
];

/** IDs that may be left out, also by an expression that gives null */
export const optionalIds = (...given: Parameters<typeof ids>): Row[] => ids(...given).slice(1);

export const plainIds = (operation: string, parameter: string, field: string) =>
	ids(operation, parameter, field, (value) => value);

export const limits = (operation: string): Row[] => [
	...[NULL, '={{ 0 }}', '={{ "many" }}'].map((limit): Row => [
		operation,
		{ limit },
		/^'Limit' isn't a valid number$/,
		/1 or more/,
	]),
	...switches(operation, 'returnAll', 'Return All'),
];

/** On or off */
export const switches = (operation: string, parameter: string, field: string): Row[] =>
	[NULL, NUMBER, '={{ "yes" }}', '={{ [true] }}'].map((value) => [
		operation,
		{ [parameter]: value },
		new RegExp(`^'${field}' is neither true nor false$`),
		/on or off/,
	]);

export const jsons = (
	operation: string,
	wrap: (value: string) => IDataObject,
	field: string,
): Row[] =>
	['{"a"', '[1]', '={{ 7 }}'].map((value) => [
		operation,
		wrap(value),
		new RegExp(`^'${field}' isn't a valid JSON object$`),
		/\{"name": "value"\}/,
	]);

export const body = (value: string): IDataObject => ({ additionalFields: { body: value } });

export const update =
	(field: string) =>
	(value: string): IDataObject => ({ updateFields: { [field]: value } });

const own: Record<string, IDataObject> = {
	'project.getAll': {},
	'task.get': { taskId: rl(ID) },
	'task.getAll': {},
	'task.update': { taskId: rl(ID), updateFields: { title: 'x' } },
	'agentSession.create': { projectId: rl(ID), prompt: 'x' },
	'agentSession.get': { sessionId: ID },
	'agentSession.abort': { sessionId: ID },
	'agentSession.sendMessage': { sessionId: ID, message: 'x' },
	'agentSession.resolveInteraction': {
		sessionId: ID,
		interactionId: 'i1',
		decision: 'option',
		optionValue: 'once',
	},
	'file.create': { projectId: rl(ID), name: 'a.md', contentSource: 'text', text: 'x' },
	'file.createFolder': { projectId: rl(ID), name: 'a' },
	'file.get': { fileId: rl(ID) },
	'file.getContent': { fileId: rl(ID), outputAs: 'binary', binaryPropertyName: 'data' },
	'file.getAll': { projectId: rl(ID) },
	'file.rename': { fileId: rl(ID), name: 'b.md' },
	'file.move': { fileId: rl(ID), parentId: rl(ID) },
	'customDomain.getAll': { siteId: ID },
	'customDomain.delete': { customDomainId: rl(ID) },
	'sharedPreview.create': { projectId: rl(ID), siteId: ID, route: '/' },
	'analytics.query': { query: 'SELECT 1' },
	'product.getAll': { projectId: rl(ID) },
	'product.create': { projectId: rl(ID), fields: '{"name":"x"}' },
	'product.update': { productId: rl('prod_1'), fields: '{"name":"x"}' },
};

/** Valid parameters of each operation */
export const good: Record<string, IDataObject> = {
	...Object.fromEntries(declared.map(({ name }) => [name, withIds(name)])),
	...own,
};

/** Rows for the fields that an operation without own rows needs */
export const neededFields = (rows: Row[]): Row[] =>
	declared
		.filter(({ name }) => !rows.some(([operation]) => operation === name))
		.flatMap(({ name }) =>
			requiredFields(name).map((field): Row => [
				name,
				{ [field.name]: field.type === 'resourceLocator' ? rl(NULL) : NULL },
				new RegExp(`^'${field.displayName}' is empty$`),
				/Enter a value/,
			]),
		);
