// Every request that the nodes make, as the API document shows it or, where it is silent, as we assume it (`x-assumed` in the
// contract). A credential's Overrides correct it. Keys are the contract's operation ids.

import { LIMITS } from '../base/limits';

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type Method = (typeof METHODS)[number];

/** A JSON value in which texts may hold `{placeholders}` */
export type Template = unknown;

export interface AssumedRequest {
	method: Method;
	/** Below the base URL, with placeholders for what is in it */
	path: string;
	query?: Record<string, Template>;
	body?: Record<string, Template>;
	/** The only version that the endpoint allows (API document, Versioning) */
	version?: string;
	/** For a POST that may be repeated (API document, Idempotency summary) */
	idempotent?: true;
	/** Whether nobody needs the response: any success is one */
	mayAnswerNothing?: true;
	/** Bytes that are read of its response, where that is more than usual */
	mostBytes?: number;
	/** The scope that the API document names for it */
	scope?: string;
	/** What the nodes read from the response and the document does not show: by name, the dotted paths where it may be */
	answer?: Record<string, readonly string[]>;
}

const OLDER_VERSION = '2026-08-21';

/** What a list's response is read for; where nothing is found under `data`, one array under any key is taken. */
const LIST_ANSWER = { data: ['data'], next_cursor: ['next_cursor'], has_more: ['has_more'] };

const list = (path: string, query: Record<string, Template> = {}) => ({
	method: 'GET' as const,
	path,
	query: { ...query, limit: '{limit}', cursor: '{cursor}' },
	answer: LIST_ANSWER,
});

/** The id of a new session under the names that it may have, as it is or one level deeper */
const SESSION_ID = ['sessionId', 'session_id', 'id'].flatMap((name) => [
	name,
	`session.${name}`,
	`data.${name}`,
]);

export const ASSUMED_REQUESTS = {
	listProjects: list('/projects'),
	listTasks: list('/tasks'),
	getTask: { method: 'GET', path: '/tasks/{taskId}', version: OLDER_VERSION },
	updateTask: {
		method: 'PATCH',
		path: '/tasks/{taskId}',
		body: { title: '{title}', prompt: '{prompt}', rrule: '{rrule}', emoji: '{emoji}' },
	},
	createAgentSession: {
		method: 'POST',
		path: '/agent/sessions',
		body: { projectId: '{projectId}', prompt: '{prompt}' },
		answer: { sessionId: SESSION_ID },
	},
	getAgentSession: { method: 'GET', path: '/agent/sessions/{sessionId}' },
	sendAgentMessage: {
		method: 'POST',
		path: '/agent/sessions/{sessionId}/messages',
		body: { text: '{text}' },
		mayAnswerNothing: true,
	},
	abortAgentSession: {
		method: 'POST',
		path: '/agent/sessions/{sessionId}/abort',
		// An empty object, because n8n labels a POST without a body as a form.
		body: {},
		idempotent: true,
		mayAnswerNothing: true,
	},
	resolveInteraction: {
		method: 'POST',
		path: '/agent/sessions/{sessionId}/interactions/{interactionId}/resolve',
		body: { type: '{type}', response: '{option}' },
		mayAnswerNothing: true,
	},
	queryAnalytics: {
		method: 'POST',
		path: '/analytics/query',
		body: { query: '{query}' },
		idempotent: true,
		mostBytes: LIMITS.rowsBytes,
		answer: { data: ['data'] },
	},
	createSharedPreview: {
		method: 'POST',
		path: '/shared-previews',
		body: { projectId: '{projectId}', siteId: '{siteId}', route: '{route}', locale: '{locale}' },
		idempotent: true,
	},
	listFiles: {
		...list('/files', { projectId: '{projectId}', parentId: '{parentId}' }),
		scope: 'files.read',
	},
	createFile: {
		method: 'POST',
		path: '/files',
		body: {
			projectId: '{projectId}',
			kind: '{kind}',
			name: '{name}',
			parentId: '{parentId}',
			source: {
				type: '{type}',
				text: '{text}',
				data: '{data}',
				contentType: '{contentType}',
				assetId: '{assetId}',
			},
		},
		mayAnswerNothing: true,
		scope: 'files.write (and assets.read to copy an asset)',
	},
	getFile: { method: 'GET', path: '/files/{fileId}', scope: 'files.read' },
	renameFile: {
		method: 'PATCH',
		path: '/files/{fileId}',
		body: { name: '{name}' },
		mayAnswerNothing: true,
		idempotent: true,
		scope: 'files.write',
	},
	moveFile: {
		method: 'PATCH',
		path: '/files/{fileId}',
		body: { parentId: '{parentId}' },
		mayAnswerNothing: true,
		idempotent: true,
		scope: 'files.write',
	},
	getFileContent: {
		method: 'GET',
		path: '/files/{fileId}/content',
		answer: {
			text: ['text', 'content'],
			url: ['url', 'downloadUrl', 'download_url', 'signed_url'],
		},
		scope: 'files.read',
	},
	listCustomDomains: {
		...list('/custom-domains', { siteId: '{siteId}' }),
		version: OLDER_VERSION,
	},
	deleteCustomDomain: {
		method: 'DELETE',
		path: '/custom-domains/{customDomainId}',
		mayAnswerNothing: true,
	},
	listProducts: list('/products', { projectId: '{projectId}' }),
	createProduct: {
		method: 'POST',
		path: '/products',
		body: { projectId: '{projectId}' },
		mayAnswerNothing: true,
	},
	updateProduct: {
		method: 'PATCH',
		path: '/products/{productId}',
		body: { projectId: '{projectId}' },
		mayAnswerNothing: true,
		idempotent: true,
	},
} as const satisfies Record<string, AssumedRequest>;

/** An operation of the contract, by its id */
export type OperationId = keyof typeof ASSUMED_REQUESTS;

/** The row of an operation. Its type is the same for all of them, where the table's own names each row's keys. */
export const assumedRequest = (operation: OperationId): AssumedRequest =>
	ASSUMED_REQUESTS[operation];

const PLACEHOLDER = /\{(\w+)\}/g;

/** The names of the placeholders in a template, at every depth. */
export function placeholdersIn(template: Template): string[] {
	if (typeof template === 'string')
		return [...template.matchAll(PLACEHOLDER)].map(([, name]) => name);
	if (typeof template !== 'object' || template === null) return [];
	return Object.values(template).flatMap(placeholdersIn);
}

/** The values that an operation has for its request, by the names of their placeholders. */
export function placeholdersOf(operation: OperationId): string[] {
	const { path, query, body } = assumedRequest(operation);
	return [...new Set(placeholdersIn([path, query, body]))];
}
