// Workspace Automation Trigger: its poll called as n8n calls it, over real HTTP against the local mock service.
import { afterEach } from '@jest/globals';
import type { Setup } from './engine.mts';
import { useService } from './service.mts';
import { byId } from '../../n8n-host/workflows.mts';

export { byId };

/** A service for the tests of one file, and what they watch in it */
export function useTrigger() {
	const service = useService();
	afterEach(async () => {
		await service.control.clearFaults();
	});
	const setup = (event: string, parameters: object = {}): Setup => ({
		node: 'workspaceAutomationTrigger',
		parameters: { event, ...parameters } as Setup['parameters'],
		credentials: service.credentials,
	});

	const project = () => service.seed.projects[0].id;

	const site = () => service.seed.sites[0].id;

	const domain = (status = 'active', stale = false) => ({
		siteId: site(),
		domain: `${status}-${stale}.example`,
		status,
		stale,
	});

	const files = () => ({ projectIds: [project()], parentId: byId('') });

	const file = async (name: string, text = 'Text') =>
		await service.control.files.add({ projectId: project(), name, text });

	const product = async (fields: object) =>
		await service.control.products.add({ projectId: project(), ...fields });

	return { service, setup, project, site, domain, files, file, product };
}
