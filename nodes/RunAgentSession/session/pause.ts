import type { IDataObject, IExecuteFunctions, INode, INodeExecutionData } from 'n8n-workflow';

import { WorkspaceAutomationError } from '../../shared/errors';

// How a node is wired into itself, which way an item came, and parking: n8n keeps the execution in its database, and executes the node again
// after the wait. Of itself n8n only hands on, by the first output, what the node's input was; so that has to be replaced, and its first
// output wired back to the node.

/** By input, the outputs that lead there. n8n has it, and its types do not. */
type Connections = Array<Array<{ node: string; index: number }> | null | undefined>;
type WithConnections = { getConnections?(node: { name: string }, type: 'main'): Connections };

/** The nodes that an output leads to directly, by name; undefined where n8n does not tell. */
function listConnectedNodes(context: IExecuteFunctions, output: number): string[] | undefined {
	const { name } = context.getNode();
	const wires = context as IExecuteFunctions & WithConnections;
	if (!wires.getConnections) return undefined;
	const follows = (node: string) =>
		wires.getConnections!({ name: node }, 'main').some((into) =>
			into?.some((from) => from.node === name && from.index === output),
		);
	return [name, ...context.getChildNodes(name).map((child) => child.name)].filter(follows);
}

/** What is parked comes back by the first output. @throws where that does not lead to the node itself and nowhere else */
export function requireSelfConnection(context: IExecuteFunctions): void {
	const { name } = context.getNode();
	const followers = listConnectedNodes(context, 0) ?? [name];
	if (followers.length === 1 && followers[0] === name) return;
	throw new WorkspaceAutomationError(
		"'Still Running' isn't connected to this node's input",
		"Connect the 'Still Running' output to this node's own input, and to nothing else. No session was started.",
	);
}

/** Whether an output leads to this very node again, whatever is between; false where n8n does not tell. */
export function isConnectedBack(context: IExecuteFunctions, output: number): boolean {
	const { name } = context.getNode();
	const isBefore = (node: string) =>
		node === name || context.getChildNodes(node).some((child) => child.name === name);
	return (listConnectedNodes(context, output) ?? []).some(isBefore);
}

/** Says in the editor that items have left by an output that leads nowhere. */
export function warnIfUnconnected(context: IExecuteFunctions, output: number, name: string): void {
	if (listConnectedNodes(context, output)?.length !== 0) return;
	const message = `Items have left by '${name}', and nothing follows there.`;
	context.addExecutionHints({ message, type: 'warning', location: 'outputPane' });
}

/** Whether the items of this run come straight from the first output of this very node. */
export function isFromOwnOutput(context: IExecuteFunctions): boolean {
	const source = context.getExecuteData().source?.main?.[0];
	return source?.previousNode === context.getNode().name && !source.previousNodeOutput;
}

/** The item of an earlier run of this node that an item descends from, whatever is between. */
export function findAncestor(
	context: IExecuteFunctions,
	itemIndex: number,
): INodeExecutionData | undefined {
	type GetPairedItem = (...about: unknown[]) => INodeExecutionData | null;
	try {
		const source = context.getExecuteData().source?.main?.[0];
		const proxy = context.getWorkflowDataProxy(itemIndex);
		const getPairedItem = proxy.$getPairedItem as GetPairedItem;
		const { pairedItem } = context.getInputData()[itemIndex];
		return getPairedItem(context.getNode().name, source, pairedItem) ?? undefined;
	} catch {
		// It descends from none, or something on its way did not say what from.
		return undefined;
	}
}

/** How a node is parked. */
export interface PauseState {
	/** Until when n8n keeps it */
	until: number;
	/** How often a webhook has had it executed sooner */
	resumed: number;
	/** Until when what comes back without having been parked has to wait */
	putOffUntil?: number;
}

/** How the node is parked, as its context tells. */
export const readPauseState = (nodeContext: IDataObject): PauseState =>
	(nodeContext.parked ??= { until: 0, resumed: 0 }) as unknown as PauseState;

/**
 * n8n runs what follows a node from the top of the canvas to the bottom, and a node that parks ends that for all. So the way back goes last
 * where other items leave. What n8n saves is the position as it was.
 */
function runLast(node: INode): void {
	const [x, y] = node.position;
	const toJSON = { value: () => [x, y] };
	node.position = Object.defineProperty([x, y + 1e6] as INode['position'], 'toJSON', toJSON);
}

/**
 * The outputs of a node that parks what is on the first. Where items leave by another they go first, and the rest comes back at once, to be
 * parked then (`putOffUntil`).
 */
export async function pauseExecution(
	context: IExecuteFunctions,
	outputs: INodeExecutionData[][],
	wakeAt: number,
): Promise<INodeExecutionData[][]> {
	const [waiting, ...leaving] = outputs;
	if (waiting.length === 0) return outputs;
	const execution = context.getExecuteData();
	const parked = readPauseState(context.getContext('node'));
	if (leaving.some(({ length }) => length > 0)) {
		parked.putOffUntil = wakeAt;
		runLast(execution.node);
		return outputs;
	}
	// A list of its own: where the node has an error output, n8n empties what is returned.
	execution.data.main = [[...waiting]];
	parked.until = wakeAt;
	// n8n 1 at times takes up twice what it has parked, and forgets the second when the first is through: "No active execution found". The
	// wait is noted by then, and n8n parks it all the same.
	await context.putExecutionToWait(new Date(wakeAt)).catch(() => {});
	return outputs;
}

/** When the items of this run are to be parked for, because it was put off only until others had left; undefined if that is not why they came. */
export function deferredUntil(context: IExecuteFunctions, now: number): number | undefined {
	if (!isFromOwnOutput(context)) return undefined;
	const parked = readPauseState(context.getContext('node'));
	const { putOffUntil: wakeAt = now } = parked;
	delete parked.putOffUntil;
	return wakeAt > now ? wakeAt : undefined;
}
