import { CanceledError, withSession, WorkspaceAutomationError } from '../shared/base/errors';
import { begin } from './begin';
import { decidePending } from './deciding';
import { afterStop, ended, resultOf, timeIsUp } from './endings';
import { told, type Undecided } from './ledger';
import { read, waitForNextPoll } from './polling';
import { Run, type Job, type RunDependencies, type RunResult } from './run';

/**
 * Runs one item: starts or continues its session, waits for it and decides its permissions.
 * @throws WorkspaceAutomationError that names the session, once there is one, and what was decided
 * @throws CanceledError after Stop, with the remote session aborted where the job says so
 */
export async function runSession(job: Job, dependencies: RunDependencies): Promise<RunResult> {
	const run = new Run(job, dependencies);
	try {
		return await untilSettled(run, await begin(run));
	} catch (error) {
		if (error instanceof CanceledError) await afterStop(run);
		throw named(run, error);
	}
}

/** The polling procedure: read, decide, wait, until there is nothing left to wait for. */
async function untilSettled(run: Run, mayReadNow: boolean): Promise<RunResult> {
	let undecided: Undecided[] = [];
	for (let isDue = mayReadNow; ; isDue = false) {
		const isRead = (isDue || (await waitForNextPoll(run))) && (await read(run));
		if (!isRead && undecided.length === 0) return await timeIsUp(run);
		if (isRead) undecided = await decidePending(run);
		const result = isRead && ended(run);
		if (result) return result;
		if (undecided.length > 0 && !(isRead && run.isUnsettled))
			return resultOf(run, 'needsApproval', undecided);
	}
}

/** An error with the session, and what was decided. */
function named({ entry, session }: Run, error: unknown): unknown {
	const { sessionId, dashboardUrl } = entry;
	if (!(error instanceof WorkspaceAutomationError) || !sessionId) return error;
	const { decisions, doubts } = told(entry.ledger, session);
	const decided = decisions.length > 0 && { decisions };
	return withSession(error, { sessionId, dashboardUrl, ...decided }, doubts);
}
