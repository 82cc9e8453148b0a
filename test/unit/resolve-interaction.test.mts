// The check of Resolve Interaction before it answers.
import { describe, expect, test } from '@jest/globals';
import type { IExecuteSingleFunctions } from 'n8n-workflow';
import { prepareResolution } from '../../nodes/WorkspaceAutomation/sessionCalls.ts';
import type { ApiClient } from '../../nodes/shared/client/operations.ts';
import { request } from './policies.mts';

const context = {
	getNode: () => ({ type: 'workspaceAutomationTool' }),
} as unknown as IExecuteSingleFunctions;

/** A client of a service that has these requests */
const clientWith = (...pendingInteractions: object[]) =>
	({
		call: async () => ({ body: { sessionId: 's1', status: 'running', pendingInteractions } }),
		readField: (_operation: string, name: string, body: Record<string, unknown>) => body[name],
		word: () => undefined,
	}) as unknown as ApiClient;

const resolveExpecting = async (expected: object, ...pending: object[]) =>
	await prepareResolution(
		context,
		{
			values: {
				sessionId: 's1',
				interactionId: 'i1',
				decision: 'approve',
				expectedPermission: 'bash',
				expectedPatterns: ['git push'],
				...expected,
			},
			extra: {},
			settings: {},
		},
		clientWith(...pending),
	);

const resolve = async (...pending: object[]) => await resolveExpecting({}, ...pending);

describe('a decision about a request that an approver has seen', () => {
	test('is sent with the option of the request', async () => {
		expect(await resolve(request())).toMatchObject({ option: 'once' });
		expect(await resolve(request({ command: 'git push' }))).toMatchObject({ option: 'once' });
	});

	test('is not sent if the request has another shape than the document shows', async () => {
		await expect(resolve(request({ metadata: 'x' }))).rejects.toMatchObject({
			message: "The request can't be answered here",
			description: expect.stringContaining("its metadata isn't an object: x"),
		});
	});

	test('is sent only with the undocumented fields that the approver saw', async () => {
		const pending = request({ reach: 'all' } as object);
		const expecting = async (expectedOtherFields: object) =>
			await resolveExpecting({ expectedOtherFields }, pending);
		expect(await expecting({ reach: 'all' })).toMatchObject({ option: 'once' });
		const message = "The pending request isn't the expected one";
		await expect(resolve(pending)).rejects.toMatchObject({ message });
		await expect(expecting({ reach: 'one' })).rejects.toMatchObject({ message });
	});

	test('is not sent if the request has a command that nobody saw', async () => {
		await expect(resolve(request({ command: 'rm -rf /' }))).rejects.toMatchObject({
			message: "The pending request isn't the expected one",
		});
	});
});
