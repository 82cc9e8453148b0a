import { createHash, timingSafeEqual } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';

import { createForm, isUnanswered, type Asking, type PageForm, type PageSession } from './view';
import {
	findBallot,
	isTeam,
	positionIn,
	type Ballot,
	castAnswer,
	type FormAnswer,
} from '../requests/ballots';
import { MAX_OTHERS_CHARACTERS } from '../../shared/limits';
import { isOpen, requestKey, type RequestRecord } from '../requests/record';
import { shownRequests } from '../requests/request';
import { hasVoted } from '../requests/votes';

// Finds what a link is for, in all nodes of the execution, and keeps its answers until the node is executed again and applies them.

export const NONCE_PARAMETER = 'question';

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
	ballot: Ballot;
	/** The position among the approvers of the ballot */
	approver: number;
}

/** Finds the link with a nonce. Takes the same time for every nonce, so the time doesn't help to guess one. */
export function findLink<T extends Pick<Asking, 'ballots'>>(
	records: readonly T[],
	nonce: unknown,
): FoundLink<T> | undefined {
	const given = hash(typeof nonce === 'string' ? nonce : '');
	const all = records.flatMap((record) =>
		record.ballots.flatMap((ballot) =>
			ballot.approvers.map((each, approver) => ({
				record,
				ballot,
				approver,
				nonce: each.nonce,
			})),
		),
	);
	return all.filter((link) => timingSafeEqual(given, hash(link.nonce)))[0];
}

interface FoundPage {
	found: FoundLink<PageSession>;
	contextName: string;
}

/** Another session's form on the same page */
export interface OtherPage extends FoundPage {
	pending: PageForm;
}

export interface NodeSessions {
	contextName: string;
	/** In which answers wait until the node applies them */
	nodeContext: IDataObject;
	records: PageSession[];
}

export const askingOf = ({ page, ...record }: PageSession): Asking => ({ ...record, ...page });

/** Returns the requests of a link's session with the answers that were saved for the link. */
export function withAnswers(
	record: Pick<Asking, 'requests' | 'ballots'>,
	own: Ballot,
	approver: number,
	answers: SavedAnswer['answers'],
): RequestRecord[] {
	const { ballots } = record;
	let { requests } = record;
	for (const answer of answers)
		requests = castAnswer({ requests, ballots }, own, approver, answer) ?? requests;
	return requests;
}

/** Returns the sessions of a node with the answers that it hasn't applied yet. */
export function withUnapplied(node: NodeSessions, executionId: string, now: number): NodeSessions {
	const { contextName, nodeContext } = node;
	const records = [...node.records];
	for (const { nonce, answers } of listUnapplied(executionId, contextName, nodeContext, now)) {
		const { record, ballot, approver = 0 } = findLink(records, nonce) ?? {};
		if (!record || !ballot) continue;
		const requests = withAnswers(record, ballot, approver, answers);
		records[records.indexOf(record)] = { ...record, requests };
	}
	return { ...node, records };
}

export function findPage(nodes: readonly NodeSessions[], nonce: unknown): FoundPage | undefined {
	for (const { contextName, records } of nodes) {
		const found = findLink(records, nonce);
		if (found) return { found, contextName };
	}
	return undefined;
}

/** Without approvers, one link may be for a person who has nothing to do with another project. */
const mayShare = (own: FoundLink<PageSession>, record: PageSession): boolean =>
	record.state === 'running' &&
	record.sessionId !== own.record.sessionId &&
	(isTeam(own.ballot) ||
		(record.origin?.projectId !== undefined &&
			record.origin.projectId === own.record.origin?.projectId));

/** Sessions that one page shows besides its own */
const MAX_OTHERS = 10;

/** Returns the latest link of a session for an approver, if it may have a request without an answer. */
function findOwnLink(
	record: PageSession,
	own: FoundLink<PageSession>,
): FoundLink<PageSession> | undefined {
	const reader = own.ballot.approvers[own.approver];
	const { requests, ballots } = record;
	const open = requests.flatMap((request) => {
		const ballot = isOpen(request) ? findBallot(ballots, request) : undefined;
		const approver = ballot ? positionIn(ballot, reader, own.ballot) : -1;
		return !ballot || approver < 0 || hasVoted(request.votes, approver)
			? []
			: { record, ballot, approver };
	});
	return open.sort((one, other) => other.ballot.at - one.ballot.at)[0];
}

