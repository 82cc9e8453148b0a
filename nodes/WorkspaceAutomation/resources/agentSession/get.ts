import { simplify } from '../../../shared/n8n/descriptions';
import { sessionId } from '../fields';
import type { Operation } from '../resource';
import { simplifySession } from './simplifySession';

export const get: Operation = {
	name: 'Get',
	value: 'get',
	action: 'Get agent session',
	description: 'Get the status of an agent session and what it waits for',
	request: 'getAgentSession',
	fields: [sessionId, simplify],
	output: [simplifySession],
};
