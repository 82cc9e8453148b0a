// Loaded into the host's n8n (`node --import`) where a test cannot wait for minutes: what n8n has parked it looks for, and takes up, so many
// times sooner (WAITS_FASTER). Otherwise n8n is as it is. It has no setting for that: it looks every minute.
const factor = Number(process.env.WAITS_FASTER);

/** A timer of Node's, faster for the part of n8n that looks after parked executions */
const hurried = <T extends typeof setTimeout | typeof setInterval>(real: T): T =>
	new Proxy(real, {
		apply(timer, self, [work, ms, ...rest]) {
			const ofWaits = ms > 1000 && new Error().stack?.includes('wait-tracker');
			return Reflect.apply(timer, self, [work, ofWaits ? ms / factor : ms, ...rest]);
		},
	});

globalThis.setTimeout = hurried(setTimeout);
globalThis.setInterval = hurried(setInterval);
