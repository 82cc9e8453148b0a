// What a node remembers of its items, so that nothing is done twice.
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
	fingerprintRequest,
	openRecord,
	oncePerItem,
	findRecord,
} from '../../nodes/shared/n8n/journal.ts';

const place = (itemIndex: number, runIndex = 0) => `${runIndex}.${itemIndex}`;

test('a fingerprint looks at every character of a text, however long', () => {
	fc.assert(
		fc.property(fc.nat(99_999), (at) => {
			const text = 'a'.repeat(100_000);
			const edited = `${text.slice(0, at)}b${text.slice(at + 1)}`;
			const [one, other] = [text, edited].map((prompt) => fingerprintRequest('start', { prompt }));
			expect(other).not.toBe(one);
			expect(other.length).toBe(one.length);
		}),
		{ numRuns: 50 },
	);
});

test('a record serves the same request only, and its item only', () => {
	const context = {};
	openRecord<string>(context, 'shelf', place(0), 'one').write('value');
	expect(openRecord(context, 'shelf', place(0), 'one').read()).toBe('value');
	expect(openRecord(context, 'shelf', place(0), 'other').read()).toBeUndefined();
	expect(openRecord(context, 'shelf', place(1), 'one').read()).toBeUndefined();
	expect(openRecord(context, 'shelf', place(0, 1), 'one').read()).toBeUndefined();
});

test('a record is found in a later run, whatever is asked for then, and stays one', () => {
	const context = {};
	openRecord<string>(context, 'shelf', place(3), 'one').write('value');
	const found = findRecord<string>(context, 'shelf', (value) => value === 'value')!;
	found.write('changed');
	expect(openRecord(context, 'shelf', place(3), 'one').read()).toBe('changed');
	expect(findRecord<string>(context, 'shelf', (value) => value === 'value')).toBeUndefined();
});

test('what is done once is done, whatever becomes of what follows it', async () => {
	const nodeContext = {};
	const context = {
		getItemIndex: () => 0,
		getWorkflowDataProxy: () => ({ $runIndex: 0 }),
		getContext: () => nodeContext,
	} as unknown as Parameters<typeof oncePerItem>[0];
	let done = 0;
	const once = async () =>
		await oncePerItem(
			context,
			'request',
			async () => ++done,
			() => new Error('interrupted'),
		);
	const withMore = async () => await once().then(() => Promise.reject(new Error('later')));
	await expect(withMore()).rejects.toThrow('later');
	expect(await once()).toBe(1);
	expect(done).toBe(1);
});
