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
import { isRecord, nonEmptyText } from '../../../shared/values';
import { readPauseState, type PauseState } from '../../session/pause';
import { realClock } from '../../../shared/client/clock';
import { hasEnded, type Session } from '../../../shared/client/session';
import { listSessionRecords, type SessionRecord } from '../../session/journal';
import type { PageAnswers } from '../../policy/rules';
import { PAGE_HEADERS, renderPage, type PageView } from './html';
import {
	NONCE_PARAMETER,
	createForm,
	describeAnswer,
	findLink,
	readForm,
	type PageForm,
	type PageLink,
} from './view';

// What the link to the approval page does: a GET shows the page, and a POST sends an answer. n8n then executes the node again, which applies it.

/**
 * In the node's context: the session that was answered for, until its answer is applied. n8n 1 marks an execution as waiting before it saves
 * its data, so this may still be there for a moment. An answer then would resume the execution as it was.
 */
const ANSWERED_KEY = 'answered';

/** For reading the session: an approver waits for the page. */
const PAGE_READ_MS = 10_000;

/** Shortly before n8n executes the node anyway, no answer resumes it: n8n 1 would do both at once. */
const MIN_BEFORE_WAKE_MS = 5_000;

/**
 * The links with which an execution was resumed in the last minute, by its state before. n8n 1 resumes twice for two answers that come at
 * once; n8n 2 refuses the second.
 */
const recentAnswers = new Map<string, { since: number; nonce: string }>();
const RECENT_ANSWER_MS = 60_000;

/** How long an answer waits before it resumes the execution. n8n refuses requests to a running execution with a message of its own. */
const HOLD_MS = 1_000;

/** What an execution was paused for, as long as nothing has resumed it */
const pauseKey = (context: IWebhookFunctions, { until, resumed }: PauseState): string =>
	[context.getExecutionId(), context.getNode().id, until, resumed].join();

/** Says that this answer is the one that resumes the execution, or why it isn't. */
function claimResume(
	context: IWebhookFunctions,
	pause: PauseState,
	{ nonce }: PageLink,
	now: number,
): 'claimed' | 'answered' | 'busy' {
	for (const [state, { since }] of recentAnswers)
		if (now > since + RECENT_ANSWER_MS) recentAnswers.delete(state);
	const state = pauseKey(context, pause);
	const earlier = recentAnswers.get(state);
	if (earlier) return earlier.nonce === nonce ? 'answered' : 'busy';
	if (now > pause.until - MIN_BEFORE_WAKE_MS) return 'busy';
	recentAnswers.set(state, { since: now, nonce });
	pause.resumed++;
	return 'claimed';
}

/** Responds with a page, and leaves the execution as it is. */
function sendPage(
	context: IWebhookFunctions,
	status: number,
	view: Omit<PageView, 'now'>,
): IWebhookResponseData {
	const html = renderPage({ now: realClock.now(), ...view });
	context.getResponseObject().set(PAGE_HEADERS).status(status).send(html);
	return { noWebhookResponse: true };
}

/** What the page says where nothing is decided. */
const PAGE_PROBLEMS = {
	noSuch: {
		title: 'This link isn’t valid',
		says: [
			'It may have been cut off. Open it again from the original message. Nothing was decided.',
		],
	},
	wrongMethod: {
		title: 'Nothing was decided',
		says: ['Open the link in a browser, choose, and select Send.'],
	},
	wrongForm: {
		title: 'Your answer couldn’t be read',
		says: ['Nothing was decided. Open the link in a browser, choose, and select Send.'],
	},
	unreadable: {
		title: 'The session can’t be read right now',
		says: [
			'Nothing was decided. Open the link again in a minute. If you still see this, the credential in n8n may have changed.',
		],
	},
	changed: {
		title: 'The request has changed',
		says: ['Your answer wasn’t saved. The agent now needs your approval for this:'],
	},
	incomplete: {
		title: 'A choice is missing',
		says: ['Your answer wasn’t saved. Choose for each request, then select Send.'],
	},
	busy: {
		title: 'The session is being updated',
		says: [
			'Nothing was decided. Try again in a minute. If you still see this, open the execution in n8n.',
		],
	},
	answered: {
		title: 'Already answered',
		says: [
			'Your answer wasn’t saved, because another one came first. If you selected Send twice, your first answer counts.',
		],
	},
	failed: {
		title: 'The page can’t be shown',
		says: ['Nothing was decided. Open the link again in a minute, or decide in the dashboard.'],
	},
};

