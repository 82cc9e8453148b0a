import { createHash, timingSafeEqual } from 'node:crypto';

import type { OptionPreferences } from '../../shared/approvals/options';
import type { Interaction } from '../../shared/client/session';
import { fingerprint, isRecord, toText } from '../../shared/values';
import { applyPolicy, type AskVerdict, type Policy } from '../policy/rules';
import {
	checkQuestionAnswer,
	isQuestion,
	readQuestion,
	type AgentQuestion,
} from '../../shared/approvals/agentQuestion';
import { LONG_CHANGE, readChange, type ProposedChange } from '../requests/change';
import { FROM_NOW_ON, pageChoices, type PageChoice } from '../requests/choices';
import { describeRequest } from '../requests/details';
import { IS_QUESTION, planDecisions, type UndecidedRequest } from '../requests/plan';
import {
	decidedByVotes,
	findQuestion,
	type AskedApprover,
	type Question,
} from '../requests/questions';
import { describeUnsteady, type RequestRecord } from '../requests/record';
import { shownRequests } from '../requests/request';
import { summarizeDecisions, type DecisionSummary } from '../requests/summary';
import { hasVoted, type Vote } from '../requests/votes';

// What the approval page shows of a session, and how it reads an answer. Both come from the session's records alone.

export interface Asking {
	requests: RequestRecord[];
	questions: Question[];
	preferences?: OptionPreferences;
	sendComments?: boolean;
	/** True if the agent gets the reason of a denial */
	sendsReasons?: boolean;
}

export const NONCE_PARAMETER = 'question';
/** Names the request whose whole change is shown */
export const CHANGE_PARAMETER = 'change';

/** n8n asks only the node that paused last, so all nodes have the same path. */
const PAGE_PATH = 'approval';

/** Returns n8n's address for resuming the execution, with the nonce. In n8n 2, it also has n8n's token. */
export function approvalUrl(resumeUrl: string, nonce: string): string {
	const url = new URL(resumeUrl);
	url.pathname += `/${PAGE_PATH}`;
	url.searchParams.set(NONCE_PARAMETER, nonce);
	return url.href;
}

const hash = (text: string) => createHash('sha256').update(text).digest();

export interface FoundLink<T> {
	record: T;
	question: Question;
	/** The position among the approvers of the question */
	approver: number;
}

/** Finds the link with a nonce. Takes the same time for every nonce, so the time doesn't help to guess one. */
export function findLink<T extends Pick<Asking, 'questions'>>(
	records: readonly T[],
	nonce: unknown,
): FoundLink<T> | undefined {
	const given = hash(typeof nonce === 'string' ? nonce : '');
	const all = records.flatMap((record) =>
		record.questions.flatMap((question) =>
			question.approvers.map((each, approver) => ({
				record,
				question,
				approver,
				nonce: each.nonce,
			})),
		),
	);
	return all.filter((link) => timingSafeEqual(given, hash(link.nonce)))[0];
}

export interface VoteStatus {
	needed: number;
	approvals: number;
	answered: Array<{ name: string; isReader: boolean; decision: Vote['decision']; at: number }>;
	/** Asked approvers without an answer */
	missing: Array<{ name: string; isReader: boolean }>;
	isDecided: boolean;
}

export interface PageRequest {
	record: RequestRecord;
	interaction: Interaction;
	/** If false, an approver can only deny it on the page */
	isWhole: boolean;
	/** What an edit changes, or its beginning */
	change?: ProposedChange;
	/** Empty for a question, or if the page can't decide it */
	choices: PageChoice[];
	/** What the agent asks, if it isn't about a permission */
	question?: AgentQuestion;
	/** Why it can't be decided or answered on the page */
	because?: string;
	/** With several approvers */
	status?: VoteStatus;
	/** Approvers whose answers don't count anymore, because the request has changed */
	voided: string[];
}

/** The requests to decide now. An answer counts only with their fingerprint, `shown`. */
export interface PageForm {
	requests: PageRequest[];
	/** Number of requests left for other messages */
	more: number;
	shown: string;
	/** Decisions that no link of this question was for */
	decided: DecisionSummary[];
}

/** In characters of JSON */
const MAX_REQUEST_SHOWN = 50_000;
export const MAX_COMMENT_LENGTH = 2_000;
const MAX_DECIDED_SHOWN = 10;

