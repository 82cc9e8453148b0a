import { createHash, timingSafeEqual } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';

import { createForm, isUnanswered, type Asking, type PageForm, type PageSession } from './view';
import { findQuestion, isTeam, positionIn, type Question, castAnswer } from '../requests/questions';
import { isOpen, type RequestRecord } from '../requests/record';
import { hasVoted } from '../requests/votes';
import { listUnapplied, type SavedAnswer } from './inbox';

// Finds what a link is for, in all nodes of the execution.

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

export interface FoundPage {
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
	record: Pick<Asking, 'requests' | 'questions'>,
	own: Question,
	approver: number,
	answers: SavedAnswer['answers'],
): RequestRecord[] {
	const { questions } = record;
	let { requests } = record;
	for (const answer of answers)
		requests = castAnswer({ requests, questions }, own, approver, answer) ?? requests;
	return requests;
}

/** Returns the sessions of a node with the answers that it hasn't applied yet. */
export function withUnapplied(node: NodeSessions, executionId: string, now: number): NodeSessions {
	const { contextName, nodeContext } = node;
	const records = [...node.records];
	for (const { nonce, answers } of listUnapplied(executionId, contextName, nodeContext, now)) {
		const { record, question, approver = 0 } = findLink(records, nonce) ?? {};
		if (!record || !question) continue;
		const requests = withAnswers(record, question, approver, answers);
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
	(isTeam(own.question) ||
		(record.origin?.projectId !== undefined &&
			record.origin.projectId === own.record.origin?.projectId));

/** Sessions that one page shows besides its own */
const MAX_OTHERS = 10;

/** Returns the latest link of a session for an approver, if it may have a request without an answer. */
function findOwnLink(
	record: PageSession,
	own: FoundLink<PageSession>,
): FoundLink<PageSession> | undefined {
	const reader = own.question.approvers[own.approver];
	const { requests, questions } = record;
	const open = requests.flatMap((request) => {
		const question = isOpen(request) ? findQuestion(questions, request) : undefined;
		const approver = question ? positionIn(question, reader, own.question) : -1;
		return !question || approver < 0 || hasVoted(request.votes, approver)
			? []
			: { record, question, approver };
	});
	return open.sort((one, other) => other.question.at - one.question.at)[0];
}

/** Returns the other sessions that wait for an answer of a link's approver, and the number of those that the page doesn't show. */
export function findOthers(
	nodes: readonly NodeSessions[],
	own: FoundLink<PageSession>,
): { others: OtherPage[]; more: number } {
	const others: OtherPage[] = [];
	let more = 0;
	for (const { contextName, records } of nodes)
		for (const record of records) {
			const found = mayShare(own, record) ? findOwnLink(record, own) : undefined;
			if (!found) continue;
			if (others.length === MAX_OTHERS) {
				more++;
				continue;
			}
			const pending = createForm(askingOf(record), found.question, found.approver);
			if (pending.requests.some(isUnanswered)) others.push({ found, contextName, pending });
		}
	return { others, more };
}
