import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { simplify } from '../../../shared/descriptions';
import { checked } from '../../../shared/routed';
import { requireId } from '../../../shared/validate';
import { sessionId } from './sessionId';
import { simplifySession } from './simplifySession';

const showOnlyForSessionGet = { resource: ['agentSession'], operation: ['get'] };

export const operation: INodePropertyOptions = {
	name: 'Get',
	value: 'get',
	action: 'Get an agent session',
	description: 'Get the status of an agent session and what it waits for',
	routing: {
		request: { method: 'GET', url: '/agent/sessions/{sessionId}' },
		send: { paginate: true, preSend: [checked('Session ID', 'sessionId', requireId)] },
		output: { postReceive: [simplifySession] },
	},
};

export const fields: INodeProperties[] = [
	sessionId(showOnlyForSessionGet),
	simplify(showOnlyForSessionGet),
];
