import type { INodeProperties } from 'n8n-workflow';

import { UUID_EXAMPLE } from '../../../shared/descriptions';

/** Sessions cannot be listed, so they are named by their ID. */
export const sessionId = (show: Record<string, string[]>): INodeProperties => ({
	displayName: 'Session ID',
	name: 'sessionId',
	type: 'string',
	default: '',
	required: true,
	placeholder: UUID_EXAMPLE,
	description: 'The session, such as the sessionId that an earlier node put out',
	displayOptions: { show },
});
