import { randomBytes } from 'node:crypto';

import { omit } from '../../shared/values';
import { castVote, hasVoted, isDeadlocked, tally, type Vote } from './votes';
import { isOpen, recordVotes, type RequestRecord } from './record';
import type { AnswerDeadline } from './times';

// A question asks approvers for requests. Each approver has a separate link.

export interface Approver {
	name: string;
	/** Email address, Slack ID or any text to which the workflow sends the link */
	contact: string;
	isBackup?: true;
}

interface TeamLimits {
	/** Approvals per request */
	needed: number;
	remindAfterMs?: number;
	maxReminders: number;
	askBackupsAfterMs?: number;
}

export interface TeamSettings extends TeamLimits {
	approvers: Approver[];
	/** Names of entries that are the same person as another one */
	merged?: string[];
}

export interface AskedApprover extends Partial<Approver> {
	/** A secret of 128 bits, in the link. n8n 1 has no other. */
	nonce: string;
	/** Time of the latest item */
	askedAt?: number;
	reminders: number;
}

export interface Question extends TeamLimits {
	at: number;
	/** `contentHash` of the requests that its links show */
	contents: string[];
	deadline?: AnswerDeadline;
	offersFromNowOn?: true;
	/** One without a name if there's no team */
	approvers: AskedApprover[];
}

/** An item that an approver gets. */
export interface Ask {
	question: Question;
	approver: AskedApprover;
	reminder?: number;
}

const NO_TEAM: TeamSettings = { approvers: [], needed: 1, maxReminders: 0 };

/** Returns a secret of 128 bits. */
const createNonce = (): string => randomBytes(16).toString('base64url');

export function createQuestion(
	requests: readonly RequestRecord[],
	team: TeamSettings | undefined,
	now: number,
	more: Pick<Question, 'deadline' | 'offersFromNowOn'>,
): Question {
	const { approvers, ...limits } = omit(team ?? NO_TEAM, 'merged');
	const asked = team ? approvers : [{}];
	return {
		...limits,
		...more,
		at: now,
		contents: requests.map(({ contentHash }) => contentHash),
		approvers: asked.map((each) => ({ ...each, nonce: createNonce(), reminders: 0 })),
	};
}

/** The latest question for each content, by the list of questions */
const latest = new WeakMap<readonly Question[], Map<string, Question>>();

function indexQuestions(questions: readonly Question[]): Map<string, Question> {
	const index = new Map(
		questions.flatMap((question) => question.contents.map((content) => [content, question])),
	);
	latest.set(questions, index);
	return index;
}

/** Finds the latest question that shows exactly this content. An earlier request may have had the same. */
export function findQuestion(
	questions: readonly Question[],
	{ contentHash, seenAt }: RequestRecord,
): Question | undefined {
	const found = (latest.get(questions) ?? indexQuestions(questions)).get(contentHash);
	return found && found.at >= seenAt ? found : undefined;
}

export const isTeam = ({ approvers }: Question): boolean => approvers[0]?.name !== undefined;

/** Returns the position of a link's approver among those of another question. -1 if they may not answer it. */
export function positionIn(question: Question, approver: AskedApprover, own: Question): number {
	if (question === own) return own.approvers.indexOf(approver);
	if (!isTeam(own)) return isTeam(question) ? -1 : 0;
	return question.approvers.findIndex(
		({ name, contact, askedAt }) =>
			name === approver.name && contact === approver.contact && askedAt !== undefined,
	);
}

/** One answer of the approval page, for a request with this content */
export interface FormAnswer {
	contentHash: string;
	/** The request's ID when it was answered. Several requests may have the same content. */
	id: string;
	vote: Omit<Vote, 'approver' | 'name'>;
}

/** Returns whether a record has the approver's answer, or a later one, already: n8n may bring an answer twice. */
function isCast(
	requests: readonly RequestRecord[],
	{ contentHash, id, vote }: FormAnswer,
	position: number,
): boolean {
	const same = requests.filter((record) => record.contentHash === contentHash);
	const isListed = same.some((record) => record.id === id);
	return same.some(
		(record) =>
			(record.id === id || !isListed) &&
			record.votes.some(({ approver, at }) => approver === position && at >= vote.at),
	);
}

