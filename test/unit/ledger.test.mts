// The ledger survives n8n killed at any moment: it's in n8n's database, not in the node's context.
import { describe, expect, test } from '@jest/globals';
import type { IExecuteFunctions } from 'n8n-workflow';
import { ExecutionLedger } from '../../nodes/shared/n8n/ledger.ts';

interface Execution {
	id?: string;
	mode?: string;
	/** n8n 2's resume token */
	signature?: string;
	/** What n8n calls the context of the execution */
	began?: { establishedAt: number; source: string };
	parent?: { executionId: string; executionContext: object };
	/** What the trigger returned */
	start?: object;
	nodeContext?: object;
}

/** An n8n with its database. Each execution has a context that nothing has saved, unless it's given one. */
function createN8n(version: 1 | 2) {
	const database = new Set<string>();
	const faults: Error[] = [];
	let executions = 0;
	return {
		database,
		faults,
		open({ id = `${++executions}`, mode = 'trigger', start = {}, ...execution }: Execution = {}) {
			const { signature = `token of ${id}`, nodeContext = {}, parent } = execution;
			const resumeUrl = `http://n8n.example/webhook-waiting/1?signature=${signature}`;
			const began = { establishedAt: Number(id), source: mode };
			return new ExecutionLedger({
				getContext: () => nodeContext,
				getExecutionContext: () => execution.began ?? began,
				getExecutionId: () => id,
				getMode: () => mode,
				getNode: () => ({ id: 'node', name: 'Agent' }),
				getWorkflow: () => ({ id: 'workflow' }),
				getWorkflowDataProxy: () => ({ $execution: version === 2 ? { resumeUrl } : {} }),
				logger: { warn() {} },
				runExecutionData: {
					parentExecution: parent,
					resultData: {
						runData: { Start: [{ source: [], data: { main: [[{ json: start }]] } }] },
					},
				},
				helpers: {
					async checkProcessedAndRecord(
						keys: string[],
						_scope: string,
						options: { maxEntries: number },
					) {
						const fault = faults.shift();
						if (fault) throw fault;
						const processed = keys.filter((key) => database.has(key));
						for (const key of keys) database.add(key);
						for (const oldest of [...database].slice(0, -options.maxEntries))
							database.delete(oldest);
						return { processed };
					},
					async removeProcessed(keys: string[]) {
						for (const key of keys) database.delete(key);
					},
				},
			} as unknown as IExecuteFunctions);
		},
	};
}

const UNKNOWN = 'unknown';
const killedOnOne = { mode: 'retry', began: { establishedAt: 99, source: 'retry' } };

describe('in a retry after a kill', () => {
	/** How each n8n retries an execution that began as `first` */
	const RETRIES = [
		['n8n 2', 2, { signature: 'token of 1', mode: 'retry' }],
		[
			'n8n 1, which had saved progress',
			1,
			{ mode: 'retry', began: { establishedAt: 1, source: 'trigger' } },
		],
		['n8n 1, which had saved nothing', 1, killedOnOne],
		['n8n 1 in queue mode, which runs the same execution again', 1, { id: '1' }],
	] as Array<[string, 1 | 2, Execution]>;

	test.each(RETRIES)(
		'of %s, a start that was requested may have happened',
		async (_, version, retry) => {
			const n8n = createN8n(version);
			expect(await n8n.open().begin('0.0 start')).toBe('new');
			expect(await n8n.open(retry).begin('0.0 start')).toBe(UNKNOWN);
			expect(await n8n.open({ ...retry }).begin('0.1 start')).toBe('new');
		},
	);

	test.each(RETRIES)(
		'of %s, it also counts after another execution has begun and succeeded',
		async (_, version, retry) => {
			const n8n = createN8n(version);
			await n8n.open().begin('0.0 start');
			const other = n8n.open();
			expect(await other.begin('0.0 start')).toBe('new');
			await other.release();
			expect(await n8n.open(retry).begin('0.0 start')).toBe(UNKNOWN);
		},
	);

	test.each(RETRIES.filter(([, , retry]) => retry !== killedOnOne))(
		'of %s, an effect whose response had arrived is done',
		async (_, version, retry) => {
			const n8n = createN8n(version);
			const first = n8n.open();
			await first.begin('0.0 message');
			await first.done('0.0 message');
			const { size } = n8n.database;
			expect(await n8n.open(retry).begin('0.0 message')).toBe('done');
			expect(n8n.database.size).toBeLessThanOrEqual(size + 2);
		},
	);
});

