import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { PAGE_HEADERS, renderPage } from '../page/html';
import { omit } from '../../shared/values';
import type { LinkAnswer } from '../requests/ballots';
import { FAILED, respond, type PageResponse } from '../page/respond';
import {
	acceptAnswers,
	addAnswers,
	listAnswers,
	hasOtherVersion,
	listCourses,
	listTriedSessions,
} from './itemRecords';
import { openPausedExecution } from './engine';
import type { PageSession } from '../page/view';

/** Handles the node's webhook. Never throws, because n8n would end the paused execution. */
export async function handleWebhook(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	try {
		return answerLink(context);
	} catch (error) {
		return sendFailure(context, error);
	}
}

/**
 * Sends the page for a link. With answers, n8n saves the execution, sends the page and executes the node again. If another wake has begun,
 * n8n 2 drops the answers, and sends an error instead.
 */
function answerLink(context: IWebhookFunctions): IWebhookResponseData {
	const execution = openPausedExecution(context);
	const { contexts = {}, isOverdue = false } = execution ?? {};
	const { method, headers } = context.getRequestObject();
	const executionId = context.getExecutionId();
	const now = Date.now();
	const nodeContexts = Object.entries(contexts)
		.filter(([key]) => key.startsWith('node:'))
		.map(([, nodeContext]) => nodeContext);
	const call = {
		isOverdue,
		isOtherVersion: nodeContexts.some(hasOtherVersion),
		method,
		contentType: headers?.['content-type'],
		query: context.getQueryData(),
		body: context.getBodyData(),
	};
	const response = respond(call, listPageSessions(nodeContexts, listAnswers(contexts)), now);
	if (!execution || !response.answers) return send(context, response);
	addAnswers(contexts, response.answers);
	acceptAnswers(executionId, response.answers, now);
	// n8n sends a text as HTML by itself, and its error would keep our content type.
	context.getResponseObject().set(omit(PAGE_HEADERS, 'Content-Type'));
	return { workflowData: execution.resume(), webhookResponse: renderResponse(response) };
}

/** Returns the sessions of all nodes of an execution, also those that Retry On Fail has replaced. */
const listPageSessions = (nodeContexts: IDataObject[], answers: LinkAnswer[]): PageSession[] =>
	nodeContexts.flatMap((nodeContext) => [
		...listCourses(nodeContext).map((each) => ({ ...each, answers })),
		...listTriedSessions(nodeContext).map((each) => ({
			...each,
			answers,
			state: 'ended' as const,
			isTried: true as const,
		})),
	]);

const renderResponse = ({ view }: PageResponse): string => renderPage(view, Date.now());

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
