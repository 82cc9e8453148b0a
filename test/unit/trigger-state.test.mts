// State that n8n saves between two polls of the trigger.
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Marks } from '../../nodes/WorkspaceAutomationTrigger/compare.ts';
import {
	fingerprintMark,
	readSeen,
	toState,
} from '../../nodes/WorkspaceAutomationTrigger/state.ts';
import type { Storage } from '../../nodes/WorkspaceAutomationTrigger/events.ts';

const there = (marks: Marks, keeping: Storage) => {
	const seen = new Map([['list', marks]]);
	const saved = JSON.stringify(toState({ seen }, keeping, { scope: 's', turn: 1 }));
	return { saved, back: readSeen(JSON.parse(saved), keeping, 's')!.get('list')! };
};

describe('saved state is restored', () => {
	test('digests', () => {
		fc.assert(
			fc.property(fc.array(fc.tuple(fc.string(), fc.string())), (texts) => {
				const marks = new Map(
					texts.map(([id, value]) => [fingerprintMark('s', id), fingerprintMark('s', value)]),
				);
				expect([...there(marks, 'digests').back]).toEqual([...marks]);
			}),
		);
	});

	test('IDs, for any text', () => {
		fc.assert(
			fc.property(
				fc.oneof(fc.array(fc.uuid()), fc.array(fc.oneof(fc.uuid(), fc.string({ minLength: 1 })))),
				(ids) => {
					// An object of JSON has no own key of this name.
					const marks = new Map(ids.filter((id) => id !== '__proto__').map((id) => [id, '']));
					expect(new Map(there(marks, 'values').back)).toEqual(marks);
				},
			),
		);
	});

	test('values', () => {
		const marks = new Map([['a', '{"title":"A"}']]);
		expect([...there(marks, 'values').back]).toEqual([...marks]);
	});
});

test('10,000 files take 22 bytes each', () => {
	const ids = Array.from({ length: 10_000 }, () => randomUUID());
	const bytes = (marks: Marks, keeping: Storage) => Buffer.byteLength(there(marks, keeping).saved);
	const empty = bytes(new Map(), 'digests');
	const digests = new Map(
		ids.map((id) => [fingerprintMark('s', id), fingerprintMark('s', `${id} as it is`)]),
	);
	expect(bytes(digests, 'digests') - empty).toBe(220_000);
	expect(bytes(new Map(ids.map((id) => [id, ''])), 'values') - empty).toBe(220_000);
	expect(empty).toBeLessThan(100);
});

test('the state of another trigger or of a later version counts as none', () => {
	const state = toState({ seen: new Map() }, 'digests', { scope: 's', turn: 1 });
	const read = (saved: object | undefined, scope = 's') =>
		readSeen(saved as never, 'digests', scope);
	expect(read({ ...state })).toEqual(new Map());
	expect(read({ ...state }, 'other')).toBeUndefined();
	expect(read({ ...state, v: 1 })).toBeUndefined();
	expect(read(undefined)).toBeUndefined();
	expect(read({})).toBeUndefined();
});

test('100,000 IDs have as many marks, of 64 bits each, and other marks in another scope', () => {
	const ids = Array.from({ length: 100_000 }, (_, index) => `file-${index}`);
	const marks = ids.map((id) => fingerprintMark('one', id));
	expect(new Set(marks).size).toBe(ids.length);
	expect(Buffer.from(marks[0], 'base64url')).toHaveLength(8);
	expect(fingerprintMark('other', ids[0])).not.toBe(marks[0]);
});
