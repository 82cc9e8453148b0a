// Run Agent Session in n8n's engine and in simulated time, against the local mock service.
import { createStage, NODE, type Stage } from './flow.mts';
import { afterEach, beforeEach, expect } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';
import { controlWithin, type ControlClient } from '../../local-service/control/client.mts';
import * as engine from './engine.mts';
import type { Execution, Setup } from './engine.mts';

/** The outputs in their order. `error` is the one that n8n adds with On Error. */
const OUTPUT_KEYS = ['completed', 'needsApproval', 'error'] as const;
export type OutputKey = (typeof OUTPUT_KEYS)[number];

/** Returns the items of an output in all runs of the node. */
export const itemsOn = ({ data }: Execution, output: OutputKey) =>
	(data.resultData.runData[NODE] ?? []).flatMap(
		(run) => (run.data?.main[OUTPUT_KEYS.indexOf(output)] ?? []) as Execution['outputs'][number],
	);

/** Returns the texts, or the errors, of the items of each output that has any. */
export const texts = (execution: Execution): Partial<Record<OutputKey, unknown[]>> =>
	Object.fromEntries(
		OUTPUT_KEYS.map(
			(output) =>
				[output, itemsOn(execution, output).map(({ json }) => json.error ?? json.text)] as const,
		).filter(([, found]) => found.length > 0),
	);

/** A service in simulated time for the tests of one file, as new for each of them */
export function useRunAgentSession() {
	let stage: Stage;
	let control: ControlClient;
	beforeEach(() => {
		stage = createStage();
		control = controlWithin(stage.service.app);
	});
	afterEach(async () => {
		await stage.service.app.close();
		expect(stage.problems).toEqual([]);
	});

	const projectId = () => stage.project.id;
	const parameters = (changes: IDataObject) => ({
		...stage.parametersOf(),
		prompt: '[work 5s] [say Done]',
		permissionPolicy: 'ask',
		whileWaiting: 'keepRunning',
		...changes,
	});
	const setup = (changes: IDataObject = {}, more: Partial<Setup> = {}): Setup => ({
		node: 'runAgentSession',
		parameters: parameters(changes),
		credentials: stage.credentials,
		...more,
	});
	return {
		setup,
		projectId,
		sessions: () => stage.sessions(),
		credentials: () => stage.credentials,
		addFaults: async (faults: Parameters<ControlClient['addFaults']>[0]) =>
			await control.addFaults(faults),
		requests: async () => await control.requests(),
		of: async (method: string, ending: string) =>
			(await control.requests()).filter(
				(request) => request.method === method && request.path.endsWith(ending),
			),
		startSession: async (prompt: string) =>
			await control.startSession({ projectId: projectId(), prompt }),
		/** Runs it to its end. */
		run: async (given: Setup) => await stage.time.run(async () => await engine.run(given)),
		/** Runs it, and selects Stop after this time. */
		stopAfter: async (given: Setup, ms: number) =>
			await stage.time.run(async () => {
				const started = engine.start(given);
				await new Promise((resolve) => setTimeout(resolve, ms));
				started.stop();
				const execution = await started.result;
				// Aborts continue after Stop.
				await new Promise((resolve) => setTimeout(resolve, 5_000));
				return execution;
			}),
	};
}
