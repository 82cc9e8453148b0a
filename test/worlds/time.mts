// One queue of events is all time: clocks, timers, latency, people and kills. It jumps to the next event when all promises are at rest.
// Each event belongs to a process of n8n or to the world, and a kill drops those of the process.

/** Nobody can tell a wait from work that continues. Work doesn't leave the event loop alone so often. */
const QUIET_TURNS = 4;

const real = {
	now: Date.now,
	monotonic: performance.now,
	random: Math.random,
	timers: { setTimeout, clearTimeout, setInterval, clearInterval },
};
const { setImmediate } = globalThis;

/** The world's own events have no owner. */
type Owner = object | undefined;

export interface Timer {
	at: number;
	order: number;
	owner: Owner;
	work: () => void;
}

export type Time = ReturnType<typeof createTime>;

export function createTime(start: number) {
	let now = start;
	let orders = 0;
	/** The next one is last. */
	let timers: Timer[] = [];
	const dropped = new WeakSet<object>();

	const isBefore = (one: Timer, other: Timer) =>
		one.at === other.at ? one.order < other.order : one.at < other.at;

	function add(timer: Timer): Timer {
		if (timer.owner && dropped.has(timer.owner)) return timer;
		let [low, high] = [0, timers.length];
		while (low < high) {
			const middle = (low + high) >> 1;
			if (isBefore(timer, timers[middle])) low = middle + 1;
			else high = middle;
		}
		timers.splice(low, 0, timer);
		return timer;
	}

	function cancel(timer: Timer | undefined): void {
		const index = timer ? timers.indexOf(timer) : -1;
		if (index >= 0) timers.splice(index, 1);
	}

	const at = (when: number, work: () => void, owner?: Owner): Timer =>
		add({ at: Math.max(now, when), order: orders++, owner, work });
	const after = (ms: number, work: () => void, owner?: Owner): Timer =>
		at(now + Math.max(0, ms), work, owner);

	return {
		/** True time in milliseconds since 1970 */
		now: () => now,
		at,
		after,
		sleep: async (ms: number, owner?: Owner) =>
			await new Promise<void>((resolve) => after(ms, resolve, owner)),
		cancel,
		/** Drops all events of a process. */
		drop(owner: object) {
			dropped.add(owner);
			timers = timers.filter((timer) => timer.owner !== owner);
		},
		/** Lets time pass until `isOver`, which is asked after each event, or until there's no event. */
		async run(isOver: () => boolean) {
			for (;;) {
				for (let turn = 0; turn < QUIET_TURNS; turn++)
					await new Promise((resolve) => setImmediate(resolve));
				const next = isOver() ? undefined : timers.pop();
				if (!next) return;
				now = next.at;
				next.work();
			}
		},
		/** Makes the globals those of a process, whose system clock may be wrong. */
		enter(owner: object, clock: { wallOffset: number; startedAt: number }, random: () => number) {
			Date.now = () => Math.floor(now + clock.wallOffset);
			performance.now = () => now - clock.startedAt;
			Math.random = random;
			const handle = (timer: { current: Timer | undefined }) => {
				const it = { timer, ref: () => it, unref: () => it, hasRef: () => true };
				return it;
			};
			const clear = (it?: { timer?: { current?: Timer } }) => cancel(it?.timer?.current);
			Object.assign(globalThis, {
				setTimeout: (work: (...given: unknown[]) => void, ms = 0, ...given: unknown[]) =>
					handle({ current: after(ms, () => work(...given), owner) }),
				setInterval(work: () => void, ms = 0) {
					const timer: { current: Timer | undefined } = { current: undefined };
					const next = () => {
						timer.current = after(ms, next, owner);
						work();
					};
					timer.current = after(ms, next, owner);
					return handle(timer);
				},
				clearTimeout: clear,
				clearInterval: clear,
			});
		},
		leave() {
			Date.now = real.now;
			performance.now = real.monotonic;
			Math.random = real.random;
			Object.assign(globalThis, real.timers);
		},
	};
}
