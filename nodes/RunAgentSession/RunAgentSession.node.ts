import type {
	IExecuteFunctions,
	INodeInputConfiguration,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { CREDENTIAL } from '../shared/client/apiTypes';
import { loadCode } from '../shared/errors';
import { getProjects } from '../shared/n8n/commonFields';
import { OUTPUTS, properties } from './panel/properties';

const loadWebhook = async () => await loadCode(async () => await import('./execution/webhook.ts'));

const loadOperation = async (operation: unknown) =>
	await loadCode(async () => {
		if (operation === 'applyAnswer')
			return (await import('./operations/applyAnswer.ts')).runApplyAnswer;
		if (operation === 'tryRules') return (await import('./operations/tryRules.ts')).runTryRules;
		return (await import('./execution/runNode.ts')).runNode;
	});

const OUTPUT_PARSER_INPUT: INodeInputConfiguration = {
	displayName: 'Output Parser',
	type: NodeConnectionTypes.AiOutputParser,
	maxConnections: 1,
	required: true,
};

/** Returns whether the operation waits for a session. n8n's editor evaluates it. */
const IS_WAITING = '["start", "continue"].includes($parameter.operation)';

export class RunAgentSession implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Run Agent Session',
		name: 'runAgentSession',
		icon: { light: 'file:runAgentSession.svg', dark: 'file:runAgentSession.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle:
			'={{ { start: "Start a session", continue: "Continue a session", applyAnswer: "Apply an answer", tryRules: "Try rules" }[$parameter["operation"]] }}',
		description:
			'Start or continue an agent session, and wait until it completes, fails or needs approval',
		defaults: { name: 'Run Agent Session' },
		usableAsTool: true,
		builderHint: {
			searchHint:
				'Connect Completed to the next node, and To Approve to a node that sends a message. Connect nothing back: the node waits by itself.',
		},
		inputs: `={{ $parameter.hasOutputParser ? ["main", ${JSON.stringify(OUTPUT_PARSER_INPUT)}] : ["main"] }}`,
		outputs: `={{ ${IS_WAITING} ? ${JSON.stringify(OUTPUTS)} : ["main"] }}`,
		waitingNodeTooltip:
			'=Waiting until the session ends or an approver answers. An earlier run has the request, on To Approve. n8n checks every 1 to 10 minutes.',
		credentials: [
			{
				name: CREDENTIAL,
				required: true,
				// Try Rules needs none for requests of an earlier item.
				displayOptions: { hide: { requestsFrom: ['json'] } },
			},
		],
		webhooks: [
			{
				name: 'default',
				httpMethod: 'GET,HEAD,POST',
				path: 'approval',
				restartWebhook: true,
				isFullPath: true,
				responseMode: 'onReceived',
				responseData: '',
			},
		],
		properties,
	};

	methods = { listSearch: { getProjects } };

	/** Required by n8n's linter. The methods do nothing, because n8n has the webhook while the execution is paused. */
	webhookMethods = {
		default: {
			checkExists: async () => true,
			create: async () => true,
			delete: async () => true,
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		const loaded = await loadWebhook().catch((error: Error) => error);
		if ('handleWebhook' in loaded) return await loaded.handleWebhook(this);
		// An error would end the paused execution.
		this.getResponseObject().status(503).send(`Nothing was decided. ${loaded.message}.`);
		return { noWebhookResponse: true };
	}

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		// The operation is the same for all items.
		const runOperation = await loadOperation(this.getNodeParameter('operation', 0));
		// n8n takes null for a run that is not over, and its types don't.
		return (await runOperation(this)) as INodeExecutionData[][];
	}
}
