// The requests as we assume them, by operation, with a placeholder for every value that callers send. They follow from the
// contract: a test holds the two together. Dialects say how a service differs from them.
import { namedOperations } from '../../openapi/contract.mts';
import type { Template } from './templates.mts';

export interface RequestTemplate {
	method: string;
	/** With `{placeholders}` */
	path: string;
	/** Placeholder by parameter */
	query?: Record<string, string>;
	body?: Template;
}

type Parts = Pick<RequestTemplate, 'query' | 'body'>;

const page = { cursor: '{cursor}', limit: '{limit}' };
const source = {
	type: '{type}',
	text: '{text}',
	data: '{data}',
	contentType: '{contentType}',
	assetId: '{assetId}',
};

/** What each operation sends beside method and path; products take any further field. */
const parts = {
	listProjects: { query: page },
	listTasks: { query: page },
	getTask: {},
	updateTask: {
		body: { title: '{title}', prompt: '{prompt}', rrule: '{rrule}', emoji: '{emoji}' },
	},
	createAgentSession: { body: { projectId: '{projectId}', prompt: '{prompt}' } },
	getAgentSession: {},
	sendAgentMessage: { body: { text: '{text}' } },
	abortAgentSession: {},
	resolveInteraction: { body: { type: '{type}', response: '{option}' } },
	queryAnalytics: { body: { query: '{query}' } },
	createSharedPreview: {
		body: {
			projectId: '{projectId}',
			siteId: '{siteId}',
			route: '{route}',
			locale: '{locale}',
		},
	},
	listFiles: { query: { projectId: '{projectId}', parentId: '{parentId}', ...page } },
	createFile: {
		body: {
			projectId: '{projectId}',
			kind: '{kind}',
			name: '{name}',
			parentId: '{parentId}',
			source,
		},
	},
	getFile: {},
	renameFile: { body: { name: '{name}' } },
	moveFile: { body: { parentId: '{parentId}' } },
	getFileContent: {},
	listCustomDomains: { query: { siteId: '{siteId}', ...page } },
	deleteCustomDomain: {},
	listProducts: { query: { projectId: '{projectId}', ...page } },
	createProduct: { body: { projectId: '{projectId}' } },
	updateProduct: { body: { projectId: '{projectId}' } },
} satisfies Record<string, Parts>;

export type OperationId = keyof typeof parts;

/** @throws Error when the contract has no such operation */
function placeOf(operationId: string): Pick<RequestTemplate, 'method' | 'path'> {
	const operation = namedOperations.find((candidate) => candidate.operationId === operationId);
	if (!operation) throw new Error(`The contract has no operation ${operationId}`);
	return { method: operation.method, path: operation.path };
}

const withPlace = ([operationId, sent]: [string, Parts]): [string, RequestTemplate] => [
	operationId,
	{ ...placeOf(operationId), ...sent },
];

/** By operation of the contract */
export const assumedRequests = Object.fromEntries(
	Object.entries(parts).map(withPlace),
	// `fromEntries` forgets the names of the keys
) as Record<OperationId, RequestTemplate>;

export const operationIds = Object.keys(parts) as OperationId[];
