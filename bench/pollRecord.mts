// Reads the polls of a session from the requests that the service received.
import type { ServedRequest } from '../tools/demoService.mts';
import { MIN_POLL_MS, pollDelayMs } from '../nodes/RunAgentSession/plan/plan.ts';

/** All that was sent for one session, in order */
export function getRequests(sessionId: string, requests: ServedRequest[]): ServedRequest[] {
	return requests.filter(
		({ path, answer }) =>
			path.includes(sessionId) ||
			(path.endsWith('/agent/sessions') && answer?.sessionId === sessionId),
	);
}

/** Returns the policy's interval before the last poll of a session, without jitter. */
export function getLastInterval([start, ...others]: ServedRequest[]): number {
	let lastInterval = MIN_POLL_MS;
	let sentBefore = Date.parse(start.at);
	for (const request of others) {
		if (request.method === 'GET') lastInterval = pollDelayMs(sentBefore - Date.parse(start.at), 0);
		sentBefore = Date.parse(request.at);
	}
	return lastInterval;
}
