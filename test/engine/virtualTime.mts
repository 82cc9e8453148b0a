// Simulated time for n8n-core and the built package: they run unchanged, an hour of waiting takes milliseconds, and no socket is opened.
// Import it before the engine, so that the package is loaded with its clock.
import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { createVirtualClock } from '../support/virtualClock.mts';

const require = createRequire(import.meta.url);

const real = {
	now: Date.now,
	monotonic: performance.now.bind(performance),
	timers: { setTimeout, clearTimeout },
};

let current: (() => number) | undefined;
Date.now = () => current?.() ?? real.now();
performance.now = () => current?.() ?? real.monotonic();
for (const file of Object.keys(require.cache))
	if (/[\\/]dist[\\/](?:nodes|credentials)[\\/]/.test(file)) delete require.cache[file];

/** Nobody can tell a wait of n8n-core from work that continues. Work doesn't leave the event loop alone so often. */
const QUIET_TURNS = 4;

/** The used part of the request that n8n's HTTP helper passes to axios */
interface AxiosConfig {
	method: string;
	headers: { toJSON(): Record<string, string> };
	data?: string | Buffer;
	responseType?: string;
	validateStatus?: (status: number) => boolean;
}

interface Axios {
	defaults: { adapter: unknown };
	getUri(config: AxiosConfig): string;
}

let found: Axios[] = [];
let searched = 0;

/** Returns every loaded axios: n8n-core has its own. */
function loadedAxios(): Axios[] {
	const files = Object.keys(require.cache);
	if (files.length !== searched)
		found = files
			.filter((file) => /axios[\\/]dist[\\/]node[\\/]axios\.cjs$/.test(file))
			.map((file) => require.cache[file]!.exports as Axios);
	searched = files.length;
	return found;
}

/** Time that stands still unless someone waits in it. Services answer by the host of their URL. */
export function createVirtualTime(start = Date.UTC(2026, 9, 5, 9)) {
	const clock = createVirtualClock(start);
	const services = new Map<string, { app: FastifyInstance; latencyMs: number }>();

	const getAdapter = (axios: Axios) => async (config: AxiosConfig) => {
		const url = new URL(axios.getUri(config));
		const { app, latencyMs } = services.get(url.host) ?? {};
		if (latencyMs) await clock.sleep(latencyMs);
		if (!app) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
		const answer = await clock.whileBusy(
			async () =>
				await app.inject({
					method: config.method.toUpperCase() as 'GET',
					url: url.href,
					headers: config.headers.toJSON(),
					payload: config.data,
				}),
		);
		const { responseType } = config;
		// The service does not know that it is reached by https.
		const links = answer.body.includes(`http://${url.host}`);
		const bytes = links
			? Buffer.from(answer.body.replaceAll(`http://${url.host}`, `https://${url.host}`))
			: answer.rawPayload;
		const data =
			responseType === 'stream'
				? Readable.from([bytes])
				: responseType === 'arraybuffer'
					? bytes
					: bytes.toString();
		const response = {
			data,
			status: answer.statusCode,
			statusText: '',
			headers: answer.headers,
			config,
			request: {},
		};
		if (config.validateStatus?.(answer.statusCode) ?? true) return response;
		throw Object.assign(new Error(`Status ${answer.statusCode}`), { response, config });
	};

	return {
		now: clock.now,
		advance: clock.advance,
		/** Lets a service answer for a host, such as `plain.test`. */
		serve: (host: string, app: FastifyInstance, latencyMs = 0) =>
			void services.set(host, { app, latencyMs }),
		/** Runs n8n-core in this time until `work` is done. */
		async run<T>(work: () => Promise<T>): Promise<T> {
			const adapters = loadedAxios().map((axios) => ({ axios, was: axios.defaults.adapter }));
			for (const { axios } of adapters) axios.defaults.adapter = getAdapter(axios);
			Object.assign(globalThis, clock.timers);
			current = clock.now;
			try {
				return await clock.run(work(), QUIET_TURNS);
			} finally {
				clock.removeTimers();
				current = undefined;
				Object.assign(globalThis, real.timers);
				for (const { axios, was } of adapters) axios.defaults.adapter = was;
			}
		},
	};
}
