import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

// How a node is wired, and which way an item came, as far as n8n tells.

type Context = Pick<
	IExecuteFunctions,
	| 'addExecutionHints'
	| 'getNode'
	| 'getChildNodes'
	| 'getExecuteData'
	| 'getInputData'
	| 'getWorkflowDataProxy'
>;

/** By input, the outputs that lead there. n8n has it, and its types do not. */
type Connections = Array<Array<{ node: string; index: number }> | null | undefined>;
type WithConnections = { getConnections?(node: { name: string }, type: 'main'): Connections };

/** The nodes that an output leads to directly, by name; undefined where n8n does not tell. */
export function followersOf(context: Context, output: number): string[] | undefined {
	const { name } = context.getNode();
	const wires = context as Context & WithConnections;
	if (!wires.getConnections) return undefined;
	const follows = (node: string) =>
		wires.getConnections!({ name: node }, 'main').some((into) =>
			into?.some((from) => from.node === name && from.index === output),
		);
	return [name, ...context.getChildNodes(name).map((child) => child.name)].filter(follows);
}

/** Says in the editor that items have left by an output that leads nowhere. */
export function hintAtLooseEnd(context: Context, output: number, name: string): void {
	if (followersOf(context, output)?.length !== 0) return;
	const message = `Items have left by '${name}', and nothing follows there.`;
	context.addExecutionHints({ message, type: 'warning', location: 'outputPane' });
}

/** Whether the items of this run come straight from the first output of this very node. */
export function comesFromItself(context: Context): boolean {
	const source = context.getExecuteData().source?.main?.[0];
	return source?.previousNode === context.getNode().name && !source.previousNodeOutput;
}

/** The item of an earlier run of this node that an item descends from, whatever is between. */
export function ancestorOf(context: Context, itemIndex: number): INodeExecutionData | undefined {
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