test('a start that provably had no effect is begun again by a retry, and the try after it counts', async () => {
	const n8n = createN8n(2);
	const first = n8n.open();
	await first.begin('0.0 start');
	await first.forget('0.0 start');
	const retry = { signature: 'token of 1', mode: 'retry' };
	expect(await n8n.open(retry).begin('0.0 start')).toBe('new');
	expect(await n8n.open(retry).begin('0.0 start')).toBe(UNKNOWN);
});

describe('a record', () => {
	test('of an execution that has succeeded is removed, but not by a retry, which can be repeated', async () => {
		const n8n = createN8n(2);
		const first = n8n.open();
		await first.begin('0.0 start');
		const retry = n8n.open({ signature: 'token of 1', mode: 'retry' });
		await retry.begin('0.1 start');
		await retry.release();
		expect(n8n.database.size).toBe(2);
		await first.release();
		expect(n8n.database.size).toBe(1);
	});

	test('is found by executions of n8n 1 only if the trigger returned the same', async () => {
		const n8n = createN8n(1);
		await n8n.open({ start: { day: 1 } }).begin('0.0 start');
		expect(await n8n.open({ ...killedOnOne, start: { day: 2 } }).begin('0.0 start')).toBe('new');
	});
});

describe.each([1, 2] as const)('in a sub-workflow of n8n %d', (version) => {
	const call = (executionId: string, source = 'trigger', establishedAt = 1) => ({
		parent: { executionId, executionContext: { establishedAt, source } },
		mode: 'integrated',
	});
	const retried = (id: string) => (version === 1 ? call(id, 'retry', 99) : call(id));

	test('a retry of the parent finds what the first try has begun', async () => {
		const n8n = createN8n(version);
		const parents = [`first of ${version}`, `retry of ${version}`];
		await n8n.open(call(parents[0])).begin('0.0 start');
		expect(await n8n.open(retried(parents[1])).begin('0.0 start')).toBe(UNKNOWN);
	});

	test('each call with the same items has its own records', async () => {
		const n8n = createN8n(version);
		const parents = [`other of ${version}`, `other retry of ${version}`];
		for (const _ of [1, 2]) expect(await n8n.open(call(parents[0])).begin('0.0 start')).toBe('new');
		const again = [1, 2, 3].map(() => n8n.open(retried(parents[1])));
		const begun = await Promise.all(again.map(async (ledger) => await ledger.begin('0.0 start')));
		expect(begun).toEqual([UNKNOWN, UNKNOWN, 'new']);
	});
});

test("a call of a sub-workflow has a number that no other call of its parent's execution has, also after a restart", async () => {
	const n8n = createN8n(2);
	const parent = { executionId: 'parent', executionContext: { establishedAt: 1 } };
	const call = async (more: Execution = {}) =>
		await n8n.open({ mode: 'integrated', parent, ...more }).begin('0.0 start');
	expect(await call({ id: 'first' })).toBe('new');
	expect(await call({ id: 'second' })).toBe('new');
	expect(await call({ id: 'second' })).toBe(UNKNOWN);
	const retried = { parent: { ...parent, executionId: 'retry' } };
	expect(await call(retried)).toBe(UNKNOWN);
	expect(await call(retried)).toBe(UNKNOWN);
	expect(await call(retried)).toBe('new');
});

describe('a store that fails', () => {
	test('once, as for the first record of two processes, is asked again', async () => {
		const n8n = createN8n(2);
		n8n.faults.push(new Error('UNIQUE constraint failed'));
		expect(await n8n.open().begin('0.0 start')).toBe('new');
	});

	test('is an error that says that nothing was sent', async () => {
		const n8n = createN8n(2);
		n8n.faults.push(new Error('No database'), new Error('No database'));
		await expect(n8n.open().begin('0.0 start')).rejects.toMatchObject({
			message: "n8n couldn't record the request",
			description: expect.stringMatching(/^Nothing was sent\. .*n8n says: No database\.$/),
		});
	});
});
