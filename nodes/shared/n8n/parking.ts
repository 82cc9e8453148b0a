import type { IDataObject, IExecuteFunctions, INode, INodeExecutionData } from 'n8n-workflow';

import { comesFromItself } from './wires';

// A node that parks: n8n keeps the execution in its database, and executes the node again after the wait. Of itself n8n only hands on, by
// the first output, what the node's input was; so that has to be replaced, and its first output wired back to the node.

/** In the node's context: until when what comes back without having been parked has to wait */
const WAKE_AT = 'wakeAt';

/** In the node's context: how it is parked */
const PARKED = 'parked';

/** Until when n8n keeps a node parked, and how often a webhook has had it executed sooner. */
export interface ParkedNode {
	until: number;
	resumed: number;
}

/** How the node is parked, as its context tells. */
export const parkedNode = (nodeContext: IDataObject): ParkedNode =>
	(nodeContext[PARKED] ??= { until: 0, resumed: 0 }) as unknown as ParkedNode;

/**
 * n8n runs what follows a node from the top of the canvas to the bottom, and a node that parks ends that for all. So the way back goes last
 * where other items leave. What n8n saves is the position as it was.
 */
function goLast(node: INode): void {
	const [x, y] = node.position;
	const toJSON = { value: () => [x, y] };
	node.position = Object.defineProperty([x, y + 1e6] as INode['position'], 'toJSON', toJSON);
}

/**
 * The outputs of a node that parks what is on the first. Where items leave by another they go first, and the rest comes back at once, to be
 * parked then (`putOffUntil`).
 */
export async function park(
	context: IExecuteFunctions,
	outputs: INodeExecutionData[][],
	wakeAt: number,
): Promise<INodeExecutionData[][]> {
	const [waiting, ...leaving] = outputs;
	if (waiting.length === 0) return outputs;
	const execution = context.getExecuteData();
	if (leaving.some(({ length }) => length > 0)) {
		context.getContext('node')[WAKE_AT] = wakeAt;
		goLast(execution.node);
		return outputs;
	}
	// A list of its own: where the node has an error output, n8n empties what is returned.
	execution.data.main = [[...waiting]];
	parkedNode(context.getContext('node')).until = wakeAt;
	// n8n 1 at times takes up twice what it has parked, and forgets the second when the first is through: "No active execution found". The
	// wait is noted by then, and n8n parks it all the same.
	await context.putExecutionToWait(new Date(wakeAt)).catch(() => {});
	return outputs;
}

/** When the items of this run are to be parked for, because it was put off only until others had left; undefined if that is not why they came. */
export function putOffUntil(context: IExecuteFunctions, now: number): number | undefined {
	const nodeContext = context.getContext('node');
	const { [WAKE_AT]: wakeAt } = nodeContext;
	if (!comesFromItself(context)) return undefined;
	delete nodeContext[WAKE_AT];
	return typeof wakeAt === 'number' && wakeAt > now ? wakeAt : undefined;
}
