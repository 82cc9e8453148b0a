import { fetchSession, mayHaveHappenedError, readNewSessionId } from '../../shared/client/sessions';
import { hadNoEffect, resultOrError, WorkspaceAutomationError } from '../../shared/errors';
import { withIntent } from '../../shared/n8n/journal';
import { addInstructions } from './format';
import { sendMessage } from './message';
import { applyReading, explainRejection } from './poll';
import { RECORD_VERSION } from './record';
import type { SessionRun } from './run';
import type { Target } from './types';

/** Minimum time in which the start is sent again after a 429 or without a connection, even if Max Wait is shorter */
const MIN_START_MS = 30_000;
/** The same if the execution pauses, where nobody waits for it */
const MIN_START_PAUSING_MS = 120_000;
/** Minimum time for the response to the start. A request that is cut off could leave a session running with an unknown ID. */
const MIN_START_ATTEMPT_MS = 60_000;
const MIN_READ_MS = 30_000;

/** Starts or continues a session. Returns true if a request was sent. @throws IndeterminateError if an earlier attempt may have sent one */
export async function begin(run: SessionRun, pauses = false): Promise<boolean> {
	const { target } = run.settings;
	return target.operation === 'start'
		? await start(run, target, pauses)
		: await resume(run, target);
}

async function start(
	run: SessionRun,
	{ projectId, prompt, extra }: Extract<Target, { operation: 'start' }>,
	pauses: boolean,
): Promise<boolean> {
	const { api, record } = run;
	const { journal, ledger, onSession, format } = run.dependencies;
	if (record.sessionId) {
		onSession({ sessionId: record.sessionId, dashboardUrl: record.dashboardUrl });
		return false;
	}
	if (journal.read()?.state === 'starting') throw mayHaveHappenedError('createAgentSession');
	const earlier = await ledger.begin('start');
	if (earlier !== 'new') {
		if (earlier.result === undefined) throw mayHaveHappenedError('createAgentSession');
		noteStarted(run, earlier.result);
		return false;
	}
	const minMs = pauses ? MIN_START_PAUSING_MS : MIN_START_MS;
	const deadline = Math.max(run.pollDeadline, run.now + minMs);
	const starting = { v: RECORD_VERSION, state: 'starting' as const };
	const sessionId = await withIntent(journal, starting, async () => {
		const response = await api.call(
			'createAgentSession',
			{ projectId, prompt: addInstructions(prompt, format) },
			{ extra, deadline, minAttemptMs: MIN_START_ATTEMPT_MS },
		);
		return readNewSessionId(api, response);
	}).catch(async (error: unknown) => {
		run.logIfUnknown('start request', error);
		if (hadNoEffect(error)) await ledger.forget('start');
		throw error;
	});
	noteStarted(run, sessionId);
	await ledger.done('start', sessionId);
	run.log(`Agent session ${sessionId} started`);
	return true;
}

function noteStarted(run: SessionRun, sessionId: string): void {
	run.save({ sessionId, origin: run.settings.origin, wait: { since: run.wallTime } });
	run.dependencies.onSession({ sessionId });
}

async function resume(
	run: SessionRun,
	{ sessionId, message }: Extract<Target, { operation: 'continue' }>,
): Promise<boolean> {
	const { record, settings } = run;
	run.save({
		sessionId,
		isGiven: record.isGiven ?? record.sessionId === undefined,
		origin: record.origin ?? settings.origin,
		wait: run.wait,
	});
	run.dependencies.onSession({ sessionId });
	if (record.messages?.message === 'sending') throw mayHaveHappenedError('sendAgentMessage');
	if (message === undefined || record.messages?.message === 'sent') return false;
	const options = { deadline: Math.max(run.pollDeadline, run.now + MIN_READ_MS) };
	const before = await resultOrError(fetchSession(run.api, sessionId, options));
	if (before instanceof WorkspaceAutomationError) {
		if (before.kind === 'rejected') throw explainRejection(before);
		throw new WorkspaceAutomationError(
			`The message wasn't sent: ${before.message}`,
			`The session couldn't be read. ${before.description}`,
			before.context,
		);
	}
	run.pollCount++;
	applyReading(run, before);
	await sendMessage(run, 'message', addInstructions(message, run.dependencies.format), before);
	return true;
}
