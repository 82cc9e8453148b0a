// n8n's queue mode under sessions that wait in the database: the main killed, a worker killed, both.
import { beforeAll, expect, test } from '@jest/globals';
import { WITHOUT_EDITOR } from '../../n8n-host/environment.mts';
import { onSeveralMachines } from '../../tools/demoStage.mts';
import { single, WAITS_FASTER } from './durable.mts';
import {
	describeWith,
	eventually,
	sessionsFor,
	STAGE_TIMEOUT_MS,
	TEST_TIMEOUT_MS,
	useOwnStage,
} from './support.mts';

const describe = describeWith('Redis and PostgreSQL');

const WORK = '[work 8s] [ask bash: one] [work 8s] [say Done.]';
/** What is killed while sessions are parked, one after the other */
const CASES = ['main', 'worker', 'main and worker'] as const;

describe('sessions that wait in the database, in queue mode', () => {
	const stage = useOwnStage(
		onSeveralMachines({ workers: 1, waitsFaster: WAITS_FASTER, env: WITHOUT_EDITOR }),
	);
	const executions: Record<string, string> = {};
	const promptOf = (what: string) => `Killed: ${what} ${WORK}`;

	const parked = async (what: string) =>
		await eventually(async () => {
			const { status } = await stage.host.rest.get(`/executions/${executions[what]}`);
			return status === 'waiting';
		}, 60);

	beforeAll(async () => {
		const { host } = stage;
		for (const what of CASES) {
			const prompt = promptOf(what);
			executions[what] = await host.run(await host.importWorkflow(single(what, prompt)));
			await parked(what);
			if (what.includes('main')) await host.kill();
			if (what.includes('worker')) {
				await host.workers.at(-1)!.kill();
				await host.addWorker();
			}
			if (what.includes('main')) await host.restartMain();
		}
	}, STAGE_TIMEOUT_MS);

	test.each(CASES)(
		'%s killed while one is parked: it goes on by itself, on whatever worker is there',
		async (what) => {
			const execution = await stage.host.waitForExecution(executions[what]);
			expect(execution.status).toBe('success');
			expect(execution.items('Completed')).toMatchObject([{ text: 'Done.' }]);
			expect(await sessionsFor(stage, promptOf(what))).toMatchObject([
				{ status: 'completed', turns: 1, interactions: [{ value: 'once' }] },
			]);
		},
		TEST_TIMEOUT_MS,
	);
});
