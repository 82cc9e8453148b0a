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

import { CREDENTIAL } from '../shared/client/credential';
import { getProjects } from '../shared/n8n/listSearch';
import { loadCode } from '../shared/n8n/loadCode';
import { OUTPUTS } from './outputs';
import { properties } from './panel';

const loadExecute = async () => await loadCode(async () => await import('./execute.ts'));
const loadWebhook = async () =>
	await loadCode(async () => await import('./approval/page/webhook.ts'));

const OUTPUT_PARSER_INPUT: INodeInputConfiguration = {
	displayName: 'Output Parser',
	type: NodeConnectionTypes.AiOutputParser,
	maxConnections: 1,
	required: true,
};

/** The hours of Give Up After. n8n's editor doesn't evaluate an expression in it. */
const GIVE_UP_AFTER = '($parameter.options?.giveUpAfter ?? 24)';

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
		inputs: `={{ $parameter.hasOutputParser ? ["main", ${JSON.stringify(OUTPUT_PARSER_INPUT)}] : ["main"] }}`,
		outputs: Object.values(OUTPUTS).map(() => NodeConnectionTypes.Main),
		outputNames: Object.values(OUTPUTS),
		waitingNodeTooltip: `=Waiting until the session ends or an approver answers. n8n checks every 1 to 10 minutes, until {{ isNaN(${GIVE_UP_AFTER}) ? "Give Up After has" : ${GIVE_UP_AFTER} + " h have" }} passed.`,
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
		return await (await loadExecute()).executeNode(this);
	}
}
