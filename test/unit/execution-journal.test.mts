// The journal: what a node records about its items, so that nothing is done twice.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
	CanceledError,
	IndeterminateError,
	WorkspaceAutomationError,
} from '../../nodes/shared/errors.ts';
import {
	acceptRecord,
	findRecord,
	fingerprintRequest,
	oncePerItem,
	openRecord,
	withIntent,
} from '../../nodes/shared/n8n/journal.ts';

/** A run of the node: in another execution the context is a copy, as after n8n's Retry */
const createContext = (
	nodeContext: object,
	{ execution = '1', parameters = { prompt: '={{ $now }}' } as object, input = {} as object } = {},
) =>
	({
		getItemIndex: () => 0,
		getWorkflowDataProxy: () => ({ $runIndex: 0 }),
		getContext: () => nodeContext,
		getExecutionId: () => execution,
		getNode: () => ({ parameters }),
		getInputData: () => ({ json: input }),
	}) as unknown as Parameters<typeof oncePerItem>[0];

test('a fingerprint covers every character of a text of any length', () => {
	fc.assert(
		fc.property(fc.nat(99_999), (at) => {
			const text = 'a'.repeat(100_000);
			const edited = `${text.slice(0, at)}b${text.slice(at + 1)}`;
			const [one, other] = [text, edited].map((prompt) => fingerprintRequest({ prompt }, {}));
			expect(other).not.toBe(one);
			expect(other.length).toBe(one.length);
		}),
		{ numRuns: 50 },
	);
});

test('a record belongs to its item of its run', () => {
	const context = {};
	openRecord<string>(context, 'records', '0.0').write('value');
	expect(openRecord(context, 'records', '0.0').read()).toBe('value');
	expect(openRecord(context, 'records', '0.1').read()).toBeUndefined();
	expect(openRecord(context, 'records', '1.0').read()).toBeUndefined();
	expect(openRecord(context, 'other', '0.0').read()).toBeUndefined();
});

test('a cleared record is deleted, and the journal counts the clearings', () => {
	const journal = openRecord<string>({}, 'records', '0.0');
	journal.write('value');
	journal.clear();
	expect([journal.read(), journal.clearedCount]).toEqual([undefined, 1]);
	journal.write('again');
	journal.clear();
	expect(journal.clearedCount).toBe(2);
});

test('a record is found in a later run by its content', () => {
	const context = {};
	openRecord<string>(context, 'records', '0.3').write('value');
	const found = findRecord<string>(context, 'records', (value) => value === 'value')!;
	found.write('changed');
	expect(openRecord(context, 'records', '0.3').read()).toBe('changed');
	expect(findRecord<string>(context, 'records', (value) => value === 'value')).toBeUndefined();
});

describe('withIntent', () => {
	interface Step {
		intent?: 'requested';
		result?: number;
	}
	const attempt = async (work: () => Promise<number>, before?: Step) => {
		const journal = openRecord<Step>({}, 'records', '0.0');
		if (before) journal.write(before);
		let during: Step | undefined;
		const result = await withIntent(journal, { intent: 'requested' }, async () => {
			during = journal.read();
			return await work();
		}).catch((error: unknown) => error);
		return { during, after: journal.read(), result };
	};

	test('records the intent before the request, and keeps it after the request', async () => {
		const { during, after, result } = await attempt(async () => 7);
		expect([during, after, result]).toEqual([{ intent: 'requested' }, { intent: 'requested' }, 7]);
	});

	test.each([
		['a rejection', new WorkspaceAutomationError('Refused', '')],
		['Stop before the request was sent', new CanceledError(false)],
	])('removes the intent after %s, and nothing else', async (_, error) => {
		const fail = async () => await Promise.reject(error);
		expect((await attempt(fail)).after).toBeUndefined();
		expect((await attempt(fail, { result: 1 })).after).toEqual({ result: 1, intent: undefined });
	});

	test.each([
		['a lost response', new IndeterminateError('May have', '')],
		['Stop after the request was sent', new CanceledError(true)],
		['a bug', new TypeError('undefined')],
	])('keeps the intent after %s', async (_, error) => {
		const { after } = await attempt(async () => await Promise.reject(error));
		expect(after).toEqual({ intent: 'requested' });
	});
});

describe('a request that must not be done twice', () => {
	const counter = () => {
		let count = 0;
		return async () => ++count;
	};
	const interrupted = () => new Error('may have happened');

	test('is done once per item, even if a later step fails', async () => {
		const context = createContext({});
		const work = counter();
		const once = async () => await oncePerItem(context, work, interrupted);
		await expect(once().then(() => Promise.reject(new Error('later')))).rejects.toThrow('later');
		expect(await once()).toBe(1);
	});

	test('Retry On Fail with {{ $now }} in a parameter gets the result of the first attempt', async () => {
		const nodeContext = {};
		const work = counter();
		expect(await oncePerItem(createContext(nodeContext), work, interrupted)).toBe(1);
		expect(await oncePerItem(createContext(nodeContext), work, interrupted)).toBe(1);
	});

	test('a retry of the execution gets the result if the raw parameters and the input are the same', async () => {
		const nodeContext = {};
		const work = counter();
		await oncePerItem(createContext(nodeContext), work, interrupted);
		const retried = createContext(nodeContext, { execution: '2' });
		expect(await oncePerItem(retried, work, interrupted)).toBe(1);
	});

	test.each([
		['parameters', { parameters: { prompt: 'Something else' } }],
		['input', { input: { site: 'other' } }],
	])('a retry of the execution with other %s sends nothing', async (_, changes) => {
		const nodeContext = {};
		const work = counter();
		await oncePerItem(createContext(nodeContext), work, interrupted);
		const retried = createContext(nodeContext, { execution: '2', ...changes });
		await expect(oncePerItem(retried, work, interrupted)).rejects.toThrow('other values');
		expect(await work()).toBe(2);
	});

	test('an attempt that never got a response is not repeated', async () => {
		const context = createContext({});
		const lost = async () => await Promise.reject(new IndeterminateError('May have', ''));
		await expect(oncePerItem(context, lost, interrupted)).rejects.toThrow('May have');
		await expect(oncePerItem(context, counter(), interrupted)).rejects.toThrow('may have happened');
	});

	test('an existing record is accepted by the same execution, for any request', () => {
		const nodeContext = {};
		const journal = openRecord<object>(nodeContext, 'records', '0.0');
		const accept = (request: string, execution?: string) =>
			acceptRecord(createContext(nodeContext, { execution }), 'records', journal, request, () => ({
				message: 'other',
				description: '',
			}));
		accept('one');
		journal.write({});
		expect(() => accept('two')).not.toThrow();
		expect(() => accept('three', '2')).toThrow('other');
		expect(() => accept('two', '2')).not.toThrow();
	});
});
