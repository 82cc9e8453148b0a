// n8n in queue mode, with a main, two workers, Redis and PostgreSQL, whose hours pass in minutes.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { WITHOUT_EDITOR } from '../../n8n-host/environment.mts';
import { hasEnded, listExecutions, readExecution } from '../../n8n-host/executions.mts';
import { HANG_MS } from '../../n8n-host/hang.mts';
import { onSeveralMachines } from '../../tools/demoStage.mts';
import { launchBrowser } from '../../tools/editor/browser.mts';
import { expectOwnSessions, isInWait, startCallsInLoop } from './loops.mts';
import { answer, answerAfterRestart, messages, openPage, SAVED, withPage } from './page.mts';
import {
	around,
	expectSuccess,
	FASTER,
	pausing,
	publish,
	startLive,
	untilPaused,
} from './pausing.mts';
import { openLink, PHONE } from './phone.mts';
import { answerInRetry } from './retriedMessage.mts';
import {
	agentSession,
	arrival,
	arrived,
	byId,
	chain,
	describeWith,
	eventually,
	fromList,
	getRecord,
	manualTrigger,
	play,
	projectId,
	sessionsFor,
	testWith,
	triggerNode,
	useOwnStage,
	watched,
	workspaceAutomation,
} from './support.mts';

const describeQueue = describeWith('Redis and PostgreSQL');

