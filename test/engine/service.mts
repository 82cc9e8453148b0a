// The local mock service for engine tests: real HTTP, in the test's own process, faster than life.
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import axios from 'axios';
import {
	createService,
	type RunningService,
	type ServiceOptions,
} from '../../local-service/app.mts';
import { controlOver, type ControlClient } from '../../local-service/control/client.mts';
import type { SeedView, SessionView } from '../../local-service/control/views.mts';
import type { RecordedRequest } from '../../local-service/record.mts';
import { apiHeaders, credentialFor } from '../../local-service/caller.mts';

export interface TestService extends Omit<RunningService, 'overrides'> {
	credentials: { baseUrl: string; accessToken: string; apiVersion: string; overrides: string };
	/** A project that the main key can act on */
	projectId: string;
	/** Data of the service at the start */
	seed: SeedView;
	/** Everything else that can be asked of the service, and changed in it */
	control: ControlClient;
	sessions(): Promise<SessionView[]>;
	requests(): Promise<RecordedRequest[]>;
	/** Calls the API itself */
	call(method: 'GET' | 'POST', path: string, body?: unknown): Promise<any>;
}

/** A service for the tests of one file, as new for each of them. What it says it did wrong fails the test. */
export function useService(speed = 20, options: Partial<ServiceOptions> = {}): TestService {
	const service = {} as TestService;
	let mistakes: string[] = [];
	beforeAll(async () => {
		const running = await createService({
			speed,
			...options,
			log: (mistake) => mistakes.push(mistake),
		}).start();
		const control = controlOver(running.controlUrl);
		const seed = await control.seed();
		Object.assign(service, running, {
			credentials: credentialFor(running),
			seed,
			projectId: seed.projects[0].id,
			control,
			sessions: control.sessions,
			requests: async () => await control.requests(),
			call: async (method: string, url: string, data?: unknown) =>
				(
					await axios.request({
						method,
						baseURL: running.baseUrl,
						url,
						data,
						headers: apiHeaders(running.key),
					})
				).data,
		});
	});
	beforeEach(async () => {
		mistakes = [];
		await service.control.reset();
	});
	afterAll(async () => {
		await service.close();
		if (mistakes.length > 0)
			throw new Error(`The local service broke its contract: ${mistakes.join('\n')}`);
	});
	return service;
}
