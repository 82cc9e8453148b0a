import { fetchSession, UnreadableSessionError } from '../shared/api/sessions';
import { resultOrError, WorkspaceAutomationError } from '../shared/base/errors';
import { quote } from '../shared/base/values';
import { isKnownStatus, type Session } from '../shared/session/session';
import { isRefusal } from '../shared/transport/evidence';
import { observe } from './ledger';
import type { Run } from './run';
import { hasBegun } from './turn';

// Waiting for the session, and reading it.

export interface PollLimits {
	/** Shortest time between two polls, in milliseconds */
	pollMs: number;
	/** Longest time between two polls, jitter included */
	maxPollMs: number;
}

/** Up to a fifth more, never less, so that sessions started together do not poll together. */
const JITTER = 1 / 5;
const SHARE_OF_AGE = 1 / 20;

/**
 * The wait after a poll: a twentieth of the session's age, so that an end is noticed within about a twentieth of the session's
 * length, between the shortest interval and the one whose jitter reaches the longest. Every wait then lies within the two; by
 * default those are the 5 to 10 seconds that the API document recommends (Polling procedure, 2).
 * @param random from 0 to 1
 * @param leftMs the time that is left: the last poll is made at its end, unless that would be sooner than the shortest interval
 * @returns undefined when there is no time for another poll
 */
export function pollDelay(
	ageMs: number,
	random: number,
	{ pollMs, maxPollMs }: PollLimits,
	leftMs = Infinity,
): number | undefined {
	const interval = Math.min(maxPollMs / (1 + JITTER), ageMs * SHARE_OF_AGE);
	const delay = Math.min(maxPollMs, Math.max(pollMs, interval) * (1 + random * JITTER));
	if (delay <= leftMs) return delay;
	return leftMs >= pollMs ? leftMs : undefined;
}

/** Returns whether there is time for another poll. */
export async function waitForNextPoll(run: Run): Promise<boolean> {
	const { api, random } = run.dependencies;
	const now = api.clock.now();
	const delay = pollDelay(now - run.startedAt, random(), run.job.poll, run.lastPoll - now);
	if (delay !== undefined) await api.clock.sleep(delay, api.signal);
	return delay !== undefined;
}

/** JSON of something else may come from somebody in between; where it has been nothing else for so long, it is the service's own. */
const UNREADABLE_MS = 3 * 60_000;

/** Reads the session; undefined when the time was over before a usable response came. */
export async function read(run: Run): Promise<Session | undefined> {
	const { api } = run.dependencies;
	for (;;) {
		// A poll that failed is made up for no later than the next one would come.
		const session = await resultOrError(
			fetchSession(api, run.entry.sessionId!, {
				deadline: run.lastPoll,
				maxAttempts: Infinity,
				maxDelayMs: run.job.poll.maxPollMs,
			}),
		);
		run.pollCount++;
		if (!(session instanceof WorkspaceAutomationError)) return takePoll(run, session);
		const { message, description, context } = session;
		if (context.httpStatus === 404)
			throw new WorkspaceAutomationError(
				'The session was not found',
				`Either there is no such session, or the API key lacks a scope or its creator has lost access to the project: the service gives the same answer for both. ${description}`,
				context,
			);
		if (isRefused(session)) throw session;
		if (session instanceof UnreadableSessionError) {
			const isStrange = !run.session && api.clock.now() >= run.startedAt + UNREADABLE_MS;
			if (!isStrange && (await waitForNextPoll(run))) continue;
			if (!run.session) throw session;
		}
		run.warnings.add(`The session could not be read at the end: ${message}. ${description}`);
		return undefined;
	}
}

/** Takes what a poll shows. */
export function takePoll(run: Run, session: Session): Session {
	const { turn, ledger } = run.entry;
	const isOpen = turn && !hasBegun(turn, session);
	run.note({ turn: isOpen ? turn : undefined, ledger: observe(ledger, session) });
	return take(run, session);
}

/** Takes what a response shows: of decisions that were sent before only a poll tells. */
export function take(run: Run, session: Session): Session {
	// The dashboard URL is kept: an error has to name it even if a later response leaves it out.
	const { sessionId, status, dashboardUrl = run.entry.dashboardUrl } = session;
	if (dashboardUrl && dashboardUrl !== run.entry.dashboardUrl) {
		run.note({ dashboardUrl });
		run.dependencies.onSession({ sessionId, dashboardUrl });
	}
	if (!isKnownStatus(status))
		run.warnings.add(
			`The service reported the undocumented status "${quote(status, 50)}", which was taken for running.`,
		);
	return (run.session = { ...session, dashboardUrl });
}

/** Whether the service said no, as against not saying anything usable in time. */
export const isRefused = ({ context: { httpStatus } }: WorkspaceAutomationError): boolean =>
	httpStatus !== undefined && isRefusal(httpStatus);
