// What a session's response says: documented, in other places, or in a form that nobody expects.
import { describe, expect, test } from '@jest/globals';
import {
	fingerprintContent,
	hasEnded,
	isBlank,
	NOT_A_LIST,
	readInteractions,
	readSession,
} from '../../nodes/shared/client/session.ts';

const ID = '123e4567-e89b-42d3-a456-426614174000';
const ASKED = { id: 'i1', type: 'permission', permission: 'bash', patterns: ['npm test'] };
const LATER = { ...ASKED, id: 'i2' };
const deep = JSON.parse('['.repeat(200) + ']'.repeat(200)) as unknown;
const readStatus = (body: unknown) => readSession(body, ID)?.status;
const readIds = (body: unknown) => readSession(body, ID)?.pendingInteractions.map(({ id }) => id);

describe('the status', () => {
	test.each<[unknown, string]>([
		[{ status: 'running' }, 'running'],
		[{ status: 'ok', session: { status: 'completed' } }, 'completed'],
		[{ status: 'ok', data: { status: 'FAILED' } }, 'failed'],
		[{ status: 'running', data: { status: 'completed' } }, 'running'],
		[{ status: 'Paused' }, 'Paused'],
		[{ status: 'ok', session: { status: 'Paused' } }, 'ok'],
		[{ status: '' }, ''],
	])('of %j is %j', (body, status) => expect(readStatus(body)).toBe(status));

	test.each<[unknown]>([
		[undefined],
		[{}],
		[{ status: { status: 'running' } }],
		[{ session: 'running', data: null }],
		[{ result: { status: 'running' } }],
	])("isn't in %j", (body) => expect(readSession(body, ID)).toBeUndefined());

	test('completed and failed end a session, and no other does', () => {
		const statuses = ['completed', 'failed', 'starting', 'running', 'paused', ''];
		const ended = statuses.filter((status) =>
			hasEnded({ sessionId: ID, status, pendingInteractions: [] }),
		);
		expect(ended).toEqual(['completed', 'failed']);
	});
});

describe('nothing is', () => {
	test.each<[unknown]>([
		[undefined],
		[false],
		[[null, '', {}]],
		[{ items: [], next: null }],
		[{ a: { b: [{}] } }],
	])('%j, and nothing waits', (value) => {
		expect(isBlank(value)).toBe(true);
		expect(readInteractions(value)).toEqual([]);
	});
});

describe('pending requests', () => {
	test.each<[unknown]>([['yes'], [true], [3], [{ i1: ASKED }], [{ data: [ASKED] }]])(
		'in %j, which is no list, are one unknown request that shows it',
		(value) => {
			const unknown = { id: '', type: NOT_A_LIST, pendingInteractions: value };
			expect(readInteractions(value)).toEqual([unknown]);
		},
	);

	test.each<[unknown, unknown]>([
		[ASKED, ASKED],
		[
			{ id: 7, type: 'question' },
			{ id: '7', type: 'question' },
		],
		[
			{ id: ['i1'], type: ['question'] },
			{ id: '', type: '' },
		],
		[
			{ id: 'i1', more: [1] },
			{ id: 'i1', type: '', more: [1] },
		],
		[['i1'], { id: '', type: '', interaction: ['i1'] }],
	])('%j becomes %j', (entry, expected) => {
		expect(readInteractions([LATER, entry])).toEqual([LATER, expected]);
	});

	test('that are nested too deeply are kept without their content', () => {
		for (const entry of [deep, { ...ASKED, metadata: deep }])
			expect(readInteractions([entry, LATER])).toEqual([
				{ id: '', type: 'interaction that is nested too deeply' },
				LATER,
			]);
		expect(readInteractions(deep)).toHaveLength(1);
		const unknown = readInteractions({ deep })[0];
		expect(unknown).toEqual({
			id: '',
			type: NOT_A_LIST,
			pendingInteractions: 'JSON that is nested too deeply',
		});
	});

	test('with the same ID and another content both count', () => {
		const other = { ...ASKED, patterns: ['rm -rf /'] };
		expect(readInteractions([ASKED, other])).toEqual([ASKED, other]);
	});

	test('without an ID all count, even if they look the same', () => {
		const unnamed = { ...ASKED, id: '' };
		expect(readInteractions([unnamed, unnamed])).toEqual([unnamed, unnamed]);
		expect(readInteractions(['x', 'x'])).toHaveLength(2);
	});

	test.each<[unknown]>([
		[{ pendingInteractions: [ASKED], data: { status: 'running', pendingInteractions: [] } }],
		[{ status: 'running', session: { pendingInteractions: [ASKED] } }],
		[{ status: 'running', pendingInteractions: null, data: { pendingInteractions: [ASKED] } }],
		[{ session: { status: 'running', data: { pendingInteractions: [ASKED] } } }],
		[{ data: { status: 'running', session: { pendingInteractions: [ASKED] } } }],
	])('are found in or around the status object: %j', (body) => {
		expect(readIds(body)).toEqual(['i1']);
	});
});

test('contents are the same in any order of keys, and a content too deep to read equals none', () => {
	expect(fingerprintContent({ a: 1, b: { c: 2, d: 3 } })).toBe(
		fingerprintContent({ b: { d: 3, c: 2 }, a: 1 }),
	);
	expect(fingerprintContent({ a: [1, 2] })).not.toBe(fingerprintContent({ a: [2, 1] }));
	expect(fingerprintContent(deep)).toBeUndefined();
});

describe('a field in a form that nobody expects', () => {
	test.each<[unknown, string | undefined]>([
		['https://example.com/\ninjected', 'https://example.com/ injected'],
		[`https://example.com/${'x'.repeat(5_000)}`, `https://example.com/${'x'.repeat(1_979)}…`],
		['', undefined],
		[{ href: 'https://example.com/' }, undefined],
	])('a dashboard URL is one line of at most 2,000 characters: %j', (dashboardUrl, expected) => {
		expect(readSession({ status: 'running', dashboardUrl }, ID)?.dashboardUrl).toBe(expected);
	});

	test("the document doesn't list is kept, unless it is nested too deeply", () => {
		const more = { title: 'Homepage', tokens: { used: 3 }, nothing: null };
		expect(readSession({ status: 'running', ...more, deep }, ID)?.more).toEqual(more);
		expect(readSession({ status: 'running', deep }, ID)?.more).toBeUndefined();
	});
});
