import { sessionId } from '../fields';
import type { Operation } from '../resource';

export const abort: Operation = {
	name: 'Abort',
	value: 'abort',
	action: 'Abort agent session',
	description: 'Abort an agent session; aborting it twice does no harm',
	request: 'abortAgentSession',
	fields: [sessionId],
};
