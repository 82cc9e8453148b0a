import { randomBytes } from 'node:crypto';

import { omit } from '../../shared/values';
import { castVote, hasVoted, isDeadlocked, tally, type Vote } from './votes';
import { isOpen, recordVotes, requestKey, type RequestKey, type RequestRecord } from './record';
import type { AnswerDeadline } from './times';

// A ballot asks approvers for requests. Each approver has a separate link.

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

interface AskedApprover extends Partial<Approver> {
	/** A secret of 128 bits, in the link. n8n 1 has no other. */
	nonce: string;
	/** Time of the latest item */
	askedAt?: number;
	reminders: number;
}

export interface Ballot extends TeamLimits {
	at: number;
	/** The requests that its links show */
	requests: RequestKey[];
	deadline?: AnswerDeadline;
	offersFromNowOn?: true;
	/** One without a name if there's no team */
	approvers: AskedApprover[];
}

/** An item that an approver gets. */
export interface Ask {
	ballot: Ballot;
	approver: AskedApprover;
	reminder?: number;
}

const NO_TEAM: TeamSettings = { approvers: [], needed: 1, maxReminders: 0 };

/** Returns a secret of 128 bits. */
const createNonce = (): string => randomBytes(16).toString('base64url');

export function createBallot(
	requests: readonly RequestRecord[],
	team: TeamSettings | undefined,
	now: number,
	more: Pick<Ballot, 'deadline' | 'offersFromNowOn'>,
): Ballot {
	const { approvers, ...limits } = omit(team ?? NO_TEAM, 'merged');
	const asked = team ? approvers : [{}];
	return {
		...limits,
		...more,
		at: now,
		requests: requests.map(requestKey),
		approvers: asked.map((each) => ({ ...each, nonce: createNonce(), reminders: 0 })),
	};
}

/** Returns a ballot with new links, which approvers who haven't answered get. It keeps the places to which votes refer. */
export const renewBallot = (
	ballot: Ballot,
	now: number,
	deadline: AnswerDeadline | undefined,
): Ballot => ({
	...omit(ballot, 'deadline'),
	...(deadline && { deadline }),
	at: now,
	approvers: ballot.approvers.map((each) => ({
		...omit(each, 'askedAt'),
		nonce: createNonce(),
		reminders: 0,
	})),
});

/** Finds the latest ballot that shows exactly this request. */
export function findBallot(ballots: readonly Ballot[], record: RequestRecord): Ballot | undefined {
	const key = requestKey(record);
	return [...ballots].reverse().find(({ requests }) => requests.includes(key));
}

export const isTeam = ({ approvers }: Ballot): boolean => approvers[0]?.name !== undefined;

/** Returns whether nobody else was asked, so that there's nothing to count. */
export const isAlone = ({ approvers, needed }: Ballot): boolean =>
	needed === 1 &&
	approvers.filter(({ isBackup, askedAt }) => !isBackup || askedAt !== undefined).length === 1;

/** Returns the position of a link's approver among those of another ballot. -1 if they may not answer it. */
export function positionIn(ballot: Ballot, approver: AskedApprover, own: Ballot): number {
	if (ballot === own) return own.approvers.indexOf(approver);
	if (!isTeam(own)) return isTeam(ballot) ? -1 : 0;
	return ballot.approvers.findIndex(
		({ name, contact, askedAt }) =>
			name === approver.name && contact === approver.contact && askedAt !== undefined,
	);
}

/** One answer of the approval page */
export interface FormAnswer {
	request: RequestKey;
	vote: Omit<Vote, 'approver' | 'name'>;
}

/**
 * Casts the vote of a link's approver. It replaces the approver's earlier one, until a decision is sent.
 * @returns the records after it, or undefined if it doesn't count: the request isn't open, or has this answer or a later one
 */
export function castAnswer(
	{ requests, ballots }: { requests: RequestRecord[]; ballots: readonly Ballot[] },
	own: Ballot,
	approver: number,
	{ request, vote }: FormAnswer,
): RequestRecord[] | undefined {
	const record = requests.find((each) => isOpen(each) && requestKey(each) === request);
	const ballot = record && findBallot(ballots, record);
	const position = ballot ? positionIn(ballot, own.approvers[approver], own) : -1;
	if (!ballot || position < 0) return undefined;
	// n8n may bring an answer twice.
	if (record.votes.some((each) => each.approver === position && each.at >= vote.at))
		return undefined;
	const { name } = ballot.approvers[position];
	const named = { ...vote, approver: position, ...(name !== undefined && { name }) };
	const votes = castVote(record.votes, named);
	return votes && recordVotes(requests, record, votes);
}

/** Returns whether an approver has a link whose answer hasn't been sent. */
export const hasOpenLink = (
	requests: readonly RequestRecord[],
	ballots: readonly Ballot[],
): boolean =>
	requests.some((record) => isOpen(record) && findBallot(ballots, record) !== undefined);

export function decidedByVotes(record: RequestRecord, ballots: readonly Ballot[]) {
	const ballot = findBallot(ballots, record);
	return ballot && tally(record.votes, ballot.needed);
}

/** Returns whether approvers have to be asked about a request: no link shows it, or they agreed on nothing. */
export function mustBeAsked(record: RequestRecord, ballots: readonly Ballot[]): boolean {
	const ballot = findBallot(ballots, record);
	return !ballot || isDeadlocked(record.votes, ballot.needed);
}

/** Returns the time of an approver's next item. Infinity without one. */
function nextItemAt(ballot: Ballot, at: number, open: readonly RequestRecord[]): number {
	const { askedAt, isBackup, reminders } = ballot.approvers[at];
	if (open.every(({ votes }) => hasVoted(votes, at))) return Infinity;
	if (askedAt === undefined)
		return isBackup ? ballot.at + (ballot.askBackupsAfterMs ?? Infinity) : 0;
	return reminders < ballot.maxReminders ? askedAt + (ballot.remindAfterMs ?? Infinity) : Infinity;
}

const openRequests = (ballot: Ballot, open: readonly RequestRecord[], ballots: readonly Ballot[]) =>
	open.filter((record) => findBallot(ballots, record) === ballot);

/** Returns the time of the next item of all ballots. `open` are the requests that are left for approvers. */
export const nextAskAt = (ballots: readonly Ballot[], open: readonly RequestRecord[]): number =>
	Math.min(
		Infinity,
		...ballots.flatMap((ballot) => {
			const own = openRequests(ballot, open, ballots);
			return ballot.approvers.map((_, at) => nextItemAt(ballot, at, own));
		}),
	);

/** Returns the items that are due now, and the ballots after them. */
export function askDue(
	ballots: readonly Ballot[],
	open: readonly RequestRecord[],
	now: number,
): { ballots: Ballot[]; asks: Ask[] } {
	const asks: Ask[] = [];
	const after = ballots.map((ballot): Ballot => {
		const own = openRequests(ballot, open, ballots);
		const approvers = ballot.approvers.map((approver, at): AskedApprover => {
			if (now < nextItemAt(ballot, at, own)) return approver;
			const isReminder = approver.askedAt !== undefined;
			return { ...approver, askedAt: now, reminders: approver.reminders + (isReminder ? 1 : 0) };
		});
		return { ...ballot, approvers };
	});
	for (const [index, ballot] of after.entries())
		for (const [at, approver] of ballot.approvers.entries()) {
			const before = ballots[index].approvers[at];
			if (approver.askedAt === before.askedAt) continue;
			asks.push({
				ballot,
				approver,
				...(before.askedAt !== undefined && { reminder: approver.reminders }),
			});
		}
	return { ballots: after, asks };
}
