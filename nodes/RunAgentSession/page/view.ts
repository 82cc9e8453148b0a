import { fingerprint, getOrAdd, isRecord } from '../../shared/values';
import { checkQuestionAnswer, readQuestion } from '../../shared/approvals/interaction';
import {
	leaveUndecided,
	summarizeDecisions,
	type UndecidedRequest,
	type DecisionSummary,
} from '../requests/decisions';
import {
	decidedByVotes,
	findBallot,
	isAlone,
	isTeam,
	listVoided,
	positionIn,
	shownRequests,
	votesOf,
	type AnswerDeadline,
	type AskedSession,
	type LinkAnswer,
	type RequestOrigin,
	type Ballot,
	type Voting,
} from '../requests/ballots';
import {
	isLate,
	isOpen,
	reasonToAsk,
	requestKey,
	type RequestRecord,
} from '../requests/requestRecord';
import {
	createSheet,
	readObstacle,
	findTargets,
	type OfferedChoices,
	type Sheet,
} from '../requests/sheet';
import { hasVoted, type ChosenVote, type Vote } from '../requests/votes';

// What the approval page shows of a session, and how it reads an answer. Both come from the session's records alone.

/** What the page reads of a session: its record, and the answers of the execution's links */
export interface PageSession extends AskedSession {
	state: 'running' | 'ended';
	/** True if Retry On Fail has started another session in its place */
	isTried?: true;
	answers: readonly LinkAnswer[];
}

/** What a page says of a session */
export interface SessionFacts extends Partial<RequestOrigin> {
	dashboardUrl?: string;
}

/** A form of a page, which is about one session */
export interface PageSection extends SessionFacts {
	pending: PageForm;
	deadline?: AnswerDeadline;
	/** True if the agent gets the reason of a denial */
	sendsReasons?: boolean;
	/** The agent's latest words when it asked */
	words?: string;
}

/** What each page shows */
interface PageHead {
	title: string;
	says: readonly string[];
	/** One of several approvers */
	reader?: { name: string; needed: number };
	/** Texts of a form that no field shows anymore */
	typed?: readonly string[];
}

/** A page that takes an answer */
export interface OpenPage extends PageHead {
	kind: 'open';
	/** The link's own session, and others whose requests the reader may answer */
	sections: readonly [PageSection, ...PageSection[]];
	/** Number of sessions left for their own links */
	moreSessions: number;
	commentHint: string;
	/** The reader's answers to requests that aren't pending anymore */
	given: readonly GivenAnswer[];
	/** A form that wasn't accepted, and what's wrong with it */
	refused?: { fields: Record<string, unknown>; problems: readonly AnswerProblem[] };
}

/** A page about answers and decisions */
export interface AnsweredPage extends PageHead {
	kind: 'answered';
	session: SessionFacts;
	given: readonly GivenAnswer[];
	/** True if the reader has just sent them */
	isSender: boolean;
	/** Decisions about the link's requests that aren't the reader's */
	decisions: readonly DecisionSummary[];
}

/** A page that only says why there's nothing to do */
export interface NoticePage extends PageHead {
	kind: 'notice';
	/** Unknown for a link that isn't valid */
	session?: SessionFacts;
}

export type PageView = OpenPage | AnsweredPage | NoticePage;

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
	sheet: Sheet;
	/** With several approvers */
	status?: VoteStatus;
	/** The reader's answer, which another one replaces */
	given?: Vote;
	/** Approvers whose answers don't count anymore, because the request has changed */
	voided: string[];
}

/** The requests to decide now. An answer counts only with their fingerprint, `shown`. */
export interface PageForm {
	requests: PageRequest[];
	/** Number of requests left for other messages */
	more: number;
	shown: string;
	/** Decisions that aren't the reader's, and that no other link was for */
	decided: DecisionSummary[];
}

export const MAX_COMMENT_LENGTH = 2_000;
const MAX_DECIDED_SHOWN = 10;

/** Returns what the page says of the approvers of a request. Undefined without others. */
export function describeVotes(
	record: RequestRecord,
	ballot: Ballot,
	voting: Voting,
	reader: number,
): VoteStatus | undefined {
	if (!isTeam(ballot) || isAlone(ballot)) return undefined;
	const votes = votesOf(record, voting);
	const toName = (index: number) => ({
		name: ballot.approvers[index].name!,
		isReader: index === reader,
	});
	return {
		needed: record.question === undefined ? ballot.needed : 1,
		approvals: votes.filter(({ decision }) => decision === 'approve').length,
		answered: votes.map(({ approver, decision, at }) => ({ ...toName(approver), decision, at })),
		missing: ballot.approvers.flatMap(({ askedAt }, index) =>
			askedAt === undefined || hasVoted(votes, index) ? [] : [toName(index)],
		),
		isDecided: decidedByVotes(record, voting) !== undefined,
	};
}

export const isAnswerable = ({ sheet }: PageRequest): boolean => sheet.obstacle === undefined;

/** Returns whether a request lacks the reader's answer. */
export const isUnanswered = (request: PageRequest): boolean =>
	isAnswerable(request) && !request.given;

