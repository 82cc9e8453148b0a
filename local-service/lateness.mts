// A service may take a while to show what has changed: what was done has happened, but reads do not tell yet.
import type { SessionLog } from './agent/model.mts';
import type { Stored } from './collection.mts';
import type { ServiceState } from './state.mts';

/** How long changes stay unseen, in milliseconds of service time. Operations act on what really is. */
export interface Lateness {
	/** A new session: until then no operation finds it (the first 1 to 2 seconds come on top) */
	session: number;
	/** The turn that a message starts */
	turn: number;
	/** That an interaction was resolved */
	resolution: number;
	/** A new entry of a list */
	listed: number;
}

export const noLateness: Lateness = { session: 0, turn: 0, resolution: 0, listed: 0 };

/** A session's log as reads see it at a moment. */
export function visibleLog<Log extends SessionLog>(log: Log, now: number, late: Lateness): Log {
	const delay = { message: late.turn, resolve: late.resolution, abort: 0 };
	return { ...log, events: log.events.filter(({ kind, at }) => at + delay[kind] <= now) };
}

/** The entries of a list that reads see at this moment. */
export function* listed<T>(
	{ clock, lateness }: Pick<ServiceState, 'clock' | 'lateness'>,
	entries: Iterable<Stored<T>>,
): Iterable<Stored<T>> {
	const seen = clock.now() - lateness.listed;
	for (const entry of entries) if (entry.addedAt <= seen) yield entry;
}
