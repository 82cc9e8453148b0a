// Changes that show late: what was done has happened, and reads do not tell yet. In simulated time.
import { afterEach, describe, expect, test } from '@jest/globals';
import { speaker, startSession, valueAt, type Speaker } from './speaker.mts';

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
});
