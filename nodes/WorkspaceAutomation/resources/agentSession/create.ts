import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { projectLocator } from '../../../shared/descriptions';
import { checked, step, wire } from '../../../shared/routed';
import { requireId, requireJsonObject, requireText } from '../../../shared/validate';
import { readSessionId } from '../../../shared/wireNames';
import { extraBody } from './extraBody';

const showOnlyForSessionCreate = { resource: ['agentSession'], operation: ['create'] };

export const operation: INodePropertyOptions = {
	name: 'Create',
	value: 'create',
	action: 'Create an agent session',
	description: 'Start an agent session without waiting for it; the Run Agent Session node waits',
	routing: {
		request: { method: 'POST', url: '/agent/sessions' },
		send: {
			paginate: true,
			preSend: [
				checked('Project', 'projectId', requireId),
				checked('Prompt', 'prompt', requireText),
				step(function (request) {
					const extra = requireJsonObject(
						'Body',
						this.getNodeParameter('additionalFields.body', '{}'),
					);
					return { ...request, body: { ...extra, ...(request.body as object) } };
				}),
			],
		},
		output: {
			postReceive: [
				// Whatever name the service gives the ID, the next node finds it under this one.
				async (items) =>
					items.map(({ json }) => ({ json: { sessionId: readSessionId(json), ...json } })),
			],
		},
	},
};

export const fields: INodeProperties[] = [
	{
		...projectLocator,
		description: 'The project that the agent works in',
		displayOptions: { show: showOnlyForSessionCreate },
		routing: { send: { type: 'body', property: wire('sessionProject') } },
	},
	{
		displayName: 'Prompt',
		name: 'prompt',
		type: 'string',
		typeOptions: { rows: 4 },
		default: '',
		required: true,
		placeholder: 'e.g. Check every page for broken links and fix them',
		description: 'What the agent should do, in plain words',
		displayOptions: { show: showOnlyForSessionCreate },
		routing: { send: { type: 'body', property: wire('sessionPrompt') } },
	},
	extraBody(
		showOnlyForSessionCreate,
		'More fields for the request that starts the session, as a JSON object',
	),
];