const ASK_POLICY: Policy = { mode: 'ask', rules: [], defaultDecision: 'ask', approveWith: 'once' };
/** Only a request with this reason can be decided on the page, and only a question with `IS_QUESTION` answered. */
const { because: ASKED_BY_POLICY } = applyPolicy(
	{ id: 'id', type: 'permission' },
	ASK_POLICY,
) as AskVerdict;

export const isTeam = ({ approvers }: Question): boolean => approvers[0]?.name !== undefined;

/** Returns the position of a link's approver among those of another question. -1 if they may not answer it. */
export function positionIn(question: Question, approver: AskedApprover, own: Question): number {
	if (question === own) return own.approvers.indexOf(approver);
	if (isTeam(question) !== isTeam(own)) return -1;
	if (!isTeam(own)) return 0;
	return question.approvers.findIndex(
		({ name, contact, askedAt }) =>
			name === approver.name && contact === approver.contact && askedAt !== undefined,
	);
}

/** Returns what the page says of the approvers of a request. Undefined without a team. */
export function describeVotes(
	record: RequestRecord,
	question: Question,
	questions: readonly Question[],
	reader: number,
): VoteStatus | undefined {
	if (!isTeam(question)) return undefined;
	const { votes } = record;
	const toName = (index: number) => ({
		name: question.approvers[index].name!,
		isReader: index === reader,
	});
	return {
		needed: record.question === undefined ? question.needed : 1,
		approvals: votes.filter(({ decision }) => decision === 'approve').length,
		answered: votes.map(({ approver, decision, at }) => ({ ...toName(approver), decision, at })),
		missing: question.approvers.flatMap(({ askedAt }, index) =>
			askedAt === undefined || hasVoted(votes, index) ? [] : [toName(index)],
		),
		isDecided: decidedByVotes(record, questions) !== undefined,
	};
}

/** Returns why a question can't be answered on the page, or undefined. */
function findUnanswerable(
	{ record, because }: UndecidedRequest,
	{ isCut }: AgentQuestion,
	isWhole: boolean,
): string | undefined {
	if (because !== IS_QUESTION) return because;
	if (record.unsteady) return `its ${describeUnsteady(record.unsteady)} changes with each reading`;
	return isCut || !isWhole ? 'it is too long to be shown whole' : undefined;
}

export const isAnswerable = ({ because }: PageRequest): boolean => because === undefined;

function toPageRequest(
	undecided: UndecidedRequest,
	{ preferences = ASK_POLICY, questions }: Asking,
	question: Question,
	position: number,
): PageRequest {
	const { record, interaction, because } = undecided;
	const asked = isQuestion(interaction) ? readQuestion(interaction) : undefined;
	const change = readChange(interaction);
	const isChangeWhole = !change || change.isWhole || readChange(interaction, LONG_CHANGE)?.isWhole;
	const isWhole = toText(interaction).length <= MAX_REQUEST_SHOWN && isChangeWhole === true;
	const canDecide = because === ASKED_BY_POLICY;
	const offered = canDecide ? pageChoices(interaction, preferences, question.offersFromNowOn) : [];
	const choices = offered.filter(
		({ decision }) => decision === 'deny' || (isWhole && !record.unsteady),
	);
	const unclear = isWhole ? 'none of its options is clear' : 'it is too long to be shown whole';
	const undecidable = choices.length > 0 ? undefined : canDecide ? unclear : because;
	const obstacle = asked ? findUnanswerable(undecided, asked, isWhole) : undecidable;
	return {
		record,
		interaction,
		isWhole,
		...(change && !asked && { change }),
		choices: asked ? [] : choices,
		...(asked && { question: asked }),
		status: describeVotes(record, question, questions, position),
		voided: record.voided ?? [],
		...(obstacle !== undefined && { because: obstacle }),
	};
}

