import type { IDataObject } from 'n8n-workflow';

import { realClock } from '../../shared/client/clock';
import {
	createForm,
	findLink,
	isUnanswered,
	type Asking,
	type FoundLink,
	type PageForm,
} from '../page/view';
import { findQuestion, isTeam, positionIn } from '../requests/questions';
import { isOpen } from '../requests/record';
import { hasVoted } from '../requests/votes';
import type { KnownRecord } from '../session/record';
import { withAnswers } from './answers';
import type { PausedExecution } from './engine';
import { listUnapplied } from './inbox';
import { listCourses } from './journal';

// Finds what a link is for, in all nodes of the execution.

export interface FoundPage {
	found: FoundLink<KnownRecord>;
	/** The name of the node's context */
	contextName: string;
}

/** Another session's form on the same page */
export interface OtherPage extends FoundPage {
	pending: PageForm;
}

/** The sessions of a node, with the answers that the node hasn't applied yet */
interface NodeSessions {
	contextName: string;
	records: KnownRecord[];
}

export const askingOf = ({ page, ...record }: KnownRecord): Asking => ({ ...record, ...page });

function readSessions(
	contextName: string,
	nodeContext: IDataObject,
	executionId: string,
): NodeSessions {
	const records = listCourses(nodeContext);
	for (const { nonce, answers } of listUnapplied(
		executionId,
		contextName,
		nodeContext,
		realClock.now(),
	)) {
		const { record, question, approver = 0 } = findLink(records, nonce) ?? {};
		if (!record || !question) continue;
		const requests = withAnswers(record, question, approver, answers);
		records[records.indexOf(record)] = { ...record, requests };
	}
	return { contextName, records };
}

export const listSessions = ({ contexts }: PausedExecution, executionId: string): NodeSessions[] =>
	Object.entries(contexts)
		.filter(([contextName]) => contextName.startsWith('node:'))
		.map(([contextName, nodeContext]) => readSessions(contextName, nodeContext, executionId));

export function findPage(nodes: readonly NodeSessions[], nonce: unknown): FoundPage | undefined {
	for (const { contextName, records } of nodes) {
		const found = findLink(records, nonce);
		if (found) return { found, contextName };
	}
	return undefined;
}

/** Without approvers, one link may be for a person who has nothing to do with another project. */
const mayShare = (own: FoundLink<KnownRecord>, record: KnownRecord): boolean =>
	record.state === 'running' &&
	record.sessionId !== own.record.sessionId &&
	(isTeam(own.question) ||
		(record.origin?.projectId !== undefined &&
			record.origin.projectId === own.record.origin?.projectId));

/** Sessions that one page shows besides its own */
const MAX_OTHERS = 10;

/** Returns the latest link of a session for an approver, if it may have a request without an answer. */
function findOwnLink(
	record: KnownRecord,
	own: FoundLink<KnownRecord>,
): FoundLink<KnownRecord> | undefined {
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
	own: FoundLink<KnownRecord>,
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
