// Made from openapi/workspace-automation.yaml by `npm run contract`. Do not edit.

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
		/** @description The complete text, or a download URL */
		FileContent:
			| {
					text: string;
			  }
			| {
					/**
					 * Format: uri
					 * @description Valid for 15 minutes; needs no token
					 */
					url: string;
			  };
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
