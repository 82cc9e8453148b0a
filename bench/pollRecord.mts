// What the node made of a session, read from the requests that the service received.
import type { ServedRequest } from '../tools/demoService.mts';
import { nextInterval, type PollLimits } from './pollPlan.mts';

export interface PollRecord {
	/** The start, polls and decisions */
	requests: number;
	/** Polls that came sooner than the policy allows after what the answers before had shown */
	early: number;
	/** What the policy said before the last poll, without jitter */
	lastInterval: number;
}

/** All that was sent for one session, in order */
export function requestsOf(sessionId: string, requests: ServedRequest[]): ServedRequest[] {
	return requests.filter(
		({ path, answer }) =>
			path.includes(sessionId) ||
			(path.endsWith('/agent/sessions') && answer?.sessionId === sessionId),
	);
}

/** Goes through a session's requests as the policy would. */
export function readPolls([start, ...others]: ServedRequest[], limits: PollLimits): PollRecord {
	const record: PollRecord = { requests: 1 + others.length, early: 0, lastInterval: limits.pollMs };
	let interval = limits.pollMs;
	let sentBefore = Date.parse(start.at);
	let seenBefore: string | undefined;
	others.forEach((request, index) => {
		const sentAt = Date.parse(request.at);
		if (request.method === 'GET') {
			if (sentAt - sentBefore < interval) record.early++;
			record.lastInterval = interval;
		}
		sentBefore = sentAt;
		// The answer to a decision shows the session as well: what counts is the last thing seen before the wait.
		if (others[index + 1]?.method === 'POST') return;
		const seen = news(request.answer);
		interval = nextInterval(interval, seen !== seenBefore, limits);
		seenBefore = seen;
	});
	return record;
}

/** By what the node tells that something changed */
const news = ({ status, lastActivityAt, latestMessage, pendingInteractions }: any) =>
	JSON.stringify([
		status,
		lastActivityAt,
		latestMessage?.createdAt,
		pendingInteractions.map(({ id }: { id: string }) => id),
	]);
