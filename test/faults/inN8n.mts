// A whole n8n for the campaigns, with the package in it.
import type { SavedCredential, WorkflowNode } from '../../n8n-host/workflows.mts';
import { startLocalService, type LocalService } from '../../tools/demoService.mts';
import { importCredential, setStage, type Stage } from '../../tools/demoStage.mts';
import type { Execute } from './campaign.mts';

const NODE = 'Run Agent Session';

export interface CampaignHost {
	/** @param speed the service's seconds in one of real time */
	withService(speed: number): Promise<{ service: LocalService; execute: Execute }>;
	close(): Promise<void>;
}

/** Starts n8n. Each campaign has its own service and rate limit. */
export async function startCampaignHost(): Promise<CampaignHost> {
	const { host, close } = await setStage(() => {}, { build: false });
	return {
		async withService(speed) {
			const service = await startLocalService();
			await service.control.setSpeed(speed);
			const credential = await importCredential(host, service, service.baseUrl);
			return { service, execute: executeWithin(host, credential) };
		},
		close,
	};
}

function executeWithin(host: Stage['host'], credential: SavedCredential): Execute {
	return async (items, parameters) => {
		const nodes: Array<[string, string, number, Partial<WorkflowNode>]> = [
			['Start', 'n8n-nodes-base.manualTrigger', 1, {}],
			[
				'List',
				'n8n-nodes-base.set',
				3.4,
				{ parameters: { mode: 'raw', jsonOutput: JSON.stringify({ items }), options: {} } },
			],
			[
				'Items',
				'n8n-nodes-base.splitOut',
				1,
				{ parameters: { fieldToSplitOut: 'items', options: {} } },
			],
			[
				NODE,
				'n8n-nodes-workspace-automation.runAgentSession',
				1,
				{
					parameters,
					credentials: { workspaceAutomationApi: credential },
					onError: 'continueErrorOutput',
					retryOnFail: true,
				},
			],
		];
		const leads = nodes
			.slice(1)
			.map(([to], index) => [nodes[index][0], { main: [[{ node: to, type: 'main', index: 0 }]] }]);
		const workflowId = await host.importWorkflow({
			name: 'Campaign',
			nodes: nodes.map(([name, type, typeVersion, parts], column) => ({
				id: name,
				name,
				type,
				typeVersion,
				position: [240 * column, 0],
				parameters: {},
				...parts,
			})),
			connections: Object.fromEntries(leads),
			settings: { executionOrder: 'v1' },
		});
		const executionId = await host.run(workflowId);
		const execution = await host.waitForExecution(executionId, { timeoutMs: 900_000 });
		const runs = execution.runData[NODE] ?? [];
		const [completed, asked, failed] = [0, 1, 2].map((output) =>
			runs.flatMap((each) => each.data?.main[output] ?? []),
		);
		return {
			left: { completed, asked, failed },
			error: execution.error && new Error(execution.error.message),
		};
	};
}
