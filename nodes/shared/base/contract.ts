// Made from openapi/workspace-automation.yaml by `npm run contract`. Do not edit.

export interface paths {
	'/projects': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** List the projects that the key can act on */
		get: operations['listProjects'];
		put?: never;
		post?: never;
		delete?: never;
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/tasks': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** List tasks */
		get: operations['listTasks'];
		put?: never;
		post?: never;
		delete?: never;
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/tasks/{taskId}': {
		parameters: {
			query?: never;
			header?: never;
			path: {
				taskId: components['schemas']['Id'];
			};
			cookie?: never;
		};
		/** Read a task */
		get: operations['getTask'];
		put?: never;
		post?: never;
		delete?: never;
		options?: never;
		head?: never;
		/** Change a task; repeating the same update is safe */
		patch: operations['updateTask'];
		trace?: never;
	};
	'/agent/sessions': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		get?: never;
		put?: never;
		/** Start an agent session; each call creates a new one */
		post: operations['createAgentSession'];
		delete?: never;
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/agent/sessions/{sessionId}': {
		parameters: {
			query?: never;
			header?: never;
			path: {
				sessionId: components['parameters']['SessionId'];
			};
			cookie?: never;
		};
		/** Read the status of an agent session */
		get: operations['getAgentSession'];
		put?: never;
		post?: never;
		delete?: never;
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/agent/sessions/{sessionId}/messages': {
		parameters: {
			query?: never;
			header?: never;
			path: {
				sessionId: components['parameters']['SessionId'];
			};
			cookie?: never;
		};
		get?: never;
		put?: never;
		/** Start a new turn in the session; each call starts another one */
		post: operations['sendAgentMessage'];
		delete?: never;
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/agent/sessions/{sessionId}/abort': {
		parameters: {
			query?: never;
			header?: never;
			path: {
				sessionId: components['parameters']['SessionId'];
			};
			cookie?: never;
		};
		get?: never;
		put?: never;
		/** Abort the session; calling it twice is a no-op */
		post: operations['abortAgentSession'];
		delete?: never;
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/agent/sessions/{sessionId}/interactions/{interactionId}/resolve': {
		parameters: {
			query?: never;
			header?: never;
			path: {
				sessionId: components['parameters']['SessionId'];
				interactionId: string;
			};
			cookie?: never;
		};
		get?: never;
		put?: never;
		/** Resolve a pending interaction of the session */
		post: operations['resolveInteraction'];
		delete?: never;
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/analytics/query': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		get?: never;
		put?: never;
		/** Run a SELECT or WITH statement over a project's event data */
		post: operations['queryAnalytics'];
		delete?: never;
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/shared-previews': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		get?: never;
		put?: never;
		/**
		 * Create, or recover, a durable link to a route of a site
		 * @description An agent session must have been started in the project before.
		 */
		post: operations['createSharedPreview'];
		delete?: never;
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/files': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** List files and folders */
		get: operations['listFiles'];
		put?: never;
		/** Create a file or a folder */
		post: operations['createFile'];
		delete?: never;
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/files/{fileId}': {
		parameters: {
			query?: never;
			header?: never;
			path: {
				fileId: components['parameters']['FileId'];
			};
			cookie?: never;
		};
		/**
		 * Read the metadata of a file or folder
		 * @description Beta, may change before general availability.
		 */
		get: operations['getFile'];
		put?: never;
		post?: never;
		delete?: never;
		options?: never;
		head?: never;
		/**
		 * Rename or move a file or folder
		 * @description Renaming and moving are two operations. We assume one endpoint for both, where the body's field says which.
		 */
		patch: operations['updateFile'];
		trace?: never;
	};
	'/files/{fileId}/content': {
		parameters: {
			query?: never;
			header?: never;
			path: {
				fileId: components['parameters']['FileId'];
			};
			cookie?: never;
		};
		/** Read a file's text, or a download URL that is valid for 15 minutes */
		get: operations['getFileContent'];
		put?: never;
		post?: never;
		delete?: never;
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/custom-domains': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** List the custom domains of a site */
		get: operations['listCustomDomains'];
		put?: never;
		post?: never;
		delete?: never;
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/custom-domains/{customDomainId}': {
		parameters: {
			query?: never;
			header?: never;
			path: {
				customDomainId: components['schemas']['Id'];
			};
			cookie?: never;
		};
		get?: never;
		put?: never;
		post?: never;
		/** Delete a custom domain; a repeated delete answers 404 */
		delete: operations['deleteCustomDomain'];
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/products': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** List the products of a project */
		get: operations['listProducts'];
		put?: never;
		/** Create a product; each call creates a new one */
		post: operations['createProduct'];
		delete?: never;
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/products/{productId}': {
		parameters: {
			query?: never;
			header?: never;
			path: {
				productId: components['schemas']['Id'];
			};
			cookie?: never;
		};
		get?: never;
		put?: never;
		post?: never;
		delete?: never;
		options?: never;
		head?: never;
		/** Change a product; repeating the same update is safe */
		patch: operations['updateProduct'];
		trace?: never;
	};
}
export type webhooks = Record<string, never>;
export interface components {
	schemas: {
		/** Format: uuid */
		Id: string;
		ErrorEnvelope: {
			error: {
				/** @description `not_found` and `conflict` are the codes shown */
				code: string;
				message: string;
				/** Format: uri */
				doc_url: string;
			};
		};
		ListEnvelope: {
			/** @constant */
			object: 'list';
			data: unknown[];
			has_more: boolean;
			next_cursor?: string | null;
		};
		Project: {
			/** @constant */
			object: 'project';
			id: components['schemas']['Id'];
			name?: string;
			workspaceId?: components['schemas']['Id'];
			timeZone?: string;
			currency?: string;
			supportEmail?: string;
			checkoutProvider?: string;
		};
		ProjectList: components['schemas']['ListEnvelope'] & {
			data?: components['schemas']['Project'][];
			setup_required?: components['schemas']['SetupRequired'];
		};
		SetupRequired: {
			/** @description `no_compatible_projects` is the value listed */
			reason?: string;
			message?: string;
			eligible_workspaces?: {
				id?: components['schemas']['Id'];
				name?: string;
			}[];
		};
		Task: {
			/** @constant */
			object: 'task';
			id: components['schemas']['Id'];
			title?: string;
			emoji?: string;
			rrule?: string;
			nextRunAt?: string;
			createdAt?: string;
			updatedAt?: string;
		};
		TaskList: components['schemas']['ListEnvelope'] & {
			data?: components['schemas']['Task'][];
		};
		TaskUpdate: {
			title?: string;
			prompt?: string;
			rrule?: string;
			emoji?: string;
		};
		/** @description The document shows no request body; extra fields are let through */
		AgentSessionCreate: {
			/** Format: uuid */
			projectId: string;
			prompt: string;
		};
		/** @description The document promises a session id and does not name its field */
		AgentSessionCreated: {
			/** Format: uuid */
			sessionId: string;
			status?: string;
			dashboardUrl?: string;
		};
		AgentSession: {
			sessionId: components['schemas']['Id'];
			dashboardUrl?: string;
			/** @description `starting`, `running`, `completed` and `failed` are the values listed */
			status: string;
			pendingInteractions?: components['schemas']['PendingInteraction'][];
			error?: string;
			latestMessage?: {
				role?: string;
				text?: string;
				createdAt?: string;
				completedAt?: string;
			};
			latestTool?: {
				name?: string;
				status?: string;
				title?: string;
				at?: string;
			};
			lastActivityAt?: string;
		};
		AgentMessageCreate: {
			text: string;
		};
		/** @description A union of two variants; the document shows one of them */
		PendingInteraction:
			components['schemas']['PermissionInteraction'] | components['schemas']['OtherInteraction'];
		PermissionInteraction: {
			/** @constant */
			type: 'permission';
			id: string;
			permission?: string;
			patterns?: string[];
			metadata?: {
				[key: string]: unknown;
			};
			response?: {
				/** @constant */
				type?: 'choice';
				options?: {
					value: string;
					label?: string;
				}[];
				instruction?: string;
			};
		};
		/** @description The variant that the document does not show */
		OtherInteraction: {
			type: string;
			id: string;
		} & {
			[key: string]: unknown;
		};
		/** @description The fields beside `type` that carry the decision are not shown */
		InteractionResolve: {
			/** @description `permission` is the value listed */
			type: string;
			response?: string;
		};
		AnalyticsResult: {
			rowCount: number;
			data: {
				[key: string]: unknown;
			}[];
		};
		SharedPreviewCreate: {
			projectId: components['schemas']['Id'];
			siteId: components['schemas']['Id'];
			/** @description Absolute path without query string or fragment */
			route: string;
			/** @description BCP 47 language tag; the site's default when omitted */
			locale?: string;
		};
		SharedPreview: {
			/** @constant */
			object: 'shared_preview';
			id: components['schemas']['Id'];
			/** Format: uri */
			url: string;
		};
		File: {
			/** @constant */
			object: 'file';
			id: components['schemas']['Id'];
			projectId?: components['schemas']['Id'];
			/**
			 * Format: uuid
			 * @description Items saved without a parent live in the caller's My Files
			 */
			parentId?: string;
			name?: string;
			/** @enum {string} */
			kind?: 'file' | 'folder';
			sizeBytes?: number;
			contentType?: string;
			/** Format: date-time */
			createdAt?: string;
			/** Format: date-time */
			updatedAt?: string;
		};
		FileList: components['schemas']['ListEnvelope'] & {
			data?: components['schemas']['File'][];
		};
		FileCreate: {
			projectId: components['schemas']['Id'];
			/** @enum {string} */
			kind: 'file' | 'folder';
			name: string;
			parentId?: components['schemas']['Id'];
			source?: components['schemas']['FileSource'];
		};
		FileSource:
			| {
					/** @constant */
					type: 'text';
					text: string;
			  }
			| {
					/** @constant */
					type: 'base64';
					data: string;
					contentType?: string;
			  }
			| {
					/** @constant */
					type: 'asset';
					/** Format: uuid */
					assetId: string;
			  };
		FileUpdate: {
			name?: string;
			/**
			 * Format: uuid
			 * @description The new folder; null moves to My Files
			 */
			parentId?: string | null;
		};
		FileContent:
			| {
					text?: string;
					/**
					 * Format: uri
					 * @description Valid for 15 minutes; needs no token
					 */
					url?: string;
			  }
			| unknown
			| unknown;
		CustomDomain: {
			/** @constant */
			object: 'custom_domain';
			id: components['schemas']['Id'];
			domain?: string;
			/** @description `pending` is the value listed */
			status?: string;
			is_pending?: boolean;
			is_stale?: boolean;
			dns_instructions?: {
				/** @description `root` is the value listed */
				type?: string;
				records?: {
					type?: string;
					host?: string;
					value?: string;
				}[];
				verification_token?: string;
				verification_token_expires_at?: string;
			};
		};
		CustomDomainList: components['schemas']['ListEnvelope'] & {
			data?: components['schemas']['CustomDomain'][];
		};
		DeletedCustomDomain: {
			/** @constant */
			object: 'custom_domain';
			id: string;
			/** @constant */
			deleted: true;
		};
		/** @description The document shows no field of a product */
		Product: {
			/** @constant */
			object: 'product';
			/** Format: uuid */
			id: string;
			/** Format: uuid */
			projectId?: string;
			name?: string;
		} & {
			[key: string]: unknown;
		};
		ProductList: components['schemas']['ListEnvelope'] & {
			data?: components['schemas']['Product'][];
		};
		ProductCreate: {
			/** Format: uuid */
			projectId: string;
		} & {
			[key: string]: unknown;
		};
		ProductUpdate: {
			[key: string]: unknown;
		};
	};
	responses: {
		/** @description 400 invalid request; 401 missing or invalid token; 403 not authorized; 404 not found, also when the key's scopes or the creator's project access do not permit the resource; 409 conflicting state; 413 content exceeds 10 MiB; 429 too many requests; 500 internal error; 503 temporarily unavailable */
		Error: {
			headers: {
				'Retry-After': components['headers']['RetryAfter'];
				[name: string]: unknown;
			};
			content: {
				'application/json': components['schemas']['ErrorEnvelope'];
			};
		};
	};
	parameters: {
		Version: '2026-10-05';
		/** @description These endpoints allow this version only */
		OlderVersion: '2026-08-21';
		Cursor: string;
		Limit: number;
		SessionId: components['schemas']['Id'];
		FileId: components['schemas']['Id'];
	};
	requestBodies: never;
	headers: {
		/** @description When to try again, in seconds or as an HTTP date */
		RetryAfter: string;
	};
	pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
	listProjects: {
		parameters: {
			query?: {
				cursor?: components['parameters']['Cursor'];
				limit?: components['parameters']['Limit'];
			};
			header: {
				'Service-Api-Version': components['parameters']['Version'];
			};
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			/** @description A page of projects */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['ProjectList'];
				};
			};
			default: components['responses']['Error'];
		};
	};
	listTasks: {
		parameters: {
			query?: {
				cursor?: components['parameters']['Cursor'];
				limit?: components['parameters']['Limit'];
			};
			header: {
				'Service-Api-Version': components['parameters']['Version'];
			};
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			/** @description A page of tasks */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['TaskList'];
				};
			};
			default: components['responses']['Error'];
		};
	};
	getTask: {
		parameters: {
			query?: never;
			header: {
				/** @description These endpoints allow this version only */
				'Service-Api-Version': components['parameters']['OlderVersion'];
			};
			path: {
				taskId: components['schemas']['Id'];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			/** @description The task; its prompt is stored but never returned */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Task'];
				};
			};
			default: components['responses']['Error'];
		};
	};
	updateTask: {
		parameters: {
			query?: never;
			header: {
				'Service-Api-Version': components['parameters']['Version'];
			};
			path: {
				taskId: components['schemas']['Id'];
			};
			cookie?: never;
		};
		requestBody: {
			content: {
				'application/json': components['schemas']['TaskUpdate'];
			};
		};
		responses: {
			/** @description The task as it is now */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Task'];
				};
			};
			default: components['responses']['Error'];
		};
	};
	createAgentSession: {
		parameters: {
			query?: never;
			header: {
				'Service-Api-Version': components['parameters']['Version'];
			};
			path?: never;
			cookie?: never;
		};
		requestBody: {
			content: {
				'application/json': components['schemas']['AgentSessionCreate'];
			};
		};
		responses: {
			/** @description The session was created; reading it may answer 404 for 1 to 2 seconds */
			202: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['AgentSessionCreated'];
				};
			};
			default: components['responses']['Error'];
		};
	};
	getAgentSession: {
		parameters: {
			query?: never;
			header: {
				'Service-Api-Version': components['parameters']['Version'];
			};
			path: {
				sessionId: components['parameters']['SessionId'];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			/** @description The session */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['AgentSession'];
				};
			};
			default: components['responses']['Error'];
		};
	};
	sendAgentMessage: {
		parameters: {
			query?: never;
			header: {
				'Service-Api-Version': components['parameters']['Version'];
			};
			path: {
				sessionId: components['parameters']['SessionId'];
			};
			cookie?: never;
		};
		requestBody: {
			content: {
				'application/json': components['schemas']['AgentMessageCreate'];
			};
		};
		responses: {
			/** @description The turn was started */
			202: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['AgentSession'];
				};
			};
			default: components['responses']['Error'];
		};
	};
	abortAgentSession: {
		parameters: {
			query?: never;
			header: {
				'Service-Api-Version': components['parameters']['Version'];
			};
			path: {
				sessionId: components['parameters']['SessionId'];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			/** @description The session */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['AgentSession'];
				};
			};
			default: components['responses']['Error'];
		};
	};
	resolveInteraction: {
		parameters: {
			query?: never;
			header: {
				'Service-Api-Version': components['parameters']['Version'];
			};
			path: {
				sessionId: components['parameters']['SessionId'];
				interactionId: string;
			};
			cookie?: never;
		};
		requestBody: {
			content: {
				'application/json': components['schemas']['InteractionResolve'];
			};
		};
		responses: {
			/** @description The session */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['AgentSession'];
				};
			};
			default: components['responses']['Error'];
		};
	};
	queryAnalytics: {
		parameters: {
			query?: never;
			header: {
				'Service-Api-Version': components['parameters']['Version'];
			};
			path?: never;
			cookie?: never;
		};
		requestBody: {
			content: {
				'application/json': {
					/** @description A SELECT or WITH statement only; project scoping is applied by the server */
					query: string;
				};
			};
		};
		responses: {
			/** @description The rows, at most 100000 */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['AnalyticsResult'];
				};
			};
			default: components['responses']['Error'];
		};
	};
	createSharedPreview: {
		parameters: {
			query?: never;
			header: {
				'Service-Api-Version': components['parameters']['Version'];
			};
			path?: never;
			cookie?: never;
		};
		requestBody: {
			content: {
				'application/json': components['schemas']['SharedPreviewCreate'];
			};
		};
		responses: {
			/** @description The preview */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['SharedPreview'];
				};
			};
			default: components['responses']['Error'];
		};
	};
	listFiles: {
		parameters: {
			query: {
				projectId: components['schemas']['Id'];
				parentId?: components['schemas']['Id'];
				cursor?: components['parameters']['Cursor'];
				limit?: components['parameters']['Limit'];
			};
			header: {
				'Service-Api-Version': components['parameters']['Version'];
			};
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			/** @description A page of files and folders */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['FileList'];
				};
			};
			default: components['responses']['Error'];
		};
	};
	createFile: {
		parameters: {
			query?: never;
			header: {
				'Service-Api-Version': components['parameters']['Version'];
			};
			path?: never;
			cookie?: never;
		};
		requestBody: {
			content: {
				'application/json': components['schemas']['FileCreate'];
			};
		};
		responses: {
			/** @description The file or folder */
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['File'];
				};
			};
			default: components['responses']['Error'];
		};
	};
	getFile: {
		parameters: {
			query?: never;
			header: {
				'Service-Api-Version': components['parameters']['Version'];
			};
			path: {
				fileId: components['parameters']['FileId'];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			/** @description The file or folder */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['File'];
				};
			};
			default: components['responses']['Error'];
		};
	};
	updateFile: {
		parameters: {
			query?: never;
			header: {
				'Service-Api-Version': components['parameters']['Version'];
			};
			path: {
				fileId: components['parameters']['FileId'];
			};
			cookie?: never;
		};
		requestBody: {
			content: {
				'application/json': components['schemas']['FileUpdate'];
			};
		};
		responses: {
			/** @description The file or folder */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['File'];
				};
			};
			default: components['responses']['Error'];
		};
	};
	getFileContent: {
		parameters: {
			query?: never;
			header: {
				'Service-Api-Version': components['parameters']['Version'];
			};
			path: {
				fileId: components['parameters']['FileId'];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			/** @description The complete text or a download URL */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['FileContent'];
				};
			};
			default: components['responses']['Error'];
		};
	};
	listCustomDomains: {
		parameters: {
			query: {
				siteId: components['schemas']['Id'];
				cursor?: components['parameters']['Cursor'];
				limit?: components['parameters']['Limit'];
			};
			header: {
				/** @description These endpoints allow this version only */
				'Service-Api-Version': components['parameters']['OlderVersion'];
			};
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			/** @description A page of custom domains */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['CustomDomainList'];
				};
			};
			default: components['responses']['Error'];
		};
	};
	deleteCustomDomain: {
		parameters: {
			query?: never;
			header: {
				'Service-Api-Version': components['parameters']['Version'];
			};
			path: {
				customDomainId: components['schemas']['Id'];
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			/** @description The custom domain was deleted */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['DeletedCustomDomain'];
				};
			};
			default: components['responses']['Error'];
		};
	};
	listProducts: {
		parameters: {
			query: {
				projectId: components['schemas']['Id'];
				cursor?: components['parameters']['Cursor'];
				limit?: components['parameters']['Limit'];
			};
			header: {
				'Service-Api-Version': components['parameters']['Version'];
			};
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			/** @description A page of products */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['ProductList'];
				};
			};
			default: components['responses']['Error'];
		};
	};
	createProduct: {
		parameters: {
			query?: never;
			header: {
				'Service-Api-Version': components['parameters']['Version'];
			};
			path?: never;
			cookie?: never;
		};
		requestBody: {
			content: {
				'application/json': components['schemas']['ProductCreate'];
			};
		};
		responses: {
			/** @description The product */
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Product'];
				};
			};
			default: components['responses']['Error'];
		};
	};
	updateProduct: {
		parameters: {
			query?: never;
			header: {
				'Service-Api-Version': components['parameters']['Version'];
			};
			path: {
				productId: components['schemas']['Id'];
			};
			cookie?: never;
		};
		requestBody: {
			content: {
				'application/json': components['schemas']['ProductUpdate'];
			};
		};
		responses: {
			/** @description The product as it is now */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Product'];
				};
			};
			default: components['responses']['Error'];
		};
	};
}
