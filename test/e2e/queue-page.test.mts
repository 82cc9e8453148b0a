// The page on which a person answers, in n8n's queue mode: the main shows it and takes the answer, a worker asks and applies it.
import { beforeAll, expect, test } from '@jest/globals';
import { WITHOUT_EDITOR } from '../../n8n-host/environment.mts';
import { listExecutions } from '../../n8n-host/executions.mts';
import { onSeveralMachines } from '../../tools/demoStage.mts';
import { call, live } from './durable.mts';
import { arrived, getChoice, messages, openPage, send, withPage } from './page.mts';
import { describeWith, eventually, sessionsFor, useOwnStage } from './support.mts';

const describe = describeWith('Redis and PostgreSQL');

/** Fate of the asking worker between question and answer */
const CASES = ['stays', 'killed'] as const;

describe('the page in queue mode', () => {
	// Two workers that take their time, as patientHost does.
	const stage = useOwnStage(onSeveralMachines({ env: WITHOUT_EDITOR }));
	const executions: Record<string, string> = {};
	const getPrompt = (what: string) =>
		`Worker ${what} [ask bash: git push + bash: rm -rf build] [say Went on.]`;

	beforeAll(async () => {
		const { host } = stage;
		for (const what of CASES) {
			const file = live(withPage(what, [{ prompt: getPrompt(what) }]), what);
			const workflowId = await host.importWorkflow(file);
			await host.activate(workflowId);
			await call(`${host.url}/webhook/${what}`);
			const { id } = await eventually(async () => (await listExecutions(host.rest, workflowId))[0]);
			executions[what] = id;
		}
	});

	const link = async (what: string): Promise<string> =>
		(await messages(stage, executions[what]))[0].url;

	/** Number of times that workers have resumed an execution */
	const taken = (what: string): number =>
		stage.host.workers
			.flatMap((worker) => worker.executions)
			.filter((id) => id === executions[what]).length;

	const answered = async (what: string): Promise<unknown[]> =>
		(await sessionsFor(stage, getPrompt(what))).flatMap(({ interactions }) =>
			interactions.map(({ value }: { value?: unknown }) => value),
		);

	test("the main serves the link's page, and opening it decides nothing", async () => {
		const url = await link('stays');
		expect(url.startsWith(`${stage.host.url}/`)).toBe(true);
		const page = await openPage(url);
		expect(page).toMatchObject({ status: 200, title: 'The agent needs your approval' });
		expect(page.html).toContain('<bdo dir="ltr">git push</bdo>');
		expect(page.html).toContain('<bdo dir="ltr">rm -rf build</bdo>');
		expect(await openPage(url, 'HEAD')).toMatchObject({ status: 200, html: '' });
		expect(await answered('stays')).toEqual([undefined, undefined]);
	});

	test('a worker is killed with -9 after its question, and another one starts', async () => {
		const { host } = stage;
		await link('killed'); // paused
		const asker = host.workers.find(({ executions: ids }) => ids.includes(executions.killed))!;
		await asker.kill();
		await host.addWorker();
		const page = await openPage(await link('killed'));
		expect(page).toMatchObject({ status: 200, title: 'The agent needs your approval' });
		expect(await answered('killed')).toEqual([undefined, undefined]);
	});

	test.each(CASES)(
		'an answer decides exactly its request, once, and the session ends (worker %s)',
		async (what) => {
			const url = await link(what);
			const page = await openPage(url);
			const before = taken(what);
			const choices = {
				request0: getChoice(page, 0, 'Approve once'),
				request1: getChoice(page, 1, 'Deny'),
			};
			expect(await send(url, page, choices)).toMatchObject({
				status: 200,
				title: 'Your answer was sent',
			});
			expect(await send(url, page, choices)).toMatchObject({ status: 409 });

			const execution = await stage.host.waitForExecution(executions[what]);
			const { status, error } = execution;
			expect({ status, error: error?.message }).toEqual({ status: 'success' });
			expect(arrived(execution, 'Completed')).toMatchObject([
				{
					text: expect.stringContaining('Went on.'),
					decisions: [
						{ patterns: ['git push'], decision: 'approve', decidedBy: 'page' },
						{ patterns: ['rm -rf build'], decision: 'deny', decidedBy: 'page' },
					],
				},
			]);
			expect(await sessionsFor(stage, getPrompt(what))).toMatchObject([
				{
					status: 'completed',
					turns: 1,
					interactions: [{ value: 'once' }, { value: 'reject' }],
				},
			]);
			expect(taken(what)).toBeGreaterThan(before);
		},
	);
});
