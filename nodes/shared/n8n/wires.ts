import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { WorkspaceAutomationError } from '../base/errors';

// How a node is wired, and which way an item came, as far as n8n tells.

/** By input, the outputs that lead there. n8n has it, and its types do not. */
type Connections = Array<Array<{ node: string; index: number }> | null | undefined>;
type WithConnections = { getConnections?(node: { name: string }, type: 'main'): Connections };

/** The nodes that an output leads to directly, by name; undefined where n8n does not tell. */
function followersOf(context: IExecuteFunctions, output: number): string[] | undefined {
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
export function requireWayBack(context: IExecuteFunctions): void {
	const { name } = context.getNode();
	const followers = followersOf(context, 0) ?? [name];
	if (followers.length === 1 && followers[0] === name) return;
	throw new WorkspaceAutomationError(
		"'Waiting' does not lead back into this node",
		"Connect the output 'Waiting' of this node with its own input, and with nothing else: what is parked comes back that way. Nothing was started.",
	);
}

/** Whether an output leads to this very node again, whatever is between; false where n8n does not tell. */
export function leadsBack(context: IExecuteFunctions, output: number): boolean {
	const { name } = context.getNode();
	const isBefore = (node: string) =>
		node === name || context.getChildNodes(node).some((child) => child.name === name);
	return (followersOf(context, output) ?? []).some(isBefore);
}

/** Says in the editor that items have left by an output that leads nowhere. */
export function hintAtLooseEnd(context: IExecuteFunctions, output: number, name: string): void {
	if (followersOf(context, output)?.length !== 0) return;
	const message = `Items have left by '${name}', and nothing follows there.`;
	context.addExecutionHints({ message, type: 'warning', location: 'outputPane' });
}

/** Whether the items of this run come straight from the first output of this very node. */
export function comesFromItself(context: IExecuteFunctions): boolean {
	const source = context.getExecuteData().source?.main?.[0];
	return source?.previousNode === context.getNode().name && !source.previousNodeOutput;
}

/** The item of an earlier run of this node that an item descends from, whatever is between. */
export function ancestorOf(
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
