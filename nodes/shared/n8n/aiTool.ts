import type { IExecuteFunctions, IExecuteSingleFunctions, INode } from 'n8n-workflow';

export type ToolContext = {
	getNode(): INode;
	isToolExecution?: IExecuteFunctions['isToolExecution'];
};

/** Returns whether an AI agent uses the node as its tool. n8n's own flag covers only some cases, the type's suffix covers all. */
export const isTool = (context: ToolContext): boolean =>
	context.getNode().type.endsWith('Tool') || context.isToolExecution?.() === true;

/** Returns whether a failed item is passed on. A tool's is unless set to stop, because a model reads only a thrown error's message. */
export const continuesOnError = (
	context: ToolContext & Pick<IExecuteSingleFunctions, 'continueOnFail'>,
): boolean =>
	context.continueOnFail() || (isTool(context) && context.getNode().onError !== 'stopWorkflow');
