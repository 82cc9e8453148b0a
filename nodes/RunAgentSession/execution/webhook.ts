import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { realClock } from '../../shared/client/clock';
import { fingerprint, isRecord, omit, pluralize } from '../../shared/values';
import { PAGE_HEADERS, renderPage, type PageView } from '../page/html';
import {
	CHANGE_PARAMETER,
	createForm,
	describeVotes,
	isAnswerable,
	isDecidedBy,
	isProblem,
	isUnanswered,
	listGiven,
	listTyped,
	NONCE_PARAMETER,
	readForms,
	repeatAnswer,
	type FormProblem,
	type FoundLink,
	type GivenAnswer,
	type PageForm,
	type PageSection,
} from '../page/view';
import { castAnswer, type FormAnswer } from '../requests/castAnswer';
import { LONG_CHANGE, readChange } from '../requests/change';
import { findQuestion, positionIn, type Question } from '../requests/questions';
import { summarizeDecisions } from '../requests/summary';
import type { KnownRecord } from '../session/record';
import { openPausedExecution, type PausedExecution } from './engine';
import {
	askingOf,
	findOthers,
	findPage,
	listSessions,
	type FoundPage,
	type OtherPage,
} from './foundPages';
import { listCourses } from './journal';
import { isRepeated, isSending, nextAnswerTime, saveWithRecent, type SavedAnswer } from './inbox';

// A GET shows the requests of the latest poll. A POST saves an answer, and n8n executes the node again, which polls, compares and sends it.
// Neither asks the service: n8n would go on with data that is old by then.

/** Responds with a page without resuming the execution. */
function sendPage(
	context: IWebhookFunctions,
	status: number,
	view: Omit<PageView, 'now'>,
	headers: Record<string, string> = {},
): IWebhookResponseData {
	context
		.getResponseObject()
		.set({ ...PAGE_HEADERS, ...headers })
		.status(status)
		.send(render(view));
	return { noWebhookResponse: true };
}

const render = (view: Omit<PageView, 'now'>): string =>
	renderPage({ now: realClock.now(), ...view });

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
	missing: {
		title: 'A choice is missing',
		says: ['Nothing was saved. Choose for each marked request, then select Send.'],
	},
	wrongAnswer: {
		title: 'Your answer can’t be sent',
		says: ['Nothing was saved. Change the marked answers, then select Send.'],
	},
	sending: {
		title: 'Another answer is being sent',
		says: ['Your answer wasn’t saved. Select Send again in a few seconds.'],
	},
	answered: {
		title: 'Already answered',
		says: ['Your new answer wasn’t saved, because an earlier one was sent.'],
	},
	closed: {
		title: 'Already answered',
		says: ['This request has already been answered. There’s nothing left to decide here.'],
	},
	ended: {
		title: 'The session has ended',
		says: ['There’s nothing left to decide here.'],
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

/** Returns the nonce of a link. */
const toLink = ({ question, approver }: FoundLink<KnownRecord>): string =>
	question.approvers[approver].nonce;

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
	{ state, requests, questions }: KnownRecord,
	own: Question,
	given: readonly unknown[],
): 'closed' | 'ended' | 'renewed' | 'replaced' {
	const shown = requests.filter(({ contentHash }) => own.contents.includes(contentHash));
	if (given.length > 0 || shown.some(({ decision }) => decision !== undefined)) return 'closed';
	if (state === 'ended') return 'ended';
	if (shown.some(({ isReplaced }) => isReplaced)) return 'renewed';
	return shown.some((record) => findQuestion(questions, record) !== own) ? 'replaced' : 'closed';
}

