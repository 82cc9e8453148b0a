import type { Dialect } from '../dialect.mts';

export const lateChanges: Dialect = {
	summary: 'Changes show only after some seconds',
	lateness: { session: 3000, turn: 20_000, resolution: 8000, listed: 5000 },
};
