// Whether a reading shows the turn that a message began, or one that was there before.
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
	test.each(['completed', 'failed'])('%s: its turn shows in work, or in what is new', (status) => {
		const turn = createTurn(session(status), 0);
		expect(turn).toMatchObject({ wasAtRest: true, sentAt: 0 });
		expect(hasBegun(turn, session(status))).toBe(false);
		expect(hasBegun(turn, session('running'))).toBe(true);
		expect(hasBegun(turn, session(status, said('user', 'Go on')))).toBe(false);
		expect(hasBegun(turn, session(status, said('assistant', 'Done')))).toBe(true);
		expect(hasBegun(turn, session(status, { lastActivityAt: 7 }))).toBe(true);
	});
});

test('a message to a session at work: that it goes on is no turn, that something is new is', () => {
	const turn = createTurn(session('running'), 0);
	expect(turn.wasAtRest).toBe(false);
	expect(hasBegun(turn, session('running'))).toBe(false);
	expect(hasBegun(turn, session('running', said('user', 'Go on')))).toBe(false);
	expect(hasBegun(turn, session('completed'))).toBe(true);
});

test('a turn has half a minute to show', () => {
	const turn = createTurn(session('completed'), 1_000);
	expect(NEW_TURN_MS).toBe(30_000);
	expect(isOverdue(turn, 30_999)).toBe(false);
	expect(isOverdue(turn, 31_000)).toBe(true);
});
