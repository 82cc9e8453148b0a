// What n8n does with the data of an execution that it has saved. Each part names the file of n8n (in n8n/dist) that it repeats.
import type {
	IRunExecutionData,
	IWorkflowExecuteAdditionalData,
	Workflow,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { core } from './core.mts';

/** Makes the data those of a retry (executions/execution.service.js, retry). @param current the workflow as it's saved now, to retry with */
export function prepareRetry(
	{ resultData, executionData }: IRunExecutionData,
	current?: Workflow,
): void {
	const { lastNodeExecuted, runData } = resultData;
	if (lastNodeExecuted) {
		delete resultData.error;
		const runs = runData[lastNodeExecuted] ?? [];
		if (runs.at(-1)?.error !== undefined) runs.pop();
	}
	if (!current) return;
	for (const entry of executionData!.nodeExecutionStack)
		entry.node = current.getNode(entry.node.name)!;
}

export interface PageAnswer {
	status: number;
	headers: Record<string, string>;
	body: string;
	/** True if n8n resumes the execution, with the data that it was given */
	resumes: boolean;
	/** True if n8n sends what the node returned. Otherwise the node has sent it. */
	isReturned: boolean;
}

interface PageRequest {
	link: URL;
	/** Of a POST request */
	form?: Record<string, string>;
}

/**
 * Calls the node that a paused execution waits in (webhooks/waiting-webhooks.js, and webhooks/webhook-helpers.js, executeWebhook), and
 * prepares the data for its next run. Returns undefined if the node has no such link.
 */
export async function callPausedNode(
	workflow: Workflow,
	additionalData: IWorkflowExecuteAdditionalData,
	mode: WorkflowExecuteMode,
	data: IRunExecutionData,
	{ link, form }: PageRequest,
): Promise<PageAnswer | undefined> {
	const last = data.resultData.lastNodeExecuted!;
	const [entry] = data.executionData!.nodeExecutionStack;
	entry.node.disabled = true;
	data.waitTill = undefined;
	data.resultData.runData[last].pop();
	const node = workflow.getNode(last)!;
	const type = workflow.nodeTypes.getByNameAndVersion(node.type);
	const webhookDescription = type.description.webhooks?.find(
		({ restartWebhook, path }) => restartWebhook === true && link.pathname.endsWith(`/${path}`),
	);
	if (!webhookDescription) return undefined;
	const answer: PageAnswer = {
		status: 200,
		headers: {},
		body: '',
		resumes: false,
		isReturned: false,
	};
	const httpResponse = {
		set: (headers: Record<string, string>) => (
			Object.assign(answer.headers, headers),
			httpResponse
		),
		setHeader: () => httpResponse,
		status: (code: number) => ((answer.status = code), httpResponse),
		send: (body: string) => ((answer.body = String(body)), httpResponse),
	};
	const httpRequest = {
		method: form ? 'POST' : 'GET',
		headers: { 'content-type': 'application/x-www-form-urlencoded' },
		query: Object.fromEntries(link.searchParams),
		body: form,
	};
	Object.assign(additionalData, { httpRequest, httpResponse });
	const context = new core.WebhookContext(
		workflow,
		node,
		additionalData,
		mode,
		{ webhookDescription } as never,
		[],
		data,
	);
	const { workflowData, webhookResponse } = await type.webhook!.call(context as never);
	answer.isReturned = webhookResponse !== undefined;
	if (answer.isReturned) answer.body = String(webhookResponse);
	answer.resumes = workflowData !== undefined;
	if (workflowData) entry.data.main = workflowData;
	return answer;
}