/** Returns the other sessions that wait for an answer of a link's approver, and the number of those that the page doesn't show. */
export function findOthers(
	nodes: readonly NodeSessions[],
	own: FoundLink<PageSession>,
): { others: OtherPage[]; more: number } {
	const others: OtherPage[] = [];
	let more = 0;
	let left = MAX_OTHERS_CHARACTERS;
	for (const { contextName, records } of nodes)
		for (const record of records) {
			const found = mayShare(own, record) ? findOwnLink(record, own) : undefined;
			if (!found) continue;
			if (others.length === MAX_OTHERS || left < 0) {
				more++;
				continue;
			}
			const open = shownRequests(record.requests.filter(isOpen));
			left -= JSON.stringify(open.map(({ interaction }) => interaction)).length;
			const pending =
				left < 0 ? undefined : createForm(askingOf(record), found.ballot, found.approver);
			if (!pending) more++;
			else if (pending.requests.some(isUnanswered)) others.push({ found, contextName, pending });
		}
	return { others, more };
}

export interface SavedAnswer {
	/** Identifies the link, and with it the approver */
	nonce: string;
	answers: FormAnswer[];
}

const KEY = 'answers';

export const listAnswers = (nodeContext: IDataObject): SavedAnswer[] =>
	(nodeContext[KEY] ?? []) as unknown as SavedAnswer[];

/** Adds an answer. For each request, the link's latest answer counts. Returns whether that changed anything. */
function saveAnswer(nodeContext: IDataObject, { nonce, answers }: SavedAnswer): boolean {
	const before = listAnswers(nodeContext);
	const earlier = before.find((each) => each.nonce === nonce)?.answers ?? [];
	const byRequest = new Map(earlier.map((each) => [each.request, each]));
	const newer = answers.filter((each) => {
		const known = byRequest.get(each.request);
		return !known || known.vote.at < each.vote.at;
	});
	if (newer.length === 0) return false;
	for (const each of newer) byRequest.set(each.request, each);
	const others = before.filter((each) => each.nonce !== nonce);
	const saved = { nonce, answers: [...byRequest.values()] };
	nodeContext[KEY] = [...others, saved] as unknown as IDataObject[];
	return true;
}

/** Adds the answers of one copy of an execution to another one. Returns whether there were any that the other doesn't know. */
export function moveAnswers(
	from: Record<string, IDataObject>,
	to: Record<string, IDataObject>,
): boolean {
	const moved = Object.entries(from).flatMap(([name, nodeContext]) =>
		listAnswers(nodeContext).map((answer) => saveAnswer((to[name] ??= {}), answer)),
	);
	return moved.includes(true);
}

interface RecentAnswer {
	at: number;
	contextName: string;
	answer: SavedAnswer;
	/** The hash of the form that the browser sent */
	form: string;
	/** The copy of the node's context to which a run has taken it */
	taken?: WeakRef<IDataObject>;
}

/**
 * Answers that this process has accepted, by execution. n8n 2 drops an answer that comes while the timer wakes the execution, and n8n may
 * have read the execution for the next answer before it saved the one before.
 */
const recent = new Map<string, RecentAnswer[]>();
/** Longer than the longest pause */
const RECENT_MS = 15 * 60_000;
/** Time in which n8n saves an answer */
const SAVING_MS = 60_000;
/** Time in which n8n starts the wake of an answer */
const STARTING_MS = 10_000;

