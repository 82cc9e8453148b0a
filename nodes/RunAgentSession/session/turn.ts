import { NEW_TURN_MS } from '../../shared/client/reconcilers';
import { hasEnded, isNewTurn, messageKey, type Session } from '../../shared/client/session';

// The turn that a message starts. A poll right after the message may still show the previous turn.

/** A message that was sent. The journal keeps it until its turn is proven, for a retry or a wake. */
export interface Turn {
	/** `messageKey` of the session before the message */
	messageKey: string;
	/** True if the session had ended before the message */
	hadEnded: boolean;
	/** Wall-clock time */
	sentAt: number;
}

export const createTurn = (before: Session, sentAt: number): Turn => ({
	messageKey: messageKey(before),
	hadEnded: hasEnded(before),
	sentAt,
});

/** Returns whether a reading proves the turn of the message. */
export const hasBegun = (turn: Turn, now: Session): boolean => isNewTurn(turn, now);

/** Returns whether the turn has had enough time to show. */
export const isOverdue = ({ sentAt }: Turn, now: number): boolean => now >= sentAt + NEW_TURN_MS;
