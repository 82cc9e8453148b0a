// Loaded into the host's n8n (`node --import`) where a test cannot wait for minutes: what n8n has paused it looks for, and resumes, so many
// times sooner (WAITS_FASTER). Otherwise n8n is as it is. It has no setting for that: it looks every minute. With WAITS_TWICE (ms) each is
// resumed a second time within that time, as n8n 1 does where it looks into its database just then; n8n 2 refuses the second.
const factor = Number(process.env.WAITS_FASTER);
const twiceWithin = Number(process.env.WAITS_TWICE ?? 0);

/** A timer of Node's, faster for the part of n8n that looks after paused executions */
const hurried = <T extends typeof setTimeout | typeof setInterval>(
	real: T,
	workOf = (work: () => void) => work,
): T =>
	new Proxy(real, {
		apply(timer, self, [work, ms, ...rest]) {
			if (!new Error().stack?.includes('wait-tracker'))
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
