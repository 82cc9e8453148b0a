import type { IDataObject, INode, JsonObject } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { WorkspaceAutomationError, type ErrorContext } from './errors';

/**
 * n8n's error for whatever was thrown. Responses of the service become a `NodeApiError` (with `httpCode`), everything else a
 * `NodeOperationError`; both carry the error's context. Anything that is not a `WorkspaceAutomationError` is a bug and keeps its
 * own message.
 */
export function toNodeError(
	node: INode,
	error: unknown,
	itemIndex: number,
): NodeApiError | NodeOperationError {
	if (error instanceof NodeApiError || error instanceof NodeOperationError) {
		error.context.itemIndex ??= itemIndex;
		return error;
	}
	if (!(error instanceof WorkspaceAutomationError)) {
		return new NodeOperationError(node, error instanceof Error ? error : String(error), {
			itemIndex,
		});
	}
	const { message, description, context } = error;
	const result =
		context.httpStatus === undefined
			? new NodeOperationError(node, message, { description, itemIndex })
			: new NodeApiError(node, { ...context } as JsonObject, {
					message,
					description,
					httpCode: String(context.httpStatus),
					itemIndex,
				});
	// n8n rewrites a message that happens to contain a system error code (ENOENT, ...), such as a session's own error text.
	result.message = message;
	Object.assign(result.context, context);
	return result;
}

/**
 * The JSON of an item that failed, for a node that continues on errors: `error` says what happened, `message` how to get
 * unstuck. n8n recognises an item for the error output by these two keys and no others, up to 1.123 exactly so; where the item
 * stays on its output it has the context beside them. (An `error` on the item itself would do for both, but then the engine
 * drops all of this.)
 */
export function errorJson(node: INode, error: NodeApiError | NodeOperationError): IDataObject {
	const told = { error: error.message, message: error.description ?? error.message };
	if (node.onError === 'continueErrorOutput') return told;
	const { httpStatus, code, docUrl, sessionId, dashboardUrl, decisions } =
		error.context as ErrorContext;
	const context = { httpStatus, code, docUrl, sessionId, dashboardUrl, decisions };
	const known = Object.entries(context).filter(([, value]) => value !== undefined);
	return { ...told, ...(Object.fromEntries(known) as IDataObject) };
}
