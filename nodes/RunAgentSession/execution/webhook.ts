import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { realClock } from '../../shared/client/clock';
import { PAGE_HEADERS, renderPage } from '../page/html';
import { saveWithRecent } from '../page/inbox';
import { FAILED, respond, type PageResponse } from '../page/respond';
import { openPausedExecution } from './engine';
import { listCourses } from './journal';

/** Handles the node's webhook. Never throws, because n8n would end the paused execution. */
export async function handleWebhook(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	try {
		return answerLink(context);
	} catch (error) {
		return sendFailure(context, error);
	}
}

/**
 * Sends the page for a link. With answers, n8n saves the execution, executes the node again and sends the page: n8n 2 after it has saved
 * them, with an error in its place if another wake has begun, and n8n 1 before it.
 */
function answerLink(context: IWebhookFunctions): IWebhookResponseData {
	const execution = openPausedExecution(context);
	const { contexts = {} } = execution ?? {};
	const nodes = Object.entries(contexts)
		.filter(([contextName]) => contextName.startsWith('node:'))
		.map(([contextName, nodeContext]) => ({
			contextName,
			nodeContext,
			records: listCourses(nodeContext),
		}));
	const { method, headers } = context.getRequestObject();
	const executionId = context.getExecutionId();
	const now = realClock.now();
	const call = {
		executionId,
		method,
		contentType: headers?.['content-type'],
		query: context.getQueryData(),
		body: context.getBodyData(),
	};
	const response = respond(call, nodes, now);
	if (!execution || !response.saves) return send(context, response);
	for (const each of response.saves) saveWithRecent(executionId, contexts, each, now);
	context.getResponseObject().set(PAGE_HEADERS);
	return { workflowData: execution.resume(), webhookResponse: render(response) };
}

const render = ({ view }: PageResponse): string => renderPage({ now: realClock.now(), ...view });

/** Sends a page without resuming the execution. */
function send(context: IWebhookFunctions, response: PageResponse): IWebhookResponseData {
	context
		.getResponseObject()
		.set({ ...PAGE_HEADERS, ...response.headers })
		.status(response.status)
		.send(render(response));
	return { noWebhookResponse: true };
}

function sendFailure(context: IWebhookFunctions, error: unknown): IWebhookResponseData {
	try {
		context.logger.error(`The approval page couldn't be shown: ${(error as Error).message}`);
		return send(context, FAILED);
	} catch {
		return { noWebhookResponse: true };
	}
}
