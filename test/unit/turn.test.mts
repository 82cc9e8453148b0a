// True if a reading proves the turn of a message.
import { describe, expect, test } from '@jest/globals';
import { hasBegun, isOverdue, createTurn } from '../../nodes/RunAgentSession/session/turn.ts';
import { NEW_TURN_MS } from '../../nodes/shared/client/reconcilers.ts';
import type { Session } from '../../nodes/shared/client/session.ts';

const session = (status: string, changes: Partial<Session> = {}): Session => ({
	sessionId: 's1',
	status,
	pendingInteractions: [],
	lastActivityAt: '2026-10-05T09:00:00Z',
	...changes,
});
const said = (role: string, text: string) => ({ latestMessage: { role, text } });

describe('a message to a session that has ended', () => {
	test.each(['completed', 'failed'])(
		"%s: work or a new message that is not the user's proves the turn, lastActivityAt alone does not",
		(status) => {
			const turn = createTurn(session(status), 0);
			expect(turn).toMatchObject({ hadEnded: true, sentAt: 0 });
			expect(hasBegun(turn, session(status))).toBe(false);
			expect(hasBegun(turn, session('running'))).toBe(true);
			expect(hasBegun(turn, session(status, said('user', 'Go on')))).toBe(false);
			expect(hasBegun(turn, session(status, said('assistant', 'Done')))).toBe(true);
			expect(hasBegun(turn, session(status, { lastActivityAt: 7 }))).toBe(false);
		},
	);
});

test('a message to a session at work: only a new message proves the turn', () => {
	const turn = createTurn(session('running'), 0);
	expect(turn.hadEnded).toBe(false);
	expect(hasBegun(turn, session('running'))).toBe(false);
	expect(hasBegun(turn, session('running', said('user', 'Go on')))).toBe(false);
	expect(hasBegun(turn, session('completed'))).toBe(false);
	expect(hasBegun(turn, session('completed', said('assistant', 'Done')))).toBe(true);
});

test('a turn must show within half a minute and three polls', () => {
	const turn = { ...createTurn(session('completed'), 1_000), polls: 3 };
	expect(NEW_TURN_MS).toBe(30_000);
	expect(isOverdue(turn, 30_999)).toBe(false);
	expect(isOverdue(turn, 31_000)).toBe(true);
	expect(isOverdue({ ...turn, polls: 2 }, 31_000)).toBe(false);
});
