// Starts that the service doesn't take, in n8n's engine: over HTTP, and in simulated time where a test waits.
import { describe, expect, jest, test } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';
import { controlWithin } from '../../local-service/control/client.mts';
import type { FaultRule } from '../../local-service/faults.mts';
import { byId } from '../../n8n-host/workflows.mts';
import { run } from './engine.mts';
import { createStage, NODE, runsOf } from './flow.mts';
import { useService } from './service.mts';

const DAILY_LIMIT: FaultRule = {
	operationId: 'createAgentSession',
	kind: 'status',
	status: 429,
	code: 'daily_limit',
	message: 'No more sessions today.',
	times: 0,
};
const HOUR_S = 3_600;

describe('a start that the service takes too late', () => {
	const service = useService();

	test.each<[string, IDataObject, number, RegExp]>([
		['Max Wait', { maxWait: 1440 }, 36, /^Run the workflow again after that, or raise 'Max Wait/],
		['24 hours, without Max Wait', { maxWait: 0 }, 25, /^Run the workflow again after that\. /],
	])(
		"is an error at once after %s, with the service's code, message and doc_url",
		async (_, wait, hours, way) => {
			await service.control.addFaults({ ...DAILY_LIMIT, retryAfter: hours * HOUR_S });
			const { error } = await run({
				node: 'runAgentSession',
				parameters: {
					operation: 'start',
					projectId: byId(service.projectId),
					prompt: '[say Done]',
					...wait,
				},
				credentials: service.credentials,
			});
			expect(error?.message).toBe(`The service takes no new session for ${hours} hours`);
			expect(error?.description).toMatch(way);
			expect(error?.description).toMatch(
				/The service says: No more sessions today\. More: https?:\S+daily_limit Its code is daily_limit\./,
			);
			expect(error?.context).toMatchObject({ httpStatus: 429, code: 'daily_limit' });
			expect(await service.requests()).toHaveLength(1);
		},
	);
});

/** Runs one session whose starts are refused, and returns what the log says about them. */
async function runRefused(fault: Partial<FaultRule>, parameters: IDataObject = {}) {
	const stage = createStage();
	const info = jest.spyOn(stage.logs(), 'info');
	await controlWithin(stage.service.app).addFaults({ ...DAILY_LIMIT, ...fault });
	const ran = await stage.run({ items: [{ prompt: '[say Done]' }], parameters });
	const logged = info.mock.calls.map(([text]) => String(text));
	info.mockRestore();
	const { error } = ran.data.resultData;
	const starts = stage.of('POST', '/agent/sessions');
	return {
		logged,
		error,
		starts,
		texts: runsOf(ran, NODE)
			.flat()
			.map(({ text }) => text),
	};
}

test('a start with a Retry-After within Max Wait is made then', async () => {
	const { starts, texts } = await runRefused({ retryAfter: 23 * HOUR_S, times: 1 });
	expect(texts).toEqual(['Done']);
	expect(starts).toHaveLength(2);
	expect(starts[1].at).toBeGreaterThanOrEqual(23 * HOUR_S * 1_000);
});

test("a start that isn't taken for half an hour says so once in the log", async () => {
	const { logged, error, starts } = await runRefused({}, { maxWait: 180 });
	const late = logged.filter((text) => text.includes('no new session for 30 minutes'));
	expect(late).toEqual([expect.stringContaining('No more sessions today')]);
	expect(logged.filter((text) => text.includes('no new session'))).toHaveLength(2);
	expect(error?.message).toBe('No session was started within 3 hours');
	expect(error?.description).toContain(`The node tried ${starts.length} times.`);
});

test('a start that was tried once says so in the error', async () => {
	const { error, starts } = await runRefused({}, { whileWaiting: 'keepRunning', maxWait: 0 });
	expect(starts).toHaveLength(1);
	expect(error?.description).toContain('The node tried 1 time.');
});

test.each<[string, FaultRule['retryAfter']]>([
	['of 0', 0],
	['that is negative', -60],
	['with a date in the past', { date: -HOUR_S }],
])('a Retry-After %s counts as none', async (_, retryAfter) => {
	const { starts } = await runRefused({ retryAfter, times: 4 });
	const waits = starts.slice(1).map(({ at }, index) => Math.round((at - starts[index].at) / 1_000));
	expect(waits).toHaveLength(4);
	for (const [index, least] of [5, 10, 20, 40].entries())
		expect(waits[index]).toBeGreaterThanOrEqual(least);
});

const startsOf = (stage: ReturnType<typeof createStage>) =>
	stage.of('POST', '/agent/sessions').map(({ at }) => at / 1_000);

test('a Retry-After of up to a minute holds up all starts of the key', async () => {
	const stage = createStage();
	await controlWithin(stage.service.app).addFaults({ ...DAILY_LIMIT, retryAfter: 40, times: 1 });
	const { data } = await stage.run({
		items: ['first', 'second'].map((name) => ({ prompt: `${name} [say Done]` })),
		parameters: { whileWaiting: 'keepRunning', options: { maxConcurrentSessions: 1 } },
	});
	expect(data.resultData.error).toBeUndefined();
	const [, ...later] = startsOf(stage);
	expect(later).toHaveLength(2);
	for (const at of later) expect(at).toBeGreaterThanOrEqual(40);
});

test.each([
	['while the execution pauses', {}, 10],
	['while it keeps running', { whileWaiting: 'keepRunning', maxWait: 600 }, 11],
])(
	'%s, one start at a time tries whether the service takes them again, and sessions are read',
	async (_, parameters, underWay) => {
		const stage = createStage();
		// The service takes the first start, and refuses the others that are under way and one more.
		const fault = { ...DAILY_LIMIT, retryAfter: 600, after: 1, times: underWay };
		await controlWithin(stage.service.app).addFaults(fault);
		const names = Array.from({ length: 24 }, (_, index) => `${index}`);
		const { data } = await stage.run({
			items: names.map((name) => ({ prompt: `${name} [work 1h] [say Done]` })),
			parameters: { ...parameters, options: { maxConcurrentSessions: 24 } },
		});
		expect(data.resultData.error).toBeUndefined();
		const starts = startsOf(stage);
		const countIn = (from: number, to: number) =>
			starts.filter((at) => at >= from && at < to).length;
		expect([countIn(0, 600), countIn(600, 1200), countIn(1200, 2400)]).toEqual([underWay, 1, 23]);
		const readings = stage.requests.filter(({ method, at }) => method === 'GET' && at < 600_000);
		expect(readings.length).toBeGreaterThan(3);
	},
);
