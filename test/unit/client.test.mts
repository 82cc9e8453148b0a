import { expect, test } from '@jest/globals';
import { createClient } from '../../nodes/shared/client.ts';
import type { Clock } from '../../nodes/shared/clock.ts';
import type { Problem } from '../../nodes/shared/problem.ts';
import type { ApiContext } from '../../nodes/shared/transport.ts';

test('a 429 to one request keeps another from waiting past its own deadline: it is told for how long', async () => {
	let now = 0;
	let sent = 0;
	const clock: Clock = {
		now: () => now,
		throwIfStopped() {},
		pause: async (ms) => void (now += ms),
	};
	const context = {
		getCredentials: async () => ({
			baseUrl: 'https://api.example.com/v1',
			accessToken: 'x',
			apiVersion: '2026-10-05',
		}),
		helpers: {
			httpRequestWithAuthentication: async () => {
				sent++;
				return { statusCode: 429, headers: { 'retry-after': '600' }, body: '{}' };
			},
		},
	} as unknown as ApiContext;
	const { send } = await createClient(context, { clock });
	const request = { method: 'GET', path: '/projects' } as const;

	await expect(send(request, { deadline: 1_000 })).rejects.toThrow('too many requests');
	const problem = (await send(request, { deadline: 60_000 }).catch(
		(error: unknown) => error,
	)) as Problem;

	expect(problem.message).toBe('The service is receiving too many requests');
	expect(problem.facts.retryAfter).toBeGreaterThanOrEqual(600);
	expect([sent, now]).toEqual([1, 0]);
});
