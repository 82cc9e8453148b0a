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

// n8n wakes a paused node by passing its input through the first output, so the node replaces that input and is connected to itself.

/** n8n has the function, and its types don't. */
type Connections = Array<Array<{ node: string; index: number }> | null | undefined>;
type WithConnections = { getConnections?(node: { name: string }, type: 'main'): Connections };

/** Returns undefined if n8n doesn't provide the connections. */
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

/** Returns whether an output is connected back to this node, directly or indirectly. False if n8n doesn't provide the connections. */
export function isConnectedBack(context: IExecuteFunctions, output: number): boolean {
	const { name } = context.getNode();
	const isBefore = (node: string) =>
		node === name || context.getChildNodes(node).some((child) => child.name === name);
	return (listConnectedNodes(context, output) ?? []).some(isBefore);
}

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

export interface PauseState {
	/** The time at which n8n resumes the execution, in wall-clock milliseconds */
	until: number;
	/** Number of runs of the node in this execution (`claims.ts`) */
	runs?: number;
	/** The time until which items that returned without a pause have to be paused */
	deferredUntil?: number;
	/** The identifier that this execution and its retries share (`marks.ts`) */
	origin?: string;
	marks?: string[];
	/** True if a pause has saved the context since, so that the marks aren't needed anymore */
	hasSavedMarks?: boolean;
}

export const readPauseState = (nodeContext: IDataObject): PauseState =>
	(nodeContext.pause ??= { until: 0 }) as unknown as PauseState;

/** Moves this node to the end in this execution only: n8n runs connected nodes top to bottom, so items on the other outputs go first. */
export function runLast({ node }: IExecuteData): void {
	if (Object.hasOwn(node.position, 'toJSON')) return;
	const [x, y] = node.position;
	const toJSON = { value: () => [x, y] };
	node.position = Object.defineProperty([x, y + 1e6] as INode['position'], 'toJSON', toJSON);
}

/** Keeps Always Output Data from adding `{}` to a Still Running that's connected back to this node: n8n would execute the node without end. */
export function ignoreAlwaysOutputData(context: IExecuteFunctions): void {
	if (isConnectedBack(context, outputIndex('stillRunning')))
		context.getExecuteData().node.alwaysOutputData = false;
}

// Returns a date for the `waitTill` column only. In the data, it makes "Retry with currently saved workflow" after n8n was killed
// disable the workflow's own node, which is connected to itself: n8n hangs.
function columnOnlyDate(wakeAt: number): Date {
	return Object.defineProperty(new Date(wakeAt), 'toJSON', { value: () => undefined });
}

/** Pauses the execution. If items leave through other outputs, those on Still Running return at once, and are paused then. */
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
	// If n8n 1 has resumed twice and one run was stopped, it has forgotten both ("No active execution found"). The time is stored by then.
	await context.putExecutionToWait(columnOnlyDate(wakeAt)).catch(() => {});
	return outputs;
}

/** Returns the time until which items that `pauseExecution` returned at once have to be paused. */
export function readDeferredPause(context: IExecuteFunctions, now: number): number | undefined {
	if (!isFromOwnOutput(context)) return undefined;
	const state = readPauseState(context.getContext('node'));
	const { deferredUntil = now } = state;
	delete state.deferredUntil;
	return deferredUntil > now ? deferredUntil : undefined;
}
