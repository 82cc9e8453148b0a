import type {
	IDataObject,
	IExecuteData,
	IExecuteFunctions,
	INode,
	INodeExecutionData,
} from 'n8n-workflow';

import { WorkspaceAutomationError } from '../../shared/errors';
import { OUTPUTS, type OutputKey, outputIndex } from '../outputs';
import { isFromOwnOutput } from './ancestors';

// Pausing: n8n keeps the execution in its database and executes the node again later. n8n itself only passes the node's input through the
// first output, so the node replaces that input, and Still Running has to be connected to the node's own input.

/** The outputs that are connected to each input. n8n has the function, and its types don't. */
type Connections = Array<Array<{ node: string; index: number }> | null | undefined>;
type WithConnections = { getConnections?(node: { name: string }, type: 'main'): Connections };

/** Returns the names of the nodes that an output is connected to; undefined if n8n doesn't provide them. */
function listConnectedNodes(context: IExecuteFunctions, output: number): string[] | undefined {
	const { name } = context.getNode();
	const workflow = context as IExecuteFunctions & WithConnections;
	if (!workflow.getConnections) return undefined;
	const isConnected = (node: string) =>
		workflow.getConnections!({ name: node }, 'main').some((input) =>
			input?.some((from) => from.node === name && from.index === output),
		);
	return [name, ...context.getChildNodes(name).map((child) => child.name)].filter(isConnected);
}

/** Returns whether Still Running is connected to this node's own input. In Memory, it may be connected to other nodes as well. */
export function isSelfConnected(context: IExecuteFunctions): boolean {
	const connected = listConnectedNodes(context, outputIndex('stillRunning'));
	return connected?.includes(context.getNode().name) ?? false;
}

/** @throws WorkspaceAutomationError unless Still Running is connected to this node's own input only: paused items return that way */
export function requireSelfConnection(context: IExecuteFunctions): void {
	const connected = listConnectedNodes(context, outputIndex('stillRunning'));
	if (!connected || (connected.length === 1 && isSelfConnected(context))) return;
	throw new WorkspaceAutomationError(
		"'Still Running' isn't connected to this node's input",
		"Connect the 'Still Running' output to this node's own input, and to nothing else. No session was started.",
	);
}

/**
 * Returns whether an output is connected back to this node, directly or through other nodes; false if n8n doesn't provide the connections.
 */
export function isConnectedBack(context: IExecuteFunctions, output: number): boolean {
	const { name } = context.getNode();
	const isBefore = (node: string) =>
		node === name || context.getChildNodes(node).some((child) => child.name === name);
	return (listConnectedNodes(context, output) ?? []).some(isBefore);
}

/** Adds a hint in the editor for items on an output that isn't connected. */
export function warnIfUnconnected(context: IExecuteFunctions, key: OutputKey): void {
	if (listConnectedNodes(context, outputIndex(key))?.length !== 0) return;
	const others = (Object.keys(OUTPUTS) as OutputKey[]).filter((other) => {
		const connected = other === key ? [] : listConnectedNodes(context, outputIndex(other));
		return connected?.some((node) => node !== context.getNode().name);
	});
	const instead =
		key === 'completed' && others.includes('stillRunning')
			? " 'Still Running' is connected to another node. Did you mean 'Completed'?"
			: '';
	const message = `Items were sent to '${OUTPUTS[key]}', which isn't connected.${instead}`;
	context.addExecutionHints({ message, type: 'warning', location: 'outputPane' });
}

/** The context's data about pauses of the node. */
export interface PauseState {
	/** The time at which n8n resumes the execution, in wall-clock milliseconds */
	until: number;
	/** The number of runs of the node in this execution (`claims.ts`) */
	runs?: number;
	/** True for a copy of an execution whose items have left in another run (`claims.ts`) */
	isCopy?: boolean;
	/** The time until which items that returned without a pause have to be paused */
	deferredUntil?: number;
	/** The identifier that this execution and its retries share (`marks.ts`) */
	origin?: string;
	/** The marks in n8n's database that this execution has recorded */
	marks?: string[];
	/** True if a pause has saved the context since, so that the marks aren't needed anymore */
	hasSavedMarks?: boolean;
}

export const readPauseState = (nodeContext: IDataObject): PauseState =>
	(nodeContext.pause ??= { until: 0 }) as unknown as PauseState;

/**
 * Moves this node to the end in this execution, because n8n runs connected nodes from the top of the canvas to the bottom: items on the
 * other outputs go first. The saved position doesn't change.
 */
export function runLast({ node }: IExecuteData): void {
	if (Object.hasOwn(node.position, 'toJSON')) return;
	const [x, y] = node.position;
	const toJSON = { value: () => [x, y] };
	node.position = Object.defineProperty([x, y + 1e6] as INode['position'], 'toJSON', toJSON);
}

/**
 * Keeps n8n's Always Output Data from adding `{}` to Still Running if that output is connected back to this node, directly or through other
 * nodes: n8n would execute the node again without end.
 */
export function ignoreAlwaysOutputData(context: IExecuteFunctions): void {
	if (isConnectedBack(context, outputIndex('stillRunning')))
		context.getExecuteData().node.alwaysOutputData = false;
}

/**
 * Returns a date that n8n stores in the execution's `waitTill` column but not in its data. With `waitTill` in the data, "Retry with
 * currently saved workflow" after n8n was killed disables the workflow's own node, which is connected to itself: n8n hangs.
 */
function columnOnlyDate(wakeAt: number): Date {
	return Object.defineProperty(new Date(wakeAt), 'toJSON', { value: () => undefined });
}

/**
 * Pauses the execution and returns the node's outputs. If items leave through other outputs, they go first: the items on Still Running
 * return at once, and are paused then (`readDeferredPause`).
 */
export async function pauseExecution(
	context: IExecuteFunctions,
	outputs: INodeExecutionData[][],
	wakeAt: number,
): Promise<INodeExecutionData[][]> {
	const [stillRunning, ...leaving] = outputs;
	if (stillRunning.length === 0) return outputs;
	const execution = context.getExecuteData();
	const state = readPauseState(context.getContext('node'));
	runLast(execution);
	if (leaving.some(({ length }) => length > 0)) {
		state.deferredUntil = wakeAt;
		return outputs;
	}
	// A copy, because n8n empties the returned list if the node has an error output.
	execution.data.main = [[...stillRunning]];
	// Disabled in the saved stack only, so that a wake passes the items through the first output without `waitTill` in the data.
	execution.node = { ...execution.node, disabled: true };
	state.until = wakeAt;
	state.origin ??= context.getExecutionId();
	state.hasSavedMarks = true;
	// n8n 1 sometimes resumes an execution twice, and forgets the second run when the first ends ("No active execution found"). The time is
	// stored by then, and n8n pauses the execution anyway.
	await context.putExecutionToWait(columnOnlyDate(wakeAt)).catch(() => {});
	return outputs;
}

/** Returns the time until which items that returned without a pause have to be paused; undefined if they returned for another reason. */
export function readDeferredPause(context: IExecuteFunctions, now: number): number | undefined {
	if (!isFromOwnOutput(context)) return undefined;
	const state = readPauseState(context.getContext('node'));
	const { deferredUntil = now } = state;
	delete state.deferredUntil;
	return deferredUntil > now ? deferredUntil : undefined;
}
