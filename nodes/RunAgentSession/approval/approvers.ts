import { randomBytes } from 'node:crypto';

import { fingerprintContent, requestKey, type Interaction } from '../../shared/client/session';
import type { PageAnswers } from '../policy/rules';
import type { SentAnswer, SentChoice } from './sent';

// Several approvers for one question: their votes, the decision, and the approvers to ask now. Pure, except for the secrets.

export interface Approver {
	name: string;
	/** An email address, a Slack ID or any text to which the workflow sends the link */
	contact: string;
	/** Set for an approver who is asked only after a while */
	isBackup?: true;
}

/** Times at which approvers are asked again. */
export interface TeamLimits {
	/** Approvals that a request needs */
	needed: number;
	remindAfterMs?: number;
	maxReminders: number;
	askBackupsAfterMs?: number;
}

export interface TeamSettings extends TeamLimits {
	approvers: Approver[];
}

/** An approver of a question, with a separate link. */
export interface AskedApprover extends Approver {
	/** A secret of 128 bits */
	nonce: string;
	/** The time at which the approver last got an item, in milliseconds since 1970 */
	askedAt?: number;
	reminders: number;
	/** True if an answer doesn't count anymore, because its request has changed */
	mustAnswerAgain?: true;
}

/** An approver's choice for a request. */
export interface Vote {
	/** The approver's position */
	approver: number;
	interactionId: string;
	answer: PageAnswers[string];
	choice: SentChoice;
	/** The value of the option for Approve once, if the page offered it */
	once?: string | number;
	/** Milliseconds since 1970 */
	at: number;
	/** True if the request has changed since then */
	isVoid?: true;
}

/** The approvers of a question, as they were when it was asked. */
export interface Team extends TeamLimits {
	askedAt: number;
	/** The requests, by `requestKey` */
	keys: string[];
	approvers: AskedApprover[];
	/** In the order of arrival */
	votes: Vote[];
}

/** An item that an approver gets. */
export interface Ask {
	/** The approver's position */
	approver: number;
	/** The number of the reminder */
	reminder?: number;
}

/** Returns a secret of 128 bits. */
export const createNonce = (): string => randomBytes(16).toString('base64url');

export const createTeam = (
	{ approvers, ...limits }: TeamSettings,
	keys: string[],
	now: number,
): Team => ({
	...limits,
	askedAt: now,
	keys,
	approvers: approvers.map((each) => ({ ...each, nonce: createNonce(), reminders: 0 })),
	votes: [],
});

/** Returns the votes that count for a request. */
const countedVotes = ({ votes }: Team, content: string): Vote[] =>
	votes.filter(({ choice, isVoid }) => choice.content === content && !isVoid);

export const hasVoted = (team: Team, approver: number, content: string): boolean =>
	countedVotes(team, content).some((vote) => vote.approver === approver);

/**
 * Returns the decision of votes. One denial denies. An option whose effect lasts needs as many approvals as the request: approvers who
 * chose different options have all approved it once.
 */
function settleVotes(votes: readonly Vote[], needed: number): PageAnswers[string] | undefined {
	const denial = votes.find(({ answer }) => answer.decision === 'deny');
	if (denial) return { decision: 'deny', option: denial.answer.option };
	if (votes.length < needed) return undefined;
	const count = (option: string | number) =>
		votes.filter(({ answer }) => answer.option === option).length;
	const agreed = votes.map(({ answer }) => answer.option).find((each) => count(each) >= needed);
	const option = agreed ?? votes.map(({ once }) => once).find((each) => each !== undefined);
	if (option === undefined) return undefined;
	const fromNowOn = votes.every(({ answer }) => answer.fromNowOn);
	return { decision: 'approve', option, ...(fromNowOn && { fromNowOn: true }) };
}

/** Returns the approvers' decision about a request: one denial, or enough approvals. */
export function tallyVotes(team: Team, content: string): PageAnswers[string] | undefined {
	const votes = countedVotes(team, content);
	for (let count = 1; count <= votes.length; count++) {
		const counted = votes.slice(0, count);
		const decided = settleVotes(counted, team.needed);
		if (!decided) continue;
		const approvers = counted.map(({ approver, answer: { decision, comment }, at }) => ({
			name: team.approvers[approver].name,
			decision,
			at: new Date(at).toISOString(),
			...(comment !== undefined && { comment }),
		}));
		return { ...decided, approvers };
	}
	return undefined;
}

/** Returns the approvers' decisions about several questions, by request. */
export function tallyAll(questions: ReadonlyArray<{ team?: Team }>): PageAnswers {
	const answers: PageAnswers = {};
	for (const { team } of questions)
		for (const { choice } of team?.votes ?? []) {
			const decided = tallyVotes(team!, choice.content);
			if (decided) answers[choice.content] = decided;
		}
	return answers;
}

/**
 * Adds an approver's votes. An approver votes once for a request. A decided request takes no votes.
 * @returns undefined if none of the votes counts
 */
export function castVotes(team: Team, votes: readonly Vote[]): Team | undefined {
	const counting = votes.filter(
		({ approver, choice: { content } }) =>
			!hasVoted(team, approver, content) && !tallyVotes(team, content),
	);
	return counting.length > 0 ? { ...team, votes: [...team.votes, ...counting] } : undefined;
}

