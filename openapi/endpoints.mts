// The endpoints of the API document, by its headings, with the node's operations for each. A test compares this table with the
// contract and the node, so that none of the three lacks an operation of another.

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
	// The API document mentions renaming and moving without showing an endpoint: assumed.
	'PATCH /files/{fileId}': ['file.rename', 'file.move'],
	'GET /files/{fileId}/content': ['file.getContent'],
	'GET /custom-domains': ['customDomain.getAll'],
	'DELETE /custom-domains/{customDomainId}': ['customDomain.delete'],
	'GET /products': ['product.getAll'],
	'POST /products': ['product.create'],
	'PATCH /products/{productId}': ['product.update'],
};
