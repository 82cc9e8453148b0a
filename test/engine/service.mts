// The local service for engine tests: real HTTP, in the test's own process, faster than life.
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import axios from 'axios';
import {
	createService,
	type RunningService,
	type ServiceOptions,
} from '../../local-service/app.mts';

export interface TestService extends Omit<RunningService, 'overrides'> {
	credentials: { baseUrl: string; accessToken: string; apiVersion: string; overrides: string };
	/** A project that the main key can act on */
	projectId: string;
	/** Ids that the service holds at the start, see its control API */
	seed: any;
	sessions(): Promise<any[]>;
	requests(): Promise<
		Array<{
			method: string;
			path: string;
			query: any;
			headers: any;
			body: any;
			status: number;
			at: string;
			version: string;
		}>
	>;
	control(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<any>;
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
		const control: TestService['control'] = async (method, path, data) =>
			(await axios.request({ method, url: running.controlUrl + path, data: data ?? {} })).data;
		const seed = await control('GET', '/seed');
		Object.assign(service, running, {
			credentials: {
				baseUrl: running.baseUrl,
				accessToken: running.key,
				apiVersion: '2026-10-05',
				overrides: JSON.stringify(running.overrides),
			},
			seed,
			projectId: seed.projects[0].id,
			control,
			sessions: async () => (await control('GET', '/sessions')).sessions,
			requests: async () => (await control('GET', '/requests')).requests,
			call: async (method: string, url: string, data?: unknown) =>
				(
					await axios.request({
						method,
						baseURL: running.baseUrl,
						url,
						data,
						headers: {
							Authorization: `Bearer ${running.key}`,
							'Service-Api-Version': '2026-10-05',
						},
					})
				).data,
		});
	});
	beforeEach(async () => {
		mistakes = [];
		await service.control('POST', '/reset');
	});
	afterAll(async () => {
		await service.close();
		if (mistakes.length > 0)
			throw new Error(`The local service broke its contract: ${mistakes.join('\n')}`);
	});
	return service;
}
