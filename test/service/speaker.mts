// A caller that knows nothing but the assumed requests and the overrides: it calls a service of any dialect as the package would.
import { afterEach, expect } from '@jest/globals';
import { createService } from '../../local-service/app.mts';
import { controlWithin } from '../../local-service/control/client.mts';
import {
	assumedRequests,
	type OperationId,
} from '../../local-service/dialects/assumed-requests.mts';
import type { Overrides } from '../../local-service/dialects/dialect.mts';
import { settingsFor, type DialectName } from '../../local-service/dialects/index.mts';
import { writeValues, type Values } from '../../local-service/dialects/templates.mts';
import type { Lateness } from '../../local-service/lateness.mts';
import { current, older } from './support.mts';
import { parseJson } from '../../local-service/json.mts';
import { oneQuery } from '../support/oneQuery.mts';
import { createServiceClock } from '../support/virtualClock.mts';

interface Answered {
	status: number;
	headers: Record<string, unknown>;
	text: string;
	/** Undefined for what is not JSON */
	body: unknown;
}

const withOlderVersion: OperationId[] = ['getTask', 'listCustomDomains'];

/** A service that speaks these dialects, in simulated time, and a caller. */
export function speaker(names: string[], lateness?: Partial<Lateness>) {
	const clock = createServiceClock();
	const problems: string[] = [];
	const service = createService({
		clock,
		dialects: names,
		lateness,
		clickHouse: oneQuery('n', 1),
		traffic: () => ({ events: [], rates: [] }),
		log: (problem) => problems.push(problem),
	});
	const overrides = settingsFor(names);

	/** @param as what the requests look like; default: as the dialects want it */
	async function call(
		operationId: OperationId,
		values: Values = {},
		{ extra, as = overrides }: { extra?: object; as?: Overrides } = {},
	): Promise<Answered> {
		const { method, path, query, body, version } = {
			version: withOlderVersion.includes(operationId) ? older : current,
			...assumedRequests[operationId],
			...as[operationId],
		};
		const written = body === undefined ? undefined : writeValues(body, values);
		const answer = await service.app.inject({
			// Overrides may name any method
			method: method as 'GET',
			url: `/v1${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])))}`,
			// A query has names
			query: writeValues(query ?? {}, values) as Record<string, string> | undefined,
			headers: {
				authorization: 'Bearer wa_local_main_key',
				'service-api-version': version,
				...(body !== undefined && { 'content-type': 'application/json' }),
			},
			...(body !== undefined && { payload: JSON.stringify({ ...(written ?? {}), ...extra }) }),
		});
		return {
			status: answer.statusCode,
			headers: answer.headers,
			text: answer.body,
			body: parseJson(answer.body),
		};
	}

	return {
		call,
		control: controlWithin(service.app),
		seed: service.seed,
		overrides,
		/** Errors that the service reports about itself */
		problems,
		now: clock.now,
		advance: (seconds: number) => clock.advance(seconds * 1000),
		close: () => service.app.close(),
	};
}

export type Speaker = ReturnType<typeof speaker>;

/** Returns the value at a dotted path: `data.run_id`. */
export const valueAt = (value: unknown, path: string): unknown =>
	path
		.split('.')
		.reduce<unknown>(
			(inner, key) =>
				typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined,
			value,
		);

/** The id that a service gave a new session, from its own record, for any form of the answer. */
export const latestSession = async ({ control }: Speaker): Promise<string> =>
	(await control.sessions()).at(-1)!.sessionId;

/** Starts a session and waits until it can be found. */
export async function startSession(service: Speaker, prompt: string): Promise<string> {
	const { projects } = service.seed();
	await service.call('createAgentSession', { projectId: projects[0].id, prompt });
	service.advance(10);
	return await latestSession(service);
}

/** Starts services for the tests of a file, and ends them after each. What one says it did wrong fails the test. */
export function useSpeakers(): (...names: DialectName[]) => Speaker {
	const started: Speaker[] = [];
	afterEach(async () => {
		const services = started.splice(0);
		await Promise.all(services.map(({ close }) => close()));
		expect(services.flatMap(({ problems }) => problems)).toEqual([]);
	});
	return (...names) => {
		const service = speaker(names);
		started.push(service);
		return service;
	};
}
