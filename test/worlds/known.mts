// Worlds of the fixed set that still break a promise, by n8n, with the kinds. A change may shorten the list, and not lengthen it.
import type { HostVersion } from '../../n8n-host/versions.mts';

export const KNOWN: Record<HostVersion, Record<number, string[]>> = {
	// n8n marks an execution as crashed that runs on, and a person retries it: two executions have the same sessions.
	'2.41': {
		119: ["an error doesn't name a session (aborted)", "an error doesn't name a session (running)"],
	},
	// n8n 1 doesn't say whose retry a retry is, so no session of the killed execution can be named.
	'1.123': {
		70: ["an error doesn't name a session (running)"],
		88: ["an error doesn't name a session (running)"],
		90: [
			"an error doesn't name a session (aborted)",
			"an error doesn't name a session (completed)",
		],
		100: ["an error doesn't name a session (running)"],
		123: ["an error doesn't name a session (running)"],
		150: ["an error doesn't name a session (running)"],
	},
};
