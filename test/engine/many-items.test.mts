// Many items in one node: how many requests at once, in which order, and what becomes of those that fail.
import { describe, expect, test } from '@jest/globals';
import { run, start } from './engine.mts';
import { rl, useOperations } from './operations.mts';

const { fault, idOf, sent, service, setup } = useOperations();

describe('many items', () => {
	test('never have more requests in flight than the option allows, and keep order and pairing', async () => {
		await fault({ operationId: 'updateTask', kind: 'latency', ms: 30, times: 0 });
		const items = Array.from({ length: 40 }, (_, index) => ({ title: `Title ${index}` }));
		const parameters = {
			taskId: rl(idOf('tasks')),
			updateFields: { title: '={{ $json.title }}' },
			options: { maxConcurrentRequests: 3 },
		};
		const { outputs } = await run(setup('task.update', parameters, { items }));
		expect(outputs[0].map(({ json }) => json.title)).toEqual(items.map(({ title }) => title));
		expect(outputs[0].map(({ pairedItem }) => (pairedItem as { item: number }).item)).toEqual(
			items.map((_, index) => index),
		);
		// Each lasts 30 ms at least: with three under way, the fourth comes 30 ms after the first or later, and so on.
		const at = (await sent('PATCH')).map((request) => Date.parse(request.at));
		for (let index = 3; index < at.length; index++)
			expect(at[index] - at[index - 3]).toBeGreaterThanOrEqual(25);
	});

	test('one 429 slows all of them, and none is lost or done twice', async () => {
		await service.control.setRateLimit({ perSecond: 20, burst: 20 });
		const items = Array.from({ length: 60 }, (_, index) => ({ title: `Title ${index}` }));
		const { outputs } = await run(
			setup(
				'task.update',
				{ taskId: rl(idOf('tasks')), updateFields: { title: '={{ $json.title }}' } },
				{ items },
			),
		);
		expect(outputs[0]).toHaveLength(60);
		const requests = await sent('PATCH');
		expect(requests.filter(({ status }) => status === 200)).toHaveLength(60);
		// After a refusal only those come that were under way with it.
		expect(requests.filter(({ status }) => status === 429).length).toBeLessThanOrEqual(3 * 5);
	});

	test('each succeed or fail separately with On Error = continue', async () => {
		const items = [
			{ id: idOf('tasks') },
			{ id: 'nonsense' },
			{ id: '00000000-0000-4000-8000-000000000000' },
			{ id: idOf('tasks', 1) },
		];
		const { outputs } = await run(
			setup(
				'task.get',
				{ taskId: rl('={{ $json.id }}') },
				{ items, settings: { onError: 'continueRegularOutput' } },
			),
		);
		expect(outputs[0].map(({ json }) => json.error ?? json.id)).toEqual([
			idOf('tasks'),
			"'Task' isn't a valid ID",
			"The resource wasn't found",
			idOf('tasks', 1),
		]);
		expect(outputs[0].map(({ pairedItem }) => (pairedItem as { item: number }).item)).toEqual([
			0, 1, 2, 3,
		]);
		expect(outputs[0][2].json).toMatchObject({
			httpStatus: 404,
			code: 'not_found',
			docUrl: expect.stringContaining('http'),
		});
	});

	test('with failures use both outputs if On Error is the error output', async () => {
		const items = [{ id: idOf('tasks') }, { id: 'nonsense' }];
		const { outputs } = await run(
			setup(
				'task.get',
				{ taskId: rl('={{ $json.id }}') },
				{ items, settings: { onError: 'continueErrorOutput' } },
			),
		);
		expect(outputs.map((output) => output.map(({ json }) => json.error ?? json.id))).toEqual([
			[idOf('tasks')],
			["'Task' isn't a valid ID"],
		]);
	});

	test('end when the execution is stopped', async () => {
		await fault({ operationId: 'updateTask', kind: 'latency', ms: 200, times: 0 });
		const items = Array.from({ length: 50 }, () => ({}));
		const execution = start(
			setup('task.update', { taskId: rl(idOf('tasks')), updateFields: { title: 'x' } }, { items }),
		);
		while ((await sent('PATCH')).length < 5)
			await new Promise((resolve) => setTimeout(resolve, 20));
		execution.stop();
		await execution.result;
		const count = (await sent('PATCH')).length;
		// More would be sent while a later execution waits for its answer.
		await run(setup('task.update', { taskId: rl(idOf('tasks')), updateFields: { title: 'y' } }));
		expect((await sent('PATCH')).length).toBeLessThanOrEqual(count + 5 + 1);
	});
});
