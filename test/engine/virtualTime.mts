// Simulated time for n8n-core and the built package: they run unchanged, an hour of waiting takes milliseconds, and no socket is opened.
// Import it before the engine, so that the package is loaded with its clock.
import { createRequire } from 'node:module';
import type { FastifyInstance } from 'fastify';
import { replaceNetwork, type ReceivedResponse, type SentRequest } from '../support/http.mts';
import { createVirtualClock } from '../support/virtualClock.mts';

const require = createRequire(import.meta.url);

const real = {
	now: Date.now,
	monotonic: performance.now.bind(performance),
	timers: { setTimeout, clearTimeout },
};

let current: (() => number) | undefined;
let currentMonotonic: (() => number) | undefined;
Date.now = () => current?.() ?? real.now();
performance.now = () => currentMonotonic?.() ?? real.monotonic();

/** Makes the next run load the package again, as n8n does when it starts. */
export function forgetPackage(): void {
	for (const file of Object.keys(require.cache))
		if (/[\\/]dist[\\/](?:nodes|credentials)[\\/]/.test(file)) delete require.cache[file];
}
forgetPackage();

/** Nobody can tell a wait of n8n-core from work that continues. Work doesn't leave the event loop alone so often. */
const QUIET_TURNS = 4;

/** What happens to a request on its way: it may pass it on to the service. */
export type Network = (
	request: SentRequest,
	passOn: () => Promise<ReceivedResponse>,
) => Promise<ReceivedResponse>;

/** Time that stands still unless someone waits in it. Services answer by the host of their URL. */
export function createVirtualTime(start = Date.UTC(2026, 9, 5, 9)) {
	const clock = createVirtualClock(start);
	const services = new Map<string, { app: FastifyInstance; network: Network }>();

	let lateMs = 0;
	const timers = {
		...clock.timers,
		setTimeout: (work: (...given: unknown[]) => void, ms = 0, ...given: unknown[]) =>
			clock.timers.setTimeout(work, ms + lateMs, ...given),
	};

	async function answer(request: SentRequest): Promise<ReceivedResponse> {
		const { app, network } = services.get(request.url.host) ?? {};
		if (!app || !network)
			throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
		return await network(request, async () => await passOn(app, request));
	}

	async function passOn(
		app: FastifyInstance,
		{ method, url, headers, body: payload }: SentRequest,
	): Promise<ReceivedResponse> {
		const answered = await clock.whileBusy(
			async () => await app.inject({ method: method as 'GET', url: url.href, headers, payload }),
		);
		// The service does not know that it is reached by https.
		const links = answered.body.includes(`http://${url.host}`);
		const body = links
			? Buffer.from(answered.body.replaceAll(`http://${url.host}`, `https://${url.host}`))
			: answered.rawPayload;
		return { status: answered.statusCode, headers: answered.headers, body };
	}

	return {
		now: clock.now,
		/** Time that no one sets */
		monotonicMs: clock.monotonicMs,
		advance: clock.advance,
		sleep: clock.sleep,
		/** Sets the machine's clock forward or back. */
		shiftWall: clock.shiftWall,
		/** All timers fire so much later. */
		delayTimers: (ms: number) => void (lateMs = ms),
		/** Time stands still for as long as `work` takes. */
		whileBusy: clock.whileBusy,
		/** Lets a service answer for a host, such as `plain.test`. */
		serve: (
			host: string,
			app: FastifyInstance,
			network: Network = async (_, passOn) => await passOn(),
		) => void services.set(host, { app, network }),
		/** Runs n8n-core in this time until `work` is done. */
		async run<T>(work: () => Promise<T>): Promise<T> {
			const bringNetworkBack = replaceNetwork(answer);
			Object.assign(globalThis, timers);
			current = clock.now;
			currentMonotonic = clock.monotonicMs;
			try {
				return await clock.run(work(), QUIET_TURNS);
			} finally {
				clock.removeTimers();
				current = undefined;
				currentMonotonic = undefined;
				Object.assign(globalThis, real.timers);
				bringNetworkBack();
			}
		},
	};
}
