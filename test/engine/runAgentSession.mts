// Run Agent Session as the engine runs it, against the local service over real HTTP.
import type { IDataObject } from 'n8n-workflow';
import type { Execution, Setup } from './engine.mts';
import { useService } from './service.mts';
import { byId } from '../../n8n-host/workflows.mts';

/** The texts, or the errors, of the items of each output */
export const texts = (execution: Execution) =>
	execution.outputs.map((items) => items.map(({ json }) => json.text ?? json.error));

export const until = async (condition: () => Promise<boolean>) => {
	while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 50));
};

/** A service for the tests of one file, and what they do with it */
export function useRunAgentSession() {
	const service = useService();
	const parameters = (changes: IDataObject = {}): IDataObject => ({
		operation: 'start',
		projectId: byId(service.projectId),
		prompt: '[work 5s] [say Done]',
		permissionPolicy: 'ask',
		...changes,
		options: { pollInterval: 1, maxPollInterval: 1, ...(changes.options as IDataObject) },
	});

	const setup = (changes: IDataObject = {}, more: Partial<Setup> = {}): Setup => ({
		node: 'runAgentSession',
		parameters: parameters(changes),
		credentials: service.credentials,
		...more,
	});

	const of = async (method: string, ending: string) =>
		(await service.requests()).filter(
			(request) => request.method === method && request.path.endsWith(ending),
		);

	return { of, service, setup };
}
