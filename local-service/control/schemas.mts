// The bodies of the control API. Unknown properties are refused: a misspelt fault would do nothing, and its test would pass.
import { namedOperations } from '../../openapi/contract.mts';
import { faultKinds } from '../fault-kinds.mts';

const strict = { type: 'object', additionalProperties: false } as const;

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

const delay = { type: 'number', minimum: 0 } as const;

export const lateness = {
	...strict,
	properties: { session: delay, turn: delay, resolution: delay, listed: delay },
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
				{ type: 'number', minimum: 0 },
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
