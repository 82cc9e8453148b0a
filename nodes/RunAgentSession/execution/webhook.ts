import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { realClock } from '../../shared/client/clock';
import { isRecord, pluralize } from '../../shared/values';
import { PAGE_HEADERS, renderPage, type PageView } from '../page/html';
import {
	CHANGE_PARAMETER,
	createForm,
	describeVotes,
	listGiven,
	NONCE_PARAMETER,
	isProblem,
	readForms,
	repeatAnswer,
	type FormAnswer,
	type FormProblem,
	type FoundLink,
	type GivenAnswer,
	type PageSection,
} from '../page/view';
import { LONG_CHANGE, readChange } from '../requests/change';
import { decidedByVotes, findQuestion, type Question } from '../requests/questions';
import { summarizeDecisions } from '../requests/summary';
import { castVote } from '../requests/votes';
import type { KnownRecord } from '../session/record';
import { openPausedExecution, type PausedExecution } from './engine';
import { askingOf, findOthers, findPage, type FoundPage, type OtherPage } from './foundPages';
import { saveWithRecent } from './inbox';

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

const MAX_OTHERS = 10;

const commonView = ({ origin, sessionId, dashboardUrl }: KnownRecord) => ({
	...origin,
	sessionId,
	dashboardUrl,
});

const readerOf = ({ approvers, needed }: Question, approver: number): Pick<PageView, 'reader'> => {
	const { name } = approvers[approver];
	return name === undefined ? {} : { reader: { name, needed } };
};

/** Returns the reason why a link accepts no answer. */
function findClosed(
	{ requests, questions }: KnownRecord,
	own: Question,
	given: readonly { status?: { isDecided: boolean } }[],
): 'waiting' | 'closed' | 'renewed' | 'replaced' {
	if (given.some(({ status }) => status?.isDecided === false)) return 'waiting';
	const shown = requests.filter(({ contentHash }) => own.contents.includes(contentHash));
	const isDecided = (record: (typeof shown)[number]) =>
		record.decision !== undefined || decidedByVotes(record, questions) !== undefined;
	if (given.length > 0 || shown.some(isDecided)) return 'closed';
	if (shown.some(({ isReplaced }) => isReplaced)) return 'renewed';
	return shown.some((record) => findQuestion(questions, record) !== own) ? 'replaced' : 'closed';
}

function closedView({ record, question, approver }: FoundLink<KnownRecord>): Omit<PageView, 'now'> {
	const given = listGiven(askingOf(record), question, approver);
	const others = record.requests.filter(
		({ contentHash, votes }) =>
			question.contents.includes(contentHash) && !votes.some((vote) => vote.approver === approver),
	);
	return {
		...commonView(record),
		...readerOf(question, approver),
		given,
		decisions: summarizeDecisions(others).decisions,
		...PAGE_PROBLEMS[findClosed(record, question, given)],
	};
}

/** Returns the query of a link, without what is shown of it. */
function toQuery(query: Record<string, unknown>): string {
	const texts = Object.entries(query).filter(
		(each): each is [string, string] => each[0] !== CHANGE_PARAMETER && typeof each[1] === 'string',
	);
	return new URLSearchParams(texts).toString();
}

/** Returns the page with the whole change of a request that the page shows. */
function openWholeChange(
	{ record: session }: FoundLink<KnownRecord>,
	sections: readonly PageSection[],
	query: Record<string, unknown>,
): Omit<PageView, 'now'> | undefined {
	const request = sections
		.flatMap(({ pending }) => pending.requests)
		.find(({ record }) => record.contentHash === query[CHANGE_PARAMETER]);
	const wholeChange = request && readChange(request.interaction, LONG_CHANGE);
	return (
		wholeChange && { ...commonView(session), title: 'The whole change', says: [], wholeChange }
	);
}

function openView(found: FoundLink<KnownRecord>, all: readonly OtherPage[]): Omit<PageView, 'now'> {
	const { record, approver, question } = found;
	const pending = createForm(askingOf(record), question, approver);
	if (pending.requests.length === 0) return closedView(found);
	const others = all.slice(0, MAX_OTHERS);
	const count = others.reduce((sum, each) => sum + each.pending.requests.length, 0);
	return {
		// The link also shows later requests of the session.
		given: listGiven(askingOf(record), question, approver),
		...commonView(record),
		...readerOf(question, approver),
		title: pending.requests.every(({ question: asked }) => asked)
			? 'The agent has a question'
			: 'The agent needs your approval',
		says:
			count === 0
				? []
				: [`${pluralize(count, 'request')} of other sessions ${count === 1 ? 'is' : 'are'} below.`],
		pending,
		others: others.map((other) => ({
			...commonView(other.found.record),
			deadline: other.found.question.deadline,
			sendsReasons: other.found.record.page?.sendsReasons,
			pending: other.pending,
		})),
		moreSessions: all.length - others.length,
		deadline: question.deadline,
		sendsReasons: record.page?.sendsReasons,
		commentHint: record.page?.sendComments
			? 'The agent gets your comment, too.'
			: 'Your comment is saved with the decision. The agent doesn’t get it.',
	};
}

const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(;|$)/i;

