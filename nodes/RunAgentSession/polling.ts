import { resultOrError, WorkspaceAutomationError } from '../shared/base/errors';
import { quote } from '../shared/base/values';
import { UnreadableSessionError } from '../shared/api/sessions';
import { isKnownStatus, type Session } from '../shared/session/session';
import { isRefusal } from '../shared/transport/evidence';
import { observe } from './ledger';
import { delayBeforePoll } from './pollPlan';
import type { Run } from './run';
import { hasBegun } from './turn';

// Waiting for the session, and reading it.

/** Returns whether there is time for another poll. */
export async function waitForNextPoll(run: Run): Promise<boolean> {
	const { clock, random, signal } = run.dependencies;
	const now = clock.now();
	const [age, left] = [now - run.startedAt, run.lastPoll - now];
	const delay = delayBeforePoll(age, random(), left, run.job.poll);
	if (delay !== undefined) await clock.sleep(delay, signal);
	return delay !== undefined;
}

/** JSON of something else may come from somebody in between; where it has been nothing else for so long, it is the service's own. */
const UNREADABLE_MS = 3 * 60_000;

/** Reads the session; undefined when the time was over before a usable response came. */
export async function read(run: Run): Promise<Session | undefined> {
	const { clock } = run.dependencies;
	for (;;) {
		// A poll that failed is made up for no later than the next one would come.
		const session = await resultOrError(
			run.dependencies.api.read(run.entry.sessionId!, {
				deadline: run.lastPoll,
				maxAttempts: Infinity,
				maxDelayMs: run.job.poll.maxPollMs,
			}),
		);
		run.pollCount++;
		if (!(session instanceof WorkspaceAutomationError)) return takePoll(run, session);
		if (session.context.httpStatus === 404) throw sessionNotFound(session);
		if (isRefused(session)) throw session;
		if (session instanceof UnreadableSessionError) {
			const isStrange = !run.session && clock.now() >= run.startedAt + UNREADABLE_MS;
			if (!isStrange && (await waitForNextPoll(run))) continue;
			if (!run.session) throw session;
		}
		run.warnings.add(
			`The session could not be read at the end: ${session.message}. ${session.description}`,
		);
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

const sessionNotFound = ({ description, context }: WorkspaceAutomationError) =>
	new WorkspaceAutomationError(
		'The session was not found',
		`Either there is no such session, or the API key lacks a scope or its creator has lost access to the project: the service gives the same answer for both. ${description}`,
		context,
	);
