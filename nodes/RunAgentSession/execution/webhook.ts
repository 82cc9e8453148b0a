import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { realClock } from '../../shared/client/clock';
import type { Session } from '../../shared/client/session';
import { isRecord } from '../../shared/values';
import { openPausedExecution, type PausedExecution } from './engine';
import { listCourses } from './journal';
import type { KnownRecord } from '../session/record';
import { castVotes, describeVotes, findSent, type Team } from '../approval/approvers';
import type { SentAnswer } from '../approval/sent';
import { PAGE_HEADERS, renderPage, type PageView } from '../approval/page/html';
import { findRecent, listAnswers, saveWithRecent, type SavedAnswer } from './inbox';
import {
	NONCE_PARAMETER,
	createForm,
	describeAnswer,
	findLink,
	readForm,
	toVotes,
	type FoundLink,
	type PageForm,
	type PageLink,
} from '../approval/page/view';
import type { PageAnswers } from '../policy/rules';

// A GET shows the requests of the latest poll. A POST saves an answer, and n8n executes the node again, which polls, compares and sends it.
// Neither asks the service: n8n would go on with data that is old by then.

/** Responds with a page without resuming the execution. */
function sendPage(
	context: IWebhookFunctions,
	status: number,
	view: Omit<PageView, 'now'>,
): IWebhookResponseData {
	const html = renderPage({ now: realClock.now(), ...view });
	context.getResponseObject().set(PAGE_HEADERS).status(status).send(html);
	return { noWebhookResponse: true };
}

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
	changed: {
		title: 'The request has changed',
		says: ['Your answer wasn’t saved. The agent now needs your approval for this:'],
	},
	incomplete: {
		title: 'A choice is missing',
		says: ['Your answer wasn’t saved. Choose for each request, then select Send.'],
	},
	answered: {
		title: 'Already answered',
		says: [
			'Your answer wasn’t saved, because another one came first. If you selected Send twice, your first answer counts.',
		],
	},
	closed: {
		title: 'Already answered',
		says: ['This request has already been answered. There’s nothing left to decide here.'],
	},
	waiting: {
		title: 'You’ve already answered',
		says: ['Your first answer counts. The request waits for other approvers.'],
	},
	renewed: {
		title: 'The request has changed',
		says: [
			'Answers to the earlier request don’t count. Open the link in the latest message. Nothing was decided here.',
		],
	},
	replaced: {
		title: 'This link was replaced',
		says: ['Open the link in the latest message. Nothing was decided here.'],
	},
	failed: {
		title: 'The page can’t be shown',
		says: ['Nothing was decided. Open the link again in a minute, or decide in the dashboard.'],
	},
};

const commonView = ({ origin, sessionId, dashboardUrl }: KnownRecord) => ({
	...origin,
	sessionId,
	dashboardUrl,
});

function teamView(
	{ team, contents }: PageLink,
	approver: number | undefined,
): Pick<PageView, 'reader' | 'statuses' | 'sent'> {
	if (!team || approver === undefined) return {};
	const { name } = team.approvers[approver];
	const voted = team.votes.map(({ choice }) => choice.content);
	const statuses = [...contents, ...voted].map((content) => [
		content,
		describeVotes(team, content, approver),
	]);
	return {
		reader: { name, needed: team.needed },
		statuses: Object.fromEntries(statuses),
		sent: findSent(team, approver),
	};
}

/** Returns the reason why a link accepts no answer anymore. */
function findClosed(
	{ ledger }: KnownRecord,
	{ contents, sent, team }: PageLink,
	{ sent: ownSent = sent, statuses = {} }: Pick<PageView, 'sent' | 'statuses'>,
): 'waiting' | 'closed' | 'renewed' | 'replaced' {
	if (ownSent?.choices.some(({ content }) => statuses[content]?.isDecided === false))
		return 'waiting';
	const hasLines = ledger.some(({ content }) => contents.includes(content));
	const isDecided = Object.values(statuses).some((status) => status.isDecided);
	if (ownSent || hasLines || isDecided) return 'closed';
	return team?.votes.some(({ isVoid }) => isVoid) ? 'renewed' : 'replaced';
}

function closedView({
	record: entry,
	question: link,
	approver,
}: FoundLink<KnownRecord>): Omit<PageView, 'now'> {
	const forTeam = teamView(link, approver);
	return {
		...commonView(entry),
		sent: link.sent,
		...forTeam,
		lines: entry.ledger.filter(({ content }) => link.contents.includes(content)),
		...PAGE_PROBLEMS[findClosed(entry, link, forTeam)],
	};
}

/** Returns the session as the latest poll showed it. */
const readSession = ({ sessionId, dashboardUrl, pending = [] }: KnownRecord): Session => ({
	sessionId,
	dashboardUrl,
	status: 'running',
	pendingInteractions: pending,
});

function openView(found: FoundLink<KnownRecord>): Omit<PageView, 'now'> {
	const { record: entry, approver, question: link } = found;
	const { questions, sendComments } = entry.page!;
	const pending = createForm(readSession(entry), entry.ledger, entry.page!, link, approver);
	const common = commonView(entry);
	if (pending.requests.length === 0) {
		const closed = closedView(found);
		const isLatest = questions[questions.length - 1] === found.question;
		const isDecided = !['renewed', 'replaced'].includes(findClosed(entry, link, closed));
		if (isDecided || !isLatest) return closed;
		return {
			...closed,
			title: 'Nothing needs your approval',
			says: ['There’s nothing left to decide here.'],
		};
	}
	return {
		...common,
		...teamView(link, approver),
		sent: undefined,
		title: 'The agent needs your approval',
		says: [],
		pending,
		deadline: link.deadline,
		commentHint: sendComments
			? 'The agent gets your comment, too.'
			: 'Your comment is saved with the decision. The agent doesn’t get it.',
	};
}

