// Proof that a message with a lost response arrived: a new turn, or the message itself.
import { describe, expect, test } from '@jest/globals';
import { messageReconciler } from '../../nodes/shared/client/reconcilers.ts';
import type { Session } from '../../nodes/shared/client/session.ts';
import { apiWith } from '../support/apiWith.mts';

const ID = '123e4567-e89b-42d3-a456-426614174000';
const TEXT = 'Carry on';
const at = (second: number) => new Date(Date.UTC(2026, 9, 5, 9, 0, second)).toISOString();
const before: Session = {
	sessionId: ID,
	status: 'completed',
	pendingInteractions: [],
	latestMessage: { role: 'assistant', text: 'Done', createdAt: at(10) },
	lastActivityAt: at(10),
};
const atWork: Session = { ...before, status: 'running' };

async function reconcile(earlier: Session, now: Partial<Session>) {
	const { api, clock } = await apiWith({ body: { ...earlier, ...now } });
	return await clock.run(messageReconciler(api, earlier, TEXT)());
}

describe('a message arrived', () => {
	test.each<[string, Session, Partial<Session>]>([
		['if a session at rest is at work', before, { status: 'running', lastActivityAt: at(12) }],
		[
			'if the agent says something new',
			before,
			{ latestMessage: { role: 'assistant', text: 'Again', createdAt: at(20) } },
		],
		['if it is the latest message', before, { latestMessage: { role: 'user', text: TEXT } }],
		['even of a session at work', atWork, { latestMessage: { role: 'user', text: TEXT } }],
	])('%s', async (_, earlier, now) => {
		expect(await reconcile(earlier, now)).toMatchObject({ status: 200 });
	});
});

test('a turn that appears in the last of the 30 seconds is found, even if each poll takes a moment', async () => {
	const { api, clock } = await apiWith(() => {
		clock.advance(200);
		return { body: clock.now() - start > 29_000 ? atWork : before };
	});
	const start = clock.now();
	expect(await clock.run(messageReconciler(api, before, TEXT)())).toMatchObject({ status: 200 });
});

test('a poll follows one that the service refused', async () => {
	const { api, clock } = await apiWith([{ status: 409, body: {} }, { body: atWork }]);
	expect(await clock.run(messageReconciler(api, before, TEXT)())).toMatchObject({ status: 200 });
});

describe('no proof exists', () => {
	test.each<[string, Session, Partial<Session>]>([
		['by the same session', before, {}],
		['by lastActivityAt alone', before, { lastActivityAt: at(30) }],
		['by the message of somebody else', before, { latestMessage: { role: 'user', text: 'Hi' } }],
		[
			'by the same text that was there before',
			{ ...before, latestMessage: { role: 'user', text: TEXT } },
			{ lastActivityAt: at(30) },
		],
		[
			'by what a session at work says',
			atWork,
			{ latestMessage: { role: 'assistant', text: 'Step 2', createdAt: at(20) } },
		],
	])('%s', async (_, earlier, now) => {
		expect(await reconcile(earlier, now)).toBe('unknown');
	});
});

test('an abort after Stop that was refused after a lost response is still checked', async () => {
	const sessionId = '123e4567-e89b-12d3-a456-426614174000';
	const session = { sessionId, status: 'failed', pendingInteractions: [] };
	const answers = [{ code: 'ECONNRESET' }, { status: 409, body: {} }, { body: session }];
	const { api, clock } = await apiWith(answers, {}, undefined, AbortSignal.abort());
	const aborting = api.call('abortAgentSession', { sessionId }, { ignoreCancel: true });
	expect(await clock.run(aborting)).toMatchObject({ body: session });
});
