// What the demo, the end-to-end tests and the screenshots all play on: the local service, and the real n8n with the package as it
// would be published and a credential for that service.
import { readFileSync } from 'node:fs';
import { startHost, type Host } from '../n8n-host/host.mts';
import { ensureHost, type Log } from '../n8n-host/install.mts';
import type { WorkflowFile } from '../n8n-host/workflows.mts';
import { startLocalService, type LocalService } from './demoService.mts';
import { packedPackage } from './package.mts';

/** The name of the credential in the example workflows */
export const credentialName = 'Workspace Automation (local service)';

export interface Stage {
	service: LocalService;
	host: Host;
	close(): Promise<void>;
}

/** Installs what is missing, builds unless told not to, and starts everything on free ports. Says what it is doing. */
export async function setStage(log: Log, { build = true } = {}): Promise<Stage> {
	await ensureHost({ log });
	log(`${build ? 'building and ' : ''}packing the package`);
	const packed = await packedPackage(build);
	log('starting the local service and n8n');
	const starting = [startLocalService(), startHost({ packageDir: packed.folder })] as const;
	try {
		const [service, host] = await Promise.all(starting);
		await host.importCredential({
			name: credentialName,
			type: 'workspaceAutomationApi',
			data: { baseUrl: service.baseUrl, accessToken: service.key, apiVersion: '2026-10-05' },
		});
		return { service, host, close: () => closeAll(starting) };
	} catch (error) {
		await closeAll(starting);
		throw error;
	} finally {
		packed.remove();
	}
}

/** Also what is still starting while the other has failed */
async function closeAll(starting: ReadonlyArray<Promise<{ close(): Promise<void> }>>): Promise<void> {
	await Promise.allSettled(starting.map(async (one) => await (await one).close()));
}

/** A workflow from examples/ */
export function exampleWorkflow(name: string): WorkflowFile {
	return JSON.parse(readFileSync(new URL(`../examples/${name}.json`, import.meta.url), 'utf8'));
}
