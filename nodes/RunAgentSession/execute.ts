import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { runItems } from './session/items';
import { ignoreAlwaysOutputData } from './session/pause';
import { runTryRules } from './tryRules';

/** Runs the operation chosen in the panel, the same for all items. */
export async function executeNode(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	ignoreAlwaysOutputData(context);
	if (context.getNodeParameter('operation', 0) === 'tryRules') return runTryRules(context);
	return await runItems(context);
}
