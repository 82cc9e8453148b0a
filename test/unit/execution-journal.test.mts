// The journal: what a node records about its items, so that nothing is done twice.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
	CanceledError,
	IndeterminateError,
	WorkspaceAutomationError,
} from '../../nodes/shared/errors.ts';
import { fingerprintRequest, oncePerItem } from '../../nodes/shared/n8n/journal.ts';
import { readRunIndex } from '../../nodes/shared/n8n/executionKey.ts';

/** A run of the node: in another execution the context is a copy, as after n8n's Retry */
const createContext = (
	nodeContext: object,
	{ execution = '1', parameters = { prompt: '={{ $now }}' } as object, input = {} as object } = {},
) =>
	({
		getItemIndex: () => 0,
		getWorkflowDataProxy: () => ({ $runIndex: 0 }),
		getContext: (type: string) => (type === 'node' ? nodeContext : {}),
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

test.each([
	['in a workflow without runs', undefined, 2, 2],
	['of a node that has not run', { Other: [{ executionStatus: 'crashed' }] }, 0, 0],
	['in a loop', { Agent: [{ executionStatus: 'success' }, {}] }, 2, 2],
	['after a crash', { Agent: [{ executionStatus: 'crashed' }, {}] }, 2, 1],
	[
		'after a kill in a later node',
		{ Agent: [{ data: { main: [[{ json: { isArtificialRecoveredEventItem: true } }]] } }] },
		1,
		0,
	],
	['that crashed itself', { Agent: [{ executionStatus: 'crashed' }] }, 0, 0],
	['without an index', { Agent: [] }, undefined, 0],
])(
	'the index of a run %s leaves out those that n8n adds after a kill',
	(_, runData, $runIndex, index) => {
		const context = {
			runExecutionData: runData && { resultData: { runData } },
			getNode: () => ({ name: 'Agent' }),
			getWorkflowDataProxy: () => ({ $runIndex }),
		} as unknown as Parameters<typeof readRunIndex>[0];
		expect(readRunIndex(context, 0)).toBe(index);
	},
);

describe('a request that must not be done twice', () => {
	const counter = () => {
		let count = 0;
		return async () => ++count;
	};
	const once = async <T,>(context: Parameters<typeof oncePerItem>[0], work: () => Promise<T>) =>
		await oncePerItem(context, work, () => new Error('may have happened'));

	test.each([
		['parameters', { parameters: { prompt: 'Something else' } }],
		['input', { input: { site: 'other' } }],
	])('a retry of the execution with other %s sends nothing', async (_, changes) => {
		const nodeContext = {};
		const work = counter();
		await once(createContext(nodeContext), work);
		const retried = createContext(nodeContext, { execution: '2', ...changes });
		await expect(once(retried, work)).rejects.toMatchObject({
			message: 'An earlier attempt sent this request with other values',
			description: expect.stringMatching(/^To avoid a duplicate, nothing was sent\. Restore/),
		});
		expect(await work()).toBe(2);
	});

	test('a retry that sends in another way gets the result', async () => {
		const nodeContext = {};
		const work = counter();
		const attempt = async (execution: string, parameters: object) =>
			await once(createContext(nodeContext, { execution, parameters }), work);
		await attempt('1', { prompt: 'x', options: {}, requestOptions: {} });
		expect(await attempt('2', { prompt: 'x', options: { a: 1 }, requestOptions: { b: 1 } })).toBe(
			1,
		);
	});

	test('a retry asks for something else after a request that had no effect', async () => {
		const nodeContext = {};
		const refuse = async () => await Promise.reject(new WorkspaceAutomationError('Refused', ''));
		await expect(once(createContext(nodeContext), refuse)).rejects.toThrow();
		const retried = createContext(nodeContext, { execution: '2', parameters: { prompt: 'new' } });
		expect(await once(retried, counter())).toBe(1);
	});

	test.each([
		['a rejection', new WorkspaceAutomationError('Refused', ''), 1],
		['Stop before the request was sent', new CanceledError(false), 1],
		['a lost response', new IndeterminateError('May have', ''), 'may have happened'],
		['Stop after the request was sent', new CanceledError(true), 'may have happened'],
		['a bug', new TypeError('undefined'), 'may have happened'],
	])(
		'after %s, another try gets its own result only if nothing may have happened',
		async (_, error, outcome) => {
			const nodeContext = {};
			const fail = async () => await Promise.reject(error);
			await expect(once(createContext(nodeContext), fail)).rejects.toBe(error);
			const again = once(createContext(nodeContext), counter());
			expect(await again.catch(({ message }: Error) => message)).toBe(outcome);
		},
	);
});
