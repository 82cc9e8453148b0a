// Valid parameters of each operation of Workspace Automation.
import type { IDataObject } from 'n8n-workflow';
import { byId as rl } from '../../n8n-host/workflows.mts';
import { declared, withIds } from '../support/endpoints.mts';

export const ID = '123e4567-e89b-12d3-a456-426614174000';

export { rl };

const own: Record<string, IDataObject> = {
	'project.getAll': {},
	'task.get': { taskId: rl(ID) },
	'task.getAll': {},
	'task.update': { taskId: rl(ID), updateFields: { title: 'x' } },
	'agentSession.create': { projectId: rl(ID), prompt: 'x' },
	'agentSession.get': { sessionId: ID },
	'agentSession.abort': { sessionId: ID },
	'agentSession.sendMessage': { sessionId: ID, message: 'x' },
	'agentSession.resolveInteraction': {
		sessionId: ID,
		interactionId: 'i1',
		decision: 'option',
		optionValue: 'once',
	},
	'file.create': { projectId: rl(ID), name: 'a.md', contentSource: 'text', text: 'x' },
	'file.createFolder': { projectId: rl(ID), name: 'a' },
	'file.get': { fileId: rl(ID) },
	'file.getContent': { fileId: rl(ID), outputAs: 'binary', binaryPropertyName: 'data' },
	'file.getAll': { projectId: rl(ID) },
	'file.rename': { fileId: rl(ID), name: 'b.md' },
	'file.move': { fileId: rl(ID), parentId: rl(ID) },
	'customDomain.getAll': { siteId: ID },
	'customDomain.delete': { customDomainId: rl(ID) },
	'sharedPreview.create': { projectId: rl(ID), siteId: ID, route: '/' },
	'analytics.query': { query: 'SELECT 1' },
	'product.getAll': { projectId: rl(ID) },
	'product.create': { projectId: rl(ID), fields: '{"name":"x"}' },
	'product.update': { productId: rl('prod_1'), fields: '{"name":"x"}' },
};

/** Valid parameters of each operation */
export const good: Record<string, IDataObject> = {
	...Object.fromEntries(declared.map(({ name }) => [name, withIds(name)])),
	...own,
};
