import type { IDataObject } from 'n8n-workflow';

import { readableSession } from '../../../shared/api/sessions';
import { simplify } from '../../../shared/n8n/descriptions';
import { sessionId } from '../fields';
import type { Operation } from '../../../shared/n8n/operation';
import { simplified } from '../simplify';

export const get: Operation = {
	description: 'Get the status of an agent session and what it waits for',
	request: 'getAgentSession',
	fields: [sessionId, simplify],
	// Wherever the service puts it, the next node finds it in one place.
	result({ body }, { sessionId: id }, api) {
		if (this.getNodeParameter('simplify', true) !== true) return { json: body as IDataObject };
		return { json: { ...readableSession(api, body, String(id)) } as IDataObject };
	},
	output: simplified(({ error, latestMessage, ...session }) => ({
		sessionId: session.sessionId,
		dashboardUrl: session.dashboardUrl,
		status: session.status,
		text: (latestMessage as IDataObject | undefined)?.text,
		pendingInteractions: session.pendingInteractions,
		// Not `error`: n8n takes an item that has one for a failure.
		failure: error,
		lastActivityAt: session.lastActivityAt,
	})),
};
