import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { realClock } from '../../shared/client/clock';
import { PAGE_HEADERS, renderPage } from '../page/html';
import { runsHere, saveWithRecent } from '../page/links';
import { omit } from '../../shared/values';
import { FAILED, respond, type PageResponse } from '../page/respond';
import { openPausedExecution } from './engine';
import { listCourses, listTriedSessions } from './journal';

/** Handles the node's webhook. Never throws, because n8n would end the paused execution. */
export async function handleWebhook(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	try {
		return answerLink(context);
	} catch (error) {
		return sendFailure(context, error);
	}
}

/**
 * Sends the page for a link. With answers, n8n saves the execution and executes the node again. If the node runs in another process, n8n
 * sends the page after that, and an error if another wake has begun: it drops the answers then.
 */
function answerLink(context: IWebhookFunctions): IWebhookResponseData {
	const execution = openPausedExecution(context);
	const { contexts = {}, isOverdue = false } = execution ?? {};
	const nodes = Object.entries(contexts)
		.filter(([contextName]) => contextName.startsWith('node:'))
		.map(([contextName, nodeContext]) => ({
			contextName,
			nodeContext,
			records: [
				...listCourses(nodeContext),
				...listTriedSessions(nodeContext).map((each) => ({
					...each,
					state: 'ended' as const,
					isTried: true as const,
				})),
			],
		}));
	const { method, headers } = context.getRequestObject();
	const executionId = context.getExecutionId();
	const now = realClock.now();
	const call = {
		executionId,
		isOverdue,
		method,
		contentType: headers?.['content-type'],
		query: context.getQueryData(),
		body: context.getBodyData(),
	};
	const response = respond(call, nodes, now);
	if (!execution || !response.saves) return send(context, response);
	for (const each of response.saves) saveWithRecent(executionId, contexts, each, now);
	const workflowData = execution.resume();
	if (runsHere(executionId, now)) return { ...send(context, response), workflowData };
	// n8n sends a text as HTML by itself, and its error would keep our content type.
	context.getResponseObject().set(omit(PAGE_HEADERS, 'Content-Type'));
	return { workflowData, webhookResponse: renderResponse(response) };
}

const renderResponse = ({ view }: PageResponse): string => renderPage(view, realClock.now());

/** Sends a page without resuming the execution. */
function send(context: IWebhookFunctions, response: PageResponse): IWebhookResponseData {
	context
		.getResponseObject()
		.set({ ...PAGE_HEADERS, ...response.headers })
		.status(response.status)
		.send(renderResponse(response));
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
