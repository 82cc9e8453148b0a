// The trigger in n8n's queue mode: the main polls, the workers run what it starts.
import { expect, test } from '@jest/globals';
import { WITHOUT_EDITOR } from '../../n8n-host/environment.mts';
import { controlOver } from '../../local-service/control/client.mts';
import { hasEnded, listExecutions, readExecution } from '../../n8n-host/executions.mts';
import { onSeveralMachines } from '../../tools/demoStage.mts';
import { arrival, chain, describeWith, eventually, triggerNode, useOwnStage } from './support.mts';

describeWith('Redis and PostgreSQL')('two workers', () => {
	const stage = useOwnStage(onSeveralMachines({ concurrency: 5, env: WITHOUT_EDITOR }));

	test('every change is emitted by exactly one execution, which a worker runs', async () => {
		const { host, service } = stage;
		const control = controlOver(service.controlUrl);
		const polls = async () => (await control.requests()).length;
		const polled = async (times: number) => {
			const before = await polls();
			await eventually(async () => (await polls()) >= before + times);
		};
		const id = await host.importWorkflow(
			chain('Queue', [triggerNode('taskAdded', {}, 'Trigger'), arrival('Arrived')]),
		);
		await host.activate(id);
		await polled(4);

		const added: string[] = [];
		for (let round = 0; round < 4; round++) {
			for (let count = 0; count < 3; count++) {
				const title = `Task ${round}.${count}`;
				added.push(title);
				await control.tasks.add({ title });
			}
			await polled(2);
		}
		const emitted = async () => {
			const executions = (await listExecutions(host.rest, id)).filter(hasEnded);
			const read = await Promise.all(executions.map((each) => readExecution(host.rest, each.id)));
			return read.flatMap((execution) => execution.items('Arrived').map(({ title }) => title));
		};
		await eventually(async () => (await emitted()).length >= added.length);
		await polled(2);
		expect((await emitted()).sort()).toEqual(added);

		const ran = host.workers.flatMap(({ executions }) => executions);
		const all = (await listExecutions(host.rest, id)).map((each) => each.id);
		expect(all.filter((each) => !ran.includes(each))).toEqual([]);
		expect(new Set(ran).size).toBe(ran.length);
	});
});
