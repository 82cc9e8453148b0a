import type {
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IPollFunctions,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { CREDENTIAL } from '../shared/client/apiTypes';
import { toProperties } from '../shared/n8n/fields';
import { loadCode } from '../shared/errors';
import { listSearch, loadOptions } from '../shared/n8n/commonFields';
import { triggerFields } from './panel';

const loadPoll = async () => await loadCode(async () => await import('./pollTrigger.ts'));

export class WorkspaceAutomationTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Workspace Automation Trigger',
		name: 'workspaceAutomationTrigger',
		icon: {
			light: 'file:workspaceAutomationTrigger.svg',
			dark: 'file:workspaceAutomationTrigger.dark.svg',
		},
		group: ['trigger'],
		version: 1,
		subtitle:
			'={{ $parameter["event"].replace(/[A-Z]/g, (letter) => " " + letter.toLowerCase()) }}',
		// n8n's nodes panel shows one entry for this node and Workspace Automation, with this text.
		description:
			'Work with projects, sessions, tasks, files, domains, analytics and products, or start a workflow when they change',
		defaults: { name: 'Workspace Automation Trigger' },
		polling: true,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: CREDENTIAL, required: true }],
		properties: toProperties(triggerFields),
	};

	methods = { listSearch, loadOptions };

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		return await (await loadPoll()).pollTrigger(this);
	}
}
