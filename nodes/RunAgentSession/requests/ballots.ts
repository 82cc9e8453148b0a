import { randomBytes } from 'node:crypto';

import type { OptionPreferences } from '../../shared/approvals/options';
import { omit } from '../../shared/values';
import { hasVoted, isDeadlocked, tally, type Vote } from './votes';
import {
	isOpen,
	requestKey,
	waitingSince,
	type RequestKey,
	type RequestRecord,
} from './requestRecord';

// A ballot asks approvers for requests, for as long as someone waits. Each approver has a separate link, and votes are derived from the
// answers of links.

export interface AnswerDeadline {
	/** Milliseconds since 1970 */
	at: number;
	after: 'deny' | 'abort' | 'error';
	/** With `deny`: the answer to a question */
	answer?: string;
}

/** In milliseconds */
export interface Timeouts {
	/** Infinity for no limit */
	maxWaitMs: number;
	onMaxWait: 'abort' | 'letRun';
	ifNobodyAnswers: 'wait' | 'deny' | 'abort';
	unansweredAfterMs: number;
	/** Answers a question if nobody does, with `deny` */
	answerIfNobodyAnswers?: string;
}

/** Returns the time at which a request counts as unanswered. Infinity if there's none. */
export function unansweredAt(
	requests: readonly RequestRecord[],
	{ ifNobodyAnswers, unansweredAfterMs }: Timeouts,
): number {
	if (ifNobodyAnswers === 'wait') return Infinity;
	const asked = requests.flatMap((record) =>
		record.interaction && !record.decision ? (waitingSince(record) ?? []) : [],
	);
	return Math.min(Infinity, ...asked) + unansweredAfterMs;
}

export function passedTimeout(
	since: number,
	requests: readonly RequestRecord[],
	timeouts: Timeouts,
	now: number,
): 'maxWait' | 'unanswered' | undefined {
	if (now >= since + timeouts.maxWaitMs) return 'maxWait';
	return now >= unansweredAt(requests, timeouts) ? 'unanswered' : undefined;
}

/** Returns the end of waiting, which began at `since`, if there is one. The node asked the approver at `askedAt`. */
export function findDeadline(
	{ since, askedAt }: { since: number; askedAt: number },
	limits: Timeouts,
): AnswerDeadline | undefined {
	const { onMaxWait, ifNobodyAnswers, unansweredAfterMs, answerIfNobodyAnswers: answer } = limits;
	const end = since + limits.maxWaitMs;
	const unanswered = ifNobodyAnswers === 'wait' ? Infinity : askedAt + unansweredAfterMs;
	if (ifNobodyAnswers !== 'wait' && unanswered < end)
		return { at: unanswered, after: ifNobodyAnswers, ...(answer !== undefined && { answer }) };
	if (end === Infinity) return undefined;
	return { at: end, after: onMaxWait === 'abort' ? 'abort' : 'error' };
}

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
	/** The nonces of the links in the executions that this one retries */
	earlier?: string[];
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

/** What a link's page was sent about one request. Answers only grow: copies are merged, and a link's later answer to a request wins. */
export interface LinkAnswer {
	/** The nonce of the link */
	link: string;
	request: RequestKey;
	vote: Omit<Vote, 'approver' | 'name' | 'at'>;
	/** Milliseconds since 1970. A later answer has a later time. */
	at: number;
	/** The hash of the form. A browser sends it again after an error of n8n. */
	form: string;
}

/** What approvers were asked, and what they answered */
export interface Voting {
	ballots: readonly Ballot[];
	answers: readonly LinkAnswer[];
}

/** Facts that each request of an item has, so that every node passes them to *Apply an Answer*. */
export interface RequestOrigin {
	sessionId: string;
	projectName?: string;
	/** Shown if the project's name isn't known */
	projectId?: string;
	/** Time zone of the workflow, such as `Europe/Berlin`. UTC by default. */
	timeZone?: string;
	prompt?: string;
	/** The service's link to a page that the session works on */
	previewUrl?: string;
}

