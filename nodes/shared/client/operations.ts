// Every operation of the API, a row each: as the API document shows it or, where that is silent, as we assume it (`x-assumed` in the
// contract). A credential's Overrides correct it. Keys are the contract's operation ids.

import { MIB } from '../values';
import type { Clock } from './clock';
import type { SendOptions } from './transport';
import type { ApiRequest, ApiResponse, ConnectionOptions, NonIdempotent } from './types';

/** A JSON value in which texts may hold `{placeholders}` */
export type Template = unknown;

export interface OperationRow extends Omit<ApiRequest, 'query' | 'body'> {
	/** With placeholders for what is in it, as query and body */
	path: string;
	query?: Record<string, Template>;
	body?: Record<string, Template>;
	/** Part of the request that the API document doesn't show: its path, or a name in its query or body */
	assumed?: 'path' | 'shape';
	/** Values that only an override uses */
	values?: readonly string[];
	/** Words that we send or look for, by our own name; an override may give the service's */
	words?: readonly string[];
	/** Check whether a non-idempotent request took effect. Absent if the API offers none. */
	reconciler?: 'file' | 'message' | 'interaction';
	/** True if a session that it is about may not be readable yet (API document, Polling procedure, 5) */
	newSession?: true;
	/** True if others wait for it: an agent, or someone who wants it to end */
	urgent?: true;
	/** Undocumented values that the nodes read from the response: by name, their possible dotted paths */
	answer?: Record<string, readonly string[]>;
}

/** An operation as the service of a credential has it: its row, with the credential's override applied. */
export interface ServiceOperation extends Omit<OperationRow, 'answer' | 'words'> {
	id: OperationId;
	/** By name: the dotted paths where a value may be. One that an override names is the only one. */
	answer: Record<string, { paths: readonly string[]; isOverridden: boolean }>;
	/** The service's own words, by ours, as far as an override has them */
	words: Record<string, string>;
	/** The override, as JSON */
	overrideJson: string;
}

const OLDER_VERSION = '2026-08-21';

const PAGING_PLACES = ['meta', 'page', 'pagination', 'paging'];
const pagingNames = (...names: string[]) => [
	...names,
	...PAGING_PLACES.flatMap((place) => names.map((name) => `${place}.${name}`)),
];

/** Values of a list's response. If `data` has no list, the only other list counts. */
const LIST_ANSWER = {
	data: ['data'],
	id: ['id'],
	next_cursor: pagingNames('next_cursor', 'nextCursor', 'next', 'cursor'),
	has_more: pagingNames('has_more', 'hasMore'),
};

const listRow = (path: string, filter: Record<string, Template> = {}) => ({
	method: 'GET' as const,
	path,
	query: { ...filter, limit: '{limit}', cursor: '{cursor}' },
	assumed: 'shape' as const,
	effect: 'read' as const,
	answer: LIST_ANSWER,
});

/** The id of a new session: its own names before plain ones, what is about the session before what is about the answer */
const SESSION_ID = [
	...['sessionId', 'session.sessionId', 'data.sessionId'],
	...['session_id', 'session.session_id', 'data.session_id'],
	...['session.id', 'data.id', 'id'],
];

const SESSION_PATH = '/agent/sessions/{sessionId}';
/** A session is read every few seconds, and has no more to say than people read */
const MAX_SESSION_BYTES = MIB;

const FILE_CONFLICT =
	'Check whether a file or folder with this name exists there. Nothing was overwritten.';