const hasFormBody = (context: IWebhookFunctions): boolean =>
	FORM_TYPE.test(String(context.getRequestObject().headers?.['content-type'] ?? ''));

/** Returns what the page says of a form that isn't accepted. It keeps what was typed. */
function explainProblem(
	problem: FormProblem,
	body: unknown,
	isSingle: boolean,
): Pick<PageView, 'title' | 'says' | 'filled'> {
	const sent = isRecord(body) ? body : {};
	const { comment, answer0, reason0 } = sent;
	// With several requests, only the comment is surely about those that are shown now.
	if (problem === 'changed')
		return {
			...PAGE_PROBLEMS.changed,
			filled: isSingle ? { comment, answer0, reason0 } : { comment },
		};
	if (problem === 'incomplete') return { ...PAGE_PROBLEMS.incomplete, filled: sent };
	const says = [`${problem.reason} Nothing was sent.`];
	return { title: 'Your answer can’t be sent', says, filled: sent };
}

/** Returns the page that confirms an answer, with what the votes are then. */
function confirmView(
	own: FoundLink<KnownRecord>,
	sent: readonly SentAnswers[],
): Omit<PageView, 'now'> {
	return {
		...commonView(own.record),
		...readerOf(own.question, own.approver),
		title: 'Your answer was saved',
		says: ['It is sent to the agent within a minute.'],
		given: sent.flatMap(repeatAnswers),
		isSender: true,
	};
}

interface SentAnswers {
	found: FoundLink<KnownRecord>;
	answers: readonly FormAnswer[];
}

function repeatAnswers({ found, answers }: SentAnswers): GivenAnswer[] {
	const { record, question: own, approver } = found;
	const { requests, questions } = record;
	return answers.flatMap(({ contentHash, vote }) => {
		const request = requests.find((each) => each.contentHash === contentHash && each.interaction);
		const question = request && findQuestion(questions, request);
		if (!request || !question) return [];
		const { name } = own.approvers[approver];
		const cast = { ...vote, approver, ...(name !== undefined && { name }) };
		const votes = castVote(request.votes, cast, question.needed) ?? request.votes;
		const after = { ...request, votes };
		return repeatAnswer(after, cast, describeVotes(after, question, questions, approver));
	});
}

function respond(context: IWebhookFunctions): IWebhookResponseData {
	const execution = openPausedExecution(context);
	const { method } = context.getRequestObject();
	if (!['GET', 'HEAD', 'POST'].includes(method))
		return sendPage(context, 405, PAGE_PROBLEMS.wrongMethod);
	const given: unknown = context.getQueryData();
	const query = isRecord(given) ? given : {};
	const nonce = query[NONCE_PARAMETER];
	const executionId = context.getExecutionId();
	const page = execution && findPage(execution, executionId, nonce);
	if (!page) return sendPage(context, 404, PAGE_PROBLEMS.noSuch);
	const { found, saved } = page;
	const common = commonView(found.record);
	const isPost = method === 'POST';
	if (isPost && !hasFormBody(context))
		return sendPage(context, 415, { ...common, ...PAGE_PROBLEMS.wrongForm });
	if (saved)
		return sendPage(context, isPost ? 409 : 200, {
			...confirmView(found, [{ found, answers: saved.answers }]),
			...PAGE_PROBLEMS.answered,
			isSender: false,
		});
	if (found.record.state === 'ended')
		return sendPage(context, isPost ? 409 : 200, closedView(found));
	const all = findOthers(execution, executionId, found);
	const view = { ...openView(found, all), query: toQuery(query) };
	const { pending, projectId, others = [] } = view;
	const sections = pending ? [{ projectId, pending }, ...others] : [];
	const whole = openWholeChange(found, sections, query);
	if (!isPost && whole) return sendPage(context, 200, { ...whole, query: view.query });
	if (!isPost || !pending) return sendPage(context, isPost ? 409 : 200, view);
	const body: unknown = context.getBodyData();
	const answers = readForms(sections, body, realClock.now());
	if (isProblem(answers)) {
		const isSecond = answers === 'changed' && (view.given ?? []).length > 0;
		const isSingle = sections.flatMap((each) => each.pending.requests).length === 1;
		const why = isSecond ? PAGE_PROBLEMS.answered : explainProblem(answers, body, isSingle);
		return sendPage(context, 409, { ...view, ...why });
	}
	const pages = [page, ...all];
	const sent = answers.map((each, index) => ({ ...pages[index], answers: each }));
	return acceptAnswers(context, execution, sent);
}

/** Saves answers, says so, and makes n8n execute the node again. n8n saves the answers before that. */
function acceptAnswers(
	context: IWebhookFunctions,
	{ contexts, resume }: PausedExecution,
	sent: ReadonlyArray<FoundPage & { answers: FormAnswer[] }>,
): IWebhookResponseData {
	const view = confirmView(sent[0].found, sent);
	for (const { found, contextName, answers } of sent) {
		if (answers.length === 0) continue;
		const answer = { nonce: found.question.approvers[found.approver].nonce, answers };
		saveWithRecent(context.getExecutionId(), contexts, { contextName, answer }, realClock.now());
	}
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
