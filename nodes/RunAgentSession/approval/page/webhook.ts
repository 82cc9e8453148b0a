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
import { isRecord } from '../../../shared/values';
import { realClock } from '../../../shared/client/clock';
import { hasEnded, type Session } from '../../../shared/client/session';
import { listSessionRecords, type SessionRecord } from '../../session/journal';
import type { PageAnswers } from '../../policy/rules';
import {
	castVotes,
	describeVotes,
	findSent,
	identifyRequests,
	voidVotes,
	type Team,
} from '../approvers';
import type { SentAnswer } from '../sent';
import {
	addAnswer,
	claimResume,
	hasResumed,
	holdResume,
	isExecutedHere,
	pauseKey,
	takeAnswers,
	waitUntilTaken,
	whileArriving,
} from './resume';
import { PAGE_HEADERS, renderPage, type PageView } from './html';
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
} from './view';

// A GET shows the approval page. A POST sends an answer, and n8n executes the node again, which applies the answer.

/** Sessions with answers to apply. n8n 1 pauses before it saves, so another answer could resume the execution with its old state. */
const ANSWERED_KEY = 'answered';

/** Short, because an approver waits for the page */
const PAGE_READ_MS = 10_000;

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

const commonView = ({ origin, sessionId, dashboardUrl }: SessionRecord) => ({
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
	{ ledger }: SessionRecord,
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
}: FoundLink<SessionRecord>): Omit<PageView, 'now'> {
	const forTeam = teamView(link, approver);
	return {
		...commonView(entry),
		sent: link.sent,
		...forTeam,
		lines: entry.ledger.filter(({ content }) => link.contents.includes(content)),
		...PAGE_PROBLEMS[findClosed(entry, link, forTeam)],
	};
}

