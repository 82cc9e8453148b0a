import { beforeEach, describe, expect, test } from '@jest/globals';
import { getError, unknownId, useService, type Json } from './support.mts';

const { api, seed, advance } = useService();
let projectId: string;
beforeEach(async () => {
	projectId = (await seed()).projects[0].id;
});

const start = (prompt: string) =>
	api<Json>('POST', '/agent/sessions', { body: { projectId, prompt } });
const read = (sessionId: string, token?: string) =>
	api<Json>('GET', `/agent/sessions/${sessionId}`, { token });
const resolve = (sessionId: string, interactionId: string, body: unknown) =>
	api<Json>('POST', `/agent/sessions/${sessionId}/interactions/${interactionId}/resolve`, {
		body,
	});
const abort = (sessionId: string) => api<Json>('POST', `/agent/sessions/${sessionId}/abort`);
/** A session whose agent has been at work for a while */
async function started(prompt: string, seconds = 10): Promise<string> {
	const { body } = await start(prompt);
	advance(seconds);
	return body.sessionId;
}

test('starting a session responds at once, and each call starts another session', async () => {
	const [first, second] = [await start('x'), await start('x')];
	expect(first.status).toBe(202);
	expect(first.body).toEqual({
		sessionId: expect.any(String),
		status: 'starting',
		dashboardUrl: expect.stringContaining(first.body.sessionId),
	});
	expect(second.body.sessionId).not.toBe(first.body.sessionId);
});

test('a new session is not found for its first second at least, and found after two', async () => {
	const { sessionId } = (await start('[work 1m]')).body;
	advance(0.999);
	expect(getError(await read(sessionId))).toEqual([404, 'not_found']);
	expect(getError(await abort(sessionId))).toEqual([404, 'not_found']);
	advance(1.001);
	expect((await read(sessionId)).body).toMatchObject({
		sessionId,
		status: 'starting',
		pendingInteractions: [],
	});
	advance(1);
	expect((await read(sessionId)).body.status).toBe('running');
});

describe('resolving', () => {
	test('accepts an offered value and no other', async () => {
		const sessionId = await started('[ask bash: x {yes=Yes please, no=No}] [say ok]');
		const [{ id, response }] = (await read(sessionId)).body.pendingInteractions!;
		expect(response).toHaveProperty('options', [
			{ value: 'yes', label: 'Yes please' },
			{ value: 'no', label: 'No' },
		]);
		for (const body of [
			{ type: 'permission', response: 'once' },
			{ type: 'permission' },
			{ type: 'question', response: 'yes' },
			{},
		]) {
			expect(getError(await resolve(sessionId, id, body))).toEqual([400, 'invalid_request']);
		}
		expect(
			(await resolve(sessionId, id, { type: 'permission', response: 'yes' })).body.status,
		).toBe('completed');
	});

	test('an interaction that is already resolved, or never existed, is not found', async () => {
		const sessionId = await started('[ask bash: x] [work 1m]');
		const [{ id }] = (await read(sessionId)).body.pendingInteractions!;
		const body = { type: 'permission', response: 'once' };
		expect((await resolve(sessionId, id, body)).status).toBe(200);
		expect(getError(await resolve(sessionId, id, body))).toEqual([404, 'not_found']);
		expect(getError(await resolve(sessionId, unknownId, body))).toEqual([404, 'not_found']);
	});
});

describe('aborting', () => {
	test('fails the session, and a second abort changes nothing', async () => {
		const sessionId = await started('[ask bash: x]');
		const first = await abort(sessionId);
		expect(first).toMatchObject({
			status: 200,
			body: { status: 'failed', error: 'The session was aborted.', pendingInteractions: [] },
		});
		advance(5);
		expect((await abort(sessionId)).body).toEqual(first.body);
	});
});
