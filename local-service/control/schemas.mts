// The bodies of the control API. Unknown properties are refused: a misspelt fault would do nothing, and its test would pass.
import { namedOperations } from '../../openapi/contract.mts';
import { faultKinds } from '../fault-kinds.mts';

const strict = { type: 'object', additionalProperties: false } as const;

const text = { type: 'string' } as const;
const name = { type: 'string', minLength: 1 } as const;
const id = { type: 'string', format: 'uuid' } as const;

/** The bodies with which a kind of thing is added and changed */
const pair = (fields: object, needed: string[], onlyAtFirst: object = {}) => ({
	add: { ...strict, required: needed, properties: { ...fields, ...onlyAtFirst } },
	change: { ...strict, minProperties: 1, properties: fields },
});

export const projects = pair(
	{
		name,
		workspaceId: id,
		timeZone: text,
		currency: text,
		supportEmail: text,
		checkoutProvider: text,
	},
	['name'],
);

export const tasks = pair({ title: text, emoji: text, rrule: text, prompt: text }, [], {
	projectId: id,
});

export const textFiles = {
	add: {
		...strict,
		required: ['projectId', 'name'],
		properties: {
			projectId: id,
			name,
			parentId: id,
			kind: { enum: ['file', 'folder'] },
			text,
		},
	},
	change: {
		...strict,
		minProperties: 1,
		properties: { name, parentId: { anyOf: [id, { type: 'null' }] }, text },
	},
};

export const domains = pair(
	{ domain: name, status: name, stale: { type: 'boolean' } },
	['siteId', 'domain'],
	{ siteId: id },
);

/** Products have any fields that callers give them */
export const products = {
	add: { type: 'object', required: ['projectId'], properties: { projectId: id } },
	change: { type: 'object', minProperties: 1 },
};

export const session = {
	...strict,
	required: ['projectId', 'prompt'],
	properties: { projectId: id, prompt: text },
};

const event = {
	...strict,
	required: ['projectId'],
	properties: {
		projectId: id,
		name: { enum: ['page_view', 'cart_view', 'checkout_view', 'purchase'] },
		date: { type: 'string', format: 'date-time' },
		path: text,
		title: text,
		source: text,
		amount: { type: 'number', minimum: 0 },
		subject: id,
		count: { type: 'integer', minimum: 1, maximum: 100_000 },
	},
};

/** One event or a list of events */
export const events = { anyOf: [event, { type: 'array', items: event }] };

export const key = {
	...strict,
	required: ['name'],
	properties: {
		name: { type: 'string', minLength: 1 },
		scopes: { type: 'array', items: { type: 'string' } },
		projects: {
			anyOf: [{ const: 'all' }, { type: 'array', items: { type: 'string', format: 'uuid' } }],
		},
	},
};

export const speed = {
	...strict,
	required: ['speed'],
	properties: { speed: { type: 'number', exclusiveMinimum: 0 } },
};

export const rateLimit = {
	...strict,
	required: ['perSecond'],
	properties: {
		perSecond: { type: ['number', 'null'], exclusiveMinimum: 0 },
		burst: { type: 'number', minimum: 1 },
	},
};

export const files = {
	...strict,
	required: ['projectId', 'count'],
	properties: {
		projectId: { type: 'string', format: 'uuid' },
		count: { type: 'integer', minimum: 1, maximum: 1_000_000 },
	},
};

const fault = {
	...strict,
	required: ['operationId', 'kind'],
	properties: {
		operationId: { enum: ['*', ...namedOperations.map(({ operationId }) => operationId)] },
		kind: { enum: Object.keys(faultKinds) },
		times: { type: 'integer', minimum: 0 },
		after: { type: 'integer', minimum: 0 },
		probability: { type: 'number', minimum: 0, maximum: 1 },
		seed: { type: 'integer' },
		status: { type: 'integer', minimum: 200, maximum: 599 },
		code: { type: 'string' },
		message: { type: 'string' },
		retryAfter: {
			anyOf: [
				{ type: 'number' },
				{ ...strict, required: ['date'], properties: { date: { type: 'number' } } },
			],
		},
		ms: { type: 'number' },
		contentType: { type: 'string' },
		process: { type: 'boolean' },
	},
};

/** One rule or a list of rules */
export const faults = { anyOf: [fault, { type: 'array', items: fault }] };