/** Saves an answer, with those that n8n may not have saved yet. */
export function saveWithRecent(
	executionId: string,
	contexts: Record<string, IDataObject>,
	added: Omit<RecentAnswer, 'at'>,
	now: number,
): void {
	for (const [id, answers] of recent)
		if (answers.every(({ at }) => now > at + RECENT_MS)) recent.delete(id);
	const all = [...(recent.get(executionId) ?? []), { ...added, at: now }];
	recent.set(executionId, all);
	for (const { contextName, answer, at } of all)
		if (now <= at + SAVING_MS) saveAnswer((contexts[contextName] ??= {}), answer);
}

/** When this process last ran the node in an execution */
const runs = new Map<string, number>();

/** Returns whether this process runs the node in an execution, and so takes also an answer that n8n drops. Otherwise a worker may, or a process before a restart did. */
export const runsHere = (executionId: string, now: number): boolean =>
	now <= (runs.get(executionId) ?? -Infinity) + RECENT_MS;

/**
 * Returns whether the run that took an answer left nothing of it, because n8n didn't save that run, or saved an older one after it: exactly
 * this request is still open, with the link that the answer is for and without its vote.
 */
const isLost = (records: readonly PageSession[], { nonce, answers }: SavedAnswer): boolean => {
	const { record, ballot, approver } = findLink(records, nonce) ?? {};
	const open = (record?.requests ?? []).filter(
		(request) =>
			request.decision === undefined &&
			request.askedAt !== undefined &&
			findBallot(record!.ballots, request) === ballot,
	);
	return answers.some((answer) =>
		open.some(
			(request) =>
				requestKey(request) === answer.request &&
				!request.votes.some((each) => each.approver === approver && each.at >= answer.vote.at),
		),
	);
};

/**
 * Returns the answers for a node, and removes them from its context.
 * @param listRecords the node's sessions
 */
export function takeAnswers(
	executionId: string,
	contextName: string,
	nodeContext: IDataObject,
	listRecords: () => readonly PageSession[],
	now: number,
): SavedAnswer[] {
	runs.delete(executionId);
	runs.set(executionId, now);
	for (const [id, at] of runs) {
		if (now <= at + RECENT_MS) break;
		runs.delete(id);
	}
	for (const each of recent.get(executionId) ?? []) {
		if (each.contextName !== contextName || each.taken?.deref() === nodeContext) continue;
		const isDue = !each.taken || (now <= each.at + RECENT_MS && isLost(listRecords(), each.answer));
		if (isDue) saveAnswer(nodeContext, each.answer);
		each.taken = new WeakRef(nodeContext);
	}
	const answers = listAnswers(nodeContext);
	delete nodeContext[KEY];
	return answers;
}

/** Returns the answers of a node that may not have been applied yet: n8n may have read the execution before it saved them. */
export function listUnapplied(
	executionId: string,
	contextName: string,
	nodeContext: IDataObject,
	now: number,
): SavedAnswer[] {
	const late = (recent.get(executionId) ?? []).filter(
		(each) =>
			each.contextName === contextName && now <= each.at + (each.taken ? STARTING_MS : SAVING_MS),
	);
	return [...listAnswers(nodeContext), ...late.map(({ answer }) => answer)];
}

/** Returns whether a run is sending an answer of an execution that n8n has read before. Another answer has to wait for it. */
export const isSending = (
	executionId: string,
	isApplied: (answer: SavedAnswer) => boolean,
	now: number,
): boolean =>
	(recent.get(executionId) ?? []).some(
		({ answer, at, taken }) => taken && now <= at + STARTING_MS && !isApplied(answer),
	);

/** Returns a link's latest answer if it was sent with the same form and is saved. A browser repeats a form after an error of n8n. */
export function findRepeated(
	executionId: string,
	link: string,
	form: string,
	isApplied: (answer: SavedAnswer) => boolean,
): SavedAnswer | undefined {
	const last = (recent.get(executionId) ?? []).filter(({ answer }) => answer.nonce === link).pop();
	const isSaved = last?.form === form && (last.taken || isApplied(last.answer));
	return isSaved ? last.answer : undefined;
}

let latest = 0;

/** Returns the time of an answer. Later answers have later times, also in the same millisecond. */
export function nextAnswerTime(now: number): number {
	latest = Math.max(now, latest + 1);
	return latest;
}
