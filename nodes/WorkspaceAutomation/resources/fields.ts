import { requireSessionId } from '../../shared/session/session';
import {
	fileLocator,
	folderLocator,
	projectLocator,
	sessionLocator,
	siteId as siteIdField,
	taskLocator,
} from '../../shared/n8n/descriptions';
import { optionalId, requireId, requireJsonObject } from '../../shared/base/validation';
import type { Field } from '../../shared/n8n/operation';

// Fields that several operations send.

export const projectId: Field = { ...projectLocator, check: requireId };

export const taskId: Field = { ...taskLocator, check: requireId };

export const fileId: Field = { ...fileLocator, check: requireId };

export const sessionId: Field = { ...sessionLocator, check: requireSessionId };

/** The folder that something is created in; nothing is sent where it is left empty. */
export const optionalParentId: Field = { ...folderLocator, check: optionalId };

export const siteId: Field = { ...siteIdField, check: requireId };

/** Additional fields with a JSON body, for what the API document does not show. */
export const additionalBody = (description: string, more: Field[] = []): Field => ({
	displayName: 'Additional Fields',
	name: 'additionalFields',
	type: 'collection',
	placeholder: 'Add Field',
	default: {},
	options: [
		{
			displayName: 'Body',
			name: 'body',
			type: 'json',
			default: '{}',
			description,
			check: requireJsonObject,
			isExtra: true,
		},
		...more,
	],
});
