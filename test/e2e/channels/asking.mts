// Shared code for tests of examples that ask in channels, each question in its own execution.
import { afterAll, beforeAll, beforeEach, expect } from '@jest/globals';
import type { Execution } from '../../../n8n-host/executions.mts';
import { hostVersion } from '../../../n8n-host/versions.mts';
import type { WorkflowFile } from '../../../n8n-host/workflows.mts';
import { startScriptedModel, type ScriptedModel } from '../../../tools/scriptedModel.mts';
import { eventually, itemsOn, getRecord, startedByItself } from '../support.mts';
import { importCredentials } from './channelNodes.mts';
import type { Sent } from './standIn.mts';
import { useChannels } from './useChannels.mts';

export const OVER = {
	limitWaitTime: {
		values: { limitType: 'atSpecifiedTime', maxDateAndTime: '2026-01-01T00:00:00' },
	},
};

/** For the tests of one file */
export function useAsking() {
	const { stage, channels } = useChannels();
	beforeAll(async () => await importCredentials(stage.host));

	let seen = 0;
	beforeEach(() => {
		seen = channels.sent().length;
	});

	/** The first message since the test began, or since the last that was found, with all of these texts */
	async function says(...texts: string[]): Promise<Sent> {
		const found = await channels
			.message(
				(sent) =>
					channels.sent().indexOf(sent) >= seen && texts.every((text) => sent.text.includes(text)),
			)
			.catch((error: Error) => {
				throw new Error(`${error.message}\nThe end of n8n's output: ${stage.host.tail()}`);
			});
		seen = channels.sent().indexOf(found) + 1;
		return found;
	}

	/** The next message that asks for these patterns */
	const asks = async (...patterns: string[]): Promise<Sent> =>
		await says(...patterns.map((pattern) => `«${pattern.replaceAll('.', '․')}»`));

	const getValues = async (sessionId: string) =>
		(await getRecord(stage, sessionId)).interactions.map(({ patterns, value }: any) => [
			patterns.join(),
			value ?? null,
		]);

	/** Runs an example until it has asked in other executions. Returns the items that it has asked with. */
	async function askWith(file: WorkflowFile) {
		const workflowId = await stage.host.importWorkflow(file);
		// n8n 2 wants a workflow published that is called by others than a person.
		if (hostVersion() === '2.41') await stage.host.activate(workflowId);
		const execution = await stage.host.waitForExecution(await stage.host.run(workflowId));
		expect(execution.error).toBeUndefined();
		return { workflowId, asked: itemsOn(execution, 'needsApproval') as Array<Record<string, any>> };
	}

	/** The executions that ask, once there are so many and all have ended, the first first */
	async function askingExecutions(workflowId: string, count: number): Promise<Execution[]> {
		const ids = await eventually(async () => {
			// One that is about to end may be listed twice.
			const all = new Set((await startedByItself(stage, workflowId)).map(({ id }) => id));
			return all.size >= count ? [...all].sort((a, b) => Number(a) - Number(b)) : undefined;
		});
		expect(ids).toHaveLength(count);
		const executions = await Promise.all(
			ids.map(async (id) => await stage.host.waitForExecution(id)),
		);
		for (const { error } of executions) expect(error).toBeUndefined();
		return executions;
	}

	return { stage, channels, asks, says, valuesOf: getValues, askWith, askingExecutions };
}

/** The name of the credential for the model */
export const MODEL = 'Scripted model';

/** Plays the part of the model in the examples with an AI Agent. */
export function useModel({ stage }: Pick<ReturnType<typeof useAsking>, 'stage'>): ScriptedModel {
	const model = {} as ScriptedModel;
	beforeAll(async () => {
		Object.assign(model, await startScriptedModel());
		await stage.host.importCredential({
			name: MODEL,
			type: 'openAiApi',
			data: { apiKey: 'none', url: model.baseUrl },
		});
	});
	afterAll(async () => await model.close?.());
	return model;
}