/** What the page says of every link of a session. */
const commonView = ({ origin, sessionId, dashboardUrl, page }: SessionRecord) => ({
	...origin,
	sessionId,
	dashboardUrl,
	timeZone: page?.timeZone,
});

/** Returns the page of a link that takes no answer any more. */
function closedView(entry: SessionRecord, link: PageLink): Omit<PageView, 'now'> {
	const lines = entry.ledger.filter(({ content }) => link.contents.includes(content));
	const isDecided = link.sent !== undefined || lines.length > 0;
	return {
		...commonView(entry),
		title: isDecided ? 'Already answered' : 'This link was replaced',
		says: [
			isDecided
				? 'This request has already been answered. There’s nothing left to decide here.'
				: 'Open the link in the latest message. Nothing was decided here.',
		],
		sent: link.sent,
		lines,
	};
}

/** Returns the page of an open link, by what its session asks for now. */
function openView(entry: SessionRecord, link: PageLink, session: Session): Omit<PageView, 'now'> {
	const pending = createForm(session, entry.ledger, entry.page!, link);
	const common = {
		...commonView(entry),
		...(session.dashboardUrl && { dashboardUrl: session.dashboardUrl }),
	};
	if (pending.requests.length === 0) {
		const closed = { ...closedView(entry, link), ...common };
		if (closed.lines!.length > 0) return closed;
		const title = hasEnded(session) ? 'The session has ended' : 'Nothing needs your approval';
		return { ...closed, title, says: ['There’s nothing left to decide here.'] };
	}
	return {
		...common,
		title: 'The agent needs your approval',
		says: [],
		pending,
		deadline: link.deadline,
		commentHint: entry.page!.sendComments
			? 'The agent gets your comment, too.'
			: 'Your comment is saved with the decision. The agent doesn’t get it.',
	};
}

/** Reads the session now. Undefined where that fails, whatever the reason, such as a credential that was deleted. */
async function readSessionNow(
	context: IWebhookFunctions,
	sessionId: string,
): Promise<Session | undefined> {
	try {
		const api = await createClient(context);
		const deadline = api.clock.monotonicMs() + PAGE_READ_MS;
		return await fetchSession(api, sessionId, { deadline, maxAttempts: 2 });
	} catch (error) {
		context.logger.warn(`The approval page couldn't read its session: ${(error as Error).message}`);
		return undefined;
	}
}

const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(;|$)/i;

/** Whether a request sends the page's form: the only kind of body that can be an answer. */
const hasFormBody = (context: IWebhookFunctions): boolean =>
	FORM_TYPE.test(String(context.getRequestObject().headers?.['content-type'] ?? ''));

/**
 * Saves an answer and has n8n resume the execution with it. Approvers who select Send in the same second read on the page who came first.
 * Nothing may fail once the answer is claimed.
 */
async function acceptAnswer(
	context: IWebhookFunctions,
	execution: IRunExecutionData,
	{ record: entry, question: link }: { record: SessionRecord; question: PageLink },
	{ pending, answers }: { pending: PageForm; answers: PageAnswers },
): Promise<IWebhookResponseData> {
	const nodeContext = readNodeContext(context, execution);
	const now = realClock.now();
	const sent = describeAnswer(pending, answers, now);
	const webhookResponse = renderPage({
		...commonView(entry),
		now,
		title: 'Your answer was sent',
		says: [],
		sent,
		isSender: true,
	});
	const [items] = execution.executionData!.nodeExecutionStack[0].data.main;
	const workflowData = [[...items!]];
	context.getResponseObject().set(PAGE_HEADERS);
	const claim = claimResume(context, readPauseState(nodeContext), link, now);
	if (claim !== 'claimed')
		return sendPage(context, 409, { ...commonView(entry), ...PAGE_PROBLEMS[claim] });
	// Kept for the node, which n8n executes again with all that it has saved.
	nodeContext[ANSWERED_KEY] = entry.sessionId;
	link.sent = sent;
	link.contents = [...new Set([...link.contents, ...Object.keys(answers)])];
	Object.assign(entry.page!.answers, answers);
	entry.page!.comment = sent.comment;
	await realClock.sleep(HOLD_MS);
	return { workflowData, webhookResponse };
}

