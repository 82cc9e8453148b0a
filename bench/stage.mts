// Stage for the benchmarks: the local mock service in its own process, at normal speed.
import { startLocalService, type LocalService } from '../tools/demoService.mts';
import { credentialFor } from '../local-service/caller.mts';

export interface Stage {
	service: LocalService;
	/** For the package's credential */
	credentials: { baseUrl: string; accessToken: string; apiVersion: string; overrides: string };
	/** A project that they may act on */
	projectId: string;
}

/** Calls `work` with a new service, which is gone afterwards. */
export async function onStage<T>(work: (stage: Stage) => Promise<T>): Promise<T> {
	const service = await startLocalService();
	try {
		const { projects } = await service.control.seed();
		const credentials = credentialFor(service);
		return await work({ service, credentials, projectId: projects[0].id });
	} finally {
		await service.close();
	}
}
