// How many sessions of a node run at a time while the execution is paused, in n8n-core's engine and in simulated time.
import { expect, test } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';
import { controlWithin } from '../../local-service/control/client.mts';
import { byId } from '../../n8n-host/workflows.mts';
import { createStage, NODE, runsOf, type Flow, type Stage } from './flow.mts';
import { forgetPackage } from './virtualTime.mts';

/** Returns a flow with an item for each prompt, which go to the projects in turn. */
function flowOf(projects: string[], count: number, options: IDataObject): Flow {
	const items = Array.from({ length: count }, (_, index) => ({
		project: projects[index % projects.length],
		prompt: `[work ${3 + (index % 5)}m] [say ${index}]`,
	}));
	return { items, parameters: { projectId: byId('={{ $json.project }}'), options } };
}

const EACH = (count: number) => Array.from({ length: count }, (_, index) => String(index));
const textsOf = (run: Parameters<typeof runsOf>[0]) =>
	runsOf(run, NODE)
		.flat()
		.map(({ text }) => text);

/** Returns the most sessions that ran at a time, in all and in one project. */
function countAtOnce(stage: Stage): { all: number; inProject: number } {
	const sessions = stage.sessions();
	const most = (some: typeof sessions) => {
		const times = some.flatMap(({ startedAt, finishedAt }) => [
			[Date.parse(startedAt), 1],
			[Date.parse(finishedAt!), -1],
		]);
		times.sort(([one, up], [other, down]) => one - other || up - down);
		let running = 0;
		return Math.max(...times.map(([, change]) => (running += change)));
	};
	const projects = [...new Set(sessions.map(({ projectId }) => projectId))];
	return {
		all: most(sessions),
		inProject: Math.max(
			...projects.map((id) => most(sessions.filter(({ projectId }) => projectId === id))),
		),
	};
}

test.each<[string, IDataObject, { all: number }]>([
	['at most 20 sessions run at a time by default', {}, { all: 20 }],
	['Max Concurrent Sessions limits them', { maxConcurrentSessions: 3 }, { all: 3 }],
	['Max per Project limits those of one project', { maxPerProject: 1 }, { all: 1 }],
	[
		'a Max per Project above Max Concurrent Sessions changes nothing',
		{ maxConcurrentSessions: 3, maxPerProject: 5 },
		{ all: 3 },
	],
])('while the execution is paused, %s, and each item has its outcome', async (_, options, most) => {
	const stage = createStage();
	const run = await stage.run(flowOf([stage.project.id], 24, options));
	expect(run.wakes).toBeGreaterThan(1);
	expect(textsOf(run)).toEqual(EACH(24));
	expect(stage.sessions()).toHaveLength(24);
	expect(countAtOnce(stage)).toMatchObject(most);
});

test('a Max per Project below 1 is an error before anything is sent', async () => {
	const stage = createStage();
	const run = await stage.run(flowOf([stage.project.id], 2, { maxPerProject: 0 }));
	expect(run.data.resultData.error?.message).toMatch(/^'Max per Project' isn't a valid number/);
	expect(stage.requests).toEqual([]);
});

test('two branches into one node share its limits', async () => {
	const stage = createStage();
	const run = await stage.run({
		...flowOf([stage.project.id], 6, { maxPerProject: 1 }),
		first: ['Left', 'Right'],
		follows: { Left: [[NODE]], Right: [[NODE]] },
	});
	expect(textsOf(run)).toEqual([...EACH(6), ...EACH(6)]);
	expect(countAtOnce(stage).inProject).toBe(1);
});

test('sessions that the node only waits for are all read, whatever the limit', async () => {
	const stage = createStage();
	const started: string[] = [];
	for (let index = 0; index < 3; index++) {
		await stage.run({
			items: [{ prompt: `[work 60m] [say ${index}]` }],
			parameters: { maxWait: 1, onMaxWait: 'letRun', whileWaiting: 'keepRunning' },
		});
		started.push(stage.sessions()[index].sessionId);
	}
	const before = stage.requests.length;
	const run = await stage.run({
		items: started.map((sessionId) => ({ sessionId })),
		parameters: {
			operation: 'continue',
			sessionId: byId('={{ $json.sessionId }}'),
			options: { maxConcurrentSessions: 1 },
		},
	});
	expect(textsOf(run)).toEqual(EACH(3));
	const first = stage.requests.slice(before, before + 3).map(({ path }) => path.split('/')[3]);
	expect(first.sort()).toEqual([...started].sort());
});

test('n8n killed twice, with 100 items of 10 projects: at no time more sessions than allowed, none twice, and all outcomes', async () => {
	const stage = createStage();
	const control = controlWithin(stage.service.app);
	const projects: string[] = [];
	for (let index = 0; index < 10; index++)
		projects.push((await control.projects.add({ name: `Project ${index}` })).id);
	const settings = { onError: 'continueRegularOutput' as const };
	const limits = { maxPerProject: 1, maxConcurrentSessions: 4 };
	const flow = { ...flowOf(projects, 100, limits), settings };
	const kills = new Map([
		[3, 'before' as const],
		[12, 'after' as const],
	]);
	const run = await stage.run(flow, async (paused, pauses) => {
		const moment = kills.get(pauses);
		if (!moment) return;
		const data = JSON.parse(JSON.stringify(paused.data));
		stage.time.advance(Math.max(0, paused.waitTill!.getTime() - stage.time.now()));
		expect(await stage.kill(flow, data, 1, moment, undefined, paused.executionId)).toBe(true);
		forgetPackage();
		kills.delete(pauses);
	});
	expect(kills.size).toBe(0);
	const outcomes = runsOf(run, NODE).flat();
	expect(outcomes).toHaveLength(100);
	// A start that n8n was killed at may have happened, and isn't made again.
	const isOutcome = ({ text, error }: IDataObject, index: number) =>
		text === String(index) || error === 'The session may have been started';
	expect(outcomes.filter((item, index) => !isOutcome(item, index))).toEqual([]);
	expect(outcomes.filter(({ error }) => error).length).toBeLessThanOrEqual(4);
	const prompts = stage.sessions().map(({ projectId, prompt }) => `${projectId} ${prompt}`);
	expect(new Set(prompts).size).toBe(prompts.length);
	expect(countAtOnce(stage)).toEqual({ all: 4, inProject: 1 });
});
