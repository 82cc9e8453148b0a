import { requireJsonObject } from '../../../shared/base/validation';
import { sessionLocator } from '../../../shared/n8n/descriptions';
import type { Field } from '../../../shared/n8n/operation';
import { requireSessionId } from '../../../shared/session/session';

export const sessionId: Field = { ...sessionLocator, check: requireSessionId };

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
