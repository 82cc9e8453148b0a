// Changes that show late: what was done has happened, and reads do not tell yet. In simulated time.
import { afterEach, describe, expect, test } from '@jest/globals';
import { noLateness } from '../../local-service/lateness.mts';
import { findPending, speaker, startSession, valueAt, type Speaker } from './speaker.mts';

let service: Speaker;
const late = (lateness: Parameters<typeof speaker>[1]) => (service = speaker([], lateness));
afterEach(() => service.close());

const read = async (sessionId: string) =>
	(await service.call('getAgentSession', { sessionId })).body;
const firstProject = () => service.seed().projects[0].id;

test('a new session is not found by any operation for the lateness plus its usual first moments', async () => {
	late({ session: 4000 });
	await service.call('createAgentSession', {
		projectId: firstProject(),
		prompt: '[work 1m]',
	});
	const { sessionId } = (await service.control.sessions())[0];
	const statuses = async () => [
		(await service.call('getAgentSession', { sessionId })).status,
		(await service.call('abortAgentSession', { sessionId })).status,
		(await service.call('sendAgentMessage', { sessionId, text: 'x' })).status,
	];
	service.advance(4.9);
	expect(await statuses()).toEqual([404, 404, 404]);
	service.advance(1.1);
	expect(await statuses()).toEqual([200, 200, 202]);
});

test("the turn of a new message isn't visible, but it runs", async () => {
	late({ turn: 20_000 });
	const sessionId = await startSession(service, '[say one]');
	const before = await read(sessionId);
	const sent = await service.call('sendAgentMessage', { sessionId, text: '[work 5s] [say two]' });
	expect(sent.body).toEqual(before);
	expect((await service.control.sessions())[0]).toMatchObject({ turns: 2, status: 'running' });
	service.advance(19.9);
	expect(await read(sessionId)).toEqual(before);
	service.advance(0.1);
	expect(await read(sessionId)).toMatchObject({
		status: 'completed',
		latestMessage: { role: 'assistant', text: 'two' },
	});
});

test("a resolved interaction stays listed, and can't be resolved again", async () => {
	late({ resolution: 8000 });
	const sessionId = await startSession(service, '[ask bash: x] [say ok]');
	const [{ id: interactionId }] = await findPending(service, sessionId);
	const resolve = () =>
		service.call('resolveInteraction', {
			sessionId,
			interactionId,
			type: 'permission',
			option: 'once',
		});
	expect(await resolve()).toMatchObject({
		status: 200,
		body: { status: 'running', pendingInteractions: [{ id: interactionId }] },
	});
	expect((await resolve()).status).toBe(404);
	service.advance(7.9);
	expect(await findPending(service, sessionId)).toHaveLength(1);
	service.advance(0.1);
	expect(await read(sessionId)).toMatchObject({ status: 'completed', pendingInteractions: [] });
});

test('an abort is visible at once', async () => {
	late({ turn: 20_000, resolution: 20_000 });
	const sessionId = await startSession(service, '[work 1h]');
	await service.call('abortAgentSession', { sessionId });
	expect(await read(sessionId)).toMatchObject({ status: 'failed' });
});

describe('a new entry of a list', () => {
	const findNames = (list: unknown) => {
		const data = valueAt(list, 'data');
		return Array.isArray(data) ? data.map((item) => valueAt(item, 'name')) : [];
	};

	test('is not in the list yet, and exists: a file', async () => {
		late({ listed: 5000 });
		const projectId = firstProject();
		const [{ id: parentId }] = service.seed().folders.filter(({ name }) => name === 'Empty');
		const file = { projectId, parentId, kind: 'file', name: 'a.txt', type: 'text', text: 'x' };
		const { body } = await service.call('createFile', file);
		const list = async () =>
			findNames((await service.call('listFiles', { projectId, parentId })).body);
		service.advance(4.9);
		expect(await list()).toEqual([]);
		expect((await service.call('getFile', { fileId: valueAt(body, 'id') })).status).toBe(200);
		expect((await service.call('createFile', file)).status).toBe(409);
		service.advance(0.1);
		expect(await list()).toEqual(['a.txt']);
	});

	test('is not in the list yet: a product', async () => {
		late({ listed: 5000 });
		const projectId = firstProject();
		await service.call('createProduct', { projectId }, { extra: { name: 'Mug' } });
		const list = async () =>
			findNames((await service.call('listProducts', { projectId, limit: 100 })).body);
		service.advance(4.9);
		expect(await list()).not.toContain('Mug');
		service.advance(0.1);
		expect(await list()).toContain('Mug');
	});
});

test('lateness can be set while the service runs, and a reset restores the first value', async () => {
	late({ turn: 3000 });
	expect(await service.control.setLateness({ listed: 1000 })).toEqual({
		...noLateness,
		turn: 3000,
		listed: 1000,
	});
	await service.control.reset();
	expect(await service.control.setLateness({})).toEqual({ ...noLateness, turn: 3000 });
	await expect(service.control.setLateness({ turn: -1 })).rejects.toThrow('answered 400');
});

test('the lateness of a dialect can be changed', async () => {
	service = speaker(['late-changes'], { turn: 1000 });
	expect(await service.control.setLateness({})).toEqual({
		session: 3000,
		turn: 1000,
		resolution: 8000,
		listed: 5000,
	});
});
