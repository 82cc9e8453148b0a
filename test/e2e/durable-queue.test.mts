// n8n's queue mode under sessions that wait in the database: the main killed, a worker killed, both.
import { expect, test } from '@jest/globals';
import { WITHOUT_EDITOR } from '../../n8n-host/environment.mts';
import { hostVersion } from '../../n8n-host/versions.mts';
import { onSeveralMachines } from '../../tools/demoStage.mts';
import { LINKS } from '../outputParser.mts';
import { durable, runLive, single } from './durable.mts';
import { describeWith, eventually, sessionsFor, useOwnStage } from './support.mts';
import { SAY_RIGHT, SAY_WRONG, structured, typed } from './typed.mts';

const describe = describeWith('Redis and PostgreSQL');

/** Pauses of 13 s, so that the next poll isn't due yet when a process is killed, even on a slow machine. n8n marks an execution as an error if its worker is killed during a poll. */
const WAITS_FASTER = 5;

/** Processes killed while a session is paused */
const CASES = ['main', 'worker', 'main and worker'] as const;

describe('sessions paused in the database, in queue mode', () => {
	const stage = useOwnStage(
		onSeveralMachines({ workers: 1, waitsFaster: WAITS_FASTER, env: WITHOUT_EDITOR }),
	);

	// One after the other: what checks its session in the moment in which n8n is killed is not paused.
	test.each(CASES)(
		'%s killed while a session is paused: the session resumes automatically, on any worker',
		async (what) => {
			const { host } = stage;
			const prompt = `Killed: ${what} [work 4s] [ask bash: one] [work 4s] [say Done.]`;
			const id = await runLive(host, single(what, prompt));
			await eventually(async () => {
				const { status } = await host.rest.get(`/executions/${id}`);
				return status === 'waiting';
			});
			if (what.includes('main')) await host.kill();
			if (what.includes('worker')) {
				await host.workers.at(-1)!.kill();
				await host.addWorker();
			}
			if (what.includes('main')) await host.restartMain();
			let execution = await host.waitForExecution(id);
			// When its main starts, n8n 1 calls an execution crashed that is resumed at that moment (docs/queue-mode.md).
			if (hostVersion() === '1.123' && execution.status === 'crashed')
				execution = await host.waitForExecution(await host.retry(id));
			expect(execution).toMatchObject({ status: 'success', error: undefined });
			expect(execution.items('Completed')).toMatchObject([{ text: 'Done.' }]);
			expect(await sessionsFor(stage, prompt)).toMatchObject([
				{ status: 'completed', turns: 1, interactions: [{ value: 'once' }] },
			]);
		},
	);

	test('any worker repairs a typed result by one message and parses it', async () => {
		const { host, service } = stage;
		const prompt = `Typed in queue mode. ${SAY_WRONG} [next turn] ${SAY_RIGHT}`;
		const session = durable({ prompt, hasOutputParser: true });
		const id = await runLive(host, typed('Typed', session, structured('from a schema')));
		const execution = await host.waitForExecution(id);
		expect(execution.error).toBeUndefined();
		expect(execution.items('Completed')).toMatchObject([{ output: LINKS }]);
		const sessions = await service.sessions();
		expect(sessions.filter((each) => each.prompt.startsWith(prompt))).toMatchObject([
			{ status: 'completed', turns: 2 },
		]);
	});
});
