// What n8n saves of the trigger between two polls.
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Marks } from '../../nodes/WorkspaceAutomationTrigger/compare.ts';
import {
	hash,
	seenIn,
	shortKey,
	shortMark,
	toState,
	word,
	type Keeping,
} from '../../nodes/WorkspaceAutomationTrigger/state.ts';

const there = (marks: Marks, keeping: Keeping) => {
	const seen = new Map([['list', marks]]);
	const saved = JSON.stringify(toState({ seen }, keeping, { scope: 's', turn: 1 }));
	return { saved, back: seenIn(JSON.parse(saved), keeping, 's')!.get('list')! };
};

describe('what is saved is what comes back', () => {
	test('fingerprints', () => {
		fc.assert(
			fc.property(fc.array(fc.tuple(fc.string(), fc.string())), (texts) => {
				const marks = new Map(texts.map(([id, value]) => [shortKey(id), shortMark(value)]));
				expect([...there(marks, 'fingerprints').back]).toEqual([...marks]);
			}),
		);
	});

	test('IDs, whatever they look like', () => {
		fc.assert(
			fc.property(
				fc.oneof(fc.array(fc.uuid()), fc.array(fc.oneof(fc.uuid(), fc.string({ minLength: 1 })))),
				(ids) => {
					// An object of JSON has no own key of this name.
					const marks = new Map(ids.filter((id) => id !== '__proto__').map((id) => [id, '']));
					expect(new Map(there(marks, 'ids').back)).toEqual(marks);
				},
			),
		);
	});

	test('values', () => {
		const marks = new Map([['a', { title: 'A', nextRunAt: null }]]);
		expect([...there(marks, 'values').back]).toEqual([...marks]);
	});
});

test('10,000 files take 15 bytes each, and 20 where their IDs are needed', () => {
	const ids = Array.from({ length: 10_000 }, () => randomUUID());
	const bytes = (marks: Marks, keeping: Keeping) => Buffer.byteLength(there(marks, keeping).saved);
	const empty = bytes(new Map(), 'ids');
	const fingerprints = new Map(ids.map((id) => [shortKey(id), shortMark(id)]));
	expect(bytes(fingerprints, 'fingerprints') - empty).toBe(150_000);
	expect(bytes(new Map(ids.map((id) => [id, ''])), 'ids') - empty).toBe(200_000);
});

test('a state of something else, or of a later version, is none', () => {
	const state = toState({ seen: new Map() }, 'fingerprints', { scope: 's', turn: 1 });
	const read = (saved: object | undefined, scope = 's') =>
		seenIn(saved as never, 'fingerprints', scope);
	expect(read({ ...state })).toEqual(new Map());
	expect(read({ ...state }, 'other')).toBeUndefined();
	expect(read({ ...state, v: 2 })).toBeUndefined();
	expect(read(undefined)).toBeUndefined();
	expect(read({})).toBeUndefined();
});

test('100,000 IDs have as many short keys', () => {
	const ids = Array.from({ length: 100_000 }, (_, index) => `file-${index}`);
	expect(new Set(ids.map(shortKey)).size).toBe(ids.length);
	// Half of it as well, as that is all that a fingerprint has: chance would make one or two double.
	expect(new Set(ids.map((id) => hash(id)[0])).size).toBeGreaterThan(ids.length - 10);
});

test('a word is five characters that JSON leaves as they are', () => {
	fc.assert(
		fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), (number) => {
			expect(word(number)).toHaveLength(5);
			expect(JSON.stringify(word(number))).toHaveLength(7);
		}),
	);
});
