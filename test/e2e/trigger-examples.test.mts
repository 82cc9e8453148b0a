// The workflows of examples/ that start by themselves: imported, switched on, and started by what happens in the local service.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { controlOver, type ControlClient } from '../../local-service/control/client.mts';
import { hasEnded, listExecutions, readExecution } from '../../n8n-host/executions.mts';
import {
	eventually,
	example,
	POLL_TIMES,
	projectId,
	testWith,
	TEST_TIMEOUT_MS,
	useStage,
} from './support.mts';

const stage = useStage();
let control: ControlClient;
let active: string | undefined;

beforeEach(async () => {
	control = controlOver(stage.service.controlUrl);
	await control.reset();
	await control.setSpeed(20);
	await control.clearRequests();
});

afterEach(async () => {
	if (active !== undefined) await stage.host.deactivate(active);
	active = undefined;
});

/** Imports an example and switches it on. Returns once its trigger has seen what there is. */
async function activated(
	name: string,
	trigger: string,
	path: string,
	changes: Record<string, Record<string, unknown>> = {},
): Promise<string> {
	const pollTimes = { item: POLL_TIMES };
	const file = example(name, { ...changes, [trigger]: { ...changes[trigger], pollTimes } });
	active = await stage.host.importWorkflow(file);
	await stage.host.activate(active);
	await polled(path, 2);
	return active;
}

/** Waits until a list was asked for so many times from now on. */
async function polled(path: string, times: number): Promise<void> {
	const count = async () =>
		(await control.requests()).filter((request) => request.path.endsWith(path)).length;
	const before = await count();
	await eventually(async () => (await count()) >= before + times, 60);
}

/** The executions that a workflow has started so far, the first first */
async function executionsOf(workflowId: string) {
	const all = (await listExecutions(stage.host.rest, workflowId)).reverse();
	return await Promise.all(
		all.filter(hasEnded).map(({ id }) => readExecution(stage.host.rest, id)),
	);
}

const started = async (workflowId: string, count = 1) => {
	await eventually(async () => (await executionsOf(workflowId)).length >= count, 120);
	return await executionsOf(workflowId);
};

describe('brief-to-agent.json', () => {
	const TRIGGER = 'A brief arrives';
	const briefs = async () => (await control.seed()).folders.find(({ name }) => name === 'Briefs')!;
	const arrive = async (name: string) =>
		await control.files.add({ projectId, parentId: (await briefs()).id, name, text: 'A page' });

	test(
		'has an agent work on each brief that arrives, and announces what came of it',
		async () => {
			const id = await activated('brief-to-agent', TRIGGER, '/files');
			await control.files.add({ projectId, name: 'elsewhere.md' });
			const brief = await arrive('spring.md');

			const [execution, ...more] = await started(id);
			expect(more).toEqual([]);
			expect(execution.status).toBe('success');
			expect(execution.items('Announcement')).toMatchObject([
				{ text: expect.stringMatching(/^spring\.md: The page is ready\./), open: 0 },
			]);
			expect(await stage.service.sessions()).toMatchObject([
				{
					projectId,
					prompt: expect.stringContaining(brief.id),
					status: 'completed',
					interactions: [{ value: 'once' }],
				},
			]);
			await polled('/files', 2);
			expect(await executionsOf(id)).toHaveLength(1);
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'ends with an error that names the brief when the agent fails',
		async () => {
			const prompt = '[work 1s] [fail Out of disk]';
			const id = await activated('brief-to-agent', TRIGGER, '/files', {
				'Work on the brief': { prompt },
			});
			await arrive('summer.md');
			const [execution] = await started(id);
			expect(execution.status).toBe('error');
			expect(execution.lastNodeExecuted).toBe('Tell somebody');
			expect(execution.error!.message).toMatch(/^summer\.md: NOT done\. .*Out of disk/);
		},
		TEST_TIMEOUT_MS,
	);
});

describe('stale-domain-alert.json', () => {
	test(
		'tells of a domain that turns stale, once, and again when it has recovered',
		async () => {
			const id = await activated('stale-domain-alert', 'A domain changes', '/custom-domains');
			const domain = (await control.seed()).domains.find(({ stale }) => !stale)!;
			const told = async () =>
				(await executionsOf(id)).filter(
					({ lastNodeExecuted }) => lastNodeExecuted === 'Tell somebody',
				);

			await control.domains.change(domain.id, { stale: true });
			await eventually(async () => (await told()).length, 60);
			await control.domains.change(domain.id, { status: 'pending' });
			await started(id, 2);
			await polled('/custom-domains', 2);
			const [execution, ...more] = await told();
			expect(more).toEqual([]);
			expect(execution.status).toBe('error');
			expect(execution.error!.message).toContain(`- ${domain.domain}\n`);

			await control.domains.change(domain.id, { stale: false });
			await started(id, 3);
			await control.domains.change(domain.id, { stale: true });
			await eventually(async () => (await told()).length === 2, 60);
		},
		TEST_TIMEOUT_MS,
	);
});

describe('low-conversion-alert.json', () => {
	testWith('ClickHouse')(
		'tells of a day on which fewer sessions buy than should, once',
		async () => {
			const values = [
				{ name: 'percent', value: '1.5' },
				{ name: 'leastSessions', value: '5000' },
			];
			const id = await activated('low-conversion-alert', 'Conversion is low', '/analytics/query', {
				'Conversion is low': { options: { parameters: { values } } },
			});
			await control.addEvents({ projectId, count: 6000 });
			const [execution] = await started(id);
			expect(execution.status).toBe('error');
			expect(execution.lastNodeExecuted).toBe('Tell somebody');
			expect(execution.error!.message).toMatch(
				/^Conversion on \d{4}-\d\d-\d\d is [\d.]+ % \(\d+ of \d{4,} sessions\)\.$/,
			);
			await control.addEvents({ projectId, count: 10 });
			await polled('/analytics/query', 3);
			expect(await executionsOf(id)).toHaveLength(1);
		},
		TEST_TIMEOUT_MS,
	);
});
