import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { CREDENTIAL } from '../shared/client/credential';
import { getProjects } from '../shared/n8n/listSearch';
import { handleWebhook } from './approval/page/webhook';
import { OUTPUTS } from './outputs';
import { properties } from './panel';
import { runItems } from './session/items';
import { runTryRules } from './tryRules';

export class RunAgentSession implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Run Agent Session',
		name: 'runAgentSession',
		icon: { light: 'file:runAgentSession.svg', dark: 'file:runAgentSession.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle:
			'={{ { start: "Start a session", continue: "Continue a session", tryRules: "Try rules" }[$parameter["operation"]] }}',
		description:
			'Start or continue an agent session, and wait until it completes, fails or needs approval',
		defaults: { name: 'Run Agent Session' },
		usableAsTool: true,
		builderHint: {
			searchHint:
				"Connect every output. If 'wait' is 'database', connect Still Running to this node's own input and to nothing else.",
		},
		inputs: [NodeConnectionTypes.Main],
		outputs: Object.values(OUTPUTS).map(() => NodeConnectionTypes.Main),
		outputNames: Object.values(OUTPUTS),
		waitingNodeTooltip:
			'=The session is still running. n8n has paused this execution and checks again in about a minute.',
		credentials: [
			{
				name: CREDENTIAL,
				required: true,
				displayOptions: { show: { operation: ['start', 'continue'] } },
			},
		],
		webhooks: [
			{
				name: 'default',
				httpMethod: 'GET,HEAD,POST',
				path: '={{ $nodeId }}',
				restartWebhook: true,
				isFullPath: true,
				responseMode: 'onReceived',
				responseData: '',
			},
		],
		properties,
	};

	methods = { listSearch: { getProjects } };

	/** Nothing has to be set up: n8n has the webhook while the execution is paused. Its linter asks for these. */
	webhookMethods = {
		default: {
			checkExists: async () => true,
			create: async () => true,
			delete: async () => true,
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await handleWebhook(this);
	}

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		if (this.getNodeParameter('operation', 0) === 'tryRules') return runTryRules(this);
		return await runItems(this);
	}
}
