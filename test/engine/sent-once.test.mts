// Non-idempotent requests after lost responses, and when n8n retries a node.
import { describe, expect, test } from '@jest/globals';
import { run, type Setup } from './engine.mts';
import { rl, useOperations } from './operations.mts';

const { fault, only, sent, service, session, settled, setup } = useOperations();

describe('non-idempotent requests', () => {
	const product = { projectId: '', fields: '{"name":"Only once"}' };
	const products = async () => (await service.control.seed()).products.length as number;

	test('a product that may have been created is reported, not repeated', async () => {
		const before = await products();
		await fault({ operationId: 'createProduct', kind: 'reset-after' });
		const { error } = await run(
			setup('product.create', { ...product, projectId: rl(service.projectId) }),
		);
		expect(error?.message).toBe('The product may have been created');
		expect(await products()).toBe(before + 1);
	});

	test('a message with a lost response is not repeated if the session has changed', async () => {
		const sessionId = await session('[say One]');
		await settled(sessionId, ({ status }) => status === 'completed');
		await fault({ operationId: 'sendAgentMessage', kind: 'reset-after' });
		await only('agentSession.sendMessage', { sessionId, message: '[say Two]' });
		expect((await service.sessions())[0].turns).toBe(2);
	});
});

describe('a retried node', () => {
	const again = { settings: { retryOnFail: true, maxTries: 2, waitBetweenTries: 10 } };
	const items = [{ prompt: '[say One]' }, { prompt: '[say Two]' }];
	const create = (more: Partial<Setup>) =>
		setup(
			'agentSession.create',
			{
				projectId: rl(service.projectId),
				prompt: '={{ $json.prompt }}',
				options: { maxConcurrentRequests: 1 },
			},
			{ items, ...more },
		);

	test("doesn't start a second session for a successful item", async () => {
		await fault({ operationId: 'createAgentSession', kind: 'status', status: 403, after: 1 });
		const { outputs } = await run(create(again));
		const sessions = await service.sessions();
		expect(sessions.map(({ prompt }) => prompt)).toEqual(['[say One]', '[say Two]']);
		expect(outputs[0].map(({ json }) => json.sessionId)).toEqual(
			sessions.map(({ sessionId }) => sessionId),
		);
	});

	test("starts no session for an item whose start may have happened, and a retry of the execution doesn't either", async () => {
		await fault({ operationId: 'createAgentSession', kind: 'reset-after' });
		const failed = await run(create(again));
		expect(failed.error?.message).toBe('The session may have been started');
		const retried = await run(create({ retryOf: failed }));
		expect(retried.error?.message).toBe('The session may have been started');
		expect((await service.sessions()).map(({ prompt }) => prompt)).toEqual([
			'[say One]',
			'[say Two]',
		]);
	});

	test('retries a refused request', async () => {
		await fault({ operationId: 'createProduct', kind: 'status', status: 403 });
		await only(
			'product.create',
			{ projectId: rl(service.projectId), fields: '{"name":"x"}' },
			again,
		);
		expect((await sent('POST')).map(({ status }) => status)).toEqual([403, 201]);
	});
});