/** Returns the pending requests that take an answer. One whose decision may have been sent takes another one. */
function listAnswerable(records: readonly RequestRecord[]): UndecidedRequest[] {
	const decided = records.filter(({ decision }) => decision !== undefined).length;
	return records
		.filter(isOpen)
		.map((record) => leaveUndecided(record, reasonToAsk(record, decided)));
}

/** Returns whether an approver's answer is part of what was decided. */
export const isDecidedBy = (record: RequestRecord, approver: number, voting: Voting): boolean =>
	votesOf(record, voting).some((vote) => vote.approver === approver && !isLate(record, vote));

interface ListedRequest {
	request: UndecidedRequest;
	ballot: Ballot;
	/** Of the reader among the ballot's approvers */
	position: number;
	given?: Vote;
	offered: OfferedChoices;
	/** Requests that lack an answer come first, because the number shown is limited. */
	rank: number;
}

/** Returns the requests that a link's approver may answer: those of its ballot first, then those of the session's others. */
export function createForm(session: PageSession, own: Ballot, approver: number): PageForm {
	const { requests: records, ballots, page: { preferences } = {} } = session;
	const reader = own.approvers[approver];
	const open = listAnswerable(records).flatMap((request): ListedRequest[] => {
		const ballot = findBallot(ballots, request.record);
		const position = ballot ? positionIn(ballot, reader, own) : -1;
		if (!ballot || position < 0) return [];
		const given = votesOf(request.record, session).find(({ approver: at }) => at === position);
		const offered = { preferences, offersFromNowOn: ballot.offersFromNowOn };
		const isBlocked = readObstacle(request, offered) !== undefined;
		const rank = (isBlocked ? 4 : given ? 2 : 0) + (ballot === own ? 0 : 1);
		return [{ request, ballot, position, given, offered, rank }];
	});
	const ordered = open.sort((one, other) => one.rank - other.rank);
	const requests = shownRequests(ordered).map((listed): PageRequest => {
		const { request, ballot, position, given, offered } = listed;
		const { record } = request;
		return {
			record,
			sheet: createSheet(request, offered),
			status: describeVotes(record, ballot, session, position),
			...(given && { given }),
			voided: listVoided(record, records, session),
		};
	});
	const offered = requests
		.filter(isAnswerable)
		.map(({ record, sheet }) => [requestKey(record), sheet.choices.map(({ vote }) => vote)]);
	const others = records.filter((record) => {
		const { decision } = record;
		if (!decision || isOpen(record)) return false;
		return own.requests.includes(requestKey(record))
			? !isDecidedBy(record, approver, session)
			: decision.verdict.decidedBy !== 'page';
	});
	return {
		requests,
		more: ordered.length - requests.length,
		shown: fingerprint(JSON.stringify(offered)),
		decided: summarizeDecisions(others).decisions.slice(-MAX_DECIDED_SHOWN),
	};
}

const trimmedText = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

/** One answer of the page */
export type FormAnswer = Pick<LinkAnswer, 'request' | 'vote'>;

/** Names of a request's fields in the form, by its position on the page */
export const choiceField = (index: number): string => `request${index}`;
export const answerField = (index: number): string => `answer${index}`;
export const reasonField = (index: number): string => `reason${index}`;
/** Approves all requests like this one */
export const sameField = (index: number): string => `same${index}`;

/** Returns the requests with the content of an earlier one in the same project, by the position of the first. */
export function findSame(sections: readonly PageSection[]): Map<number, number[]> {
	const first = new Map<string, number>();
	const same = new Map<number, number[]>();
	const all = sections.flatMap(({ projectId = '', pending }) =>
		pending.requests.map((request) => ({ projectId, request })),
	);
	for (const [index, { projectId, request }] of all.entries()) {
		const canApprove = request.sheet.choices.some(({ vote }) => vote.decision === 'approve');
		const { record } = request;
		if (!canApprove || !isUnanswered(request)) continue;
		const content = JSON.stringify([projectId, record.contentHash]);
		const at = getOrAdd(first, content, () => index);
		if (at !== index) getOrAdd(same, at, () => []).push(index);
	}
	return same;
}

