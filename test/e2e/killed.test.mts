// n8n killed with -9 around sessions that pause the execution: each session starts once, its outcome arrives, and n8n still runs.
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from '@jest/globals';
import type { Execution } from '../../n8n-host/executions.mts';
import { expectOwnSessions, isInWait, startCallsInLoop } from './loops.mts';
import {
	around,
	expectSuccess,
	pausing,
	publish,
	isPaused,
	usePausingStage,
	type Published,
} from './pausing.mts';
import { arrived, eventually } from './support.mts';

const stage = usePausingStage();

/** What an execution was doing when n8n was killed */
type Moment = 'starting' | 'paused' | 'in a wake';

/** What someone does about it */
const RETRIES = ['retried', 'retried with the saved workflow'] as const;
const LEFT = 'left alone';

/** Numbers of sessions */
const COUNTS = [1, 3];

interface Case {
	name: string;
	moment: Moment;
	after: (typeof RETRIES)[number] | typeof LEFT;
	count: number;
}

const listCases = (moment: Moment, afterwards: ReadonlyArray<Case['after']>): Case[] =>
	afterwards.flatMap((after) =>
		COUNTS.map((count) => ({
			name: `killed ${moment}, ${after}, ${count} of them`,
			moment,
			after,
			count,
		})),
	);

const STARTING = listCases('starting', RETRIES);
const PAUSED = listCases('paused', [LEFT]);
const WAKING = listCases('in a wake', [LEFT, ...RETRIES]);

const range = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** In a wake, a session with a request every half a minute keeps the node polling. */
const SCRIPTS: Record<Moment, string> = {
	starting: '[work 2m]',
	paused: '[work 2m] [ask bash: one] [work 2m]',
	'in a wake': range(20)
		.map((n) => `[ask bash: ${n}] [work 30s]`)
		.join(' '),
};

/** Sub-workflows that a loop calls for each of two equal items, killed between the calls */
const LOOPS = {
	'Calls that pause': pausing(),
	'Calls that keep running': pausing({ whileWaiting: 'keepRunning' }),
};

const published: Record<string, Published> = {};
const executions: Record<string, string> = {};

async function prepare(cases: Case[]): Promise<void> {
	for (const { name, moment, count } of cases) {
		const list = range(count).map((n) => ({
			prompt: `${name}: ${n} ${SCRIPTS[moment]} [say Done ${n}.]`,
		}));
		published[name] = await publish(stage.host, around(name, list, pausing()));
	}
}

const call = async (cases: Case[]): Promise<void> =>
	void (await Promise.all(
		cases.map(async ({ name }) => (executions[name] = await published[name].call())),
	));

const getStatus = async ({
	name,
}: Pick<Case, 'name'>): Promise<{ status: string; waitTill?: string }> =>
	await stage.host.rest.get(`/executions/${executions[name]}`);

/** Returns whether something is true of each execution. */
const every = async (
	cases: Array<Pick<Case, 'name'>>,
	isTrue: (executionId: string) => Promise<boolean>,
): Promise<boolean> =>
	(await Promise.all(cases.map(async ({ name }) => await isTrue(executions[name])))).every(Boolean);

const listSessions = async ({ name }: Case) =>
	(await stage.service.sessions()).filter(({ prompt }) => prompt.startsWith(`${name}:`));

/** Waits until n8n calls an execution crashed, and retries it. n8n 2 also calls a paused execution so for a moment. */
async function retryCrashed(each: Case): Promise<void> {
	await eventually(async () => {
		const { status, waitTill } = await getStatus(each);
		return status === 'crashed' && !waitTill;
	});
	if (each.after !== LEFT)
		executions[each.name] = await stage.host.retry(
			executions[each.name],
			each.after === 'retried with the saved workflow',
		);
}

const outcome = async ({ name }: Case): Promise<Execution> =>
	await stage.host.waitForExecution(executions[name]);

/** Waits until the executions have told the service what makes them busy, and kills n8n and starts it again. */
async function killWhen(isReached: () => Promise<boolean>): Promise<void> {
	await eventually(isReached);
	await stage.kill();
	await stage.service.control.clearFaults();
	await stage.restart();
}

/** What was seen when n8n was killed in the wakes */
const decidedBefore: Record<string, number> = {};

