import { NEW_TURN_MS } from '../../shared/client/reconcilers';
import { hasEnded, isNewTurn, messageKey, type Session } from '../../shared/client/session';

// A poll right after a message may still show the previous turn.

/** The journal keeps the message until its turn is proven, for a retry or a wake. */
export interface Turn {
	/** `messageKey` of the session before the message */
	messageKey: string;
	hadEnded: boolean;
	/** Wall-clock time */
	sentAt: number;
	/** Polls since then that didn't prove the turn */
	polls: number;
}

/** Polls without proof before the turn counts as overdue. While the execution pauses, the first one comes late, and may be from a stale replica. */
const MIN_POLLS = 3;

export const createTurn = (before: Session, sentAt: number): Turn => ({
	messageKey: messageKey(before),
	hadEnded: hasEnded(before),
	sentAt,
	polls: 0,
});

export const hasBegun = (turn: Turn, now: Session): boolean => isNewTurn(turn, now);

export const isOverdue = ({ sentAt, polls }: Turn, now: number): boolean =>
	polls >= MIN_POLLS && now >= sentAt + NEW_TURN_MS;
