import type { INodeProperties } from 'n8n-workflow';

/** Additional fields with a JSON body, for what the API document does not show. */
export const extraBody = (
	show: Record<string, string[]>,
	description: string,
): INodeProperties => ({
	displayName: 'Additional Fields',
	name: 'additionalFields',
	type: 'collection',
	placeholder: 'Add Field',
	default: {},
	displayOptions: { show },
	options: [{ displayName: 'Body', name: 'body', type: 'json', default: '{}', description }],
});
