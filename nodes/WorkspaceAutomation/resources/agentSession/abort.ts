import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { checked } from '../../../shared/routed';
import { requireId } from '../../../shared/validate';
import { sessionId } from './sessionId';

const showOnlyForSessionAbort = { resource: ['agentSession'], operation: ['abort'] };

export const operation: INodePropertyOptions = {
	name: 'Abort',
	value: 'abort',
	action: 'Abort an agent session',
	description: 'Abort an agent session; aborting it twice does no harm',
	routing: {
		request: { method: 'POST', url: '/agent/sessions/{sessionId}/abort' },
		send: { paginate: true, preSend: [checked('Session ID', 'sessionId', requireId)] },
	},
};

export const fields: INodeProperties[] = [sessionId(showOnlyForSessionAbort)];
