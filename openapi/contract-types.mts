// Made from openapi/workspace-automation.yaml by `npm run contract`. Do not edit.

export interface components {
	schemas: {
		/**
		 * Format: uuid
		 * @example 123e4567-e89b-12d3-a456-426614174000
		 */
		Id: string;
		/**
		 * @example {
		 *       "error": {
		 *         "code": "not_found",
		 *         "message": "No such task",
		 *         "doc_url": "https://docs.example.com/errors/not_found"
		 *       }
		 *     }
		 */
		ErrorEnvelope: {
			error: {
				code: string | ('not_found' | 'conflict');
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
		/**
		 * @example {
		 *       "object": "project",
		 *       "id": "123e4567-e89b-12d3-a456-426614174000",
		 *       "name": "Copper Bakery",
		 *       "workspaceId": "123e4567-e89b-12d3-a456-426614174001",
		 *       "timeZone": "Europe/Berlin",
		 *       "currency": "EUR",
		 *       "supportEmail": "hello@copper-bakery.example",
		 *       "checkoutProvider": "commerce_platform"
		 *     }
		 */
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
		/**
		 * @example {
		 *       "reason": "no_compatible_projects",
		 *       "message": "Create a project first",
		 *       "eligible_workspaces": [
		 *         {
		 *           "id": "123e4567-e89b-12d3-a456-426614174001",
		 *           "name": "Copper"
		 *         }
		 *       ]
		 *     }
		 */
		SetupRequired: {
			reason?: string | 'no_compatible_projects';
			message?: string;
			eligible_workspaces?: {
				id?: components['schemas']['Id'];
				name?: string;
			}[];
		};
		/**
		 * @example {
		 *       "object": "task",
		 *       "id": "123e4567-e89b-12d3-a456-426614174002",
		 *       "title": "Nightly link check",
		 *       "emoji": "🧹",
		 *       "rrule": "FREQ=DAILY;BYHOUR=7",
		 *       "nextRunAt": "2026-10-05T07:00:00.000Z",
		 *       "createdAt": "2026-10-05T07:00:00.000Z",
		 *       "updatedAt": "2026-10-05T07:00:00.000Z"
		 *     }
		 */
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
		/**
		 * @example {
		 *       "title": "Nightly link check",
		 *       "prompt": "Check every page for broken links",
		 *       "rrule": "FREQ=DAILY;BYHOUR=7",
		 *       "emoji": "🧹"
		 *     }
		 */
		TaskUpdate: {
			title?: string;
			prompt?: string;
			rrule?: string;
			emoji?: string;
		};
		/**
		 * @description The document shows no request body; extra fields are let through
		 * @example {
		 *       "projectId": "123e4567-e89b-12d3-a456-426614174000",
		 *       "prompt": "Check every page for broken links and fix them"
		 *     }
		 */
		AgentSessionCreate: {
			/** Format: uuid */
			projectId: string;
			prompt: string;
		};
		/**
		 * @description The document promises a session id and does not name its field
		 * @example {
		 *       "sessionId": "123e4567-e89b-12d3-a456-426614174003",
		 *       "status": "starting",
		 *       "dashboardUrl": "https://app.example.com/sessions/123e4567-e89b-12d3-a456-426614174003"
		 *     }
		 */
		AgentSessionCreated: {
			/** Format: uuid */
			sessionId: string;
			status?: string;
			dashboardUrl?: string;
		};
		/**
		 * @example {
		 *       "sessionId": "123e4567-e89b-12d3-a456-426614174003",
		 *       "dashboardUrl": "https://app.example.com/sessions/123e4567-e89b-12d3-a456-426614174003",
		 *       "status": "running",
		 *       "pendingInteractions": [
		 *         {
		 *           "type": "permission",
		 *           "id": "per_1",
		 *           "permission": "bash",
		 *           "patterns": [
		 *             "npm run build"
		 *           ],
		 *           "metadata": {
		 *             "command": "npm run build"
		 *           },
		 *           "response": {
		 *             "type": "choice",
		 *             "options": [
		 *               {
		 *                 "value": "once",
		 *                 "label": "Allow once"
		 *               },
		 *               {
		 *                 "value": "reject",
		 *                 "label": "Deny"
		 *               }
		 *             ],
		 *             "instruction": "Choose whether the agent may run this command"
		 *           }
		 *         }
		 *       ],
		 *       "error": "",
		 *       "latestMessage": {
		 *         "role": "assistant",
		 *         "text": "The build is next.",
		 *         "createdAt": "2026-10-05T07:00:00.000Z",
		 *         "completedAt": "2026-10-05T07:00:00.000Z"
		 *       },
		 *       "latestTool": {
		 *         "name": "bash",
		 *         "status": "running",
		 *         "title": "npm run build",
		 *         "at": "2026-10-05T07:00:00.000Z"
		 *       },
		 *       "lastActivityAt": "2026-10-05T07:00:00.000Z"
		 *     }
		 */
		AgentSession: {
			sessionId: components['schemas']['Id'];
			dashboardUrl?: string;
			status: string | ('starting' | 'running' | 'completed' | 'failed');
			pendingInteractions?: components['schemas']['PendingInteraction'][];
			error?: string;
			latestMessage?: {
				role?: string | 'assistant';
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
		/**
		 * @example {
		 *       "text": "Now do the same for the blog"
		 *     }
		 */
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
		/**
		 * @description The fields beside `type` that carry the decision are not shown
		 * @example {
		 *       "type": "permission",
		 *       "response": "once"
		 *     }
		 */
		InteractionResolve: {
			type: string | 'permission';
			response?: string;
		};
		/**
		 * @example {
		 *       "rowCount": 1,
		 *       "data": [
		 *         {
		 *           "path": "/pricing",
		 *           "views": 12
		 *         }
		 *       ]
		 *     }
		 */
		AnalyticsResult: {
			rowCount: number;
			data: {
				[key: string]: unknown;
			}[];
		};
		/**
		 * @example {
		 *       "projectId": "123e4567-e89b-12d3-a456-426614174000",
		 *       "siteId": "123e4567-e89b-12d3-a456-426614174004",
		 *       "route": "/pricing",
		 *       "locale": "pt-BR"
		 *     }
		 */
		SharedPreviewCreate: {
			projectId: components['schemas']['Id'];
			siteId: components['schemas']['Id'];
			/** @description Absolute path without query string or fragment */
			route: string;
			/** @description BCP 47 language tag; the site's default when omitted */
			locale?: string;
		};
		/**
		 * @example {
		 *       "object": "shared_preview",
		 *       "id": "123e4567-e89b-12d3-a456-426614174008",
		 *       "url": "https://preview.example.com/123e4567-e89b-12d3-a456-426614174008"
		 *     }
		 */
		SharedPreview: {
			/** @constant */
			object: 'shared_preview';
			id: components['schemas']['Id'];
			/** Format: uri */
			url: string;
		};
		/**
		 * @example {
		 *       "object": "file",
		 *       "id": "123e4567-e89b-12d3-a456-426614174005",
		 *       "projectId": "123e4567-e89b-12d3-a456-426614174000",
		 *       "parentId": "123e4567-e89b-12d3-a456-426614174006",
		 *       "name": "report.md",
		 *       "kind": "file",
		 *       "sizeBytes": 8,
		 *       "contentType": "text/markdown",
		 *       "createdAt": "2026-10-05T07:00:00.000Z",
		 *       "updatedAt": "2026-10-05T07:00:00.000Z"
		 *     }
		 */
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
		/**
		 * @example {
		 *       "projectId": "123e4567-e89b-12d3-a456-426614174000",
		 *       "kind": "file",
		 *       "name": "report.md",
		 *       "parentId": "123e4567-e89b-12d3-a456-426614174006",
		 *       "source": {
		 *         "type": "text",
		 *         "text": "# Report"
		 *       }
		 *     }
		 */
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
		/**
		 * @example {
		 *       "name": "report-2026.md"
		 *     }
		 */
		FileUpdate: {
			name?: string;
			/**
			 * Format: uuid
			 * @description The new folder; null moves to My Files
			 */
			parentId?: string | null;
		};
		/** @description The complete text, or a download URL */
		FileContent:
			| {
					/** @example # Report */
					text: string;
			  }
			| {
					/**
					 * Format: uri
					 * @description Valid for 15 minutes; needs no token
					 * @example https://files.example.com/123e4567-e89b-12d3-a456-426614174005
					 */
					url: string;
			  };
		/**
		 * @example {
		 *       "object": "custom_domain",
		 *       "id": "123e4567-e89b-12d3-a456-426614174007",
		 *       "domain": "copper-bakery.example",
		 *       "status": "pending",
		 *       "is_pending": true,
		 *       "is_stale": false,
		 *       "dns_instructions": {
		 *         "type": "root",
		 *         "records": [
		 *           {
		 *             "type": "A",
		 *             "host": "@",
		 *             "value": "192.0.2.1"
		 *           }
		 *         ],
		 *         "verification_token": "wa-verify-1",
		 *         "verification_token_expires_at": "2026-10-05T07:00:00.000Z"
		 *       }
		 *     }
		 */
		CustomDomain: {
			/** @constant */
			object: 'custom_domain';
			id: components['schemas']['Id'];
			domain?: string;
			status?: string | 'pending';
			is_pending?: boolean;
			is_stale?: boolean;
			dns_instructions?: {
				type?: string | 'root';
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
		/**
		 * @example {
		 *       "object": "custom_domain",
		 *       "id": "123e4567-e89b-12d3-a456-426614174007",
		 *       "deleted": true
		 *     }
		 */
		DeletedCustomDomain: {
			/** @constant */
			object: 'custom_domain';
			id: string;
			/** @constant */
			deleted: true;
		};
		/**
		 * @description The document shows no field of a product
		 * @example {
		 *       "object": "product",
		 *       "id": "123e4567-e89b-12d3-a456-426614174009",
		 *       "projectId": "123e4567-e89b-12d3-a456-426614174000",
		 *       "name": "Gift card"
		 *     }
		 */
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
		/**
		 * @example {
		 *       "projectId": "123e4567-e89b-12d3-a456-426614174000",
		 *       "name": "Gift card"
		 *     }
		 */
		ProductCreate: {
			/** Format: uuid */
			projectId: string;
		} & {
			[key: string]: unknown;
		};
		/**
		 * @example {
		 *       "name": "Gift card"
		 *     }
		 */
		ProductUpdate: {
			[key: string]: unknown;
		};
	};
	responses: {
		/** @description invalid request */
		BadRequest: {
			headers: {
				[name: string]: unknown;
			};
			content: {
				'application/json': components['schemas']['ErrorEnvelope'];
			};
		};
		/** @description missing or invalid token */
		Unauthorized: {
			headers: {
				[name: string]: unknown;
			};
			content: {
				'application/json': components['schemas']['ErrorEnvelope'];
			};
		};
		/** @description not authorized */
		Forbidden: {
			headers: {
				[name: string]: unknown;
			};
			content: {
				'application/json': components['schemas']['ErrorEnvelope'];
			};
		};
		/** @description not found, also when the key's scopes or the creator's project access do not permit the resource */
		NotFound: {
			headers: {
				[name: string]: unknown;
			};
			content: {
				'application/json': components['schemas']['ErrorEnvelope'];
			};
		};
		/** @description conflicting state */
		Conflict: {
			headers: {
				[name: string]: unknown;
			};
			content: {
				'application/json': components['schemas']['ErrorEnvelope'];
			};
		};
		/** @description content exceeds 10 MiB */
		TooLarge: {
			headers: {
				[name: string]: unknown;
			};
			content: {
				'application/json': components['schemas']['ErrorEnvelope'];
			};
		};
		/** @description too many requests */
		TooManyRequests: {
			headers: {
				'Retry-After': components['headers']['RetryAfter'];
				[name: string]: unknown;
			};
			content: {
				'application/json': components['schemas']['ErrorEnvelope'];
			};
		};
		/** @description internal error */
		InternalError: {
			headers: {
				[name: string]: unknown;
			};
			content: {
				'application/json': components['schemas']['ErrorEnvelope'];
			};
		};
		/** @description temporarily unavailable */
		Unavailable: {
			headers: {
				[name: string]: unknown;
			};
			content: {
				'application/json': components['schemas']['ErrorEnvelope'];
			};
		};
		/** @description Any other error */
		Error: {
			headers: {
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
