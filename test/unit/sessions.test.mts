// A session over the API: its status object, the ID of a new one, and words for a decision.
import { describe, expect, test } from '@jest/globals';
import { IndeterminateError } from '../../nodes/shared/errors.ts';
import {
	fetchSession,
	mayHaveHappenedError,
	readNewSessionId,
	readOptionWords,
	UnreadableSessionError,
} from '../../nodes/shared/client/sessions.ts';
import { apiWith } from '../support/apiWith.mts';

const ID = '123e4567-e89b-42d3-a456-426614174000';

describe('a session', () => {
	const fetchFrom = async (body: unknown, overrides = {}) => {
		const { api, sent, clock } = await apiWith({ body }, overrides);
		const fetched = await clock.run(fetchSession(api, ID).catch((error: Error) => error));
		return { fetched, paths: sent.map(({ path }) => path) };
	};

	test('is read from its own path', async () => {
		const { fetched, paths } = await fetchFrom({ status: 'running' });
		expect(fetched).toMatchObject({ sessionId: ID, status: 'running' });
		expect(paths).toEqual([`/agent/sessions/${ID}`]);
	});

	test('is read where an override says, and at the usual places if nothing is there', async () => {
		const overrides = { getAgentSession: { answer: { session: 'result.run' } } };
		const inner = { result: { run: { status: 'failed' } }, status: 'ok' };
		expect((await fetchFrom(inner, overrides)).fetched).toMatchObject({ status: 'failed' });
		const outer = { session: { status: 'running' } };
		expect((await fetchFrom(outer, overrides)).fetched).toMatchObject({ status: 'running' });
	});

	test.each([{ result: { status: 'running' } }, {}, [], 'running'])(
		'without a status object, %j, is an error that quotes the response and names the override',
		async (body) => {
			const { fetched } = await fetchFrom(JSON.stringify(body));
			expect(fetched).toBeInstanceOf(UnreadableSessionError);
			expect(fetched).toMatchObject({
				message: 'The service answered without the status of the session',
				description: expect.stringContaining('{"getAgentSession": {"answer": {"session": '),
			});
		},
	);
});

describe('the ID of a new session', () => {
	const of = async (body: unknown, location?: unknown) => {
		const { api } = await apiWith();
		return readNewSessionId(api, { status: 202, headers: { location }, body });
	};

	test.each<[unknown, unknown, string]>([
		[{ sessionId: 42 }, undefined, '42'],
		[{ sessionId: ID.toUpperCase() }, undefined, ID],
		[{ sessionId: 'Run-A' }, undefined, 'Run-A'],
		[{ sessionId: 'a' }, '/agent/sessions/b', 'a'],
		[{ sessionId: true }, '/agent/sessions/b', 'b'],
		[{}, '/agent/sessions/b#top', 'b'],
		[{}, 'b', 'b'],
		[{}, `/agent/sessions/${ID.toUpperCase()}//`, ID],
	])('of %j with the location %j is %j', async (body, location, id) => {
		expect(await of(body, location)).toBe(id);
	});

	test.each<[unknown, unknown]>([
		[{}, undefined],
		[{}, ['/agent/sessions/b']],
		[{}, '/'],
		[{}, '?id=b'],
		[{ sessionId: '..' }, undefined],
		[{ sessionId: 'a\nb' }, undefined],
		[{ sessionId: 'x'.repeat(256) }, undefined],
	])("isn't in %j with the location %j, and the session may be running", async (body, location) => {
		const error = await of(body, location).catch((thrown: unknown) => thrown);
		expect(error).toBeInstanceOf(IndeterminateError);
		expect(error).toMatchObject({
			description: expect.stringContaining('{"createAgentSession": {"answer": {"sessionId": '),
		});
	});
});

test("a decision's words are those of the override, and none without one", async () => {
	const words = { approve: ' go, run it ,', deny: 'stop' };
	const { api } = await apiWith({}, { resolveInteraction: { words } });
	expect(readOptionWords(api, 'approve')).toEqual(['go', 'run it']);
	expect(readOptionWords(api, 'deny')).toEqual(['stop']);
	const plain = (await apiWith()).api;
	expect([readOptionWords(plain, 'approve'), readOptionWords(plain, 'deny')]).toEqual([[], []]);
});

test('a request of an earlier try, without a response, names the effect that it may have had', () => {
	const error = mayHaveHappenedError('sendAgentMessage');
	expect(error).toBeInstanceOf(IndeterminateError);
	expect(error.message).toBe('The message may have been sent');
	expect(error.description).toMatch(/What happened: an earlier try of this execution/);
});
