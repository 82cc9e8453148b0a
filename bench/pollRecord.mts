// Reads the polls of a session from the requests that the service received.
import type { ServedRequest } from '../tools/demoService.mts';
import { MIN_POLL_MS, pollDelay } from '../nodes/RunAgentSession/session/schedule.ts';

interface PollRecord {
	/** The start, polls and decisions */
	requests: number;
	/** Polls that came sooner than the policy allows after what the answers before had shown */
	early: number;
	/** The policy's interval before the last poll, without jitter */
	lastInterval: number;
}

/** All that was sent for one session, in order */
export function getRequests(sessionId: string, requests: ServedRequest[]): ServedRequest[] {
	return requests.filter(
		({ path, answer }) =>
			path.includes(sessionId) ||
			(path.endsWith('/agent/sessions') && answer?.sessionId === sessionId),
	);
}

/** Goes through a session's requests as the policy would. */
export function readPolls([start, ...others]: ServedRequest[]): PollRecord {
	const record: PollRecord = { requests: 1 + others.length, early: 0, lastInterval: MIN_POLL_MS };
	const startedAt = Date.parse(start.at);
	let sentBefore = startedAt;
	for (const request of others) {
		const sentAt = Date.parse(request.at);
		if (request.method === 'GET') {
			const interval = pollDelay(sentBefore - startedAt, 0)!;
			if (sentAt - sentBefore < interval) record.early++;
			record.lastInterval = interval;
		}
		sentBefore = sentAt;
	}
	return record;
}
