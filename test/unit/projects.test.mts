// The name of a session's project, for an approver: it may be missing, and nothing waits long for it.
import { describe, expect, test } from '@jest/globals';
import { findProject } from '../../nodes/RunAgentSession/session/facts.ts';
import { apiWith, type Answer } from '../support/apiWith.mts';

const ID = '123e4567-e89b-42d3-a456-426614174000';
const OTHER = '00000000-e89b-42d3-a456-426614174000';
const blog = { id: OTHER, name: 'Blog', timeZone: 'Asia/Tokyo' };

async function find(answer: Parameters<typeof apiWith>[0], overrides = {}) {
	const { api, sent, clock } = await apiWith(answer, overrides);
	clock.advance(60_000);
	return { found: await clock.run(findProject(api, ID)), requests: sent.length };
}

describe('a project is left without a name', () => {
	test.each<[string, Answer]>([
		["if the list doesn't have it", { body: { data: [blog], has_more: false } }],
		['if the key lacks the scope', { status: 403, body: {} }],
		['if the service is unavailable', { status: 503, body: {} }],
		["if the response isn't a list", { body: { data: 7 } }],
	])('%s, after one request', async (_, answer) => {
		expect(await find(answer)).toEqual({ found: {}, requests: 1 });
	});

	test('if the list is longer than five seconds', async () => {
		let pages = 0;
		const { api, clock } = await apiWith(() => {
			clock.advance(2_000);
			const data = [{ id: `p${++pages}`, name: 'P' }];
			return { body: { data, next_cursor: `${pages}` } };
		});
		expect(await clock.run(findProject(api, ID))).toEqual({});
		expect(pages).toBe(3);
	});
});
