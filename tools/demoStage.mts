// Stage for the demo, the end-to-end tests and the screenshots: the local mock service, and the real n8n with the package as it
// would be published and a credential for that service.
import { startHost, type Host, type OwnHost } from '../n8n-host/host.mts';
import { ensureHost } from '../n8n-host/install.mts';
import type { Log } from '../n8n-host/pinned.mts';
import {
	ensureQueue,
	startQueueHost,
	type QueueHost,
	type QueueOptions,
} from '../n8n-host/queue.mts';
import type { SavedCredential } from '../n8n-host/workflows.mts';
import { startLocalService, type LocalService } from './demoService.mts';
import { credentialName } from './examples.mts';
import { packedPackage } from './package.mts';
import { credentialFor } from '../local-service/caller.mts';

export interface Stage<H extends Host = Host> {
	service: LocalService;
	host: H;
	/** The credential for the service, in n8n */
	credential: SavedCredential;
	close(): Promise<void>;
}

/** Starts n8n with the package that it is given: on one machine, or as on several. */
export type StartHost<H extends Host = OwnHost> = (
	options: { packageDir: string },
	log: Log,
) => Promise<H>;

const onOneMachine: StartHost = async ({ packageDir }) => await startHost({ packageDir });

/** n8n's queue mode. Installs Redis and PostgreSQL where they are missing. */
export function onSeveralMachines(
	options: Omit<QueueOptions, 'packageDir'> = {},
): StartHost<QueueHost> {
	return async ({ packageDir }, log) => {
		await ensureQueue({ log });
		return await startQueueHost({ ...options, packageDir });
	};
}

interface StageOptions<H extends Host = OwnHost> {
	/** Default: true */
	build?: boolean;
	/** One that runs already, which ends with the stage */
	service?: LocalService;
	start?: StartHost<H>;
}

/** Installs what is missing, builds unless told not to, and starts everything on free ports. Says what it is doing. */
export async function setStage<H extends OwnHost>(
	log: Log,
	options: StageOptions<H> & { start: StartHost<H> },
): Promise<Stage<H>>;
export async function setStage(log: Log, options?: StageOptions): Promise<Stage<OwnHost>>;
export async function setStage(
	log: Log,
	{ build = true, service: running, start = onOneMachine }: StageOptions = {},
): Promise<Stage<OwnHost>> {
	await ensureHost({ log });
	log(`${build ? 'building and ' : ''}packing the package`);
	const packed = await packedPackage(build);
	log(`starting ${running ? '' : 'the local mock service and '}n8n`);
	const starting = [
		running ? Promise.resolve(running) : startLocalService(log),
		start({ packageDir: packed.folder }, log),
	] as const;
	const close = async () => {
		await closeAll(starting);
		packed.remove();
	};
	try {
		const [service, host] = await Promise.all(starting);
		return { service, host, credential: await importCredential(host, service), close };
	} catch (error) {
		await close();
		throw error;
	}
}

/**
 * Makes the credential for the service in n8n.
 * @param name that of the credential in the example workflows, if not given
 */
export async function importCredential(
	host: Host,
	service: Pick<LocalService, 'baseUrl' | 'key'>,
	name = credentialName,
): Promise<SavedCredential> {
	return await host.importCredential({
		name,
		type: 'workspaceAutomationApi',
		data: credentialFor(service),
	});
}

/** Also what is still starting while the other has failed */
async function closeAll(
	starting: ReadonlyArray<Promise<{ close(): Promise<void> }>>,
): Promise<void> {
	await Promise.allSettled(starting.map(async (one) => await (await one).close()));
}
