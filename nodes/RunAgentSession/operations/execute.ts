import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { runApplyAnswer } from './applyAnswer';
import { runNode } from '../execution/runNode';
import { runTryRules } from './tryRules';

type Runner = (context: IExecuteFunctions) => Promise<INodeExecutionData[][] | null>;

const RUNNERS: Record<string, Runner> = {
	start: runNode,
	continue: runNode,
	applyAnswer: runApplyAnswer,
	tryRules: runTryRules,
};

/** Runs the operation chosen in the panel, the same for all items. */
export async function executeNode(
	context: IExecuteFunctions,
): Promise<INodeExecutionData[][] | null> {
	return await RUNNERS[String(context.getNodeParameter('operation', 0))](context);
}
