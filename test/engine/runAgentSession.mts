// Run Agent Session as the engine runs it, against the local mock service over real HTTP.
import type { IDataObject } from 'n8n-workflow';
import type { Execution, Setup } from './engine.mts';
import { useService } from './service.mts';
import { byId } from '../../n8n-host/workflows.mts';

/** The outputs in their order. `error` is the one that n8n adds with On Error. */
const OUTPUT_KEYS = ['completed', 'needsApproval', 'error'] as const;
export type OutputKey = (typeof OUTPUT_KEYS)[number];

/** Returns the items of an output in the node's last run. */
export const itemsOn = ({ outputs }: Execution, output: OutputKey) =>
	outputs[OUTPUT_KEYS.indexOf(output)] ?? [];

/** Returns the outputs that have items, each with what `pick` takes from its items. */
export const byOutput = <T,>(
	execution: Execution,
	pick: (item: Execution['outputs'][number][number]) => T,
): Partial<Record<OutputKey, T[]>> =>
	Object.fromEntries(
		OUTPUT_KEYS.map((output) => [output, itemsOn(execution, output).map(pick)] as const).filter(
			([, picked]) => picked.length > 0,
		),
	);

/** Returns the texts, or the errors, of the items of each output that has any. */
export const texts = (execution: Execution) =>
	byOutput(execution, ({ json }) => json.text ?? json.error);

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
		whileWaiting: 'keepRunning',
		...changes,
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
