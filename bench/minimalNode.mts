// The shortest n8n node that reads a list: what n8n itself takes for the same pages, with n8n's helpers and our credential.
import type { ICredentialDataDecryptedObject, INodeType } from 'n8n-workflow';
import { core, prepareWorkflow } from '../n8n-host/core.mts';

const NODE = 'Minimal';
const CREDENTIAL = 'workspaceAutomationApi';

/** Returns a node that reads all pages of a URL. */
const createNode = (url: string, query: Record<string, string | number>): INodeType => ({
	description: {
		displayName: NODE,
		name: 'minimal',
		group: ['trigger'],
		version: 1,
		description: 'Reads a list',
		defaults: { name: NODE },
		inputs: [],
		outputs: ['main'],
		credentials: [{ name: CREDENTIAL, required: true }],
		properties: [],
	},
	async execute() {
		const items = [];
		let cursor: string | undefined;
		do {
			const page = await this.helpers.httpRequestWithAuthentication.call(this, CREDENTIAL, {
				url,
				qs: { ...query, cursor },
				json: true,
			});
			for (const json of page.data) items.push({ json, pairedItem: 0 });
			cursor = page.next_cursor ?? undefined;
		} while (cursor !== undefined);
		return [items];
	},
});

/** Reads a list in n8n-core's engine. Returns the JSON of the items. */
export async function readByMinimalNode(
	credentials: ICredentialDataDecryptedObject,
	path: string,
	query: Record<string, string | number>,
): Promise<Array<Record<string, unknown>>> {
	const node = {
		id: '1',
		name: NODE,
		type: 'minimal',
		typeVersion: 1,
		position: [0, 0] as [number, number],
		parameters: {},
		credentials: { [CREDENTIAL]: { id: '1', name: 'Test' } },
	};
	const type = createNode(`${String(credentials.baseUrl)}${path}`, query);
	const { workflow, additionalData } = prepareWorkflow(
		{ nodes: [node], connections: {} },
		credentials,
		type,
	);
	const { data } = await new core.WorkflowExecute(additionalData, 'trigger').run({
		workflow,
		startNode: workflow.getNode(NODE)!,
	});
	if (data.resultData.error) throw data.resultData.error;
	return data.resultData.runData[NODE][0].data!.main[0]!.map(({ json }) => json);
}
