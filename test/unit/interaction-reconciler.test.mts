// Proof that a decision with a lost response arrived: the session no longer lists the request.
import { expect, test } from '@jest/globals';
import { RECONCILERS } from '../../nodes/shared/client/reconcilers.ts';
import { apiWith, type Answer } from '../support/apiWith.mts';

const ID = '123e4567-e89b-42d3-a456-426614174000';
const pending = (...ids: string[]) => ({
	status: 'running',
	pendingInteractions: ids.map((id) => ({ id, type: 'permission' })),
});
const decision = { sessionId: ID, interactionId: '7', type: 'permission', option: 'once' };

async function reconcile(answer: Answer[] | (() => Answer)) {
	const { api, sent, clock } = await apiWith(answer);
	const check = await RECONCILERS.interaction(api, decision, {});
	const result = await clock.run(check());
	return { result, requests: sent.length, paths: new Set(sent.map(({ path }) => path)), clock };
}

test.each<[string, string[]]>([
	['nothing waits', []],
	['only others wait', ['8', '77']],
])('a decision arrived if %s', async (_, ids) => {
	const { result, requests, paths } = await reconcile([{ body: pending(...ids) }]);
	expect(result).toMatchObject({ status: 200, body: { sessionId: ID, status: 'running' } });
	expect([requests, [...paths]]).toEqual([1, [`/agent/sessions/${ID}`]]);
});

test('a decision arrived if the request disappears within ten seconds', async () => {
	const { result } = await reconcile([
		{ body: pending('7', '8') },
		{ body: pending('8', '7') },
		{ body: pending('8') },
	]);
	expect(result).toMatchObject({ status: 200 });
});

test.each<[string[]]>([[['7']], [['7', '8']], [['8', '7']]])(
	'a decision had no effect if the session still lists the request after ten seconds: %j',
	async (ids) => {
		const { result, clock } = await reconcile([{ body: pending(...ids) }]);
		expect([result, clock.now()]).toEqual(['notApplied', 10_000]);
	},
);

test('a decision is sent again only if the session still lists the request', async () => {
	for (const isListed of [true, false]) {
		let decisions = 0;
		const { api, clock } = await apiWith(({ method }) => {
			if (method === 'GET') return { body: pending(...(isListed ? ['7'] : [])) };
			return decisions++ === 0 ? { code: 'ECONNRESET' } : { body: {} };
		});
		expect(await clock.run(api.call('resolveInteraction', decision))).toMatchObject({
			status: 200,
		});
		expect(decisions).toBe(isListed ? 2 : 1);
	}
});
