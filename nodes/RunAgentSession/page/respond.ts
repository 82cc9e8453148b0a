import { MAX_FORM_BYTES, MAX_FORM_FIELDS } from '../../shared/limits';
import { fingerprint, isRecord, omit, pluralize } from '../../shared/values';
import {
	createForm,
	describeVotes,
	isAnswerable,
	isDecidedBy,
	isProblem,
	isUnanswered,
	listGiven,
	listTyped,
	readForms,
	repeatAnswer,
	type FormProblem,
	type GivenAnswer,
	type AnsweredPage,
	type NoticePage,
	type OpenPage,
	type PageForm,
	type PageSection,
	type PageSession,
	type PageView,
	type SessionFacts,
} from './view';
import {
	findBallot,
	isAlone,
	mergeAnswers,
	positionIn,
	type LinkAnswer,
	type Ballot,
} from '../requests/ballots';
import { formatQuiet, isTakenBack } from '../requests/quietRequest';
import { requestKey } from '../requests/requestRecord';
import { summarizeDecisions } from '../requests/decisions';
import { findLink, findOthers, type OtherPage, NONCE_PARAMETER, type FoundLink } from './links';

// A GET shows the requests of the latest poll. A POST saves an answer, and n8n executes the node again, which polls, compares and sends it.
// Neither asks the service, because n8n would resume with data that is old by then.

/** A request to a link */
export interface PageCall {
	/** True if n8n should have executed the node again by now */
	isOverdue?: boolean;
	/** True if another version of this package has left a record in the execution */
	isOtherVersion?: boolean;
	method: string;
	contentType: unknown;
	query: unknown;
	body: unknown;
}

/** A page, and with the status 200 for a form the answers to save before n8n executes the node again */
export interface PageResponse {
	status: number;
	view: PageView;
	headers?: Record<string, string>;
	answers?: LinkAnswer[];
}

