// The requests as the contract assumes them, by operation, with a placeholder for every value that callers send. Dialects say how a
// service differs from them.
import { namedOperations } from '../../openapi/contract.mts';
import { operationRows } from '../../openapi/operationTable.mts';
import type { Template } from './templates.mts';

export interface RequestTemplate {
	method: string;
	/** With `{placeholders}` */
	path: string;
	/** Placeholder by parameter */
	query?: Record<string, string>;
	body?: Template;
}

/** The operations that the service has, and dialects may change */
export const operationIds = [
	'listProjects',
	'listTasks',
	'getTask',
	'updateTask',
	'createAgentSession',
	'getAgentSession',
	'sendAgentMessage',
	'abortAgentSession',
	'resolveInteraction',
	'queryAnalytics',
	'createSharedPreview',
	'listFiles',
	'createFile',
	'getFile',
	'renameFile',
	'moveFile',
	'getFileContent',
	'listCustomDomains',
	'deleteCustomDomain',
	'listProducts',
	'createProduct',
	'updateProduct',
] as const;

export type OperationId = (typeof operationIds)[number];

/**
 * Body that answers a question. Its own operation for overrides, `answerQuestion`, at the endpoint of `resolveInteraction`. `answer` is
 * the value of the chosen option, or the text. `option` is only there if an option was chosen.
 */
export const assumedAnswer: Template = operationRows.answerQuestion.body;

/** By operation of the contract */
export const assumedRequests = Object.fromEntries(
	namedOperations.map(({ operationId }) => {
		const { method, path, query, body } = operationRows[operationId];
		return [operationId, { method, path, ...(query && { query }), ...(body && { body }) }];
	}),
	// A test holds the names of the list against those of the contract
) as Record<OperationId, RequestTemplate>;