/** Returns the requests that a link's approver may answer: those of its question first, then those of the session's others. */
export function createForm(asking: Asking, own: Question, approver: number): PageForm {
	const { requests: records, questions } = asking;
	const reader = own.approvers[approver];
	const planned = planDecisions(
		records,
		[],
		(interaction) => applyPolicy(interaction, ASK_POLICY) as AskVerdict,
	);
	const open = planned.undecided.flatMap((undecided) => {
		const question = findQuestion(questions, undecided.record);
		const position = question ? positionIn(question, reader, own) : -1;
		if (!question || position < 0) return [];
		const { votes } = undecided.record;
		if (hasVoted(votes, position) || decidedByVotes(undecided.record, questions)) return [];
		return { question, request: toPageRequest(undecided, asking, question, position) };
	});
	// Requests that can be decided come first, because the number shown is limited.
	const ordered = [true, false].flatMap((canDecide) =>
		[true, false].flatMap((isOwn) =>
			open
				.filter(
					({ question, request }) =>
						(question === own) === isOwn && isAnswerable(request) === canDecide,
				)
				.map(({ request }) => request),
		),
	);
	const requests = shownRequests(ordered);
	const offered = requests
		.filter(isAnswerable)
		.map(({ record, choices }) => [
			record.contentHash,
			choices.map(({ name, option }) => [name, option]),
		]);
	const others = records.filter(
		({ contentHash, decision }) =>
			decision && decision.verdict.decidedBy !== 'page' && !own.contents.includes(contentHash),
	);
	return {
		requests,
		more: ordered.length - requests.length,
		shown: fingerprint(JSON.stringify(offered)),
		decided: summarizeDecisions(others).decisions.slice(-MAX_DECIDED_SHOWN),
	};
}

/** One answer of the form, for the request with this content */
export interface FormAnswer {
	contentHash: string;
	vote: Omit<Vote, 'approver' | 'name'>;
}

const trimmedText = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

type SentVote = Omit<FormAnswer['vote'], 'at' | 'comment'>;

/** Names of a request's fields in the form, by its position on the page */
export const choiceField = (index: number): string => `request${index}`;
export const answerField = (index: number): string => `answer${index}`;
export const reasonField = (index: number): string => `reason${index}`;
/** Approves all requests like this one */
export const sameField = (index: number): string => `same${index}`;

/** A form of a page with several: each is about one session */
export interface PageSection {
	projectId?: string;
	pending: PageForm;
}

/** Returns the requests that look the same as an earlier one, by the position of the first. */
export function findSame(sections: readonly PageSection[]): Map<number, number[]> {
	const first = new Map<string, number>();
	const same = new Map<number, number[]>();
	const all = sections.flatMap(({ projectId = '', pending }) =>
		pending.requests.map((request) => ({ projectId, request })),
	);
	for (const [index, { projectId, request }] of all.entries()) {
		const canApprove = request.choices.some(({ decision }) => decision === 'approve');
		if (!canApprove || !isAnswerable(request)) continue;
		const content = JSON.stringify([projectId, request.record.contentHash]);
		const at = first.get(content);
		if (at === undefined) first.set(content, index);
		else same.set(at, [...(same.get(at) ?? []), index]);
	}
	return same;
}

/** Returns the fields of a form, with the approvals that "Approve all that look the same" copies. */
function withSame(
	sections: readonly PageSection[],
	body: Record<string, unknown>,
): Record<string, unknown> {
	const choices = sections.flatMap(({ pending }) => pending.requests.map((each) => each.choices));
	const filled = { ...body };
	for (const [at, others] of findSame(sections)) {
		const chosen = choices[at].find((_, position) => body[choiceField(at)] === String(position));
		if (body[sameField(at)] === undefined || chosen?.decision !== 'approve') continue;
		for (const other of others) {
			const position = choices[other].findIndex(({ name }) => name === chosen.name);
			filled[choiceField(other)] ??= position < 0 ? undefined : String(position);
		}
	}
	return filled;
}

/** Returns the fingerprint of all that a page shows. */
export const shownTogether = (sections: readonly PageSection[]): string =>
	fingerprint(JSON.stringify(sections.map(({ pending }) => pending.shown)));

function readChoice(choices: readonly PageChoice[], sent: unknown): SentVote | 'incomplete' {
	const chosen = choices.find((_, position) => sent === String(position));
	if (!chosen) return 'incomplete';
	const once = choices.find(({ name }) => name === 'Approve once')?.option;
	const { decision, option, name } = chosen;
	return {
		decision,
		option,
		...(once !== undefined && { once }),
		...(name === FROM_NOW_ON && { fromNowOn: true as const }),
		choice: name,
	};
}

function readAnswerTo(
	question: AgentQuestion,
	body: Record<string, unknown>,
	index: number,
): SentVote | { reason: string } {
	const chosen = trimmedText(body[choiceField(index)]);
	const answer = chosen === '' ? trimmedText(body[answerField(index)]) : Number(chosen);
	const checked = checkQuestionAnswer(question, answer);
	if ('reason' in checked) return checked;
	const { value, isOption } = checked;
	const isText = !isOption;
	return { decision: 'answer', option: value, ...(isText && { isText }), choice: 'Answer' };
}

