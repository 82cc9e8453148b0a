// What a reading says of a session's activity.
import { expect, test } from '@jest/globals';
import { readActivity } from '../../nodes/RunAgentSession/requests/quietRequest.ts';

const at = (ms: number) => new Date(ms).toISOString();

test.each([
	['at its own time', 15_000, 15_000],
	['at the reading before, if its own time is earlier', 5_000, 10_000],
	['at the reading, if its own time is later', 25_000, 20_000],
])('a change counts %s', (_, changedAt, since) => {
	const session = {
		sessionId: 's',
		status: 'running',
		pendingInteractions: [],
		lastActivityAt: at(changedAt),
	};
	expect(readActivity({ since: 1_000 }, session, 10_000, 20_000)).toMatchObject({ since });
});
