// A session's response: as the API document shows it, or an error that names the field.
import { describe, expect, test } from '@jest/globals';
import { hasEnded, readSession } from '../../nodes/shared/client/session.ts';
import { findShapeProblem } from '../../nodes/shared/approvals/interaction.ts';
import { MAX_REQUEST_BYTES } from '../../nodes/shared/limits.ts';
import { planDecisions, decideRequest } from '../../nodes/RunAgentSession/requests/decisions.ts';
import { applyPoll } from '../../nodes/RunAgentSession/requests/requestRecord.ts';
import { policy } from './policies.mts';
import { request, session } from './interactions.mts';

const ID = '123e4567-e89b-42d3-a456-426614174000';
const read = (body: unknown) => readSession(body, ID);
const running = (changes: object = {}) => ({ sessionId: ID, status: 'running', ...changes });
const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

test('a session as documented passes, with unknown fields, statuses and types', () => {
	const question = { id: 'i2', type: 'question', question: 'Why?' };
	const body = running({
		status: 'archived',
		pendingInteractions: [request(), question],
		title: 'Homepage',
		tokens: { used: 3 },
	});
	expect(read(body)).toMatchObject({
		sessionId: ID,
		status: 'archived',
		pendingInteractions: [request(), question],
		more: { title: 'Homepage', tokens: { used: 3 } },
	});
	expect(read(running()).pendingInteractions).toEqual([]);
});

test('completed and failed end a session, and no other status does', () => {
	const statuses = ['completed', 'failed', 'starting', 'running', 'COMPLETED', 'paused'];
	const ended = statuses.filter((status) => hasEnded(read(running({ status }))));
	expect(ended).toEqual(['completed', 'failed']);
});

test.each<[field: string, body: unknown]>([
	['response', undefined],
	['response', [running()]],
	['response', running({ metadata: nested(20) })],
	[
		'response',
		running({ pendingInteractions: [request({ metadata: { deep: nested(100_000) } })] }),
	],
	['sessionId', { status: 'running' }],
	['sessionId', running({ sessionId: '' })],
	['sessionId', running({ sessionId: 7 })],
	['sessionId', { id: ID, status: 'running' }],
	['status', { sessionId: ID }],
	['status', running({ status: '' })],
	['status', running({ status: 1 })],
	['pendingInteractions', running({ pendingInteractions: null })],
	['pendingInteractions', running({ pendingInteractions: { i1: request() } })],
	['pendingInteractions[0]', running({ pendingInteractions: ['i1'] })],
	['pendingInteractions[1]', running({ pendingInteractions: [request(), [request()]] })],
	['pendingInteractions[0].id', running({ pendingInteractions: [request({ id: 7 })] })],
	['pendingInteractions[0].id', running({ pendingInteractions: [request({ id: '' })] })],
	['pendingInteractions[1].id', running({ pendingInteractions: [request(), request()] })],
	['pendingInteractions[0].type', running({ pendingInteractions: [{ id: 'i1' }] })],
	['pendingInteractions[0].type', running({ pendingInteractions: [request({ type: ['x'] })] })],
])('an error names the field and quotes it: %s', (field, body) => {
	expect(() => read(body)).toThrow(
		expect.objectContaining({
			message: `The service's session can't be read: ${field}`,
			description: expect.stringMatching(/ has to be .+, and is: .+/),
		}),
	);
});

test('an error names both sessions if the response is about another one', () => {
	const other = '99999999-9999-4999-8999-999999999999';
	expect(() => read(running({ sessionId: other }))).toThrow(
		expect.objectContaining({ description: expect.stringContaining(other) }),
	);
	expect(read(running({ sessionId: ID.toUpperCase() })).sessionId).toBe(ID);
});

test.each<[unknown, string | undefined]>([
	['https://example.com/\ninjected', 'https://example.com/ injected'],
	[`https://example.com/${'x'.repeat(5_000)}`, `https://example.com/${'x'.repeat(1_979)}…`],
	['', undefined],
	[{ href: 'https://example.com/' }, undefined],
])('a dashboard URL is one line of at most 2,000 characters: %j', (dashboardUrl, expected) => {
	expect(read(running({ dashboardUrl })).dashboardUrl).toBe(expected);
});

const ONCE = { value: 'once', label: 'Allow once' };
const withOptions = (options: unknown) => ({ response: { options } });

describe('a permission that nobody decides here', () => {
	test.each<[field: string, changes: object]>([
		['permission', { permission: undefined }],
		['permission', { permission: 'x'.repeat(201) }],
		['patterns', { patterns: undefined }],
		['patterns', { patterns: 'git push' }],
		['patterns', { patterns: ['git push', 7] }],
		['response.options', { response: undefined }],
		['response.options', { response: undefined, options: [ONCE] }],
		['response.options', withOptions({ once: 'Allow once' })],
		['response.options', withOptions([{ value: 1, label: 'Allow once' }])],
		['response.options', withOptions([{ value: 'once' }])],
		['response.options', withOptions([ONCE, null])],
		['metadata', { metadata: null }],
		['metadata', { metadata: [] }],
	])('has another %s: %j', (field, changes) => {
		const wrong = request(changes);
		expect(findShapeProblem(wrong)).toMatch(new RegExp(`^its ${field} (?:isn't|aren't) a`));
		const records = applyPoll([], session({ pendingInteractions: [wrong] }), 1);
		for (const mode of ['approve', 'deny', 'rules'] as const) {
			const { due, undecided } = planDecisions(records, { ballots: [], answers: [] }, (each) =>
				decideRequest(each, policy({ mode })),
			);
			expect(due).toEqual([]);
			expect(undecided).toMatchObject([{ isBlocked: true, because: findShapeProblem(wrong) }]);
		}
	});

	test('is larger than 64 KiB: its ID, type and permission are left', () => {
		const large = request({ metadata: { text: 'x'.repeat(MAX_REQUEST_BYTES) } });
		const [left] = read(running({ pendingInteractions: [large] })).pendingInteractions;
		expect(Object.keys(left)).toEqual(['id', 'type', 'permission', 'n8nTooLarge']);
		expect(findShapeProblem(left)).toBe('it is too large');
		const fits = request({ metadata: { text: 'x'.repeat(MAX_REQUEST_BYTES - 300) } });
		expect(read(running({ pendingInteractions: [fits] })).pendingInteractions).toEqual([fits]);
	});
});

test('a permission as documented can be decided, with unknown fields', () => {
	expect(findShapeProblem(request())).toBeUndefined();
	expect(
		findShapeProblem(request({ metadata: { a: [1] }, cwd: '/work', scope: 7 })),
	).toBeUndefined();
});
