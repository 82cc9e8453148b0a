// The requests as we assume them, by operation, with a placeholder for every value that callers send. A test compares them with
// the contract. Dialects say how a service differs from them.
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

/** Request of each operation, besides method and path. Products take any further field. */
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
	updateProduct: { body: {} },
} satisfies Record<string, Parts>;

export type OperationId = keyof typeof parts;

/** Returns the request of an operation. Without an entry in the table, it has method and path only. */
const getParts = (operationId: string): Parts =>
	Object.entries<Parts>(parts).find(([name]) => name === operationId)?.[1] ?? {};

/**
 * Body that answers a question. Its own operation for overrides, `answerQuestion`, at the endpoint of `resolveInteraction`. `answer` is
 * the value of the chosen option, or the text. `option` is only there if an option was chosen.
 */
export const assumedAnswer: Template = { type: '{type}', response: '{answer}' };

/** By operation of the contract */
export const assumedRequests = Object.fromEntries(
	namedOperations.map(({ operationId, method, path }) => [
		operationId,
		{ method, path, ...getParts(operationId) },
	]),
	// A test holds the names of the table against those of the contract
) as Record<OperationId, RequestTemplate>;

export const operationIds = Object.keys(parts) as OperationId[];