/** Why a form wasn't accepted: the page showed other requests, a choice is missing, or what's wrong with an answer */
export type FormProblem = 'changed' | 'incomplete' | { reason: string };

export const isProblem = <T>(read: T[] | FormProblem): read is FormProblem => !Array.isArray(read);

const hasAnswer = ({ requests }: PageForm, body: Record<string, unknown>, from: number): boolean =>
	requests.some((_, position) =>
		[choiceField, answerField].some((field) => trimmedText(body[field(from + position)]) !== ''),
	);

/** Reads what a page was sent. Returns a list of answers for each of its forms, empty for a session that was left for later. */
export function readForms(
	sections: readonly PageSection[],
	body: unknown,
	at: number,
): FormAnswer[][] | FormProblem {
	if (!isRecord(body) || body.shown !== sections[0]?.pending.shown) return 'changed';
	// If another session has changed, only the first form's answers count.
	const isWhole = sections.length === 1 || body.together === shownTogether(sections);
	const filled = withSame(sections, body);
	const read: FormAnswer[][] = [];
	let from = 0;
	for (const [index, { pending }] of sections.entries()) {
		// Other sessions can wait for their own links.
		const canWait = index > 0 && (!isWhole || !hasAnswer(pending, filled, from));
		const answers = canWait ? [] : readForm(pending, filled, at, from);
		if (isProblem(answers)) return answers;
		read.push(answers);
		from += pending.requests.length;
	}
	return read.some((answers) => answers.length > 0) ? read : 'incomplete';
}

/**
 * Reads a form. The reason of a denial comes before the comment for all requests.
 * @param from position of its first request on the page
 */
function readForm(
	{ requests }: PageForm,
	body: Record<string, unknown>,
	at: number,
	from: number,
): FormAnswer[] | FormProblem {
	const answers: FormAnswer[] = [];
	for (const [position, request] of requests.entries()) {
		if (!isAnswerable(request)) continue;
		const index = from + position;
		const { record, choices, question } = request;
		const read = question
			? readAnswerTo(question, body, index)
			: readChoice(choices, body[choiceField(index)]);
		if (read === 'incomplete' || 'reason' in read) return read;
		const reason = read.decision === 'deny' ? trimmedText(body[reasonField(index)]) : '';
		const texts = [reason, trimmedText(body.comment)].filter((text) => text !== '');
		const comment = texts.map((text) => text.slice(0, MAX_COMMENT_LENGTH)).join('\n');
		const { contentHash } = record;
		answers.push({ contentHash, vote: { ...read, ...(comment !== '' && { comment }), at } });
	}
	return answers;
}

/** An answer that was given, as the page repeats it */
export interface GivenAnswer {
	vote: Pick<Vote, 'choice' | 'decision' | 'at' | 'comment'> & Partial<Pick<Vote, 'option'>>;
	/** The words of the answer to a question */
	answer?: string;
	record: RequestRecord;
	status?: VoteStatus;
	targets: string[];
}

const MAX_REPEATED_LENGTH = 500;
const MAX_REPEATED = 10;

/** Returns the label of the chosen option while the question is pending, and otherwise what was sent. */
function findWords({ interaction }: RequestRecord, option: Vote['option']): string {
	const { options } = readQuestion(interaction ?? {});
	return options.find(({ value }) => value === option)?.label ?? String(option);
}

export function repeatAnswer(
	record: RequestRecord,
	vote: GivenAnswer['vote'],
	status?: VoteStatus,
): GivenAnswer {
	const targets = record.interaction
		? describeRequest(record.interaction).targets.map(({ text }) => text)
		: record.patterns;
	const texts = targets.length > 0 ? targets : [record.question ?? record.permission];
	return {
		record,
		vote,
		...(vote.decision === 'answer' &&
			vote.option !== undefined && { answer: findWords(record, vote.option) }),
		...(status && { status }),
		targets: texts.slice(0, MAX_REPEATED).map((text) => text.slice(0, MAX_REPEATED_LENGTH)),
	};
}

/** Returns the answers of a link's approver to the requests of its question. */
export const listGiven = (
	{ requests, questions }: Asking,
	question: Question,
	approver: number,
): GivenAnswer[] =>
	requests
		.filter(({ contentHash }) => question.contents.includes(contentHash))
		.flatMap((record) => {
			const vote = record.votes.find((each) => each.approver === approver);
			return vote
				? repeatAnswer(record, vote, describeVotes(record, question, questions, approver))
				: [];
		});
