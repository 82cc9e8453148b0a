import type { IExecuteFunctions, IExecuteSingleFunctions, INode } from 'n8n-workflow';

type Context = { getNode(): INode; isToolExecution?: IExecuteFunctions['isToolExecution'] };

/** Whether an AI agent uses the node as its tool. n8n says so in part only; the type that it is wrapped in says it always. */
export const isTool = (context: Context) =>
	context.getNode().type.endsWith('Tool') || context.isToolExecution?.() === true;

/**
 * Whether an item that fails is handed on with its error. A tool's always is, unless the user wants the workflow to stop: of an
 * error that is thrown the model gets to read the message alone, neither the way out nor the session.
 */
export const handsOnErrors = (context: Context & Pick<IExecuteSingleFunctions, 'continueOnFail'>) =>
	context.continueOnFail() || (isTool(context) && context.getNode().onError !== 'stopWorkflow');