const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(;|$)/i;

const hasFormBody = (context: IWebhookFunctions): boolean =>
	FORM_TYPE.test(String(context.getRequestObject().headers?.['content-type'] ?? ''));

const pickAdded = (sent: SentAnswer, before: Team, after: Team): SentAnswer => ({
	...sent,
	choices: after.votes.slice(before.votes.length).map(({ choice }) => choice),
});

/** Returns the answer to save, and the page that confirms it. Undefined if it decides nothing anymore. */
function prepareAnswer(
	{ record: entry, question: link, approver, nonce }: FoundLink<KnownRecord>,
	{ pending, answers }: { pending: PageForm; answers: PageAnswers },
	now: number,
): { answer: SavedAnswer; view: PageView } | undefined {
	const sent = describeAnswer(pending, answers, now);
	const common = {
		...commonView(entry),
		now,
		title: 'Your answer was saved',
		says: ['It is sent to the agent within a minute.'],
		isSender: true,
	};
	if (!link.team || approver === undefined)
		return { answer: { nonce, sent, answers }, view: { ...common, sent } };
	const votes = toVotes(pending, answers, sent, approver);
	const team = castVotes(link.team, votes);
	if (!team) return undefined;
	return {
		answer: { nonce, sent, answers: {}, votes },
		view: {
			...common,
			...teamView({ ...link, team }, approver),
			sent: pickAdded(sent, link.team, team),
		},
	};
}

interface FoundPage {
	found: FoundLink<KnownRecord>;
	/** The name of the node's context */
	contextName: string;
	/** An answer of this link that hasn't been applied yet */
	saved?: SavedAnswer;
}

/** Finds a link in all nodes of the execution. */
function findPage(
	{ contexts }: PausedExecution,
	executionId: string,
	nonce: unknown,
): FoundPage | undefined {
	for (const [contextName, nodeContext] of Object.entries(contexts)) {
		if (!contextName.startsWith('node:')) continue;
		const found = findLink(listCourses(nodeContext), nonce);
		if (!found) continue;
		const saved =
			listAnswers(nodeContext).find((answer) => answer.nonce === found.nonce) ??
			findRecent(executionId, found.nonce, realClock.now());
		return { found, contextName, saved };
	}
	return undefined;
}

function respond(context: IWebhookFunctions): IWebhookResponseData {
	const execution = openPausedExecution(context);
	const { method } = context.getRequestObject();
	if (!['GET', 'HEAD', 'POST'].includes(method))
		return sendPage(context, 405, PAGE_PROBLEMS.wrongMethod);
	const query: unknown = context.getQueryData();
	const nonce = isRecord(query) ? query[NONCE_PARAMETER] : undefined;
	const page = execution && findPage(execution, context.getExecutionId(), nonce);
	if (!page) return sendPage(context, 404, PAGE_PROBLEMS.noSuch);
	const { found, saved } = page;
	const common = commonView(found.record);
	const isPost = method === 'POST';
	if (isPost && !hasFormBody(context))
		return sendPage(context, 415, { ...common, ...PAGE_PROBLEMS.wrongForm });
	if (saved)
		return sendPage(context, isPost ? 409 : 200, {
			...closedView(found),
			...PAGE_PROBLEMS.answered,
			sent: saved.sent,
		});
	if (!found.isOpen || found.record.state === 'ended')
		return sendPage(context, isPost ? 409 : 200, closedView(found));
	const view = openView(found);
	const { pending } = view;
	if (!isPost || !pending) return sendPage(context, isPost ? 409 : 200, view);
	const answers = readForm(pending, context.getBodyData());
	if (typeof answers === 'string')
		return sendPage(context, 409, { ...view, ...PAGE_PROBLEMS[answers] });
	return acceptAnswer(context, execution, page, { pending, answers });
}

/** Saves an answer, says so, and makes n8n execute the node again. n8n saves the answer before that. */
function acceptAnswer(
	context: IWebhookFunctions,
	{ contexts, resume }: PausedExecution,
	{ found, contextName }: FoundPage,
	form: { pending: PageForm; answers: PageAnswers },
): IWebhookResponseData {
	const now = realClock.now();
	const prepared = prepareAnswer(found, form, now);
	if (!prepared) return sendPage(context, 409, { ...closedView(found), ...PAGE_PROBLEMS.answered });
	const { answer, view } = prepared;
	saveWithRecent(context.getExecutionId(), contexts, { contextName, answer }, now);
	const workflowData = resume();
	sendPage(context, 200, view);
	return { workflowData, noWebhookResponse: true };
}

/** Handles the node's webhook. Never throws, because n8n would end the paused execution. */
export async function handleWebhook(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	try {
		return respond(context);
	} catch (error) {
		return sendFailure(context, error);
	}
}

function sendFailure(context: IWebhookFunctions, error: unknown): IWebhookResponseData {
	try {
		context.logger.error(`The approval page couldn't be shown: ${(error as Error).message}`);
		return sendPage(context, 500, PAGE_PROBLEMS.failed);
	} catch {
		return { noWebhookResponse: true };
	}
}
