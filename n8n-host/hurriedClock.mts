// Loaded into the host's n8n (`node --import`) where hours have to pass in minutes: since the moment CLOCK_ORIGIN its clock and its timers run CLOCK_FASTER
// times as fast as others. n8n, its nodes and ours see nothing of it.
import { callers } from './callers.mts';

const factor = Number(process.env.CLOCK_FASTER);
const origin = Number(process.env.CLOCK_ORIGIN);

const RealDate = Date;
const { now: realNow } = RealDate;
const now = () => Math.floor(origin + (realNow() - origin) * factor);

globalThis.Date = new Proxy(RealDate, {
	get: (real, key) => (key === 'now' ? now : Reflect.get(real, key)),
	construct: (real, args, target) =>
		Reflect.construct(real, args.length === 0 ? [now()] : args, target),
	apply: () => new RealDate(now()).toString(),
});

// The clock for deadlines runs as fast as the timers, but not the one that says how long n8n has been recovering.
const realPerformanceNow = performance.now.bind(performance);
performance.now = () => realPerformanceNow() * (callers().includes('waitForRecovery') ? 1 : factor);

/** Callers that wait for the database, the network, n8n's recovery or a parser with a model, which are as slow as ever */
const SLOW_AS_EVER = /typeorm|async-mutex|sendHttpRequest|waitForRecovery|parseAnswer/;

const factorFor = (stack: string): number => (SLOW_AS_EVER.test(stack) ? 1 : factor);

/** A timer of Node's, faster */
const hurried = <T extends typeof setTimeout | typeof setInterval>(real: T): T =>
	new Proxy(real, {
		apply(timer, self, [work, ms, ...rest]) {
			return Reflect.apply(timer, self, [work, ms / factorFor(callers()), ...rest]);
		},
	});

globalThis.setTimeout = hurried(setTimeout);
globalThis.setInterval = hurried(setInterval);
