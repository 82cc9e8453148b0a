// The operations of the Workspace Automation node, run by the engine against the local mock service over real HTTP. The service validates
// each request against the contract, and each of its own answers.
import { expect } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';
import type { FaultRule } from '../../local-service/faults.mts';
import { operation, run, type Execution, type Setup } from './engine.mts';
import { useService } from './service.mts';

export { byId as rl } from '../../n8n-host/workflows.mts';

export const jsons = ({ outputs }: Execution) => outputs[0].map(({ json }) => json);

/** A service for the tests of one file, and what they do with it */
export function useOperations() {
	const service = useService();
	const setup = (does: string, parameters: IDataObject = {}, more?: Partial<Setup>) =>
		operation(does, parameters, service.credentials, more);

	const only = async (...given: Parameters<typeof setup>) => {
		const execution = await run(setup(...given));
		if (execution.error) throw execution.error;
		expect(execution.outputs[0]).toHaveLength(1);
		return execution.outputs[0][0].json;
	};

	const sent = async (method?: string) =>
		(await service.requests()).filter(
			(request) => method === undefined || request.method === method,
		);

	const fault = async (rule: FaultRule) => await service.control.addFaults(rule);

	const getId = (kind: 'tasks' | 'files' | 'domains' | 'assets', index = 0) =>
		String(service.seed[kind][index].id);

	const session = async (prompt: string) =>
		(await service.call('POST', '/agent/sessions', { projectId: service.projectId, prompt }))
			.sessionId as string;

	/** Waits until a new session can be read */
	const settled = async (
		sessionId: string,
		ready = (found: any) => found.status !== 'starting',
	) => {
		for (;;) {
			const found = await service
				.call('GET', `/agent/sessions/${sessionId}`)
				.catch(() => undefined);
			if (found && ready(found)) return found;
			await new Promise((resolve) => setTimeout(resolve, 50));
		}
	};

	return { fault, idOf: getId, only, sent, service, session, settled, setup };
}
