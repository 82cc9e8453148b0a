// Workflow files, as people export and import them.

/** The name of the package in the type of a node, with the dot behind it */
export const PACKAGE = 'n8n-nodes-workspace-automation.';

/** As much of an exported workflow as the host has to understand */
export interface WorkflowFile {
	name: string;
	nodes: WorkflowNode[];
	connections: Record<string, unknown>;
	settings?: Record<string, unknown>;
}

export interface WorkflowNode {
	name: string;
	type: string;
	typeVersion: number;
	position: [number, number];
	parameters: Record<string, any>;
	credentials?: Record<string, { id: string | null; name: string }>;
	[setting: string]: unknown;
}

/** Returns what a field holds after **By ID**. */
export const byId = (value: unknown) => ({ __rl: true, mode: 'id', value });

/** Returns what a field holds after **From List**. n8n doesn't check it against a pattern, for which it has 250 ms by the clock. */
export const fromList = (value: unknown) => ({ __rl: true, mode: 'list', value });

export interface SavedCredential {
	id: string;
	name: string;
	type: string;
}

/** The workflow with its credentials found again by name and type, as the editor does when someone imports a file. */
export function withCredentials(workflow: WorkflowFile, saved: SavedCredential[]): WorkflowFile {
	const nodes = workflow.nodes.map((node) => {
		if (!node.credentials) return node;
		const credentials = Object.entries(node.credentials).map(([type, { id, name }]) => {
			const match = saved.find(
				(credential) => credential.type === type && credential.name === name,
			);
			return [type, { id: match?.id ?? id, name }];
		});
		return { ...node, credentials: Object.fromEntries(credentials) };
	});
	return { ...workflow, nodes };
}

/** The node that a run by hand starts from. */
export function startNode(nodes: WorkflowNode[]): string {
	const byHand = nodes.find((node) => node.type === 'n8n-nodes-base.manualTrigger');
	const trigger = byHand ?? nodes.find((node) => /trigger$|\.webhook$/i.test(node.type));
	if (!trigger) throw new Error('The workflow has no trigger to start from.');
	return trigger.name;
}
