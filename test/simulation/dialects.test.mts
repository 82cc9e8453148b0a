// Run Agent Session against services that fill the gaps of the API document differently, mixed and in bad weather, in simulated
// time. The service's own record says what really happened. Each of them alone, in good weather: test/slow/dialects.
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { findConflict, dialectNames } from '../../local-service/dialects/index.mts';
import {
	nothing,
	processed,
	simulation,
	status,
	type NodeError,
	type Saved,
	type Weather,
} from './simulation.mts';

/** Any dialects that can be spoken together */
const mixture = fc
	.subarray([...dialectNames], { maxLength: 8 })
	.map((names) => names.filter((name, index) => !findConflict([...names.slice(0, index), name])))
	.filter((names) => findConflict(names) === undefined);

const steps = fc.array(
	fc.constantFrom(
		'[work 20s]',
		'[idle 40s]',
		'[ask bash: x]',
		'[ask edit: a + bash: b]',
		'[say Halfway]',
	),
	{ maxLength: 4 },
);

const half: Weather = { status: 200, body: '{"sessionId":"x","sta' };
/** A reading that lists each request twice, or none */
const listing = (times: 0 | 2): Weather => ({
	change: ({ pendingInteractions: pending, ...body }) =>
		pending ? { ...body, pendingInteractions: [pending, pending].slice(0, times).flat() } : body,
});

/** Fault of each request in turn. After the list, there are no faults */
const course = fc.array(
	fc.constantFrom<Weather>(
		'fine',
		'fine',
		'fine',
		'lost',
		'lost-after',
		'unsent',
		status(429, '0'),
		status(429, '3'),
		status(500),
		processed(status(500)),
		{ status: 200, body: '<html>Please sign in</html>' },
		processed({ status: 200, body: '<html>Please sign in</html>' }),
		status(302),
		processed({ status: 204, body: '' }),
		half,
		processed(half),
		processed(nothing),
		listing(0),
		listing(2),
	),
	{ maxLength: 25 },
);

test('under any mixture of dialects and faults, nothing is started, sent or decided twice, what is confirmed was carried out, and every error has advice', async () => {
	await fc.assert(
		fc.asyncProperty(mixture, steps, course, fc.boolean(), async (names, prompt, weather, more) => {
			const service = simulation(names);
			const left = [...weather];
			service.meets('any', () => left.shift() ?? 'fine');
			const saved: Saved = {};
			const attempt = async (job = {}) =>
				await service
					.run(`${prompt.join(' ')} [say Done]`, job, saved)
					.catch((error: unknown) => error);
			// n8n's Retry On Fail: again with the same context
			let result = await attempt();
			if (result instanceof Error) result = await attempt();
			if (more && !(result instanceof Error)) {
				const { sessionId } = result as { sessionId: string };
				const again: Saved = {};
				const send = async () =>
					await service
						.continueWith(sessionId, '[say More]', {}, again)
						.catch((error: unknown) => error);
				result = await send();
				if (result instanceof Error) result = await send();
			}
			const sessions = service.sessions();
			expect(sessions.length).toBeLessThanOrEqual(1);
			for (const { turns, interactions } of sessions) {
				expect(turns).toBeLessThanOrEqual(2);
				const ids = interactions.map(({ id }: { id: string }) => id);
				expect(new Set(ids).size).toBe(ids.length);
			}
			const decided = sessions.flatMap(({ interactions }) =>
				interactions.flatMap(({ id, value }: any) => (value === undefined ? [] : id)),
			);
			const { decisions = [] } = result as { decisions?: any[] };
			for (const { interactionId, state } of decisions)
				if (state === 'confirmed') expect(decided).toContain(interactionId);
			if (result instanceof Error) {
				expect(result.message).not.toBe('The execution was canceled');
				expect((result as NodeError).description).toMatch(/\w/);
			}
			expect(service.problems).toEqual([]);
		}),
		{ numRuns: 60, seed: 11 },
	);
});
