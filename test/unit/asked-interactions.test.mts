import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readRequestsShown } from '../../nodes/RunAgentSession/panel/readSettings.ts';
import {
	differences,
	findMismatch,
	addOrigin,
} from '../../nodes/RunAgentSession/requests/answer.ts';

const sameRequest = (one: unknown, other: unknown) =>
	differences(one as typeof asked, other as typeof asked).length === 0;

const asked = {
	id: 'i1',
	type: 'permission',
	permission: 'bash',
	patterns: ['git push', 'git tag'],
	metadata: { tool: 'bash' },
	response: {
		type: 'choice',
		options: [
			{ value: 'once', label: 'Allow once' },
			{ value: 'reject', label: 'Reject' },
		],
		instruction: 'Push?',
	},
};
const [once, reject] = asked.response.options;

describe('a pending interaction is the asked one', () => {
	test.each<[string, object]>([
		['only the order of keys changed', { patterns: asked.patterns, permission: 'bash', id: 'i1' }],
		[
			'only the order of keys of an option changed',
			{
				response: { ...asked.response, options: [{ label: 'Allow once', value: 'once' }, reject] },
			},
		],
		['it has our origin beside it', { n8nOrigin: { sessionId: 's' } }],
	])('when %s', (_, changes) => expect(sameRequest({ ...asked, ...changes }, asked)).toBe(true));

	test.each<[string, unknown]>([
		['a pattern', { ...asked, patterns: ['git push', 'git tag -d'] }],
		['the order of patterns', { ...asked, patterns: ['git tag', 'git push'] }],
		['the type of its patterns', { ...asked, patterns: 'git push,git tag' }],
		['the order of options', { ...asked, response: { options: [reject, once] } }],
		['the type of a value', { ...asked, response: { options: [{ ...once, value: 1 }, reject] } }],
		['what an option holds', { ...asked, response: { options: [{ ...once, x: 1 }, reject] } }],
		['its metadata', { ...asked, metadata: { tool: 'bash', command: 'rm' } }],
		['what the document does not name', { ...asked, command: 'rm' }],
		['a field named like one of ours was', { ...asked, about: { sessionId: 's' } }],
	])('not when this changed: %s', (_, pending) => {
		expect(sameRequest(asked, pending)).toBe(false);
	});

	test('if its JSON is equal, for any JSON', () => {
		fc.assert(
			fc.property(fc.jsonValue(), fc.jsonValue(), (patterns, others) => {
				const [a, b] = [patterns, others].map((each) => ({ ...asked, patterns: each }));
				const copy = JSON.parse(JSON.stringify(a)) as unknown;
				expect(sameRequest(a, copy)).toBe(true);
				expect(sameRequest(a, b)).toBe(JSON.stringify(patterns) === JSON.stringify(others));
			}),
		);
	});

	test('not when it is nested too deeply to compare', () => {
		const deep = () => JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)) as unknown;
		expect(sameRequest({ ...asked, patterns: deep() }, { ...asked, patterns: deep() })).toBe(false);
	});
});

describe("'Requests Shown' is an error", () => {
	test.each([undefined, null, '', '  ', [], '[]', {}, [{}]])('that is empty: %j', (value) => {
		expect(() => readRequestsShown(value)).toThrow(
			expect.objectContaining({
				message: "'Requests Shown' is empty",
				description: expect.stringMatching(/Drag pendingInteractions of the item on To Approve/),
			}),
		);
	});

	test.each<[unknown, string]>([
		['i1', "'Requests Shown' isn't a list of requests"],
		['[{"id":', "'Requests Shown' isn't a list of requests"],
		[true, "'Requests Shown' isn't a list of requests"],
		[[asked, null], "Request 2 of 'Requests Shown' is not an object"],
		[[{ ...asked, id: '' }], "Request 1 of 'Requests Shown' has no id"],
		[{ sessionId: 'x', pendingInteractions: [asked] }, "Request 1 of 'Requests Shown' has no id"],
	])('of another type: %j', (value, message) => {
		expect(() => readRequestsShown(value)).toThrow(
			expect.objectContaining({
				message,
				description: expect.stringMatching(/Drag pendingInteractions/),
			}),
		);
	});
});

describe('fields of the service that are named like ours', () => {
	const own = { about: 'x', n8nOrigin: { sessionId: 's9' }, question: 'y', content: 'z' };
	const pending = { ...asked, ...own };
	const shown = addOrigin([pending], { sessionId: 's1' });

	test('keep no answer from the request', () => {
		expect(findMismatch({ asked: shown, sessionId: 's1' }, pending)).toBeUndefined();
		const copied = readRequestsShown(JSON.stringify(shown));
		expect(findMismatch({ asked: copied, sessionId: 's1' }, pending)).toBeUndefined();
	});

	test.each(Object.keys(own))('are part of the request: %s', (name) => {
		const changed = { ...pending, [name]: 'changed' };
		expect(findMismatch({ asked: shown, sessionId: 's1' }, changed)).toBe(
			"it isn't the request shown: its content changed",
		);
	});
});

describe('an answer', () => {
	const shown = addOrigin([asked], { sessionId: 's1' });
	test.each<[string, typeof shown, string, object, string | undefined]>([
		['is for what was asked', shown, 's1', {}, undefined],
		['is for no other request', shown, 's1', { id: 'i2' }, "it wasn't among the requests shown"],
		['is for no other session', shown, 's2', {}, 'the request shown was for another session'],
		[
			'of an older version is for no session',
			[asked],
			's1',
			{},
			"the request shown doesn't say for which session",
		],
		[
			'is for nothing that changed',
			shown,
			's1',
			{ metadata: {} },
			"it isn't the request shown: its metadata changed",
		],
		[
			'is for neither of two with one ID',
			[...shown, { ...shown[0], patterns: [] }],
			's1',
			{},
			'two of the requests shown have its ID',
		],
		['is for one that is listed twice', [...shown, ...shown], 's1', {}, undefined],
	])('%s', (_, list, sessionId, changes, because) => {
		expect(findMismatch({ asked: list, sessionId }, { ...asked, ...changes })).toBe(because);
	});
});