const PAGE_PROBLEMS = {
	noSuch: {
		title: 'This link isn’t valid',
		says: [
			'It may have been cut off. Open it again from the original message. Nothing was decided.',
		],
	},
	otherVersion: {
		title: 'The node was updated',
		says: [
			'It can’t read what it asked before the update. Nothing was decided. Decide in the dashboard. The execution ends with an error that names the session.',
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
	tooLarge: {
		title: 'Your answer is too long',
		says: ['Nothing was decided. Go back, and shorten it.'],
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
	answered: {
		title: 'Already answered',
		says: ['Your new answer wasn’t saved, because an earlier one was sent.'],
	},
	closed: {
		title: 'Already answered',
		says: ['This request has already been answered. There’s nothing left to decide here.'],
	},
	gone: {
		title: 'The agent no longer asks for this',
		says: [
			'It may have been decided in the dashboard. If the agent asks again, this link works again.',
		],
	},
	tried: {
		title: 'Another session took its place',
		says: ['The session failed. Open the link in the latest message.'],
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
	active: {
		title: 'The session is active again',
		says: ['The question about its silence was taken back, and nothing was decided.'],
	},
	replaced: {
		title: 'This link was replaced',
		says: ['Open the link in the latest message. Nothing was decided here.'],
	},
	interrupted: {
		title: 'The workflow was interrupted',
		says: [
			'Nothing was decided. If a later message has another link, open that one. Otherwise, open this link again in a minute.',
			'If it still says so, the execution has crashed in n8n. A retry asks again, with a new link.',
		],
	},
	failed: {
		title: 'The page can’t be shown',
		says: ['Nothing was decided. Open the link again in a minute, or decide in the dashboard.'],
	},
};

const toLink = ({ ballot, approver }: FoundLink): string => ballot.approvers[approver].nonce;

const notice = (problem: keyof typeof PAGE_PROBLEMS, record?: PageSession): NoticePage => ({
	kind: 'notice',
	...PAGE_PROBLEMS[problem],
	...(record && { session: sessionFacts(record) }),
});

const sessionFacts = ({ origin, sessionId, dashboardUrl }: PageSession): SessionFacts => ({
	...origin,
	sessionId,
	dashboardUrl,
});

const readerOf = (ballot: Ballot, approver: number): Pick<PageView, 'reader'> => {
	const { approvers, needed } = ballot;
	const { name } = approvers[approver];
	return name === undefined || isAlone(ballot) ? {} : { reader: { name, needed } };
};

/** Returns the reason why a link accepts no answer. */
function findClosed(
	{ state, isTried, requests, ballots }: PageSession,
	own: Ballot,
	given: readonly unknown[],
): keyof typeof PAGE_PROBLEMS {
	if (isTried) return 'tried';
	const shown = requests.filter((record) => own.requests.includes(requestKey(record)));
	if (shown.some(isTakenBack)) return state === 'ended' ? 'ended' : 'active';
	if (given.length > 0 || shown.some(({ decision }) => decision !== undefined)) return 'closed';
	if (state === 'ended') return 'ended';
	if (shown.some(({ isReplaced }) => isReplaced)) return 'renewed';
	return shown.some((record) => findBallot(ballots, record) !== own) ? 'replaced' : 'gone';
}

function closedView({ record, ballot, approver }: FoundLink): AnsweredPage {
	const given = listGiven(record, ballot, approver);
	const others = record.requests.filter(
		(request) =>
			ballot.requests.includes(requestKey(request)) && !isDecidedBy(request, approver, record),
	);
	return {
		kind: 'answered',
		session: sessionFacts(record),
		...readerOf(ballot, approver),
		given,
		isSender: false,
		decisions: summarizeDecisions(others).decisions,
		...PAGE_PROBLEMS[findClosed(record, ballot, given)],
	};
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
	const quiet = requests.find(({ record }) => record.quiet)?.record.quiet;
	if (quiet) return { title: formatQuiet(quiet), says };
	const isQuestion = requests.every(({ sheet }) => sheet.kind === 'question');
	return {
		title: isQuestion ? 'The agent has a question' : 'The agent needs your approval',
		says,
	};
}

const toSection = ({ record, ballot }: FoundLink, pending: PageForm): PageSection => ({
	...sessionFacts(record),
	pending,
	deadline: ballot.deadline,
	sendsReasons: record.page?.sendsReasons,
	words: record.page?.words,
});

function openView(
	found: FoundLink,
	{ others, more }: ReturnType<typeof findOthers>,
): OpenPage | AnsweredPage {
	const { record, approver, ballot } = found;
	const pending = createForm(record, ballot, approver);
	if (pending.requests.length === 0) return closedView(found);
	const shown = new Set(pending.requests.map((request) => request.record));
	return {
		kind: 'open',
		// The link also shows later requests of the session.
		given: listGiven(record, ballot, approver).filter((each) => !shown.has(each.record)),
		...readerOf(ballot, approver),
		...introduce(pending, others),
		sections: [
			toSection(found, pending),
			...others.map((other) => toSection(other.found, other.pending)),
		],
		moreSessions: more,
		commentHint:
			record.page?.sendComments && !pending.requests.some((each) => each.record.quiet)
				? 'The agent gets your comment, too.'
				: 'Your comment is saved with the decision. The agent doesn’t get it.',
	};
}

/** Returns whether a form is larger than any that the page sends. */
const isTooLarge = (body: unknown): boolean =>
	isRecord(body) &&
	(Object.keys(body).length > MAX_FORM_FIELDS ||
		Buffer.byteLength(JSON.stringify(body)) > MAX_FORM_BYTES);

const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(;|$)/i;

/** Returns the page for a form that isn't accepted. It keeps what was typed. */
function refuseForm(view: OpenPage, problem: FormProblem, body: unknown): PageResponse {
	const fields = isRecord(body) ? body : {};
	if (problem !== 'changed') {
		const { problems } = problem;
		const isMissing = problems.every((each) => each.isMissing);
		const says = isMissing ? PAGE_PROBLEMS.missing : PAGE_PROBLEMS.wrongAnswer;
		return { status: 409, view: { ...view, ...says, refused: { fields, problems } } };
	}
	if (view.given.length > 0)
		return { status: 409, view: { ...view, ...PAGE_PROBLEMS.answered, typed: listTyped(body) } };
	const { comment, answer0, reason0 } = fields;
	const isSingle = view.sections.flatMap(({ pending }) => pending.requests).length === 1;
	// With several requests, only the comment is surely about those that are shown now.
	const kept = isSingle ? { comment, answer0, reason0 } : { comment };
	return {
		status: 409,
		view: {
			...view,
			...PAGE_PROBLEMS.changed,
			refused: { fields: kept, problems: [] },
			typed: isSingle ? [] : listTyped(omit(fields, 'comment')),
		},
	};
}

/** Returns a page that takes no answer anymore, with what was typed into its form. */
const refuseLate = (view: AnsweredPage, body: unknown): PageResponse => ({
	status: 409,
	view: {
		...view,
		says: ['Your new answer wasn’t saved.', ...view.says],
		typed: listTyped(body),
	},
});

/** Returns the page of an execution that n8n should have resumed. The page's script sends a form again. */
const refuseInterrupted = (record: PageSession, body: unknown): PageResponse => ({
	status: 503,
	view: { ...notice('interrupted', record), typed: listTyped(body) },
	headers: { 'Retry-After': '5' },
});

interface SentAnswers {
	found: FoundLink;
	answers: LinkAnswer[];
}

const SAVED_TITLE = 'Your answer was saved';

/** Returns the page for a form that was saved before. Its sender saw an error of n8n, and not the confirmation. */
const confirmAgain = (view: PageView): PageView =>
	view.title === PAGE_PROBLEMS.closed.title ? { ...view, title: SAVED_TITLE, says: [] } : view;

/** Returns the page that confirms answers, with what the votes are then. */
function confirmView(own: FoundLink, sent: readonly SentAnswers[]): AnsweredPage {
	const given = sent.flatMap(repeatAnswers);
	const isQuiet = given.some(({ record }) => record.quiet);
	return {
		kind: 'answered',
		session: sessionFacts(own.record),
		...readerOf(own.ballot, own.approver),
		title: SAVED_TITLE,
		says: [
			`${isQuiet ? 'It will be applied' : 'It will be sent to the agent'}, usually within a minute. Until ${isQuiet ? 'then' : 'it’s sent'}, you can change it with the same link.`,
		],
		given,
		isSender: true,
		decisions: [],
	};
}

function repeatAnswers({ found, answers }: SentAnswers): GivenAnswer[] {
	const { record, ballot: own, approver } = found;
	const { requests, ballots } = record;
	const voting = { ballots, answers: mergeAnswers(record.answers, answers) };
	return answers.flatMap(({ request: key, vote, at }): GivenAnswer[] => {
		const request = requests.find((each) => requestKey(each) === key);
		const ballot = request && findBallot(ballots, request);
		if (!ballot) return [];
		const position = positionIn(ballot, own.approvers[approver], own);
		return [
			repeatAnswer(request, { ...vote, at }, describeVotes(request, ballot, voting, position)),
		];
	});
}

/** Returns whether a form is saved already. A browser sends it again after an error of n8n. */
function isLatest(answers: readonly LinkAnswer[], link: string, form: string): boolean {
	const own = answers.filter((each) => each.link === link || each.form === form);
	const at = Math.max(...own.map((each) => each.at));
	return own.some((each) => each.at === at && each.form === form);
}

/** Returns the page for a request to a link, and the answers to save. */
export function respond(
	{ isOverdue, isOtherVersion, method, contentType, query: given, body }: PageCall,
	sessions: readonly PageSession[],
	now: number,
): PageResponse {
	if (!['GET', 'HEAD', 'POST'].includes(method))
		return { status: 405, view: notice('wrongMethod') };
	const query = isRecord(given) ? given : {};
	const found = findLink(sessions, query[NONCE_PARAMETER]);
	if (!found && isOtherVersion)
		return { status: 409, view: { ...notice('otherVersion'), typed: listTyped(body) } };
	if (!found) return { status: 404, view: notice('noSuch') };
	const isPost = method === 'POST';
	if (isOverdue) return refuseInterrupted(found.record, isPost ? body : undefined);
	if (isPost && !FORM_TYPE.test(String(contentType ?? '')))
		return { status: 415, view: notice('wrongForm', found.record) };
	if (isPost && isTooLarge(body)) return { status: 413, view: notice('tooLarge', found.record) };
	const isEnded = found.record.state === 'ended';
	const all = isEnded ? { others: [], more: 0 } : findOthers(sessions, found);
	const view = isEnded ? closedView(found) : openView(found, all);
	if (!isPost) return { status: 200, view };
	const { answers: known } = found.record;
	const form = fingerprint(JSON.stringify([toLink(found), body]));
	if (isLatest(known, toLink(found), form)) return { status: 200, view: confirmAgain(view) };
	if (view.kind === 'answered') return refuseLate(view, body);
	const read = readForms(view.sections, body);
	if (isProblem(read)) return refuseForm(view, read, body);
	// Later than all others, also if the clock was set back.
	const at = Math.max(now, ...known.map((each) => each.at + 1));
	const links = [found, ...all.others.map((each) => each.found)];
	const sent = read.map((each, index) => ({
		found: links[index],
		answers: each.map((answer) => ({ link: toLink(links[index]), ...answer, at, form })),
	}));
	return {
		status: 200,
		view: confirmView(found, sent),
		answers: sent.flatMap(({ answers }) => answers),
	};
}

/** The page if `respond` fails */
export const FAILED: PageResponse = { status: 500, view: notice('failed') };
