import { sessionId } from '../fields';
import type { Operation } from '../../../shared/n8n/operation';

export const abort: Operation = {
	description: 'Abort an agent session; aborting it twice does no harm',
	request: 'abortAgentSession',
	fields: [sessionId],
};
