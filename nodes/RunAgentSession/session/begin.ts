import { fetchSession, mayHaveHappenedError, readNewSessionId } from '../../shared/client/session';
import { hadNoEffect, resultOrError, WorkspaceAutomationError } from '../../shared/errors';
import { DONE, once } from '../../shared/n8n/ledger';
import { pluralize } from '../../shared/values';
import { startDelayMs } from '../plan/plan';
import { askAgain } from './ask';
import { sendMessage } from './message';
import { applyReading, explainRejection } from './poll';
import type { StartState } from './record';
import { addInstructions } from './finish';
import type { SessionRun, Target } from './run';
import { formatLimit } from '../requests/sheet';

/** Time for the response to the start. A request that is cut off could leave a session running with an unknown ID. */
const START_REQUEST_MS = 60_000;
const MIN_READ_MS = 30_000;
/** Time without any connection after which an address counts as wrong, if the service was never reached */
const MAX_UNREACHED_MS = 3 * 60_000;

/** How a session begins: its start or message is sent, its start waits for its time, or nothing has to be sent */
type Beginning = 'sent' | 'waiting' | 'joined';

/**
 * Starts or continues a session.
 * @throws IndeterminateError if an earlier attempt may have sent one
 */
export async function begin(run: SessionRun): Promise<Beginning> {
	const { target } = run.settings;
	return target.operation === 'start' ? await start(run, target) : await resume(run, target);
}

/** Opens a session that an earlier run of the node has begun. In a retry, approvers are asked again. */
export function reopenSession(run: SessionRun): void {
	const { sessionId, dashboardUrl } = run.record;
	if (sessionId === undefined) return;
	askAgain(run);
	run.dependencies.onSession?.({ sessionId, dashboardUrl });
}

async function start(
	run: SessionRun,
	target: Extract<Target, { operation: 'start' }>,
): Promise<Beginning> {
	const { journal, ledger } = run.dependencies;
	const before = journal.read();
	const waiting = before?.state === 'waiting' ? before.start : newStart(run);
	if (run.wallTime >= waiting.since + run.settings.timeouts.maxWaitMs && waiting.failure)
		throw notStartedError(run, waiting);
	const starting = once(ledger, 'start', 'createAgentSession', async () => {
		noteStarted(run, await sendStart(run, target));
	});
	const sent = await resultOrError(starting);
	if (sent instanceof WorkspaceAutomationError) {
		waitForStart(run, waiting, sent);
		return 'waiting';
	}
	// Only the lost record had the session's ID.
	if (sent === DONE) throw mayHaveHappenedError('createAgentSession');
	return 'sent';
}

function noteStarted(run: SessionRun, sessionId: string): void {
	const { wallTime: startedAt, settings } = run;
	const { execution, onSession } = run.dependencies;
	run.save({ sessionId, origin: settings.origin, startedAt, execution });
	run.isUnsaved = true;
	onSession?.({ sessionId });
	run.log(`Agent session ${sessionId} started`);
}

const newStart = ({ wallTime }: SessionRun): StartState => ({
	since: wallTime,
	at: wallTime,
	failures: 0,
});

async function sendStart(
	run: SessionRun,
	{ projectId, prompt, extra }: Extract<Target, { operation: 'start' }>,
): Promise<string> {
	const { api } = run;
	const sending = api.call(
		'createAgentSession',
		{ projectId, prompt: addInstructions(prompt, run.dependencies.format) },
		{
			extra,
			deadline: run.now + START_REQUEST_MS,
			minAttemptMs: START_REQUEST_MS,
			singleAttempt: true,
		},
	);
	return await sending
		.then((response) => readNewSessionId(api, response))
		.catch((error: unknown) => {
			run.logIfUnknown('start request', error);
			throw error;
		});
}

/** Statuses with which the service itself says that it didn't take a start. `hadNoEffect` excludes a page with such a status. */
const NOT_TAKEN_STATUSES = [429, 503];

/** Without Max Wait, the longest `Retry-After` that a start waits for */
const MAX_START_WAIT_MS = 24 * 3_600_000;
/** Time after which the log says that a start isn't taken */
const LATE_START_MS = 30 * 60_000;

