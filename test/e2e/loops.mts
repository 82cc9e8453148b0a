// Loop Over Items around a sub-workflow with Run Agent Session, and a Wait node: two items that are the same, one after the other.
import { expect } from '@jest/globals';
import type { Execution } from '../../n8n-host/executions.mts';
import type { Host } from '../../n8n-host/host.mts';
import type { Stage } from '../../tools/demoStage.mts';
import { around, expectSuccess, importCalled, isPaused, pausing, publish } from './pausing.mts';
import { arrival, arrived, node, NODE, sessionsFor } from './support.mts';

const WAIT = 'Wait';

/** Time that the first item waits in, when tests kill n8n: 75 s in hurried time */
const WAIT_MINUTES = 25;

/**
 * Time that must be left of it then. If it's over before n8n's recovery ends, n8n executes what follows the Wait node a second time, and no
 * node can know that.
 */
const LEFT_MS = 15 * 60_000;

const promptOf = (name: string) => `${name} [work 10s] [say Done.]`;

/** Starts an execution that calls the sub-workflow for one item after the other. Returns its ID. */
export async function startCallsInLoop(
	host: Host,
	name: string,
	session = pausing(),
): Promise<string> {
	const same = { prompt: promptOf(name) };
	const { call } = await importCalled(host, around(`${name}, called`, [same], session));
	const wait = node(WAIT, 'n8n-nodes-base.wait', 1.1, {
		parameters: { amount: `={{ $runIndex === 0 ? ${WAIT_MINUTES} : 0 }}`, unit: 'minutes' },
	});
	const loop = node('Loop', 'n8n-nodes-base.splitInBatches', 3, {
		parameters: { batchSize: 1, options: {} },
	});
	const file = around(name, [same, same], arrival(NODE), {
		first: 'Loop',
		more: [loop, call, wait],
		follows: { Loop: [[NODE], ['Call']], Call: [[WAIT]], [WAIT]: [['Loop']] },
	});
	return await (await publish(host, file)).call();
}

/** Returns whether the first item waits, and will until n8n has started again. */
export async function isInWait(
	stage: Parameters<typeof isPaused>[0],
	executionId: string,
): Promise<boolean> {
	if (!(await isPaused(stage, executionId, LEFT_MS))) return false;
	const { lastNodeExecuted } = await stage.host.waitForExecution(executionId, { until: 'waiting' });
	return lastNodeExecuted === WAIT;
}

/** Expects that each call returned a session of its own, which started once. */
export async function expectOwnSessions(
	{ service }: Pick<Stage, 'service'>,
	name: string,
	execution: Execution,
): Promise<void> {
	expectSuccess(execution);
	const sessions = await sessionsFor({ service }, promptOf(name));
	expect(sessions).toMatchObject([{ turns: 1 }, { turns: 1 }]);
	const returned = arrived(execution, 'Completed').map(({ sessionId }) => sessionId);
	expect(returned.sort()).toEqual(sessions.map(({ sessionId }) => sessionId).sort());
}
