import { randomBytes } from 'node:crypto';

import { fingerprintContent, requestKey, type Interaction } from '../../shared/client/session';
import type { PageAnswers } from '../policy/rules';
import type { SentAnswer, SentChoice } from './sent';

export interface Approver {
	name: string;
	/** Email address, Slack ID or any text to which the workflow sends the link */
	contact: string;
	isBackup?: true;
}

export interface TeamLimits {
	/** Approvals per request */
	needed: number;
	remindAfterMs?: number;
	maxReminders: number;
	askBackupsAfterMs?: number;
}

export interface TeamSettings extends TeamLimits {
	approvers: Approver[];
}

export interface AskedApprover extends Approver {
	nonce: string;
	/** Time of the latest item, in milliseconds since 1970 */
	askedAt?: number;
	reminders: number;
	/** True if a request has changed since the approver's answer */
	mustAnswerAgain?: true;
}

export interface Vote {
	/** Position in the team's `approvers` */
	approver: number;
	interactionId: string;
	answer: PageAnswers[string];
	choice: SentChoice;
	/** Value of the option for Approve once, if the page offered it */
	once?: string | number;
	/** Milliseconds since 1970 */
	at: number;
	/** True if the request has changed since then */
	isVoid?: true;
}

export interface Team extends TeamLimits {
	askedAt: number;
	/** `requestKey` of each request */
	keys: string[];
	approvers: AskedApprover[];
	votes: Vote[];
}

/** An item that an approver gets. */
export interface Ask {
	approver: number;
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

const countedVotes = ({ votes }: Team, content: string): Vote[] =>
	votes.filter(({ choice, isVoid }) => choice.content === content && !isVoid);

export const hasVoted = (team: Team, approver: number, content: string): boolean =>
	countedVotes(team, content).some((vote) => vote.approver === approver);

/** Settles votes. One denial denies. A lasting option needs `needed` votes: approvers of different options all approved once. */
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

/** Returns the approvers' decision about a request, or undefined while votes are missing. */
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

export function tallyAll(questions: ReadonlyArray<{ team?: Team }>): PageAnswers {
	const answers: PageAnswers = {};
	for (const { team } of questions)
		for (const { choice } of team?.votes ?? []) {
			const decided = tallyVotes(team!, choice.content);
			if (decided) answers[choice.content] = decided;
		}
	return answers;
}

/** Adds votes, except for second votes and for decided requests. Returns undefined if none counts. */
export function castVotes(team: Team, votes: readonly Vote[]): Team | undefined {
	const counting = votes.filter(
		({ approver, choice: { content } }) =>
			!hasVoted(team, approver, content) && !tallyVotes(team, content),
	);
	return counting.length > 0 ? { ...team, votes: [...team.votes, ...counting] } : undefined;
}

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

/** Voids votes for requests that have changed, so that their approvers have to answer again. */
export function voidVotes(team: Team, pending: readonly PendingRequest[]): Team {
	const isStale = ({ interactionId, choice, isVoid }: Vote) =>
		!isVoid &&
		!pending.some(({ id, content }) => id === interactionId && content === choice.content) &&
		pending.some(({ id }) => id === interactionId);
	const stale = team.votes.filter(isStale);
	if (stale.length === 0) return team;
	// A request with another key belongs to another question, which asks all its approvers.
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

/** Returns the time of an approver's next item. Infinity without one. */
function nextItemAt(team: Team, index: number, open: readonly string[]): number {
	const { askedAt, isBackup, reminders, mustAnswerAgain } = team.approvers[index];
	if (open.every((content) => hasVoted(team, index, content))) return Infinity;
	if (mustAnswerAgain) return 0;
	if (askedAt === undefined)
		return isBackup ? team.askedAt + (team.askBackupsAfterMs ?? Infinity) : 0;
	return reminders < team.maxReminders ? askedAt + (team.remindAfterMs ?? Infinity) : Infinity;
}

/** Returns the time of the next item. `open` has the fingerprints of the undecided requests. */
export const nextAskAt = (team: Team, open: readonly string[]): number =>
	Math.min(Infinity, ...team.approvers.map((_, index) => nextItemAt(team, index, open)));

/** Returns the items that are due now, and the team after them. */
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

export interface VoteStatus {
	needed: number;
	approvals: number;
	answered: Array<{ name: string; isReader: boolean; decision: 'approve' | 'deny'; at: number }>;
	/** Approvers who were asked and haven't answered */
	missing: Array<{ name: string; isReader: boolean }>;
	isDecided: boolean;
}

/** Returns the progress of a request for the approver at position `reader`. */
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

/** Returns the names of approvers whose answers to an earlier version of a request don't count. */
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
