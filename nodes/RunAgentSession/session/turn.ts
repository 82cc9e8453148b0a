import { NEW_TURN_MS } from '../../shared/client/reconcilers';
import { hasEnded, activityKey, type Session } from '../../shared/client/session';

// Whether a reading is of the turn that a message began. One reading may be behind, and shows the turn before.

/** A message that was sent. It is JSON: kept in the journal until its turn shows, so that a retry knows. */
export interface Turn {
	/** The moment of the session before it */
	before: string;
	wasAtRest: boolean;
	/** As the clock gives it */
	sentAt: number;
}

export const createTurn = (before: Session, sentAt: number): Turn => ({
	before: activityKey(before),
	wasAtRest: hasEnded(before),
	sentAt,
});

/**
 * Whether a reading is of a later turn than the one before the message. The message itself is no turn, and a session that is at
 * work after having been at rest has begun one.
 */
export function hasBegun({ before, wasAtRest }: Turn, now: Session): boolean {
	if (wasAtRest && !hasEnded(now)) return true;
	return activityKey(now) !== before && now.latestMessage?.role !== 'user';
}

/** Whether the turn has had its time to show. */
export const isOverdue = ({ sentAt }: Turn, now: number): boolean => now >= sentAt + NEW_TURN_MS;
