import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { runItems } from './session/items';
import { runTryRules } from './tryRules';

/** Runs the operation chosen in the panel, the same for all items. */
export async function executeNode(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	if (context.getNodeParameter('operation', 0) === 'tryRules') return runTryRules(context);
	return await runItems(context);
}
