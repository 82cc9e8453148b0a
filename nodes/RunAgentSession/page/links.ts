import { createHash, timingSafeEqual } from 'node:crypto';

import { createForm, isUnanswered, type PageForm, type PageSession } from './view';
import {
	findBallot,
	isTeam,
	positionIn,
	shownRequests,
	votesOf,
	type Ballot,
} from '../requests/ballots';
import { MAX_OTHERS_CHARACTERS } from '../../shared/limits';
import { isOpen } from '../requests/requestRecord';
import { hasVoted } from '../requests/votes';

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

export interface FoundLink {
	record: PageSession;
	ballot: Ballot;
	/** The position among the approvers of the ballot */
	approver: number;
}

/** Finds the link with a nonce. Takes the same time for every nonce, so the time doesn't help to guess one. */
export function findLink(records: readonly PageSession[], nonce: unknown): FoundLink | undefined {
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

/** Another session's form on the same page */
export interface OtherPage {
	found: FoundLink;
	pending: PageForm;
}

/** Without approvers, one link may be for a person who has nothing to do with another project. */
const mayShare = (own: FoundLink, record: PageSession): boolean =>
	record.state === 'running' &&
	record.sessionId !== own.record.sessionId &&
	(isTeam(own.ballot) ||
		(record.origin?.projectId !== undefined &&
			record.origin.projectId === own.record.origin?.projectId));

/** Sessions that one page shows besides its own */
const MAX_OTHERS = 10;

/** Returns the latest link of a session for an approver, if it may have a request without an answer. */
function findOwnLink(record: PageSession, own: FoundLink): FoundLink | undefined {
	const reader = own.ballot.approvers[own.approver];
	const { requests, ballots } = record;
	const open = requests.flatMap((request) => {
		const ballot = isOpen(request) ? findBallot(ballots, request) : undefined;
		const approver = ballot ? positionIn(ballot, reader, own.ballot) : -1;
		return !ballot || approver < 0 || hasVoted(votesOf(request, record), approver)
			? []
			: { record, ballot, approver };
	});
	return open.sort((one, other) => other.ballot.at - one.ballot.at)[0];
}

/** Returns the other sessions that wait for an answer of a link's approver, and the number of those that the page doesn't show. */
export function findOthers(
	sessions: readonly PageSession[],
	own: FoundLink,
): { others: OtherPage[]; more: number } {
	const others: OtherPage[] = [];
	let more = 0;
	let left = MAX_OTHERS_CHARACTERS;
	for (const record of sessions) {
		const found = mayShare(own, record) ? findOwnLink(record, own) : undefined;
		if (!found) continue;
		if (others.length === MAX_OTHERS || left < 0) {
			more++;
			continue;
		}
		const open = shownRequests(record.requests.filter(isOpen));
		left -= JSON.stringify(open.map(({ interaction }) => interaction)).length;
		const pending = left < 0 ? undefined : createForm(record, found.ballot, found.approver);
		if (!pending) more++;
		else if (pending.requests.some(isUnanswered)) others.push({ found, pending });
	}
	return { others, more };
}
