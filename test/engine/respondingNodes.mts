// n8n's nodes that can hold a response back, with parameters, and whether their caller waits until the workflow ends.
import type { IDataObject } from 'n8n-workflow';

export const CHAT_TRIGGER = '@n8n/n8n-nodes-langchain.chatTrigger';

export const RESPONDING_NODES: Array<[type: string, parameters: IDataObject, waits: boolean]> = [
	['n8n-nodes-base.webhook', { responseMode: 'lastNode' }, true],
	['n8n-nodes-base.webhook', { responseMode: 'onReceived' }, false],
	['n8n-nodes-base.webhook', { responseMode: 'responseNode' }, false],
	['n8n-nodes-base.formTrigger', { responseMode: 'lastNode' }, true],
	['n8n-nodes-base.formTrigger', { responseMode: 'onReceived' }, false],
	['n8n-nodes-base.wait', { responseMode: 'lastNode' }, true],
	['n8n-nodes-base.wait', { responseMode: 'onReceived' }, false],
	[CHAT_TRIGGER, {}, true],
	[CHAT_TRIGGER, { options: {} }, true],
	[CHAT_TRIGGER, { options: { responseMode: 'lastNode' } }, true],
	[CHAT_TRIGGER, { options: { responseMode: 'responseNodes' } }, false],
];
