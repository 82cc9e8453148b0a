// Operations as the API document shows them or, where it is silent, as we assume them (`x-assumed` in the contract), by operation id.

import { MAX_ANALYTICS_BYTES, MAX_FILE_TEXT_BYTES, MAX_SESSION_BYTES } from '../limits';
import type { Clock } from './clock';
import type { SendOptions } from './transport';
import type { ApiRequest, ApiResponse, AskedResource, ConnectionOptions, Write } from './types';

/** A JSON value in which texts may hold `{placeholders}` */
export type Template = unknown;

export interface OperationRow extends Omit<ApiRequest, 'query' | 'body'> {
	path: string;
	query?: Record<string, Template>;
	body?: Record<string, Template>;
	/** The part that the API document doesn't show: the path, or a name in the query or body */
	assumed?: 'path' | 'shape';
	/** Values that only an override uses */
	values?: readonly string[];
	/** Words that we send or look for, by our own name. An override may give the service's */
	words?: readonly string[];
	/** Values of which the request has to carry one */
	carries?: readonly string[];
	/** Absent if the API offers no way to check the effect */
	reconciler?: 'file' | 'message' | 'interaction' | 'applied';
	/** The session may not be readable yet (API document, Polling procedure, 5) */
	newSession?: true;
	resource?: AskedResource;
	/** Of a failed request. The transport has a default. */
	maxAttempts?: number;
	/** True if an agent waits for the request, or someone ends the session with it. The rate limiter sends it first. */
	urgent?: true;
	/** Values that the nodes read from the response: one or two dotted paths by name */
	response?: Record<string, readonly string[]>;
}

export interface ServiceOperation extends Omit<OperationRow, 'response' | 'words'> {
	id: OperationId;
	/** Paths by name, each as its list of keys. An override's path is the only one. */
	response: Record<string, readonly string[][]>;
	words: Record<string, string>;
	overrideJson: string;
}

const OLDER_VERSION = '2026-08-21';

/** API document, List envelope */
const LIST_RESPONSE = { data: ['data'], has_more: ['has_more'], next_cursor: ['next_cursor'] };

const listRow = (path: string, filter: Record<string, Template> = {}) => ({
	method: 'GET' as const,
	path,
	query: { ...filter, limit: '{limit}', cursor: '{cursor}' },
	assumed: 'shape' as const,
	effect: 'read' as const,
	tooLarge: "Ask for less, for example with 'Limit'.",
	response: LIST_RESPONSE,
});

const SESSION_PATH = '/agent/sessions/{sessionId}';

const NAME_CONFLICT = {
	409: {
		message: 'The resource is in a conflicting state',
		description:
			'Check whether a file or folder with this name exists there. Nothing was overwritten.',
	},
};

/** A decision on a pending request, or the answer to a question */
const RESOLUTION = {
	method: 'POST',
	path: `${SESSION_PATH}/interactions/{interactionId}/resolve`,
	assumed: 'shape',
	reconciler: 'interaction',
	errors: {
		409: {
			message: "The request doesn't take this now",
			description:
				'It may have been decided already, or the agent may have withdrawn it. Check the session in the dashboard.',
		},
	},
	newSession: true,
	urgent: true,
	maxBytes: MAX_SESSION_BYTES,
} as const;
const PRODUCT_ERRORS = {
	413: { message: 'The product is too large', description: "Shorten the values in 'Fields'." },
};

const TASK = { id: 'taskId', shows: { object: 'task' } } as const;
const FILE = { id: 'fileId', shows: { object: 'file' } } as const;

/** An idempotent change, and what may have happened if it isn't confirmed */
const change = (message: string, description: string) =>
	({ message, description, isIdempotent: true }) as const;

const FILE_CHANGE = {
	method: 'PATCH',
	path: '/files/{fileId}',
	assumed: 'path',
	reconciler: 'applied',
	resource: FILE,
	scope: 'files.write',
	errors: NAME_CONFLICT,
} as const;