beforeAll(async () => {
	const { control } = stage.service;
	await prepare([...STARTING, ...PAUSED]);
	const loops = Object.entries(LOOPS).map(([name, session]) => ({ name, session }));
	for (const { name, session } of loops)
		executions[name] = await startCallsInLoop(stage.host, name, session);
	await eventually(async () => await every(loops, async (id) => await isInWait(stage, id)));
	await call(PAUSED);
	await killWhen(async () => await every(PAUSED, async (id) => await isPaused(stage, id, 20_000)));
	// n8n 2 calls them crashed until the end of the first wake.
	await eventually(async () => {
		const all = await Promise.all([...PAUSED, ...loops].map(getStatus));
		return all.every(({ status }) => status === 'success');
	});
	const slow = { operationId: 'createAgentSession', kind: 'latency', ms: 5_000, times: 0 } as const;
	await control.addFaults(slow);
	await call(STARTING);
	const starts = STARTING.reduce((sum, { count }) => sum + count, 0);
	await killWhen(async () => (await control.faults())[0].struck >= starts);
	await Promise.all(STARTING.map(retryCrashed));

	await prepare(WAKING);
	await call(WAKING);
	await killWhen(async () => {
		const all = await Promise.all(WAKING.map(listSessions));
		return all.every((sessions) => sessions.some(({ polls }) => polls > 2));
	});
	for (const each of WAKING) {
		const sessions = await listSessions(each);
		decidedBefore[each.name] = sessions[0].interactions.length;
	}
	await Promise.all(WAKING.map(retryCrashed));
});

test.each(STARTING)('$name: a retry starts no second session, and says so', async (each) => {
	const { status, error } = await outcome(each);
	expect(status).toBe('error');
	expect(JSON.stringify(error)).toContain('may have been started');
	expect((await listSessions(each)).length).toBeLessThanOrEqual(each.count);
});

test.each(PAUSED)('$name: the execution resumes by itself', async (each) => {
	const execution = await outcome(each);
	expectSuccess(execution);
	const texts = range(each.count).map((n) => ({ text: `Done ${n}.` }));
	expect(arrived(execution, 'Completed')).toMatchObject(texts);
	expect(await listSessions(each)).toMatchObject(
		texts.map(() => ({ turns: 1, interactions: [{ value: 'once' }] })),
	);
});

test.each(Object.keys(LOOPS))(
	'%s, killed between two: each has a session of its own, also with an equal item',
	async (name) => {
		const execution = await stage.host.waitForExecution(executions[name]);
		await expectOwnSessions(stage, name, execution);
	},
);

test.each(WAKING.filter(({ after }) => after === LEFT))(
	'$name: n8n calls the execution crashed, with its sessions, which run on',
	async (each) => {
		const { status, customData } = await outcome(each);
		expect(status).toBe('crashed');
		expect(customData.sessionId).toBeDefined();
		expect((await listSessions(each)).map(({ aborted }) => aborted)).toEqual(
			range(each.count).map(() => false),
		);
	},
);

test.each(WAKING.filter(({ after }) => after !== LEFT))(
	'$name: the retry continues the same sessions, and decides each request once',
	async (each) => {
		const execution = await outcome(each);
		expectSuccess(execution);
		const texts = range(each.count).map((n) => ({ text: `Done ${n}.` }));
		expect(arrived(execution, 'Completed')).toMatchObject(texts);
		const sessions = await listSessions(each);
		expect(sessions).toHaveLength(each.count);
		expect(decidedBefore[each.name]).toBeLessThan(20);
		const paths = (await stage.service.requests()).map(({ path }) => path);
		for (const { sessionId, turns, interactions } of sessions) {
			expect([turns, interactions.length]).toEqual([1, 20]);
			const resolved = paths.filter(
				(path) => path.includes(sessionId) && path.endsWith('/resolve'),
			);
			// The one that n8n was killed in may have been sent twice.
			expect(resolved.length).toBeLessThanOrEqual(21);
		}
	},
);

test('n8n answers at once, minutes after the retries', async () => {
	for (const _ of range(10)) {
		const since = Date.now();
		expect((await fetch(`${stage.host.url}/healthz`)).status).toBe(200);
		expect(Date.now() - since).toBeLessThan(1_000);
		await sleep(200);
	}
});
