// The endpoints of the API document, by its headings, and the node's operations that stand for each. A test holds this table
// against the contract and the node, so that none of the three can lack an operation that another has.

/** `resource.operation` of the workspaceAutomation node, by `METHOD /path` of the document. */
export const endpoints: Record<string, string[]> = {
	'GET /projects': ['project.getAll'],
	'GET /tasks': ['task.getAll'],
	'GET /tasks/{taskId}': ['task.get'],
	'PATCH /tasks/{taskId}': ['task.update'],
	'POST /agent/sessions': ['agentSession.create'],
	'GET /agent/sessions/{sessionId}': ['agentSession.get'],
	'POST /agent/sessions/{sessionId}/messages': ['agentSession.sendMessage'],
	'POST /agent/sessions/{sessionId}/abort': ['agentSession.abort'],
	'POST /agent/sessions/{sessionId}/interactions/{interactionId}/resolve': [
		'agentSession.resolveInteraction',
	],
	'POST /analytics/query': ['analytics.query'],
	'POST /shared-previews': ['sharedPreview.create'],
	'GET /files': ['file.getAll'],
	'POST /files': ['file.create', 'file.createFolder'],
	'GET /files/{fileId}': ['file.get'],
	// Said to exist ("rename, move files") and not shown: assumed.
	'PATCH /files/{fileId}': ['file.rename', 'file.move'],
	'GET /files/{fileId}/content': ['file.getContent'],
	'GET /custom-domains': ['customDomain.getAll'],
	'DELETE /custom-domains/{customDomainId}': ['customDomain.delete'],
	'GET /products': ['product.getAll'],
	'POST /products': ['product.create'],
	'PATCH /products/{productId}': ['product.update'],
};