export const OPERATIONS = {
	listProjects: listRow('/projects'),
	listTasks: listRow('/tasks'),
	getTask: {
		method: 'GET',
		path: '/tasks/{taskId}',
		version: OLDER_VERSION,
		effect: 'read',
		resource: TASK,
	},
	updateTask: {
		method: 'PATCH',
		path: '/tasks/{taskId}',
		body: { title: '{title}', prompt: '{prompt}', rrule: '{rrule}', emoji: '{emoji}' },
		effect: change('The task may have been changed', 'Get the task to see its values.'),
		reconciler: 'applied',
		resource: TASK,
		needsBody: true,
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
			isRefusedBy503: true,
		},
		// Longer than a short Max Wait, because a start that is cut off could leave a session with no known ID.
		timeoutMs: 120_000,
		errors: {
			404: {
				message: "The project wasn't found",
				description:
					"Choose the project from the list. Also check the key's scopes and its creator's access to the project, because the service returns 404 for both.",
			},
			413: { message: 'The prompt is too long', description: 'Shorten the prompt.' },
		},
		maxBytes: MAX_SESSION_BYTES,
		response: { sessionId: ['sessionId', 'id'] },
	},
	getAgentSession: {
		method: 'GET',
		path: SESSION_PATH,
		effect: 'read',
		newSession: true,
		maxBytes: MAX_SESSION_BYTES,
		// A poll that hangs is worth less than the next one.
		timeoutMs: 30_000,
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
		errors: {
			409: {
				message: "The session doesn't take a message now",
				description:
					"The agent may still be working. Wait until the session has completed, for example with 'Continue a Session' without a message. Then send the message.",
			},
			413: { message: 'The message is too long', description: 'Shorten the message.' },
		},
		newSession: true,
		maxBytes: MAX_SESSION_BYTES,
	},
	abortAgentSession: {
		method: 'POST',
		path: `${SESSION_PATH}/abort`,
		// An empty object, because n8n labels a POST without a body as a form.
		body: {},
		assumed: 'shape',
		effect: change('The session may have been aborted', 'Get the session to see its status.'),
		reconciler: 'applied',
		newSession: true,
		urgent: true,
		maxBytes: MAX_SESSION_BYTES,
	},
	resolveInteraction: {
		...RESOLUTION,
		body: { type: '{type}', response: '{option}' },
		values: ['decision', 'approved', 'reason'],
		carries: ['decision', 'approved', 'option'],
		words: ['approve', 'deny'],
		effect: {
			message: 'The decision may have been sent',
			description:
				'Check the session in the dashboard. If it still waits for a decision, run the workflow again.',
		},
	},
	answerQuestion: {
		...RESOLUTION,
		body: { type: '{type}', response: '{answer}' },
		values: ['option'],
		carries: ['answer', 'option'],
		effect: {
			message: 'The answer may have been sent',
			description:
				'Check the session in the dashboard. If it still waits for an answer, run the workflow again.',
		},
	},
	queryAnalytics: {
		method: 'POST',
		path: '/analytics/query',
		body: { query: '{query}' },
		effect: 'read',
		maxBytes: MAX_ANALYTICS_BYTES,
		tooLarge: 'Write a narrower query, for example with LIMIT or fewer columns.',
		errors: { 413: { message: 'The query is too long', description: 'Shorten the query.' } },
		// The service lets a query run for 60 s (API document, Limits), and its rows have to arrive, too.
		timeoutMs: 90_000,
		// A query that fails would mostly fail again, after up to 60 s of the service's time.
		maxAttempts: 2,
	},
	createSharedPreview: {
		method: 'POST',
		path: '/shared-previews',
		body: { projectId: '{projectId}', siteId: '{siteId}', route: '{route}', locale: '{locale}' },
		effect: change(
			'The preview may have been created',
			'Run the node again: it creates the link, or returns the one that exists.',
		),
		resource: { shows: { object: 'shared_preview' }, text: 'url' },
		needsBody: true,
		errors: {
			409: {
				message: 'The project has no agent session',
				description: 'Start an agent session in the project before you share a page of it.',
			},
		},
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
		errors: {
			...NAME_CONFLICT,
			413: {
				message: 'The content is too large',
				description: 'Use a file of at most 10 MiB.',
			},
		},
	},
	getFile: {
		method: 'GET',
		path: '/files/{fileId}',
		effect: 'read',
		scope: 'files.read',
		resource: FILE,
	},
	renameFile: {
		...FILE_CHANGE,
		body: { name: '{name}' },
		effect: change('The file may have been renamed', 'Get the file to see its name.'),
	},
	moveFile: {
		...FILE_CHANGE,
		body: { parentId: '{parentId}' },
		effect: change('The file may have been moved', 'Get the file to see its folder.'),
		words: ['myFiles'],
	},
	getFileContent: {
		method: 'GET',
		path: '/files/{fileId}/content',
		effect: 'read',
		maxBytes: MAX_FILE_TEXT_BYTES,
		tooLarge: 'Download the file from the product instead.',
		response: { text: ['text'], url: ['url'] },
		scope: 'files.read',
	},
	listCustomDomains: {
		...listRow('/custom-domains', { siteId: '{siteId}' }),
		version: OLDER_VERSION,
	},
	deleteCustomDomain: {
		method: 'DELETE',
		path: '/custom-domains/{customDomainId}',
		effect: change(
			'The custom domain may have been deleted',
			'Get the custom domains of the site to see.',
		),
		resource: { id: 'customDomainId', shows: { object: 'custom_domain', deleted: true } },
		needsBody: true,
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
				"Check the products of the project. If the product isn't there, run the workflow again for this item alone. The node doesn't create it again, because there could be two.",
		},
		errors: PRODUCT_ERRORS,
	},
	updateProduct: {
		method: 'PATCH',
		path: '/products/{productId}',
		body: {},
		assumed: 'shape',
		values: ['projectId'],
		effect: change('The product may have been changed', 'Get the products of the project to see.'),
		resource: { id: 'productId' },
		errors: PRODUCT_ERRORS,
	},
} as const satisfies Record<string, OperationRow>;

