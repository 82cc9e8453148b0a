import type { IExecuteFunctions, IExecuteSingleFunctions, INode } from 'n8n-workflow';

export type ToolContext = {
	getNode(): INode;
	isToolExecution?: IExecuteFunctions['isToolExecution'];
};

/** Returns whether an AI agent uses the node as its tool. n8n says so only in part; the type that the node is wrapped in always does. */
export const isTool = (context: ToolContext): boolean =>
	context.getNode().type.endsWith('Tool') || context.isToolExecution?.() === true;

/**
 * Returns whether an item that fails is passed on with its error. A tool's always is, unless the user wants the workflow to stop: of an
 * error that is thrown the model reads the message alone, neither the description nor the session.
 */
export const continuesOnError = (
	context: ToolContext & Pick<IExecuteSingleFunctions, 'continueOnFail'>,
): boolean =>
	context.continueOnFail() || (isTool(context) && context.getNode().onError !== 'stopWorkflow');