/**
 * Casts the vote of a link's approver. It replaces the approver's earlier one, until a decision is sent.
 * @returns the records after it, or undefined if it doesn't count: nothing with this content is open, or a later answer was given
 */
export function castAnswer(
	{ requests, questions }: { requests: RequestRecord[]; questions: readonly Question[] },
	own: Question,
	approver: number,
	answer: FormAnswer,
): RequestRecord[] | undefined {
	const { contentHash, id, vote } = answer;
	const open = requests.filter((record) => record.contentHash === contentHash && isOpen(record));
	const record = open.find((each) => each.id === id) ?? open[0];
	const question = record && findQuestion(questions, record);
	const position = question ? positionIn(question, own.approvers[approver], own) : -1;
	if (!question || position < 0 || isCast(requests, answer, position)) return undefined;
	const { name } = question.approvers[position];
	const named = { ...vote, approver: position, ...(name !== undefined && { name }) };
	const votes = castVote(record.votes, named);
	return votes && recordVotes(requests, record, votes);
}

/** Returns whether an approver has a link whose answer hasn't been sent. */
export const hasOpenLink = (
	requests: readonly RequestRecord[],
	questions: readonly Question[],
): boolean =>
	requests.some((record) => isOpen(record) && findQuestion(questions, record) !== undefined);

export function decidedByVotes(record: RequestRecord, questions: readonly Question[]) {
	const question = findQuestion(questions, record);
	return question && tally(record.votes, question.needed);
}

/** Returns whether approvers have to be asked about a request: no link shows it, or they agreed on nothing. */
export function mustBeAsked(record: RequestRecord, questions: readonly Question[]): boolean {
	const question = findQuestion(questions, record);
	// A question for the same content may be about another request.
	if (!question || record.askedAt === undefined) return true;
	return isDeadlocked(record.votes, question.needed);
}

/** Returns the time of an approver's next item. Infinity without one. */
function nextItemAt(question: Question, at: number, open: readonly RequestRecord[]): number {
	const { askedAt, isBackup, reminders } = question.approvers[at];
	if (open.every(({ votes }) => hasVoted(votes, at))) return Infinity;
	if (askedAt === undefined)
		return isBackup ? question.at + (question.askBackupsAfterMs ?? Infinity) : 0;
	return reminders < question.maxReminders
		? askedAt + (question.remindAfterMs ?? Infinity)
		: Infinity;
}

const openRequests = (
	question: Question,
	open: readonly RequestRecord[],
	questions: readonly Question[],
) => open.filter((record) => findQuestion(questions, record) === question);

/** Returns the time of the next item of all questions. `open` are the requests that are left for approvers. */
export const nextAskAt = (questions: readonly Question[], open: readonly RequestRecord[]): number =>
	Math.min(
		Infinity,
		...questions.flatMap((question) => {
			const own = openRequests(question, open, questions);
			return question.approvers.map((_, at) => nextItemAt(question, at, own));
		}),
	);

/** Returns the items that are due now, and the questions after them. */
export function askDue(
	questions: readonly Question[],
	open: readonly RequestRecord[],
	now: number,
): { questions: Question[]; asks: Ask[] } {
	const asks: Ask[] = [];
	const after = questions.map((question): Question => {
		const own = openRequests(question, open, questions);
		const approvers = question.approvers.map((approver, at): AskedApprover => {
			if (now < nextItemAt(question, at, own)) return approver;
			const isReminder = approver.askedAt !== undefined;
			return { ...approver, askedAt: now, reminders: approver.reminders + (isReminder ? 1 : 0) };
		});
		return { ...question, approvers };
	});
	for (const [index, question] of after.entries())
		for (const [at, approver] of question.approvers.entries()) {
			const before = questions[index].approvers[at];
			if (approver.askedAt === before.askedAt) continue;
			asks.push({
				question,
				approver,
				...(before.askedAt !== undefined && { reminder: approver.reminders }),
			});
		}
	return { questions: after, asks };
}