/**
 * Plans the next try of a start that provably wasn't taken.
 * @throws the error of any other one, and of one that the service won't take in time
 */
function waitForStart(run: SessionRun, before: StartState, error: WorkspaceAutomationError): void {
	const { httpStatus = 0, retryAfter } = error.context;
	const isRefused = NOT_TAKEN_STATUSES.includes(httpStatus);
	const isUnsent = error.attempt === 'unsent';
	if (!hadNoEffect(error) || !(isRefused || isUnsent)) throw error;
	const { wallTime: now } = run;
	const isReached = before.isReached ?? (isRefused || run.dependencies.hasReached());
	if (!isReached && now >= before.since + MAX_UNREACHED_MS) throw error;
	const failures = before.failures + 1;
	const retryAfterMs = retryAfter === undefined ? undefined : retryAfter * 1_000;
	const endAt = before.since + run.settings.timeouts.maxWaitMs;
	const leftMs = endAt === Infinity ? MAX_START_WAIT_MS : endAt - now;
	if (retryAfterMs !== undefined && leftMs > 0 && retryAfterMs > leftMs)
		throw notTakenError(error, retryAfterMs, endAt === Infinity);
	const { message, description, context } = error;
	const isLate = now >= before.since + LATE_START_MS;
	const waiting: StartState = {
		since: before.since,
		at: Math.min(now + startDelayMs(failures, retryAfterMs), endAt),
		failures,
		...(isReached && { isReached: true as const }),
		...(isLate && { isLate: true as const }),
		failure: { message, description, context },
	};
	if (now >= endAt) throw notStartedError(run, waiting);
	run.saveStart(waiting);
	if (failures === 1) run.log(`The service took no new session yet: ${message}`);
	if (isLate && !before.isLate)
		run.log(`The service has taken no new session for 30 minutes: ${message}. ${description}`);
}

function notTakenError(
	{ facts = '', context }: WorkspaceAutomationError,
	retryAfterMs: number,
	isUnlimited: boolean,
): WorkspaceAutomationError {
	const raise = isUnlimited ? '' : ", or raise 'Max Wait (Minutes)'";
	const code = context.code === undefined ? '' : ` Its code is ${context.code}.`;
	return new WorkspaceAutomationError(
		`The service takes no new session for ${formatLimit(retryAfterMs)}`,
		`Run the workflow again after that${raise}. ${facts}${code}`,
		context,
	);
}

function notStartedError(
	{ settings }: SessionRun,
	{ failure, failures }: StartState,
): WorkspaceAutomationError {
	const { message, description, context } = failure!;
	return new WorkspaceAutomationError(
		`No session was started within ${formatLimit(settings.timeouts.maxWaitMs)}`,
		`Raise 'Max Wait (Minutes)', or start fewer sessions at once. The node tried ${pluralize(failures, 'time')}. The latest reason: ${message}. ${description}`,
		context,
	);
}

async function resume(
	run: SessionRun,
	{ sessionId, message }: Extract<Target, { operation: 'continue' }>,
): Promise<Beginning> {
	const { execution, onSession } = run.dependencies;
	const { origin = run.settings.origin } = run.record;
	run.save({ sessionId, isGiven: true, origin, execution });
	onSession?.({ sessionId });
	if (message === undefined) {
		run.save({ startedAt: run.wallTime });
		return 'joined';
	}
	await sendMessage(run, 'message', addInstructions(message, run.dependencies.format), {
		prepare: async () => await readBefore(run, sessionId),
		onSent: () => run.save({ startedAt: run.wallTime }),
	});
	run.isUnsaved = true;
	return 'sent';
}

/** Reads the session, to know the turn of the message from the one before. */
async function readBefore(run: SessionRun, sessionId: string): Promise<void> {
	const options = { deadline: run.now + MIN_READ_MS };
	const before = await resultOrError(fetchSession(run.api, sessionId, options));
	if (!(before instanceof WorkspaceAutomationError)) return applyReading(run, before);
	if (before.kind === 'rejected') throw explainRejection(before);
	throw new WorkspaceAutomationError(
		`The message wasn't sent: ${before.message}`,
		`The session couldn't be read. ${before.description}`,
		before.context,
	);
}
