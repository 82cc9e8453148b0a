// Agent sessions, step by step: the operations of the Workspace Automation node.
import { describe, expect, test } from '@jest/globals';
import { run } from './engine.mts';
import { rl, useOperations } from './operations.mts';

const { only, sent, service, session, settled, setup } = useOperations();

describe('agent sessions', () => {
	test('create', async () => {
		const created = await only('agentSession.create', {
			projectId: rl(service.projectId),
			prompt: 'Hello',
			additionalFields: { body: '{"model":"large"}' },
		});
		expect(created).toMatchObject({ sessionId: (await service.sessions())[0].sessionId });
		expect((await sent())[0].body).toEqual({
			projectId: service.projectId,
			prompt: 'Hello',
			model: 'large',
		});
	});

	test('get, simplified and raw', async () => {
		const sessionId = await session('[say Done]');
		await settled(sessionId, ({ status }) => status === 'completed');
		expect(await only('agentSession.get', { sessionId })).toMatchObject({
			sessionId,
			status: 'completed',
			text: 'Done',
		});
		expect(await only('agentSession.get', { sessionId, simplify: false })).toMatchObject({
			sessionId,
			latestMessage: { text: 'Done' },
		});
	}, 20_000);

	test('send message', async () => {
		const sessionId = await session('[say One]');
		await settled(sessionId);
		await only('agentSession.sendMessage', { sessionId, message: '[say Two]' });
		expect((await service.sessions())[0].turns).toBe(2);
	}, 20_000);

	test('abort, twice', async () => {
		const sessionId = await session('[work 10m]');
		await settled(sessionId);
		await only('agentSession.abort', { sessionId });
		await only('agentSession.abort', { sessionId });
		expect((await service.sessions())[0].aborted).toBe(true);
	}, 20_000);

	test.each([
		['approve', {}, 'once'],
		['deny', {}, 'reject'],
		['option', { optionValue: 'always' }, 'always'],
	])(
		'resolve an interaction: %s',
		async (decision, more, value) => {
			const sessionId = await session('[ask bash: x]');
			const { pendingInteractions } = await settled(
				sessionId,
				(found) => found.pendingInteractions.length > 0,
			);
			await only('agentSession.resolveInteraction', {
				sessionId,
				interactionId: pendingInteractions[0].id,
				decision,
				...more,
			});
			expect((await service.sessions())[0].interactions).toMatchObject([{ value }]);
		},
		20_000,
	);

	test('resolve an interaction of a kind that is not documented', async () => {
		const sessionId = await session('[question Which colour?]');
		const { pendingInteractions } = await settled(
			sessionId,
			(found) => found.pendingInteractions.length > 0,
		);
		const additionalFields = { body: '{"type":"question","answer":"blue"}' };
		await only('agentSession.resolveInteraction', {
			sessionId,
			interactionId: pendingInteractions[0].id,
			decision: 'option',
			additionalFields,
		});
		expect((await service.sessions())[0].interactions).toMatchObject([{ value: 'blue' }]);
	}, 20_000);

	test('an interaction whose options are not understood is not guessed at', async () => {
		const sessionId = await session('[ask bash: x {left=Left, right=Right}]');
		const { pendingInteractions } = await settled(
			sessionId,
			(found) => found.pendingInteractions.length > 0,
		);
		const { error } = await run(
			setup('agentSession.resolveInteraction', {
				sessionId,
				interactionId: pendingInteractions[0].id,
				decision: 'approve',
			}),
		);
		expect(error?.description).toMatch(/left, right/);
		expect((await sent('POST')).filter(({ path }) => path.endsWith('/resolve'))).toEqual([]);
	}, 20_000);
});
