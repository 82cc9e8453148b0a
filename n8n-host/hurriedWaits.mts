// Preloaded into n8n (`node --import`) for tests that can't wait for minutes. n8n polls its database for paused executions once a minute
// and has no setting for it. With WAITS_FASTER it polls and resumes that many times faster. With WAITS_TWICE (ms) it resumes each execution
// a second time within this time, as n8n 1 does if it polls at that moment. n8n 2 refuses the second.
import { callers } from './callers.mts';

const factor = Number(process.env.WAITS_FASTER);
const twiceWithin = Number(process.env.WAITS_TWICE ?? 0);

/** A timer of Node's, faster for the part of n8n that polls for paused executions */
const hurried = <T extends typeof setTimeout | typeof setInterval>(
	real: T,
	workOf = (work: () => void) => work,
): T =>
	new Proxy(real, {
		apply(timer, self, [work, ms, ...rest]) {
			if (!callers().includes('wait-tracker'))
				return Reflect.apply(timer, self, [work, ms, ...rest]);
			return Reflect.apply(timer, self, [workOf(work), ms > 1000 ? ms / factor : ms, ...rest]);
		},
	});

const { setTimeout: realTimeout } = globalThis;
const twice = (work: () => void) => () => {
	work();
	if (twiceWithin) realTimeout(work, Math.random() * twiceWithin);
};

globalThis.setTimeout = hurried(realTimeout, twice);
globalThis.setInterval = hurried(setInterval);
