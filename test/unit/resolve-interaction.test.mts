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

const resolve = async (...pending: object[]) =>
	await prepareResolution(
		context,
		{
			values: {
				sessionId: 's1',
				interactionId: 'i1',
				decision: 'approve',
				expectedPermission: 'bash',
				expectedPatterns: ['git push'],
			},
			extra: {},
			settings: {},
		},
		clientWith(...pending),
	);

describe('a decision about a request that an approver has seen', () => {
	test('is sent with the option of the request', async () => {
		expect(await resolve(request())).toMatchObject({ option: 'once' });
		expect(await resolve(request({ command: 'git push' }))).toMatchObject({ option: 'once' });
	});

	test('is not sent if two pending requests have its ID', async () => {
		await expect(resolve(request(), request({ patterns: ['rm -rf /'] }))).rejects.toMatchObject({
			message: 'Several pending requests have this ID',
		});
	});

	test('is not sent if the request has a command that nobody saw', async () => {
		await expect(resolve(request({ command: 'rm -rf /' }))).rejects.toMatchObject({
			message: "The pending request isn't the expected one",
		});
	});
});
