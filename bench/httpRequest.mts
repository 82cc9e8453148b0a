// n8n's own HTTP Request node in the engine of the n8n that the demo installs: what people use where there is no node.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type {
	IDataObject,
	INode,
	INodeExecutionData,
	INodeType,
	IWorkflowExecuteAdditionalData,
	VersionedNodeType,
} from 'n8n-workflow';
import { ensureHost } from '../n8n-host/install.mts';
import { hostFolder } from '../n8n-host/versions.mts';
import '../n8n-host/core.mts';

/** Paths of the measured n8n-core */
const VERSION = '2.41';
const require = createRequire(join(hostFolder(VERSION), 'package.json'));

export type RunHttpRequest = (
	parameters: IDataObject,
	items: IDataObject[],
) => Promise<INodeExecutionData[]>;

/** Loads it, and returns what runs its newest version at its defaults but for the parameters; an item that fails does not stop the others. */
export async function loadHttpRequest(log: (line: string) => void): Promise<RunHttpRequest> {
	await ensureHost({ log, version: VERSION });
	const { ExecutionLifecycleHooks, WorkflowExecute } =
		require('n8n-core') as typeof import('n8n-core');
	const { createRunExecutionData, Workflow } =
		require('n8n-workflow') as typeof import('n8n-workflow');
	const { HttpRequest } = require('n8n-nodes-base/dist/nodes/HttpRequest/HttpRequest.node.js') as {
		HttpRequest: new () => VersionedNodeType;
	};
	const versions = new HttpRequest();
	const type = versions.getNodeType() as INodeType;

	return async (parameters, items) => {
		const node: INode = {
			id: '1',
			name: 'HTTP Request',
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: versions.currentVersion,
			position: [0, 0],
			parameters: parameters as INode['parameters'],
			onError: 'continueRegularOutput',
		};
		const nodeTypes = {
			getByName: () => type,
			getByNameAndVersion: () => type,
			getKnownTypes: () => ({}),
		};
		const workflow = new Workflow({
			id: 'bench',
			active: false,
			nodes: [node],
			connections: {},
			nodeTypes,
			settings: {},
		});
		const additionalData = {
			hooks: new ExecutionLifecycleHooks('manual', 'bench', {
				id: 'bench',
				name: 'bench',
			} as never),
			executionId: 'bench',
			webhookWaitingBaseUrl: 'http://n8n.invalid',
			formWaitingBaseUrl: 'http://n8n.invalid',
			variables: {},
			setExecutionStatus() {},
			logAiEvent() {},
		} as unknown as IWorkflowExecuteAdditionalData;
		const input = {
			node: workflow.getNode(node.name)!,
			data: { main: [items.map((json) => ({ json }))] },
			source: null,
		};
		const data = createRunExecutionData({ executionData: { nodeExecutionStack: [input] } });
		const ended = await new WorkflowExecute(
			additionalData,
			'trigger',
			data,
		).processRunExecutionData(workflow);

		const { error, runData } = ended.data.resultData;
		if (error) throw error;
		return runData[node.name][0].data!.main[0]!;
	};
}