const readNodeContext = (context: IWebhookFunctions, execution: IRunExecutionData): IDataObject =>
	NodeHelpers.getContext(execution, 'node', context.getNode()) as IDataObject;

/** Responds to a request, and resumes the execution only for a valid answer. */
async function respond(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	// n8n has the execution's data, and its types don't.
	const { runExecutionData: execution } = context as IWebhookFunctions & {
		runExecutionData: IRunExecutionData;
	};
	const { method } = context.getRequestObject();
	if (!['GET', 'HEAD', 'POST'].includes(method))
		return sendPage(context, 405, PAGE_PROBLEMS.wrongMethod);
	const nodeContext = readNodeContext(context, execution);
	const query: unknown = context.getQueryData();
	const nonce = isRecord(query) ? query[NONCE_PARAMETER] : undefined;
	const found = findLink(listSessionRecords(nodeContext), nonce);
	if (!found) return sendPage(context, 404, PAGE_PROBLEMS.noSuch);
	const { record: entry, question: link, isOpen } = found;
	const common = commonView(entry);
	if (nodeContext[ANSWERED_KEY] !== undefined)
		return sendPage(context, 409, { ...common, ...PAGE_PROBLEMS.busy });
	const isPost = method === 'POST';
	if (isPost && !hasFormBody(context))
		return sendPage(context, 415, { ...common, ...PAGE_PROBLEMS.wrongForm });
	if (!isOpen) return sendPage(context, isPost ? 409 : 200, closedView(entry, link));
	const session = await readSessionNow(context, entry.sessionId!);
	if (!session) return sendPage(context, 503, { ...common, ...PAGE_PROBLEMS.unreadable });
	// Another answer may have come while the session was read.
	const earlier = recentAnswers.get(pauseKey(context, readPauseState(nodeContext)));
	if (isPost && earlier?.nonce === link.nonce)
		return sendPage(context, 409, { ...common, ...PAGE_PROBLEMS.answered });
	const view = openView(entry, link, session);
	const { pending } = view;
	if (!isPost || !pending) return sendPage(context, isPost ? 409 : 200, view);
	const answers = readForm(pending, context.getBodyData());
	if (typeof answers === 'string')
		return sendPage(context, 409, { ...view, ...PAGE_PROBLEMS[answers] });
	return await acceptAnswer(context, execution, found, { pending, answers });
}

/** The webhook of Run Agent Session. It never throws: n8n would end the paused execution. */
export async function handleWebhook(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	try {
		return await respond(context);
	} catch (error) {
		return sendFailure(context, error);
	}
}

/** Responds to a request that nothing else could respond to. */
function sendFailure(context: IWebhookFunctions, error: unknown): IWebhookResponseData {
	try {
		context.logger.error(`The approval page couldn't be shown: ${(error as Error).message}`);
		return sendPage(context, 500, PAGE_PROBLEMS.failed);
	} catch {
		return { noWebhookResponse: true };
	}
}

/** Returns the session that an approver has just answered for, once. The node is executed because of that alone. */
export function takeAnswered(context: IExecuteFunctions): string | undefined {
	const nodeContext = context.getContext('node');
	const { [ANSWERED_KEY]: sessionId } = nodeContext;
	delete nodeContext[ANSWERED_KEY];
	return nonEmptyText(sessionId);
}
