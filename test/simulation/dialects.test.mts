// Run Agent Session against services that fill the gaps of the API document differently, mixed and in bad weather, in simulated
// time. The service's own record says what really happened. Each of them alone, in good weather: test/slow/dialects.
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { findConflict, dialectNames } from '../../local-service/dialects/index.mts';
import { CanceledError, WorkspaceAutomationError } from '../../nodes/shared/errors.ts';
import { simulation, status, type Weather } from './simulation.mts';

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
		{ ...(status(500) as object), processed: true } as Weather,
		{ status: 200, body: '<html>Please sign in</html>' },
		{ status: 200, body: '<html>Please sign in</html>', processed: true } as Weather,
		status(302),
		{ status: 204, body: '', processed: true } as Weather,
	),
	{ maxLength: 25 },
);

test('under any mixture of dialects and faults, nothing is started, sent or decided twice, and every error has advice', async () => {
	await fc.assert(
		fc.asyncProperty(mixture, steps, course, fc.boolean(), async (names, prompt, weather, more) => {
			const service = simulation(names);
			const left = [...weather];
			service.meets('any', () => left.shift() ?? 'fine');
			const nodeContext = {};
			const attempt = async (job = {}) =>
				await service
					.run(`${prompt.join(' ')} [say Done]`, job, nodeContext)
					.catch((error: unknown) => error);
			// n8n's Retry On Fail: again with the same context
			let result = await attempt();
			if (result instanceof Error) result = await attempt();
			if (more && !(result instanceof Error)) {
				const { sessionId } = (result as { session: { sessionId: string } }).session;
				const again = { ...nodeContext };
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
			if (result instanceof Error) {
				expect(result).not.toBeInstanceOf(CanceledError);
				expect(result).toBeInstanceOf(WorkspaceAutomationError);
				expect((result as WorkspaceAutomationError).description).not.toBe('');
			}
			expect(service.problems).toEqual([]);
		}),
		{ numRuns: 150, seed: 11 },
	);
});
