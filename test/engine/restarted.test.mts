// A wake right after n8n has started, of a pause that another process made.
import { beforeEach, expect, test } from '@jest/globals';
import type { IDataObject, IRunExecutionData } from 'n8n-workflow';
import { createStage, fillIn, NODE, runsOf, type Flow } from './flow.mts';
import { forgetPackage } from './virtualTime.mts';

beforeEach(forgetPackage);

const flow: Flow = { wires: [['After']], items: [{ prompt: '[work 10m] [say Done]' }] };
const OTHER = 'Second agent';
/** Two nodes in parallel */
const parallel = (options: IDataObject = {}): Flow => ({
	...flow,
	first: [NODE, OTHER],
	more: { [OTHER]: { options } },
});

/** Returns the data of an execution that another process paused at once. */
async function pausedElsewhere(stage: ReturnType<typeof createStage>, paused = flow) {
	const { data } = await new Promise<{ data: object }>(
		(resolve) =>
			void stage
				.run(paused, async (run) => {
					resolve(run);
					throw new Error('n8n is killed');
				})
				.catch(() => {}),
	);
	const saved = JSON.stringify(data).replaceAll(/"process":"[^"]*"/g, '"process":"another"');
	return JSON.parse(saved) as IRunExecutionData;
}

test("waits until n8n's recovery is over", async () => {
	const stage = createStage();
	const start = stage.time.now();
	const saved = await pausedElsewhere(stage);
	const before = stage.requests.length;
	const woken = await stage.time.run(
		async () => await stage.begin(flow, 'elsewhere', saved).result,
	);
	expect(stage.requests.length).toBeGreaterThan(before);
	expect(stage.time.now()).toBeGreaterThanOrEqual(start + 30_000);
	const run = await stage.run(flow, undefined, { data: woken.data, executionId: 'elsewhere' });
	expect(runsOf(run, 'After')).toMatchObject([[{ text: 'Done' }]]);
	expect(stage.sessions()).toHaveLength(1);
});

/** Stops a paused execution soon after the restart. */
async function stopWoken(stage: ReturnType<typeof createStage>, stopped: Flow) {
	const saved = await pausedElsewhere(stage, stopped);
	return await stage.time.run(async () => {
		const running = stage.begin(stopped, 'stopped elsewhere', saved);
		setTimeout(running.stop, 5_000);
		return await running.result;
	});
}

test('aborts the session at once after Stop', async () => {
	const stage = createStage();
	const start = stage.time.now();
	const { status } = await stopWoken(stage, flow);
	expect(status).toBe('canceled');
	expect(stage.sessions()).toMatchObject([{ aborted: true }]);
	expect(stage.time.now()).toBeLessThan(start + 10_000);
});

test("names another node's session that Stop leaves running", async () => {
	const stage = createStage();
	const run = await stopWoken(stage, parallel({ abortOnStop: false }));
	const left = stage.sessions().filter(({ aborted }) => !aborted);
	expect(left).toHaveLength(1);
	expect(run.data.resultData.error?.description).toContain(
		`Session ${left[0].sessionId} is still running.`,
	);
});

const asks: Flow = {
	parameters: { permissionPolicy: 'ask' },
	wires: [['After'], ['Asked']],
	items: [{ prompt: '[ask bash: git push] [say Done]' }],
};

test("leaves the content type to n8n where n8n sends the page, because n8n's error would keep ours", async () => {
	const stage = createStage();
	const contentTypes: unknown[] = [];
	await stage.run(asks, async (paused) => {
		const [item] = runsOf(paused, NODE, 1).flat();
		if (!item || contentTypes.length > 0) return;
		const link = String(item.approvalUrl);
		const elsewhere = { ...paused, executionId: 'elsewhere' };
		const page = await stage.open(asks, elsewhere, link);
		const reply = await stage.open(asks, elsewhere, link, fillIn(page.body, 'Deny'));
		expect(reply.body).toContain('Your answer was saved');
		contentTypes.push(page.headers['Content-Type'], reply.headers['Content-Type']);
		return (await stage.open(asks, paused, link, fillIn(page.body, 'Deny'))).data;
	});
	expect(contentTypes).toEqual(['text/html; charset=utf-8', undefined]);
});