export type OperationId = keyof typeof OPERATIONS;

/** Widens the type of a row, which the table narrows to the row's own keys. */
export const operationRow = (id: OperationId): OperationRow => OPERATIONS[id];

/** Returns undefined for an idempotent operation (API document, Idempotency summary). */
export function nonIdempotent(id: OperationId): Write | undefined {
	const { effect } = operationRow(id);
	return effect === 'read' || effect.isIdempotent ? undefined : effect;
}

export const isList = (id: OperationId): boolean =>
	'next_cursor' in (operationRow(id).response ?? {});

/** Values by placeholder. `undefined` is no value, `null` is one. */
export type Values = Record<string, unknown>;

export type Routing = Pick<OperationRow, 'method' | 'path'>;

export interface CallOptions extends SendOptions {
	/** Fields that the user adds to the body */
	extra?: Record<string, unknown>;
	/** Replaces the table's. An override replaces both. */
	routing?: Routing;
	timeoutMs?: number;
}

/** The only access to the API. Applies the credential's Overrides, which no caller sees. */
export interface ApiClient {
	/** Ends in `/v1`, without a slash after it */
	readonly baseUrl: string;
	readonly clock: Clock;
	readonly signal: AbortSignal | undefined;
	/** Retries a non-idempotent operation only after proof that it had no effect. @throws as the transport's `send` */
	call(operation: OperationId, values: Values, options?: CallOptions): Promise<ApiResponse>;
	/** Returns the value of a name in the operation's `response`, or undefined if the response has none. */
	readField(operation: OperationId, name: string, body: unknown): unknown;
	word(operation: OperationId, word: string): string | undefined;
	hasPlaceFor(operation: OperationId, value: string): boolean;
	overrideFingerprint(operation: OperationId): string;
	withConnection(connection: ConnectionOptions): ApiClient;
}
