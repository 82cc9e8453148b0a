// Changes that show late: they have happened, and operations act on them, but reads return the state before.
import type { SessionLog } from './agent/model.mts';
import type { Stored } from './collection.mts';
import type { ServiceState } from './state.mts';

/** Delays of changes, in milliseconds of service time. */
export interface Lateness {
	/** A new session: no operation finds it until then; its usual first 1 to 2 seconds come on top */
	session: number;
	/** The turn that a message starts */
	turn: number;
	/** The resolution of an interaction, which stays pending until then */
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
