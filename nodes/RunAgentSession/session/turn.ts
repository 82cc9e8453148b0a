import { NEW_TURN_MS } from '../../shared/client/reconcilers';
import { hasEnded, isNewTurn, messageKey, type Session } from '../../shared/client/session';

// The turn that a message starts. A poll right after the message may still show the turn before.

/** A message that was sent. The journal keeps it until its turn is proven, so that a retry or a wake knows. */
export interface Turn {
	/** `messageKey` of the session before the message */
	messageKey: string;
	/** Whether the session had ended before the message */
	hadEnded: boolean;
	/** Wall-clock time */
	sentAt: number;
}

export const createTurn = (before: Session, sentAt: number): Turn => ({
	messageKey: messageKey(before),
	hadEnded: hasEnded(before),
	sentAt,
});

/** Whether a reading proves the turn of the message. */
export const hasBegun = (turn: Turn, now: Session): boolean => isNewTurn(turn, now);

/** Whether the turn has had its time to show. */
export const isOverdue = ({ sentAt }: Turn, now: number): boolean => now >= sentAt + NEW_TURN_MS;
