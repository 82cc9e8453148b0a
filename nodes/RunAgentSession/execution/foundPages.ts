import type { IDataObject } from 'n8n-workflow';

import { realClock } from '../../shared/client/clock';
import {
	createForm,
	findLink,
	isAnswerable,
	isTeam,
	positionIn,
	type Asking,
	type FoundLink,
	type PageForm,
} from '../page/view';
import type { KnownRecord } from '../session/record';
import type { PausedExecution } from './engine';
import { findRecent, listAnswers, type SavedAnswer } from './inbox';
import { listCourses } from './journal';

// Finds what a link is for, in all nodes of the execution.

export interface FoundPage {
	found: FoundLink<KnownRecord>;
	/** The name of the node's context */
	contextName: string;
	/** An answer of this link that hasn't been applied yet */
	saved?: SavedAnswer;
}

/** Another session's form on the same page */
export interface OtherPage extends FoundPage {
	pending: PageForm;
}

export const askingOf = ({ page, ...record }: KnownRecord): Asking => ({ ...record, ...page });

const listNodes = ({ contexts }: PausedExecution): Array<[string, IDataObject]> =>
	Object.entries(contexts).filter(([contextName]) => contextName.startsWith('node:'));

const findSaved = (
	nodeContext: IDataObject,
	executionId: string,
	nonce: string,
): SavedAnswer | undefined =>
	listAnswers(nodeContext).find((answer) => answer.nonce === nonce) ??
	findRecent(executionId, nonce, realClock.now());

/** Returns whether the record has an answer already, so that it says what came of it. */
const isApplied = ({ requests }: KnownRecord, { answers }: SavedAnswer): boolean =>
	answers.every(({ vote }) => requests.some(({ votes }) => votes.some(({ at }) => at === vote.at)));

export function findPage(
	execution: PausedExecution,
	executionId: string,
	nonce: unknown,
): FoundPage | undefined {
	for (const [contextName, nodeContext] of listNodes(execution)) {
		const found = findLink(listCourses(nodeContext), nonce);
		if (!found) continue;
		const saved = findSaved(nodeContext, executionId, String(nonce));
		const isNew = saved && !isApplied(found.record, saved);
		return { found, contextName, ...(isNew && { saved }) };
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

/** Returns the other sessions whose requests a link's approver may answer. */
export function findOthers(
	execution: PausedExecution,
	executionId: string,
	own: FoundLink<KnownRecord>,
): OtherPage[] {
	const reader = own.question.approvers[own.approver];
	return listNodes(execution).flatMap(([contextName, nodeContext]) =>
		listCourses(nodeContext).flatMap((record): OtherPage[] => {
			if (!mayShare(own, record)) return [];
			const links = record.questions.flatMap((question) => {
				const approver = positionIn(question, reader, own.question);
				const link = question.approvers[approver];
				const isFree = link && !findSaved(nodeContext, executionId, link.nonce);
				return isFree ? { record, question, approver } : [];
			});
			const found = links[links.length - 1] as (typeof links)[number] | undefined;
			if (!found) return [];
			const pending = createForm(askingOf(record), found.question, found.approver);
			return pending.requests.some(isAnswerable) ? [{ found, contextName, pending }] : [];
		}),
	);
}