function closedView({ record, question, approver }: FoundLink<KnownRecord>): Omit<PageView, 'now'> {
	const given = listGiven(askingOf(record), question, approver);
	const others = record.requests.filter(
		(request) => question.contents.includes(request.contentHash) && !isDecidedBy(request, approver),
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

const SAVED_SAYS = 'Until it’s sent, you can change it here. The last answer counts.';

/** Returns the heading of a page with open requests, and what it says. */
function introduce(
	{ requests }: PageForm,
	others: readonly OtherPage[],
): Pick<PageView, 'title' | 'says'> {
	const count = others.reduce((sum, each) => sum + each.pending.requests.length, 0);
	const below = `${pluralize(count, 'request')} of other sessions ${count === 1 ? 'is' : 'are'} below.`;
	const says = count === 0 ? [] : [below];
	const answerable = requests.filter(isAnswerable);
	if (answerable.length > 0 && !answerable.some(isUnanswered)) {
		const isDecided = answerable.every(({ status }) => status?.isDecided ?? true);
		return isDecided
			? { title: 'Your answer is saved and will be sent', says: [SAVED_SAYS, ...says] }
			: {
					title: 'Your answer is saved',
					says: ['The request waits for other approvers.', SAVED_SAYS, ...says],
				};
	}
	const isQuestion = requests.every(({ question: asked }) => asked);
	return {
		title: isQuestion ? 'The agent has a question' : 'The agent needs your approval',
		says,
	};
}

function openView(
	found: FoundLink<KnownRecord>,
	{ others, more }: ReturnType<typeof findOthers>,
): Omit<PageView, 'now'> {
	const { record, approver, question } = found;
	const pending = createForm(askingOf(record), question, approver);
	if (pending.requests.length === 0) return closedView(found);
	const shown = new Set(pending.requests.map((request) => request.record));
	return {
		// The link also shows later requests of the session.
		given: listGiven(askingOf(record), question, approver).filter(
			(each) => !shown.has(each.record),
		),
		...commonView(record),
		...readerOf(question, approver),
		...introduce(pending, others),
		pending,
		others: others.map((other) => ({
			...commonView(other.found.record),
			deadline: other.found.question.deadline,
			sendsReasons: other.found.record.page?.sendsReasons,
			pending: other.pending,
		})),
		moreSessions: more,
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
): Partial<Omit<PageView, 'now'>> {
	const sent = isRecord(body) ? body : {};
	if (problem !== 'changed') {
		const { problems } = problem;
		const isMissing = problems.every((each) => each.isMissing);
		return {
			...(isMissing ? PAGE_PROBLEMS.missing : PAGE_PROBLEMS.wrongAnswer),
			filled: sent,
			problems,
		};
	}
	const { comment, answer0, reason0 } = sent;
	// With several requests, only the comment is surely about those that are shown now.
	if (isSingle) return { ...PAGE_PROBLEMS.changed, filled: { comment, answer0, reason0 } };
	return { ...PAGE_PROBLEMS.changed, filled: { comment }, typed: listTyped(omit(sent, 'comment')) };
}

/** Returns a page that takes no answer anymore, with what was typed into its form. */
const refuseLate = (
	context: IWebhookFunctions,
	view: Omit<PageView, 'now'>,
): IWebhookResponseData => {
	const typed = listTyped(context.getBodyData());
	const says = ['Your new answer wasn’t saved.', ...view.says];
	return sendPage(context, 409, { ...view, says, typed });
};

/** Returns the page that confirms an answer, with what the votes are then. */
function confirmView(
	own: FoundLink<KnownRecord>,
	sent: readonly SentAnswers[],
): Omit<PageView, 'now'> {
	return {
		...commonView(own.record),
		...readerOf(own.question, own.approver),
		title: 'Your answer was saved',
		says: [
			'It will be sent to the agent, usually within a minute. Until it’s sent, you can change it with the same link.',
		],
		given: sent.flatMap(repeatAnswers),
		isSender: true,
	};
}

interface SentAnswers {
	found: FoundLink<KnownRecord>;
	answers: readonly FormAnswer[];
}

/** Repeats answers, with what the votes are then. */
function repeatAnswers({ found, answers }: SentAnswers): GivenAnswer[] {
	const { record, question: own, approver } = found;
	const { questions } = record;
	return answers.flatMap((answer): GivenAnswer[] => {
		const { requests } = record;
		const after = castAnswer({ requests, questions }, own, approver, answer) ?? requests;
		const request = after.find((each, at) => each !== requests[at]);
		const question = request && findQuestion(questions, request);
		if (!request || !question) return [];
		const position = positionIn(question, own.approvers[approver], own);
		const status = describeVotes(request, question, questions, position);
		return [repeatAnswer(request, answer.vote, status)];
	});
}

/** Returns whether the execution has an answer in its records. */
const isApplied = ({ contexts }: PausedExecution, { answers }: SavedAnswer): boolean => {
	const requests = Object.values(contexts)
		.flatMap(listCourses)
		.flatMap((each) => each.requests);
	const times = requests.flatMap(({ votes }) => votes.map(({ at }) => at));
	return answers.every(({ vote }) => times.some((at) => at >= vote.at));
};

function respond(context: IWebhookFunctions): IWebhookResponseData {
	const execution = openPausedExecution(context);
	const { method } = context.getRequestObject();
	if (!['GET', 'HEAD', 'POST'].includes(method))
		return sendPage(context, 405, PAGE_PROBLEMS.wrongMethod);
	const given: unknown = context.getQueryData();
	const query = isRecord(given) ? given : {};
	const nodes = execution ? listSessions(execution, context.getExecutionId()) : [];
	const page = findPage(nodes, query[NONCE_PARAMETER]);
	if (!execution || !page) return sendPage(context, 404, PAGE_PROBLEMS.noSuch);
	const { found } = page;
	const isPost = method === 'POST';
	if (isPost && !hasFormBody(context))
		return sendPage(context, 415, { ...commonView(found.record), ...PAGE_PROBLEMS.wrongForm });
	const isEnded = found.record.state === 'ended';
	const all = isEnded ? { others: [], more: 0 } : findOthers(nodes, found);
	const view = { ...(isEnded ? closedView(found) : openView(found, all)), query: toQuery(query) };
	const { pending, projectId, others = [] } = view;
	const body: unknown = context.getBodyData();
	const form = fingerprint(JSON.stringify(body));
	const isKnown = (saved: SavedAnswer) => isApplied(execution, saved);
	if (isPost && isRepeated(context.getExecutionId(), toLink(found), form, isKnown))
		return sendPage(context, 200, view);
	if (!pending) return isPost ? refuseLate(context, view) : sendPage(context, 200, view);
	const sections: PageSection[] = [{ projectId, pending }, ...others];
	const whole = openWholeChange(found, sections, query);
	if (!isPost) return sendPage(context, 200, whole ? { ...whole, query: view.query } : view);
	const now = realClock.now();
	if (isSending(context.getExecutionId(), isKnown, now)) {
		const filled = isRecord(body) ? body : {};
		// The page's script sends the form again.
		const headers = { 'Retry-After': '1' };
		return sendPage(context, 409, { ...view, ...PAGE_PROBLEMS.sending, filled }, headers);
	}
	const answers = readForms(sections, body, nextAnswerTime(now));
	if (isProblem(answers)) {
		if (answers === 'changed' && (view.given ?? []).length > 0)
			return sendPage(context, 409, {
				...view,
				...PAGE_PROBLEMS.answered,
				typed: listTyped(body),
			});
		const isSingle = sections.flatMap((each) => each.pending.requests).length === 1;
		return sendPage(context, 409, { ...view, ...explainProblem(answers, body, isSingle) });
	}
	const pages = [page, ...all.others];
	const sent = answers.map((each, index) => ({ ...pages[index], answers: each }));
	return acceptAnswers(context, execution, sent, form);
}

/**
 * Makes n8n save answers and execute the node again. n8n 2 sends the page that confirms them after it has saved them, and an error if
 * another wake has begun; n8n 1 sends it before.
 */
function acceptAnswers(
	context: IWebhookFunctions,
	{ contexts, resume }: PausedExecution,
	sent: ReadonlyArray<FoundPage & { answers: FormAnswer[] }>,
	form: string,
): IWebhookResponseData {
	const view = confirmView(sent[0].found, sent);
	for (const { found, contextName, answers } of sent) {
		if (answers.length === 0) continue;
		const answer = { nonce: toLink(found), answers };
		const added = { contextName, answer, form };
		saveWithRecent(context.getExecutionId(), contexts, added, realClock.now());
	}
	context.getResponseObject().set(PAGE_HEADERS);
	return { workflowData: resume(), webhookResponse: render(view) };
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