/** What is kept of a session for its approvers */
export interface AskedSession {
	sessionId: string;
	dashboardUrl?: string;
	origin?: Omit<RequestOrigin, 'sessionId'>;
	/** Everything known about the agent's requests */
	requests: RequestRecord[];
	/** What approvers were asked */
	ballots: Ballot[];
	/** What the approval page needs to know of the node's settings */
	page?: {
		preferences?: OptionPreferences;
		sendComments?: boolean;
		/** True if the agent gets the reason of a denial */
		sendsReasons?: boolean;
		/** The agent's latest words when it asked, which say why */
		words?: string;
	};
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

/** Returns a ballot with new links, which approvers who haven't answered get. Answers of the links before still count. */
export const renewBallot = (
	ballot: Ballot,
	now: number,
	deadline: AnswerDeadline | undefined,
): Ballot => ({
	...omit(ballot, 'deadline'),
	...(deadline && { deadline }),
	at: now,
	approvers: ballot.approvers.map(({ nonce, earlier = [], ...each }) => ({
		...omit(each, 'askedAt'),
		nonce: createNonce(),
		earlier: [...earlier, nonce],
		reminders: 0,
	})),
});

/** Finds the latest ballot that shows exactly this request. */
export function findBallot(ballots: readonly Ballot[], record: RequestRecord): Ballot | undefined {
	const key = requestKey(record);
	return [...ballots].reverse().find(({ requests }) => requests.includes(key));
}

export const MAX_REQUESTS_SHOWN = 5;

/** Returns the requests of one ballot. Its message, its item and its answer have exactly these. */
export const shownRequests = <T>(undecided: readonly T[]): T[] =>
	undecided.slice(0, MAX_REQUESTS_SHOWN);

export const isTeam = ({ approvers }: Ballot): boolean => approvers[0]?.name !== undefined;

/** Returns whether nobody else was asked, so that there's nothing to count. */
export const isAlone = ({ approvers, needed }: Ballot): boolean =>
	needed === 1 &&
	approvers.filter(({ isBackup, askedAt }) => !isBackup || askedAt !== undefined).length === 1;

/** Returns the position of a link's approver among those of another ballot. -1 if they aren't one of them. */
function placeIn(ballot: Ballot, { name, contact }: AskedApprover, own: Ballot): number {
	if (!isTeam(own)) return isTeam(ballot) ? -1 : 0;
	return ballot.approvers.findIndex((each) => each.name === name && each.contact === contact);
}

/** Returns the position of a link's approver among those of another ballot. -1 if they may not answer it, or not yet. */
export function positionIn(ballot: Ballot, approver: AskedApprover, own: Ballot): number {
	if (ballot === own) return own.approvers.indexOf(approver);
	const place = placeIn(ballot, approver, own);
	return isTeam(own) && ballot.approvers[place]?.askedAt === undefined ? -1 : place;
}

/** Merges answers of several copies. */
export function mergeAnswers(...copies: Array<readonly LinkAnswer[]>): LinkAnswer[] {
	const latest = new Map<string, LinkAnswer>();
	for (const answer of copies.flat()) {
		const key = `${answer.link} ${answer.request}`;
		const known = latest.get(key);
		if (!known || known.at < answer.at) latest.set(key, answer);
	}
	return [...latest.values()];
}

/** Returns the votes on a request: each approver's latest answer, first the earliest. */
export function votesOf(record: RequestRecord, { ballots, answers }: Voting): Vote[] {
	const ballot = answers.length > 0 && findBallot(ballots, record);
	if (!ballot) return [];
	const key = requestKey(record);
	const votes = new Map<number, Vote>();
	for (const { link, request, vote, at } of answers) {
		const own = request === key && ballots.find((each) => findApprover(each, link));
		const approver = own ? placeIn(ballot, findApprover(own, link)!, own) : -1;
		if (approver < 0 || at < (votes.get(approver)?.at ?? at)) continue;
		const { name } = ballot.approvers[approver];
		votes.set(approver, { ...vote, approver, ...(name !== undefined && { name }), at });
	}
	return [...votes.values()].sort((one, other) => one.at - other.at);
}

/** Returns the names of approvers who answered an earlier content of a request since it was last decided. */
export function listVoided(
	{ id, contentHash }: RequestRecord,
	requests: readonly RequestRecord[],
	voting: Voting,
): string[] {
	const earlier = requests.filter((each) => each.id === id && each.isReplaced);
	const decided = earlier.map(({ decision }) => decision !== undefined).lastIndexOf(true);
	const names = earlier
		.slice(decided + 1)
		.filter((each) => each.contentHash !== contentHash)
		.flatMap((each) => votesOf(each, voting).flatMap(({ name }) => name ?? []));
	return [...new Set(names)];
}

const findApprover = ({ approvers }: Ballot, link: string): AskedApprover | undefined =>
	approvers.find(({ nonce, earlier = [] }) => nonce === link || earlier.includes(link));

/** Returns the time of the latest answer of a session's links. 0 without one. */
export function latestAnswerAt({ ballots, answers }: Voting): number {
	const links = new Set(ballots.flatMap(({ approvers }) => approvers.map(({ nonce }) => nonce)));
	return Math.max(0, ...answers.flatMap(({ link, at }) => (links.has(link) ? at : [])));
}

/** Returns whether an approver has a link whose answer hasn't been sent. */
export const hasOpenLink = (
	requests: readonly RequestRecord[],
	ballots: readonly Ballot[],
): boolean =>
	requests.some((record) => isOpen(record) && findBallot(ballots, record) !== undefined);

export function decidedByVotes(record: RequestRecord, voting: Voting) {
	const ballot = findBallot(voting.ballots, record);
	return ballot && tally(votesOf(record, voting), ballot.needed);
}

/** Returns whether approvers agreed on nothing, so that they have to be asked again. */
export function isUndecided(record: RequestRecord, voting: Voting): boolean {
	const ballot = findBallot(voting.ballots, record);
	return ballot !== undefined && isDeadlocked(votesOf(record, voting), ballot.needed);
}

/** A request that is left for approvers, with its votes */
interface OpenRequest {
	record: RequestRecord;
	votes: readonly Vote[];
}

const withVotes = (open: readonly RequestRecord[], voting: Voting): OpenRequest[] =>
	open.map((record) => ({ record, votes: votesOf(record, voting) }));

/** Returns the time of an approver's next item. Infinity without one. */
function nextItemAt(ballot: Ballot, at: number, open: readonly OpenRequest[]): number {
	const { askedAt, isBackup, reminders } = ballot.approvers[at];
	if (open.every(({ votes }) => hasVoted(votes, at))) return Infinity;
	if (askedAt === undefined)
		return isBackup ? ballot.at + (ballot.askBackupsAfterMs ?? Infinity) : 0;
	return reminders < ballot.maxReminders ? askedAt + (ballot.remindAfterMs ?? Infinity) : Infinity;
}

const shownBy = (ballot: Ballot, open: readonly OpenRequest[], ballots: readonly Ballot[]) =>
	open.filter(({ record }) => findBallot(ballots, record) === ballot);

/** Returns the time of the next item of all ballots, also before a reading in this wake. */
export function nextAskAt(voting: Voting, requests: readonly RequestRecord[]): number {
	const { ballots } = voting;
	const open = requests.filter(({ interaction, decision }) => interaction && !decision);
	const all = withVotes(open, voting);
	const times = ballots.flatMap((ballot) => {
		const own = shownBy(ballot, all, ballots);
		return ballot.approvers.map((_, at) => nextItemAt(ballot, at, own));
	});
	return Math.min(Infinity, ...times);
}

/** Returns the items that are due now, and the ballots after them. */
export function askDue(
	voting: Voting,
	open: readonly RequestRecord[],
	now: number,
): { ballots: Ballot[]; asks: Ask[] } {
	const { ballots } = voting;
	const all = withVotes(open, voting);
	const asks: Ask[] = [];
	const after = ballots.map((ballot): Ballot => {
		const own = shownBy(ballot, all, ballots);
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