const range = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describeQueue('two workers', () => {
	const clock = { faster: FASTER, origin: Date.now() };
	const stage = useOwnStage(onSeveralMachines({ clock, concurrency: 20, env: WITHOUT_EDITOR }));
	const paused = () => ({
		host: stage.host,
		now: () => clock.origin + (Date.now() - clock.origin) * FASTER,
	});

	beforeAll(async () => await stage.service.control.setSpeed(FASTER));

	/** Number of times that workers have run an execution */
	const taken = (id: string): number =>
		stage.host.workers.flatMap(({ executions }) => executions).filter((each) => each === id).length;

	test('share forty executions that pause: each session starts once, and each outcome arrives', async () => {
		const { host, service } = stage;
		const prompt =
			'={{ "Shared " + $execution.id + " [work 3m] [ask bash: one] [work 1m] [say Done.]" }}';
		const { workflowId, call } = await publish(
			host,
			around('Shared', [{ n: 1 }], pausing({ prompt })),
		);
		await call();
		await Promise.all(range(39).map(call));
		const list = await eventually(async () => {
			const found = await listExecutions(host.rest, workflowId);
			return found.length === 40 && found.every(hasEnded) ? found : undefined;
		});
		for (const { id } of list) {
			const execution = await readExecution(host.rest, id);
			expectSuccess(execution);
			expect(arrived(execution, 'Completed')).toMatchObject([{ text: 'Done.' }]);
			expect(taken(id)).toBeGreaterThan(1);
		}
		const sessions = (await service.sessions()).filter(({ prompt: each }) =>
			each.startsWith('Shared '),
		);
		expect(sessions).toHaveLength(40);
		expect(sessions.every(({ interactions }) => interactions[0].value === 'once')).toBe(true);
		for (const { executions } of host.workers) expect(executions.length).toBeGreaterThan(10);
	});

	test('get the answer of the approval page, which the main serves', async () => {
		const prompt = 'Page [ask bash: git push + bash: rm -rf build] [say Went on.]';
		const { executionId } = await startLive(stage.host, withPage('Page', [prompt]));
		const [{ url }] = await messages(stage, executionId);
		expect(url.startsWith(`${stage.host.url}/`)).toBe(true);
		const before = taken(executionId);
		expect(await answer(url, ['Approve once', 'Deny'])).toMatchObject(SAVED);
		const execution = await stage.host.waitForExecution(executionId);
		expectSuccess(execution);
		expect(arrived(execution, 'Completed')).toMatchObject([
			{ decisions: [{ decision: 'approve' }, { decision: 'deny', decidedBy: 'page' }] },
		]);
		expect(taken(executionId)).toBeGreaterThan(before);
	});

	test('Stop of an execution that keeps running ends it on its worker, and aborts the session', async () => {
		const { host } = stage;
		const prompt = 'Stopped from afar. [work 10h]';
		const file = chain('Stopped', [manualTrigger(), agentSession({ prompt })]);
		const executionId = await host.run(await host.importWorkflow(file));
		const { sessionId } = await watched(stage, prompt);
		await host.stop(executionId);
		expect((await host.waitForExecution(executionId)).status).toBe('canceled');
		await eventually(async () => (await getRecord(stage, sessionId)).aborted);
	});

	test('keep files in the database, which every worker can read', async () => {
		const upload = workspaceAutomation('Upload', 'file.create', {
			projectId: fromList(projectId),
			name: 'hours.txt',
			contentSource: 'text',
			text: 'Opened at eight, closed at six.',
		});
		const download = workspaceAutomation('Download', 'file.getContent', {
			fileId: byId('={{ $json.id }}'),
			outputAs: 'binary',
			binaryPropertyName: 'data',
		});
		const execution = await play(stage, chain('A file', [manualTrigger(), upload, download]));
		expectSuccess(execution);
		expect(execution.runData.Download[0].data!.main[0]![0]).toMatchObject({
			binary: { data: { fileName: 'hours.txt', id: expect.stringMatching(/^database:/) } },
		});
	});

	test('run what the trigger emits, each change once', async () => {
		const { host, service } = stage;
		const file = chain('Trigger', [
			triggerNode('taskAdded', { pollTimes: { item: [{ mode: 'everyMinute' }] } }),
			arrival('Arrived'),
		]);
		const workflowId = await host.importWorkflow(file);
		await host.activate(workflowId);
		const list = async () =>
			(await service.requests()).filter(({ path }) => path.endsWith('/tasks'));
		await eventually(async () => (await list()).length > 1);
		const titles = range(5).map((n) => `New ${n}`);
		for (const title of titles) await service.control.tasks.add({ title });
		const emitted = await eventually(async () => {
			const executions = await listExecutions(host.rest, workflowId);
			if (!executions.every(hasEnded)) return undefined;
			const whole = await Promise.all(executions.map(({ id }) => readExecution(host.rest, id)));
			const found = whole.flatMap((each) => arrived(each, 'Arrived').map(({ title }) => title));
			return found.length >= titles.length ? found : undefined;
		});
		await host.deactivate(workflowId);
		expect([...emitted].sort()).toEqual(titles);
	});

	test('retry an execution whose message failed: the retry asks again, and the page decides', async () => {
		const execution = await answerInRetry(stage.host, 'Message [ask bash: one] [say Done.]');
		expectSuccess(execution);
		expect(arrived(execution, 'Completed')).toMatchObject([{ decisions: [{ decidedBy: 'page' }] }]);
	});

	// The last ones, because they kill.
	describe.each(['worker', 'main', 'worker and main'])(
		'%s killed with -9 while executions are paused',
		(what) => {
			const prompt = `Killed ${what} [work 2m] [ask bash: one] [work 1m] [say Done.]`;
			const loop = `Calls, killed ${what}`;
			let executionId: string;
			let loopId: string;
			let url: string;

			beforeAll(async () => {
				const { host } = stage;
				loopId = await startCallsInLoop(host, loop);
				await eventually(async () => await isInWait(paused(), loopId));
				({ executionId } = await startLive(host, withPage(`Killed ${what}`, [prompt])));
				[{ url }] = await messages(stage, executionId);
				await untilPaused(paused(), executionId, 40_000);
				if (what.includes('main')) await host.kill();
				if (what.includes('worker')) {
					for (const worker of host.workers) await worker.kill();
					await host.addWorker();
				}
				if (what.includes('main')) await host.restartMain();
			});

			/** n8n calls an execution crashed that it resumes while it starts, until the end of the wake. */
			const resumed = async (id: string) =>
				await eventually(async () => {
					const found = await stage.host.waitForExecution(id);
					return found.status === 'crashed' ? undefined : found;
				});

			test('a paused execution resumes by itself, and its link works', async () => {
				expect(await openPage(url)).toMatchObject({ status: 200 });
				expect(await answer(url, ['Approve once'])).toMatchObject(SAVED);
				const execution = await resumed(executionId);
				expectSuccess(execution);
				expect(arrived(execution, 'Completed')).toMatchObject([{ text: 'Done.' }]);
				expect(await sessionsFor(stage, prompt)).toMatchObject([
					{ status: 'completed', turns: 1, interactions: [{ value: 'once' }] },
				]);
			});

			test('between two calls of a sub-workflow, each has a session of its own', async () => {
				await expectOwnSessions(stage, loop, await resumed(loopId));
			});
		},
	);

	testWith('Chromium')(
		'an answer that is sent on the page while the main restarts counts if the page calls it saved, and nobody sees what n8n itself responds with',
		async () => {
			const { host } = stage;
			const names = ['down', 'starting', 'up'].map((moment) => `Restarted main, ${moment}`);
			const links = await Promise.all(
				names.map(async (name) => {
					const file = withPage(name, [`${name} [ask bash: one] [say Done.]`]);
					const { executionId } = await startLive(host, file);
					const [{ url }] = await messages(stage, executionId);
					return { executionId, url };
				}),
			);
			const browser = await launchBrowser((line) => process.stderr.write(`${line}\n`));
			try {
				const pages = await Promise.all(
					links.map(async ({ url }) => {
						const page = await browser.newPage(PHONE);
						await openLink(page, url);
						await page.getByLabel('Approve once').check();
						return page;
					}),
				);
				const send = async (at: number) =>
					await pages[at].getByRole('button', { name: 'Send' }).click();
				await host.kill();
				await send(0);
				const restarted = host.restartMain();
				await send(1);
				await restarted;
				await send(2);
				for (const page of pages)
					await page
						.getByText(/^Your answer (was saved|is saved and will be sent)$|^Already answered$/)
						.or(page.getByText('Your answer may have been saved.'))
						.first()
						.waitFor({ timeout: HANG_MS });
				for (const [at, page] of pages.entries()) {
					expect(await page.locator('body').innerText()).not.toMatch(/\{"|Cannot POST/);
					const isUnsure = await page.getByText('Your answer may have been saved.').isVisible();
					if (isUnsure) await answerAfterRestart(host, links[at], ['Approve once']);
					const execution = await eventually(async () => {
						const found = await host.waitForExecution(links[at].executionId);
						return found.status === 'crashed' ? undefined : found;
					});
					expectSuccess(execution);
				}
			} finally {
				await browser.close();
			}
		},
	);
});