/** Returns the fields of a form, with the approvals that "Approve all that look the same" copies. */
function withSame(
	sections: readonly PageSection[],
	body: Record<string, unknown>,
): Record<string, unknown> {
	const choices = sections.flatMap(({ pending }) =>
		pending.requests.map(({ sheet }) => sheet.choices),
	);
	const filled = { ...body };
	for (const [at, others] of findSame(sections)) {
		const chosen = choices[at].find((_, position) => body[choiceField(at)] === String(position));
		if (body[sameField(at)] === undefined || chosen?.vote.decision !== 'approve') continue;
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

function readVote(
	{ kind, choices, field }: Sheet,
	body: Record<string, unknown>,
	index: number,
): ChosenVote | Omit<AnswerProblem, 'at'> {
	const sent = body[choiceField(index)];
	const chosen = choices.find((_, position) => sent === String(position));
	if (chosen && !chosen.takesText) return chosen.vote;
	if (kind === 'permission') return { reason: 'Choose for this request.', isMissing: true };
	const text = field ? trimmedText(body[answerField(index)]) : '';
	if (text === '' && choices.length > 0)
		return { reason: chosen ? 'Enter a message.' : 'Choose an option.' };
	const checked = checkQuestionAnswer({ options: [] }, text);
	if ('reason' in checked) return checked;
	return { decision: 'answer', option: checked.value, isText: true, choice: 'Answer' };
}

interface AnswerProblem {
	/** The request's position on the page */
	at: number;
	reason: string;
	/** True if there's no choice */
	isMissing?: true;
}

/** Why a form wasn't accepted: the page showed other requests, or what's wrong with its answers */
export type FormProblem = 'changed' | { problems: AnswerProblem[] };

export const isProblem = <T>(read: T[] | FormProblem): read is FormProblem => !Array.isArray(read);

/** Returns whether the approver has filled in a request. */
const isFilled = (body: Record<string, unknown>, index: number): boolean =>
	[choiceField, answerField].some((field) => trimmedText(body[field(index)]) !== '');

/**
 * Reads what a page was sent. Returns a list of answers for each of its forms, empty for a session that was left for later.
 * A request that has the approver's answer keeps it, unless there's another one.
 */
export function readForms(
	sections: readonly PageSection[],
	body: unknown,
): FormAnswer[][] | FormProblem {
	if (!isRecord(body) || body.shown !== sections[0]?.pending.shown) return 'changed';
	// If another session has changed, only the first form's answers count.
	const isWhole = sections.length === 1 || body.together === shownTogether(sections);
	const filled = withSame(sections, body);
	const problems: AnswerProblem[] = [];
	const missing: AnswerProblem[] = [];
	let from = 0;
	const read = sections.map(({ pending }, section) => {
		const counts = section === 0 || isWhole;
		const placed = pending.requests.map((request, position) => ({
			request,
			index: from + position,
		}));
		from += pending.requests.length;
		// A session without a choice of the approver's own waits for its own link. Copied approvals are none.
		const isChosen = placed.some(({ index }) => isFilled(body, index));
		return placed.flatMap(({ request, index }): FormAnswer[] => {
			if (!counts || !isAnswerable(request)) return [];
			const isLeft = !isFilled(filled, index);
			if (isLeft && request.given) return [];
			const answer = readRequestAnswer(request, filled, index);
			if (!('reason' in answer)) return [answer];
			const isWaiting = isLeft && !isChosen;
			(isWaiting ? missing : problems).push({ ...answer, at: index });
			return [];
		});
	});
	if (problems.length > 0) return { problems };
	return read.some((answers) => answers.length > 0) ? read : { problems: missing };
}

/** Reads the answer to one request. The reason of a denial comes before the comment for all requests. */
function readRequestAnswer(
	{ record, sheet }: PageRequest,
	body: Record<string, unknown>,
	index: number,
): FormAnswer | Omit<AnswerProblem, 'at'> {
	const read = readVote(sheet, body, index);
	if ('reason' in read) return read;
	const reason = read.decision === 'deny' ? trimmedText(body[reasonField(index)]) : '';
	const texts = [reason, trimmedText(body.comment)].filter((text) => text !== '');
	const comment = texts.map((text) => text.slice(0, MAX_COMMENT_LENGTH)).join('\n');
	return { request: requestKey(record), vote: { ...read, ...(comment !== '' && { comment }) } };
}

/** Returns the texts that an approver typed into a form. */
export function listTyped(body: unknown): string[] {
	if (!isRecord(body)) return [];
	const typed = Object.entries(body).filter(([name]) =>
		/^(?:comment|answer\d+|reason\d+)$/.test(name),
	);
	return typed.map(([, text]) => trimmedText(text)).filter((text) => text !== '');
}

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
function findOptionWords({ interaction }: RequestRecord, option: Vote['option']): string {
	const { options } = readQuestion(interaction ?? {});
	return options.find(({ value }) => value === option)?.label ?? String(option);
}

export function repeatAnswer(
	record: RequestRecord,
	vote: GivenAnswer['vote'],
	status?: VoteStatus,
): GivenAnswer {
	const { question, permission, patterns, interaction } = record;
	const targets = interaction ? findTargets(interaction).wants.map(({ text }) => text) : patterns;
	const texts = question !== undefined ? [question] : targets.length > 0 ? targets : [permission];
	return {
		record,
		vote,
		...(vote.decision === 'answer' &&
			vote.option !== undefined && { answer: findOptionWords(record, vote.option) }),
		...(status && { status }),
		targets: texts.slice(0, MAX_REPEATED).map((text) => text.slice(0, MAX_REPEATED_LENGTH)),
	};
}

/** Returns the answers of a link's approver to the requests of its ballot. */
export const listGiven = (session: PageSession, ballot: Ballot, approver: number): GivenAnswer[] =>
	session.requests
		.filter((record) => ballot.requests.includes(requestKey(record)))
		.flatMap((record) => {
			const vote = votesOf(record, session).find((each) => each.approver === approver);
			return vote
				? repeatAnswer(record, vote, describeVotes(record, ballot, session, approver))
				: [];
		});