/** The identity of a pending request: its ID, `requestKey`, and the fingerprint of its content. */
export interface PendingRequest {
	id: string;
	key: string;
	content: string;
}

export const identifyRequests = (interactions: readonly Interaction[]): PendingRequest[] =>
	interactions.map((each) => ({
		id: each.id,
		key: requestKey(each),
		content: fingerprintContent(each) ?? '',
	}));

/** Returns the team without the answers to requests that have changed: an approver has to answer a changed request again. */
export function voidVotes(team: Team, pending: readonly PendingRequest[]): Team {
	const isStale = ({ interactionId, choice, isVoid }: Vote) =>
		!isVoid &&
		!pending.some(({ id, content }) => id === interactionId && content === choice.content) &&
		pending.some(({ id }) => id === interactionId);
	const stale = team.votes.filter(isStale);
	if (stale.length === 0) return team;
	// A request with another key belongs to another question, whose approvers are all asked.
	const isHere = (vote: Vote) =>
		pending.some(({ id, key }) => id === vote.interactionId && team.keys.includes(key));
	const again = stale.filter(isHere).map(({ approver }) => approver);
	return {
		...team,
		votes: team.votes.map((vote) => (isStale(vote) ? { ...vote, isVoid: true } : vote)),
		approvers: team.approvers.map((each, index) =>
			again.includes(index) ? { ...each, mustAnswerAgain: true } : each,
		),
	};
}

/** Returns the time at which an approver has to get the next item. Never if the approver has answered or got all items. */
function nextItemAt(team: Team, index: number, open: readonly string[]): number {
	const { askedAt, isBackup, reminders, mustAnswerAgain } = team.approvers[index];
	if (open.every((content) => hasVoted(team, index, content))) return Infinity;
	if (mustAnswerAgain) return 0;
	if (askedAt === undefined)
		return isBackup ? team.askedAt + (team.askBackupsAfterMs ?? Infinity) : 0;
	return reminders < team.maxReminders ? askedAt + (team.remindAfterMs ?? Infinity) : Infinity;
}

/**
 * Returns the time at which the next approver has to get an item.
 * @param open the contents of the undecided requests
 */
export const nextAskAt = (team: Team, open: readonly string[]): number =>
	Math.min(Infinity, ...team.approvers.map((_, index) => nextItemAt(team, index, open)));

/** Returns the approvers who have to get an item now, and the team after that. */
export function askDue(
	team: Team,
	open: readonly string[],
	now: number,
): { team: Team; asks: Ask[] } {
	const asks: Ask[] = [];
	const approvers = team.approvers.map((each, index): AskedApprover => {
		if (now < nextItemAt(team, index, open)) return each;
		const { mustAnswerAgain, ...rest } = each;
		const isReminder = each.askedAt !== undefined && !mustAnswerAgain;
		const reminders = each.reminders + (isReminder ? 1 : 0);
		asks.push({ approver: index, ...(isReminder && { reminder: reminders }) });
		return { ...rest, askedAt: now, reminders };
	});
	return { team: asks.length > 0 ? { ...team, approvers } : team, asks };
}

/** The progress of a request, for the page and messages. */
export interface VoteStatus {
	needed: number;
	approvals: number;
	answered: Array<{ name: string; isReader: boolean; decision: 'approve' | 'deny'; at: number }>;
	/** Approvers who were asked and haven't answered */
	missing: Array<{ name: string; isReader: boolean }>;
	isDecided: boolean;
}

/**
 * Returns the progress of a request.
 * @param reader the position of the approver who reads it
 */
export function describeVotes(team: Team, content: string, reader: number): VoteStatus {
	const votes = countedVotes(team, content);
	const toName = (index: number) => ({
		name: team.approvers[index].name,
		isReader: index === reader,
	});
	return {
		needed: team.needed,
		approvals: votes.filter(({ answer }) => answer.decision === 'approve').length,
		answered: votes.map(({ approver, answer: { decision }, at }) => ({
			...toName(approver),
			decision,
			at,
		})),
		missing: team.approvers.flatMap(({ askedAt }, index) =>
			askedAt === undefined || hasVoted(team, index, content) ? [] : [toName(index)],
		),
		isDecided: tallyVotes(team, content) !== undefined,
	};
}

/** Returns the answer that an approver has sent for a question, if any. */
export function findSent({ votes }: Team, approver: number): SentAnswer | undefined {
	const own = votes.filter((vote) => vote.approver === approver && !vote.isVoid);
	if (own.length === 0) return undefined;
	const { at, answer } = own[own.length - 1];
	const { comment } = answer;
	return {
		at,
		choices: own.map(({ choice }) => choice),
		...(comment !== undefined && { comment }),
	};
}

/** Returns the names of approvers whose answers to an earlier version of a request don't count, each once. */
export function listVoided(
	questions: ReadonlyArray<{ team?: Team }>,
	{ id, content }: Pick<PendingRequest, 'id' | 'content'>,
): string[] {
	const names = questions.flatMap(({ team }) =>
		(team?.votes ?? [])
			.filter(({ interactionId, choice }) => interactionId === id && choice.content !== content)
			.map(({ approver }) => team!.approvers[approver].name),
	);
	return [...new Set(names)];
}
