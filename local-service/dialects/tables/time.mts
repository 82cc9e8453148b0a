// Moments and delays: timestamps as numbers, and a service that takes its time to show what has changed.
import type { Dialect } from '../dialect.mts';

export const times = {
	'numeric-timestamps': {
		summary: 'Timestamps of tasks, sessions and domains are milliseconds since 1970',
		group: 'timestamps',
		timestamp: (milliseconds) => milliseconds,
	},
	'timestamps-in-seconds': {
		summary: 'Timestamps of tasks, sessions and domains are seconds since 1970',
		group: 'timestamps',
		timestamp: (milliseconds) => Math.floor(milliseconds / 1000),
	},
	'late-changes': {
		summary: 'Changes show only after some seconds',
		lateness: { session: 3000, turn: 20_000, resolution: 8000, listed: 5000 },
	},
} satisfies Record<string, Dialect>;