function openView(found: FoundLink<SessionRecord>, session: Session): Omit<PageView, 'now'> {
	const { record: entry, approver } = found;
	const { questions, sendComments } = entry.page!;
	const link = withoutStaleVotes(found.question, session);
	const pending = createForm(session, entry.ledger, entry.page!, link, approver);
	const common = {
		...commonView(entry),
		...(session.dashboardUrl && { dashboardUrl: session.dashboardUrl }),
	};
	if (pending.requests.length === 0) {
		const closed = { ...closedView({ ...found, question: link }), ...common };
		const isLatest = questions[questions.length - 1] === found.question;
		const isDecided = !['renewed', 'replaced'].includes(findClosed(entry, link, closed));
		if (isDecided || !isLatest) return closed;
		const title = hasEnded(session) ? 'The session has ended' : 'Nothing needs your approval';
		return { ...closed, title, says: ['There’s nothing left to decide here.'] };
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

/** Voids votes for requests that have changed since the node's last run. */
const withoutStaleVotes = (link: PageLink, { pendingInteractions }: Session): PageLink =>
	link.team ? { ...link, team: voidVotes(link.team, identifyRequests(pendingInteractions)) } : link;

/** Reads the session. Returns undefined after any error, such as a deleted credential. */
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

const hasFormBody = (context: IWebhookFunctions): boolean =>
	FORM_TYPE.test(String(context.getRequestObject().headers?.['content-type'] ?? ''));

interface PreparedAnswer {
	html: string;
	apply(): void;
}

/** Prepares an answer without changing the context. Returns undefined if the link has nothing left to decide. */
function prepareAnswer(
	nodeContext: IDataObject,
	nonce: string,
	{ pending, answers }: { pending: PageForm; answers: PageAnswers },
	now: number,
): PreparedAnswer | undefined {
	const found = findLink(listSessionRecords(nodeContext), nonce);
	if (!found || found.question.sent) return undefined;
	const { record: entry, question: link, approver } = found;
	const sent = describeAnswer(pending, answers, now);
	const voted =
		link.team &&
		approver !== undefined &&
		castVotes(link.team, toVotes(pending, answers, sent, approver));
	if (link.team && !voted) return undefined;
	const after: PageLink = {
		...link,
		contents: [...new Set([...link.contents, ...Object.keys(answers)])],
		...(voted ? { team: voted } : { sent }),
	};
	return {
		html: renderPage({
			...commonView(entry),
			...teamView(after, approver),
			now,
			title: 'Your answer was sent',
			says: [],
			sent: voted ? pickAdded(sent, link.team!, voted) : sent,
			isSender: true,
		}),
		apply() {
			Object.assign(link, after);
			if (!voted) Object.assign(entry.page!.answers, answers);
			noteComment(entry, sent, voted ? voted.approvers[approver!].name : undefined);
			noteAnswered(nodeContext, entry.sessionId!);
		},
	};
}

const pickAdded = (sent: SentAnswer, before: Team, after: Team): SentAnswer => ({
	...sent,
	choices: after.votes.slice(before.votes.length).map(({ choice }) => choice),
});

/** Saves an answer and resumes. Confirms it once a run has it, or n8n saved it for a worker. Nothing may fail after the claim. */
async function acceptAnswer(
	context: IWebhookFunctions,
	execution: IRunExecutionData,
	{ record: entry, nonce }: FoundLink<SessionRecord>,
	form: { pending: PageForm; answers: PageAnswers },
): Promise<IWebhookResponseData> {
	const nodeContext = readNodeContext(context, execution);
	const now = realClock.now();
	const key = pauseKey(context, nodeContext);
	const refuse = (problem: 'answered' | 'busy') =>
		sendPage(context, 409, { ...commonView(entry), ...PAGE_PROBLEMS[problem] });
	const [items] = execution.executionData!.nodeExecutionStack[0].data.main;
	const workflowData = [[...items!]];
	const own = prepareAnswer(nodeContext, nonce, form, now);
	if (!own) return refuse('answered');
	const claim = claimResume(key, nodeContext, nonce, now);
	if (typeof claim === 'string') return refuse(claim);
	const added = claim.isFirst ? own : prepareAnswer(claim.addTo, nonce, form, now);
	if (!added) return refuse('answered');
	addAnswer(key, nonce, (to) => prepareAnswer(to, nonce, form, now)?.apply());
	const response = context.getResponseObject().set(PAGE_HEADERS);
	const confirm = () => void response.status(200).send(added.html);
	const resumes = claim.isFirst && (await holdResume(key));
	if (!isExecutedHere(context, nodeContext)) {
		if (resumes) return { workflowData, webhookResponse: added.html };
		confirm();
		return { noWebhookResponse: true };
	}
	const responding = waitUntilTaken(key)
		.then((isTaken) => (isTaken ? confirm() : refuse('busy')))
		.catch((error: unknown) => sendFailure(context, error));
	if (resumes) return { workflowData, noWebhookResponse: true };
	await responding;
	return { noWebhookResponse: true };
}

function noteAnswered(nodeContext: IDataObject, sessionId: string): void {
	const earlier = (nodeContext[ANSWERED_KEY] ?? []) as string[];
	nodeContext[ANSWERED_KEY] = [...new Set([...earlier, sessionId])];
}

function noteComment({ page }: SessionRecord, { comment }: SentAnswer, name?: string): void {
	if (name === undefined) page!.comment = comment;
	else if (comment !== undefined)
		page!.comment = [page!.comment, `${name}: ${comment}`].filter(Boolean).join('\n');
}

const readNodeContext = (context: IWebhookFunctions, execution: IRunExecutionData): IDataObject =>
	NodeHelpers.getContext(execution, 'node', context.getNode()) as IDataObject;

async function respond(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	// n8n's types lack the execution's data.
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
	const { record: entry, nonce: used, isOpen } = found;
	const common = commonView(entry);
	if (nodeContext[ANSWERED_KEY] !== undefined)
		return sendPage(context, 409, { ...common, ...PAGE_PROBLEMS.busy });
	const isPost = method === 'POST';
	if (isPost && !hasFormBody(context))
		return sendPage(context, 415, { ...common, ...PAGE_PROBLEMS.wrongForm });
	if (!isOpen) return sendPage(context, isPost ? 409 : 200, closedView(found));
	const key = pauseKey(context, nodeContext);
	const read = async () => await readSessionNow(context, entry.sessionId!);
	const session = isPost ? await whileArriving(key, read) : await read();
	if (!session) return sendPage(context, 503, { ...common, ...PAGE_PROBLEMS.unreadable });
	// Another answer may have come while the session was read.
	if (isPost && hasResumed(key, used))
		return sendPage(context, 409, { ...common, ...PAGE_PROBLEMS.answered });
	const view = openView(found, session);
	const { pending } = view;
	if (!isPost || !pending) return sendPage(context, isPost ? 409 : 200, view);
	const answers = readForm(pending, context.getBodyData());
	if (typeof answers === 'string')
		return sendPage(context, 409, { ...view, ...PAGE_PROBLEMS[answers] });
	return await acceptAnswer(context, execution, found, { pending, answers });
}

/** Handles the node's webhook. Never throws, because n8n would end the paused execution. */
export async function handleWebhook(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	try {
		return await respond(context);
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

/** Returns the sessions that approvers have just answered for, once. n8n executes the node because of them alone. */
export function takeAnswered(
	context: Pick<IExecuteFunctions, 'getContext' | 'getExecutionId' | 'getNode'>,
): string[] {
	const nodeContext = context.getContext('node');
	takeAnswers(context, nodeContext);
	const { [ANSWERED_KEY]: sessionIds } = nodeContext;
	delete nodeContext[ANSWERED_KEY];
	return Array.isArray(sessionIds) ? sessionIds.map(String) : [];
}
