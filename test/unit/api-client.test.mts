import { expect, test } from '@jest/globals';
import { createApiClient } from '../../nodes/shared/transport/apiClient.ts';
import type { Clock } from '../../nodes/shared/transport/clock.ts';
import { RateLimitGates } from '../../nodes/shared/transport/rateLimitGate.ts';
import type { WorkspaceAutomationError } from '../../nodes/shared/errors/errors.ts';
import type { ApiContext } from '../../nodes/shared/transport/types.ts';

test('a 429 that no request can wait for is met by each once, a second apart, and says for how long', async () => {
	let now = 0;
	let sent = 0;
	const clock: Clock = {
		now: () => now,
		throwIfAborted() {},
		untilAborted: async (work) => await work,
		sleep: async (ms) => void (now += ms),
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
	const { send } = await createApiClient(context, { clock, gates: new RateLimitGates(clock) });
	const request = { method: 'GET', path: '/projects' } as const;

	await expect(send(request, { deadline: 1_000 })).rejects.toThrow('too many requests');
	const error = (await send(request, { deadline: 60_000 }).catch(
		(error: unknown) => error,
	)) as WorkspaceAutomationError;

	expect(error.message).toBe('The service is receiving too many requests');
	expect(error.context.retryAfter).toBeGreaterThanOrEqual(600);
	expect([sent, now]).toEqual([2, 1_000]);
});
