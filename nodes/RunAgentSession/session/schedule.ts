import { SHARE_OF_AGE } from './pollPlan';
import type { RunResult } from './run';

// Wait "In the Database": when a session that n8n has parked is looked at again, and when waiting for it is over. Moments and times
// in milliseconds, no clock in here.

/** n8n looks for what it has parked every 60 s, and for what is due within the next 70. */
export const MIN_PAUSE_MS = 70_000;
const MAX_PAUSE_MS = 10 * 60_000;

/** How long people and sessions are waited for. */
export interface Timeouts {
	giveUpAfterMs: number;
	onGiveUp: 'abort' | 'error';
	ifNobodyAnswers: 'wait' | 'deny' | 'abort';
	unansweredAfterMs: number;
	/** Whether what follows Needs Approval leads back: then the session is waited for while people are asked */
	waitsForPeople?: boolean;
}

/** What is kept of an item while its session is waited for. */
export interface WaitState {
	/** When the node took it up */
	since: number;
	/** What a person was asked last (a stand-in for its text), and when that was first seen */
	asked?: { what: string; since: number };
}

/**
 * What becomes of an item after a look at its session.
 * - `leave`: it goes on, by the output of its outcome.
 * - `park`: the session is looked at again.
 * - `unanswered`: nobody has decided what is pending in the time that people have for it.
 * - `giveUp`: it has been waited for long enough.
 */
export type Course = 'leave' | 'park' | 'unanswered' | 'giveUp';

const giveUpAt = ({ since }: WaitState, { giveUpAfterMs }: Timeouts) => since + giveUpAfterMs;

/** From when a request counts as unanswered; never, where people have all the time. */
const unansweredAt = ({ asked }: WaitState, { ifNobodyAnswers, unansweredAfterMs }: Timeouts) =>
	asked && ifNobodyAnswers !== 'wait' ? asked.since + unansweredAfterMs : Infinity;

/**
 * What a look means for an item. People are asked once; again only about something else.
 * @param kind the outcome of the look
 * @param pending a stand-in for what a person has to decide, where that is the outcome
 */
export function courseAfter(
	kind: RunResult['kind'],
	pending: string,
	parked: WaitState,
	patience: Timeouts,
	now: number,
): { course: Course; parked: WaitState } {
	const { since, asked } = parked;
	const isAsking = kind === 'needsApproval';
	if (isAsking && pending !== asked?.what)
		return { course: 'leave', parked: { since, asked: { what: pending, since: now } } };
	if (!isAsking && kind !== 'stillRunning') return { course: 'leave', parked: { since } };
	const still: WaitState = isAsking ? parked : { since };
	if (now >= giveUpAt(still, patience)) return { course: 'giveUp', parked: still };
	if (now >= unansweredAt(still, patience)) return { course: 'unanswered', parked: still };
	return { course: 'park', parked: still };
}

/**
 * When to look at a parked session again: after a twentieth of the time that it has been waited for, within limits, or when that
 * time is over, or people's. Never so soon that n8n would be late.
 */
export function nextWakeAt(parked: WaitState, patience: Timeouts, now: number): number {
	const share = Math.min(MAX_PAUSE_MS, (now - parked.since) * SHARE_OF_AGE);
	const wanted = Math.min(now + share, giveUpAt(parked, patience), unansweredAt(parked, patience));
	return Math.max(now + MIN_PAUSE_MS, wanted);
}
