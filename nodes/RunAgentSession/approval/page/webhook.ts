import type {
	IDataObject,
	IExecuteFunctions,
	IRunExecutionData,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

import { createClient } from '../../../shared/client/createClient';
import { fetchSession } from '../../../shared/client/sessions';
import { resultOrError, WorkspaceAutomationError } from '../../../shared/errors';
import { nonEmptyText } from '../../../shared/values';
import { readPauseState, type PauseState } from '../../session/pause';
import { realClock } from '../../../shared/client/clock';
import { hasEnded, type Session } from '../../../shared/client/session';
import { listSessionRecords, type SessionRecord } from '../../session/journal';
import { MIN_PAUSE_MS } from '../../session/schedule';
import { PAGE_HEADERS, renderPage, type PageView } from './html';
import { NONCE_PARAMETER, createForm, findLink, readForm, type PageLink } from './view';

// What the link to a question does: a GET shows, a POST decides, and n8n executes the node again, which applies it.

/**
 * In the node's context: the session that was answered for, until its answer is applied. n8n 1 writes that the execution waits again before
 * what it waits with, so it is still there for a moment; an answer then would go on from what was.
 */
const ANSWERED_KEY = 'answered';

/** For reading the session: somebody waits for the page. */
const PAGE_READ_MS = 10_000;

/** So shortly before n8n executes the node itself it is left to that: n8n 1 would do both at once. */
const MIN_BEFORE_WAKE_MS = 5_000;

/**
 * Answers that had an execution go on in the last minute, by the state that it was in. n8n 1 lets two that come at once go on with it
 * twice; n8n 2 refuses the second.
 */
const recentAnswers = new Map<string, number>();
const RECENT_ANSWER_MS = 60_000;

function claimResume(context: IWebhookFunctions, parked: PauseState, now: number): boolean {
	for (const [state, since] of recentAnswers)
		if (now > since + RECENT_ANSWER_MS) recentAnswers.delete(state);
	const { until, resumed } = parked;
	const state = [context.getExecutionId(), context.getNode().id, until, resumed].join();
	if (recentAnswers.has(state) || now > until - MIN_BEFORE_WAKE_MS) return false;
	recentAnswers.set(state, now);
	parked.resumed++;
	return true;
}

/** Answers with a page, and lets the execution wait on. */
function sendPage(
	context: IWebhookFunctions,
	status: number,
	view: PageView,
): IWebhookResponseData {
	context.getResponseObject().set(PAGE_HEADERS).status(status).send(renderPage(view));
	return { noWebhookResponse: true };
}

/** What is said where nothing is decided. */
const PAGE_PROBLEMS = {
	noSuch: {
		title: 'This link leads nowhere',
		says: [
			'Nothing was decided. The link may have been cut off on its way: open it as it stands in the message.',
		],
	},
	unreadable: {
		title: 'The session cannot be read at the moment',
		says: ['Nothing was decided. Open the link again in a minute.'],
	},
	changed: {
		title: 'The agent asks for something else now',
		says: [
			'Nothing was decided: what is asked has changed since you opened the page. This is what is asked now.',
		],
	},
	incomplete: {
		title: 'A request has no choice yet',
		says: ['Nothing was decided. Choose for each request, then press Send.'],
	},
	busy: {
		title: 'n8n looks at the session at this moment',
		says: [
			'Nothing was decided by this. Open the link again in a minute. Where it says the same then, open the execution in n8n.',
		],
	},
};

const answeredView = (entry: SessionRecord, question: PageLink): PageView => ({
	title: 'Already answered',
	says: ['Nothing is left to decide here, and nothing was decided now.'],
	...entry.origin,
	sessionId: entry.sessionId,
	lines: entry.ledger.filter(({ content }) => question.contents.includes(content)),
});

/** What is to be seen of a question whose session is `session`. */
function createView(entry: SessionRecord, question: PageLink, session: Session): PageView {
	const { preferences, sendComments } = entry.page!;
	const pending = createForm(session, entry.ledger, preferences);
	const view = answeredView(entry, question);
	if (pending.requests.length === 0) {
		if (view.lines!.length > 0) return view;
		const title = hasEnded(session) ? 'The session has ended' : 'Nothing waits for a decision';
		return { ...view, title };
	}
	const hasChanged = pending.requests.some(({ content }) => !question.contents.includes(content));
	return {
		...view,
		title: 'An agent asks for permission',
		says: [
			...(hasChanged ? ['What is asked has changed since the link was sent.'] : []),
			'Nothing is decided before you press Send.',
		],
		pending,
		commentHint: sendComments
			? 'It goes to the agent, too.'
			: 'It is kept with the decision, and does not go to the agent.',
	};
}

/** The webhook of Run Agent Session. It never throws: n8n would end the execution. */
export async function handleWebhook(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	// n8n has the execution's data, and its types do not.
	const { runExecutionData: execution } = context as IWebhookFunctions & {
		runExecutionData: IRunExecutionData;
	};
	const nodeContext = NodeHelpers.getContext(execution, 'node', context.getNode()) as IDataObject;
	const nonce = (context.getQueryData() as IDataObject)[NONCE_PARAMETER];
	const found = findLink(listSessionRecords(nodeContext), nonce);
	if (!found) return sendPage(context, 404, PAGE_PROBLEMS.noSuch);
	if (nodeContext[ANSWERED_KEY] !== undefined) return sendPage(context, 409, PAGE_PROBLEMS.busy);
	const { record: entry, question, isOpen } = found;
	const isPost = context.getRequestObject().method === 'POST';
	if (!isOpen) return sendPage(context, isPost ? 409 : 200, answeredView(entry, question));
	const read = async () => {
		const api = await createClient(context);
		const deadline = api.clock.monotonicMs() + PAGE_READ_MS;
		return await fetchSession(api, entry.sessionId!, { deadline, maxAttempts: 2 });
	};
	const session = await resultOrError(read());
	if (session instanceof WorkspaceAutomationError)
		return sendPage(context, 503, PAGE_PROBLEMS.unreadable);
	const view = createView(entry, question, session);
	const { pending } = view;
	if (!isPost || !pending) return sendPage(context, isPost ? 409 : 200, view);
	const answers = readForm(pending, context.getBodyData());
	if (typeof answers === 'string')
		return sendPage(context, 409, { ...view, ...PAGE_PROBLEMS[answers] });
	if (!claimResume(context, readPauseState(nodeContext), realClock.now()))
		return sendPage(context, 409, { ...view, ...PAGE_PROBLEMS.busy, pending: undefined });
	// Kept for the node, which n8n executes again with all that it has parked.
	nodeContext[ANSWERED_KEY] = entry.sessionId;
	question.answered = true;
	question.contents = [...new Set([...question.contents, ...Object.keys(answers)])];
	Object.assign(entry.page!.answers, answers);
	entry.page!.comment = Object.values(answers)[0].comment;
	context.getResponseObject().set(PAGE_HEADERS);
	const [parked] = execution.executionData!.nodeExecutionStack[0].data.main;
	return {
		workflowData: [[...parked!]],
		webhookResponse: renderPage({
			...answeredView(entry, question),
			title: 'Sent',
			says: ['The agent gets your answer now. You can close this page.'],
			lines: [],
		}),
	};
}

/** The session that a person has just answered for; the node is executed because of that alone. */
export function takeAnswered(context: IExecuteFunctions): string | undefined {
	const nodeContext = context.getContext('node');
	const { [ANSWERED_KEY]: sessionId } = nodeContext;
	delete nodeContext[ANSWERED_KEY];
	return nonEmptyText(sessionId);
}

/** When to look at all sessions after an answer: when it would have been anyway, or sooner. n8n 1 keeps to the first. */
export const nextWakeAfterAnswer = (context: IExecuteFunctions, now: number): number =>
	Math.min(readPauseState(context.getContext('node')).until, now + MIN_PAUSE_MS);
