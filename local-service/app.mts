// Assembles the service.
import type { AddressInfo } from 'node:net';
import fastify, { type FastifyError, type FastifyInstance, type FastifyReply } from 'fastify';
import { createAnalytics, type Traffic } from './analytics/analytics.mts';
import type { Connect } from './analytics/engine.mts';
import { getTraffic } from './analytics/traffic.mts';
import { registerApi, type ApiParts } from './api.mts';
import { mainToken } from './auth.mts';
import { createClock, type Clock } from './clock.mts';
import { getChanges } from './control/changes.mts';
import { showSeed, showSessions, type SeedView, type SessionView } from './control/views.mts';
import { registerControl } from './control/control.mts';
import { chooseDialects } from './dialects/index.mts';
import type { Overrides } from './dialects/dialect.mts';
import { getOverrides } from './dialects/overrides.mts';
import { createDialectLayer } from './dialects/layer.mts';
import { getCode, envelope } from './errors.mts';
import { createFaults } from './faults.mts';
import { registerPages } from './pages.mts';
import { createRateLimit } from './rate-limit.mts';
import { createRecord } from './record.mts';
import type { Lateness } from './lateness.mts';
import { seed } from './seed.mts';

export interface ServiceOptions {
	/** Service seconds per second of real time; default 1 */
	speed?: number;
	/** Replaces `speed`: a clock that a test controls */
	clock?: Clock;
	/** Names of dialects that the service speaks, see `dialects/` */
	dialects?: readonly string[];
	/** Delay of changes, in milliseconds of service time. By default the dialects' delay, or none. */
	lateness?: Partial<Lateness>;
	/** Connection to ClickHouse. By default chdb, in this process. */
	clickHouse?: Connect;
	/** The event data that analytics has; default: ninety days of traffic up to now */
	traffic?: Traffic;
	/** Receives what the service itself did wrong, such as an answer that breaks the contract; default: standard error */
	log?: (problem: string) => void;
}

export interface RunningService {
	/** `http://127.0.0.1:4010/v1` */
	baseUrl: string;
	/** The token of the key with every scope, for all projects */
	key: string;
	/** `http://127.0.0.1:4010/_control` */
	controlUrl: string;
	/** For the credential's Overrides; empty when the package needs none */
	overrides: Overrides;
	close(): Promise<void>;
}

interface Service {
	app: FastifyInstance;
	/** What the control API's `GET /seed` and `GET /sessions` show */
	seed(): SeedView;
	sessions(): SessionView[];
	/** What the control API's requests below `/state` do */
	changes: ReturnType<typeof getChanges>;
	/**
	 * Listens for requests.
	 * @param port 0, the default, picks a free one
	 * @param host default 127.0.0.1
	 * @throws Error when the port is in use
	 */
	start(port?: number, host?: string): Promise<RunningService>;
}

/**
 * Creates a service with its own state.
 * @throws Error when there is no such dialect, or dialects contradict each other
 */
export function createService(options: ServiceOptions = {}): Service {
	const clock = options.clock ?? createClock(options.speed);
	const begin = clock.now();
	const dialects = chooseDialects(options.dialects ?? []);
	const layer = createDialectLayer(dialects);
	const store = seed(begin);
	const analytics = createAnalytics({
		traffic: options.traffic ?? (() => getTraffic(store.projects.all(), begin)),
		connect: options.clickHouse,
	});
	const parts: ApiParts = {
		state: { clock, store, analytics, lateness: { ...layer.lateness, ...options.lateness } },
		record: createRecord(),
		faults: createFaults(),
		rateLimit: createRateLimit(),
		layer,
		log: options.log ?? console.error,
	};

	const app = fastify({
		forceCloseConnections: true,
		exposeHeadRoutes: false,
		frameworkErrors(error, _request, reply) {
			void (reply as FastifyReply).status(400).send(envelope('invalid_request', error.message));
		},
	});
	app.addHook('onClose', () => analytics.close());
	// In a test's own time, the date of a response is of that time, too.
	app.addHook('onSend', async (_request, reply) => {
		if (!reply.hasHeader('date')) reply.header('date', new Date(clock.wallNow()).toUTCString());
	});
	app.setErrorHandler((error: FastifyError, _request, reply) => {
		const status = error.statusCode ?? 500;
		if (status >= 500) parts.log(error.stack ?? error.message);
		return reply.status(status).send(envelope(getCode(status), error.message));
	});
	app.setNotFoundHandler((request, reply) =>
		reply
			.status(404)
			.send(envelope('not_found', `There is no ${request.method} ${request.url} here.`)),
	);
	app.register(async (api) => registerApi(api, parts), { prefix: '/v1' });
	app.register(async (pages) => registerPages(pages, parts.state));
	app.register(async (control) => registerControl(control, parts), { prefix: '/_control' });

	return {
		app,
		seed: () => showSeed(parts.state, layer),
		sessions: () => showSessions(parts.state),
		changes: getChanges(parts.state),
		async start(port = 0, host = '127.0.0.1') {
			await app.listen({ port, host });
			const origin = `http://${reachable(host)}:${(app.server.address() as AddressInfo).port}`;
			return {
				baseUrl: `${origin}/v1`,
				key: mainToken,
				controlUrl: `${origin}/_control`,
				overrides: getOverrides(dialects),
				close: () => app.close(),
			};
		},
	};
}

/** A listening address as it is written in a URL. An address that represents all of them is reached by loopback. */
function reachable(host: string): string {
	if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
	return host.includes(':') ? `[${host}]` : host;
}