export const OPERATIONS = {
	listProjects: listRow('/projects'),
	listTasks: listRow('/tasks'),
	getTask: { method: 'GET', path: '/tasks/{taskId}', version: OLDER_VERSION, effect: 'read' },
	updateTask: {
		method: 'PATCH',
		path: '/tasks/{taskId}',
		body: { title: '{title}', prompt: '{prompt}', rrule: '{rrule}', emoji: '{emoji}' },
		effect: 'idempotent',
	},
	createAgentSession: {
		method: 'POST',
		path: '/agent/sessions',
		body: { projectId: '{projectId}', prompt: '{prompt}' },
		assumed: 'shape',
		effect: {
			message: 'The session may have been started',
			description:
				"Check the dashboard. If the session is there, give its ID to a Run Agent Session node with the operation 'Continue a Session'. If it isn't, run the workflow again. The node doesn't start a second session, because the work could be done twice.",
		},
		// However short Max Wait is: cut off, it would leave a session that nobody knows.
		timeoutMs: 120_000,
		answer: { sessionId: SESSION_ID },
	},
	getAgentSession: {
		method: 'GET',
		path: SESSION_PATH,
		effect: 'read',
		newSession: true,
		maxBytes: MAX_SESSION_BYTES,
		// A poll that hangs is worth less than the next one.
		timeoutMs: 30_000,
		answer: { session: [] },
	},
	sendAgentMessage: {
		method: 'POST',
		path: `${SESSION_PATH}/messages`,
		body: { text: '{text}' },
		assumed: 'shape',
		reconciler: 'message',
		effect: {
			message: 'The message may have been sent',
			description:
				"Check the session in the dashboard. If the message is there, continue the session without one. If it isn't, run the workflow again. The node doesn't send the message again, because the work could be done twice.",
		},
		newSession: true,
	},
	abortAgentSession: {
		method: 'POST',
		path: `${SESSION_PATH}/abort`,
		// An empty object, because n8n labels a POST without a body as a form.
		body: {},
		assumed: 'shape',
		effect: 'idempotent',
		newSession: true,
		urgent: true,
	},
	resolveInteraction: {
		method: 'POST',
		path: `${SESSION_PATH}/interactions/{interactionId}/resolve`,
		body: { type: '{type}', response: '{option}' },
		assumed: 'shape',
		values: ['decision', 'approved'],
		words: ['approve', 'deny'],
		reconciler: 'interaction',
		effect: {
			message: 'The decision may have been sent',
			description:
				'Check the session in the dashboard. If it still waits for a decision, run the workflow again.',
		},
		newSession: true,
		urgent: true,
		maxBytes: MAX_SESSION_BYTES,
	},
	queryAnalytics: {
		method: 'POST',
		path: '/analytics/query',
		body: { query: '{query}' },
		effect: 'read',
		// The 100,000 rows that a query returns at most, after at most 60 s (API document, Limits)
		maxBytes: 256 * MIB,
		answer: { data: ['data'] },
		timeoutMs: 90_000,
	},
	createSharedPreview: {
		method: 'POST',
		path: '/shared-previews',
		body: { projectId: '{projectId}', siteId: '{siteId}', route: '{route}', locale: '{locale}' },
		// The link is all there is to it.
		effect: 'read',
		conflict: 'Start an agent session in the project before you share a page of it.',
	},
	listFiles: {
		...listRow('/files', { projectId: '{projectId}', parentId: '{parentId}' }),
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
		assumed: 'shape',
		words: ['text', 'base64', 'asset'],
		reconciler: 'file',
		effect: {
			message: 'The file may have been created',
			description:
				"Check whether there's a file with this name. If it isn't yours, choose another name. Then run the workflow again.",
		},
		scope: 'files.write (and assets.read to copy an asset)',
		conflict: FILE_CONFLICT,
	},
	getFile: { method: 'GET', path: '/files/{fileId}', effect: 'read', scope: 'files.read' },
	renameFile: {
		method: 'PATCH',
		path: '/files/{fileId}',
		body: { name: '{name}' },
		assumed: 'path',
		effect: 'idempotent',
		scope: 'files.write',
		conflict: FILE_CONFLICT,
	},
	moveFile: {
		method: 'PATCH',
		path: '/files/{fileId}',
		body: { parentId: '{parentId}' },
		assumed: 'path',
		words: ['myFiles'],
		effect: 'idempotent',
		scope: 'files.write',
		conflict: FILE_CONFLICT,
	},
	getFileContent: {
		method: 'GET',
		path: '/files/{fileId}/content',
		effect: 'read',
		// A file of 10 MiB (API document, Limits) with every character escaped
		maxBytes: 64 * MIB,
		answer: {
			text: ['text', 'content'],
			url: ['url', 'downloadUrl', 'download_url', 'signed_url'],
		},
		scope: 'files.read',
	},
	listCustomDomains: {
		...listRow('/custom-domains', { siteId: '{siteId}' }),
		version: OLDER_VERSION,
	},
	deleteCustomDomain: {
		method: 'DELETE',
		path: '/custom-domains/{customDomainId}',
		effect: 'idempotent',
	},
	listProducts: listRow('/products', { projectId: '{projectId}' }),
	createProduct: {
		method: 'POST',
		path: '/products',
		body: { projectId: '{projectId}' },
		assumed: 'shape',
		effect: {
			message: 'The product may have been created',
			description:
				"Check the products of the project. If the product isn't there, run the workflow again. The node doesn't create it again, because there could be two.",
		},
	},
	updateProduct: {
		method: 'PATCH',
		path: '/products/{productId}',
		body: {},
		assumed: 'shape',
		values: ['projectId'],
		effect: 'idempotent',
	},
} as const satisfies Record<string, OperationRow>;

/** An operation of the contract, by its id */
export type OperationId = keyof typeof OPERATIONS;

/** The row of an operation. Its type is the same for all of them, where the table's own names each row's keys. */
export const operationRow = (id: OperationId): OperationRow => OPERATIONS[id];

/** Returns the message for a non-idempotent operation (API document, Idempotency summary), and undefined for any other. */
export function nonIdempotent(id: OperationId): NonIdempotent | undefined {
	const { effect } = operationRow(id);
	return typeof effect === 'object' ? effect : undefined;
}

/** Returns whether the response of an operation is a list. */
export const isList = (id: OperationId): boolean =>
	'next_cursor' in (operationRow(id).answer ?? {});

/** The values of an operation by the names of its placeholders. `undefined` is no value, `null` is one. */
export type Values = Record<string, unknown>;

export interface CallOptions extends SendOptions {
	/** Fields that the user adds to the body */
	extra?: Record<string, unknown>;
	/** Milliseconds after which an attempt counts as lost */
	timeoutMs?: number;
}

/** The one way to the API, for every node. The credential's Overrides are applied in it and seen by nobody else. */
export interface ApiClient {
	/** Ends in `/v1`, without a slash after it */
	readonly baseUrl: string;
	readonly clock: Clock;
	/** The execution's, where it has one */
	readonly signal: AbortSignal | undefined;
	/**
	 * Calls an operation. A non-idempotent one is sent again only after proof that it had no effect.
	 * @throws as `send` of the transport
	 */
	call(operation: OperationId, values: Values, options?: CallOptions): Promise<ApiResponse>;
	/** Returns what a response has under one of the names of the operation's `answer`; undefined if it has nothing. */
	readField(operation: OperationId, name: string, body: unknown): unknown;
	/** Returns whether an override says where to read that name. */
	isOverridden(operation: OperationId, name: string): boolean;
	/** Returns the service's own word for one of the operation's `words`; undefined if no override has one. */
	word(operation: OperationId, word: string): string | undefined;
	/** Returns a fingerprint of the operation's override. */
	overrideFingerprint(operation: OperationId): string;
	/** Returns the same API over connections with these options. */
	withConnection(connection: ConnectionOptions): ApiClient;
}
