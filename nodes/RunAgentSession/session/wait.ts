import type { CallOptions } from '../../shared/client/operations';
import { findProject } from '../../shared/client/projects';
import { fetchSession } from '../../shared/client/sessions';
import { hasEnded } from '../../shared/client/session';
import { resultOrError, WorkspaceAutomationError } from '../../shared/errors';
import { pluralize } from '../../shared/values';
import { askApprovers, nextApproverAt } from './ask';
import { begin } from './begin';
import { countedAsWaiting } from './crowd';
import {
	abandonedError,
	abortSession,
	endedResult,
	lastRequests,
	toResult,
	withSessionErrors,
} from './finish';
import { applyReading, MIN_POLL_REQUEST_MS, pollOnce, sleepUntilNextPoll } from './poll';
import { applyFormat } from './repair';
import { SessionRun } from './run';
import {
	ACTIVE_MS,
	FIRST_PAUSE_MS,
	isPollDue,
	MIN_POLL_MS,
	nextWakeAt,
	passedTimeout,
	unansweredAt,
} from './schedule';
import type { ItemSettings, RunDependencies, RunResult } from './types';
import type { Wake } from './wake';

/**
 * Moves one session as far as it goes in a run of the node. An execution that keeps running and one that pauses differ in the time only.
 * @returns `stillRunning` with the time of the next poll, if the session continues in a later run
 * @throws WorkspaceAutomationError that names the session and the decisions, also for a timeout, and CanceledError after Stop
 */
export async function runSession(
	settings: ItemSettings,
	dependencies: RunDependencies,
	wake: Wake,
): Promise<RunResult> {
	const run = new SessionRun(settings, dependencies, MIN_POLL_REQUEST_MS);
	run.limitTimes();
	return await withSessionErrors(run, async () => {
		const isNew = await begin(run, wake.pauses);
		const { pollCount = 0 } = run.record;
		const first = planFirstPoll(run, wake, isNew);
		let result = await advance(run, wake, first);
		// While the execution keeps running, only an outcome ends this, or items that leave.
		while (!result && !wake.pauses && !wake.isLeaving) result = await advance(run, wake, 'later');
		run.save({ pollCount: pollCount + run.pollCount });
		if (result?.kind === 'needsApproval') await nameProject(run);
		return toOutcome(run, wake, result, isNew && !first);
	});
}

async function advance(
	run: SessionRun,
	wake: Wake,
	first: 'now' | 'later' | undefined,
): Promise<RunResult | undefined> {
	return await applyTimeout(run, wake, first && (await waitForOutcome(run, wake, first)));
}

/** Polls until the session has an outcome, or this run of the node has no time left. */
async function waitForOutcome(
	run: SessionRun,
	wake: Wake,
	first: 'now' | 'later',
): Promise<RunResult | undefined> {
	return await countedAsWaiting(async () => {
		for (let isDue = first === 'now'; ; isDue = true) {
			prepareTime(run, wake);
			const result = isDue ? await pollOnce(run, wake) : undefined;
			if (result) return result;
			const leftMs = prepareTime(run, wake);
			if (await sleepUntilNextPoll(run, wake, leftMs)) continue;
			if (!wake.pauses && leftMs > 0) await wake.sleep(run.api, leftMs);
			return undefined;
		}
	});
}

/** Returns whether the first poll of this run of the node comes at once, after an interval, or in a later run. */
function planFirstPoll(run: SessionRun, wake: Wake, isNew: boolean): 'now' | 'later' | undefined {
	const { wait, record, settings, wallTime } = run;
	if (settings.timeouts.maxWaitMs === 0) return 'now';
	if (isNew) return wake.pauses && !wake.isWatched ? undefined : 'later';
	if (wake.pauses) return isPollDue(wait, wallTime) ? 'now' : undefined;
	return wallTime < (record.lastReadAt ?? 0) + MIN_POLL_MS ? 'later' : 'now';
}

/** Returns the time that is left for polling in this run of the node, and sets the deadline of the next poll. */
function prepareTime(run: SessionRun, wake: Wake): number {
	if (!wake.pauses) {
		run.pollDeadline = run.maxWaitAt;
		const { record, settings, wallTime } = run;
		const unanswered = unansweredAt(record.requests, settings.timeouts) - wallTime;
		const left = run.lastPollAt - run.now;
		return unanswered > 0 ? Math.min(left, unanswered) : left;
	}
	const { changedAt = 0 } = run.wait;
	const left = wake.leftMs(run.now, Math.max(0, changedAt + ACTIVE_MS - run.wallTime));
	run.pollDeadline = run.now + Math.max(0, left) + MIN_POLL_REQUEST_MS;
	return left;
}

const formatLimit = (ms: number): string =>
	ms < 3_600_000
		? pluralize(Math.round(ms / 6_000) / 10, 'minute')
		: pluralize(Math.round(ms / 36_000) / 100, 'hour');

/** Applies If Nobody Answers and Max Wait. @throws WorkspaceAutomationError that reports the end of the wait */
async function applyTimeout(
	run: SessionRun,
	wake: Wake,
	result: RunResult | undefined,
): Promise<RunResult | undefined> {
	const { timeouts } = run.settings;
	if (result && result.kind !== 'needsApproval') return result;
	const passed = passedTimeout(run.wait, run.record.requests, timeouts, run.wallTime);
	if (!passed) return result;
	// The next poll denies the requests that timed out.
	if (passed === 'unanswered' && timeouts.ifNobodyAnswers === 'deny')
		return result ?? (await waitForOutcome(run, wake, 'now'));
	return await endWait(run, passed);
}

/** Age of a reading that makes another one needless */
const JUST_MS = 1_000;

/** Ends the wait after a timeout. A session that turns out to have completed is a result, before the abort and after it. */
async function endWait(run: SessionRun, passed: 'maxWait' | 'unanswered'): Promise<RunResult> {
	const { api, settings, lastFailure, failedPolls } = run;
	const { maxWaitMs, onMaxWait, unansweredAfterMs } = settings.timeouts;
	const isMaxWait = passed === 'maxWait';
	const options = lastRequests(api);
	const { lastReadAt = 0 } = run.record;
	const isJustRead = failedPolls === 0 && run.wallTime < lastReadAt + JUST_MS;
	const last = isJustRead ? undefined : await pollLast(run, options);
	if (last) return last;
	const isAborted = !isMaxWait || onMaxWait === 'abort';
	if (failedPolls > 0 && lastFailure)
		run.warnings.add(
			`The session couldn't be read at the end: ${lastFailure.message}. ${lastFailure.description}`,
		);
	if (!isAborted && settings.isTool) return toResult(run, 'stillRunning');
	const aborting = isAborted ? await abortSession(api, run.sessionId, options) : undefined;
	const abortedAt = run.wallTime;
	const after = isAborted ? await pollLast(run, options) : undefined;
	if (after?.kind === 'completed') return after;
	// Unless a poll shows the session after the abort, it may have completed before it, so a retry polls.
	const isSeen = (run.record.lastReadAt ?? 0) >= abortedAt;
	const limit = formatLimit(isMaxWait ? maxWaitMs : unansweredAfterMs);
	const raise = isMaxWait ? "'Max Wait'" : "'If Nobody Answers After'";
	throw abandonedError(
		isMaxWait
			? `The session did not finish within ${limit}`
			: `The session waited ${limit} for an approver's decision`,
		isAborted ? (aborting ?? (isSeen ? 'aborted' : 'unseen')) : 'running',
		[`Raise ${raise}.`, ...run.listWarnings()].join(' '),
	);
}

/** Polls once more: a session that has ended is a result, and doesn't need an abort. */
async function pollLast(run: SessionRun, options: CallOptions): Promise<RunResult | undefined> {
	const last = await resultOrError(fetchSession(run.api, run.sessionId, options));
	if (last instanceof WorkspaceAutomationError || !applyReading(run, last)) return undefined;
	const isPending = last.pendingInteractions.length > 0 && last.status !== 'failed';
	const result = hasEnded(last) && !isPending ? endedResult(run) : undefined;
	return result && (await applyFormat(run, result, false));
}

/** Looks up the project's name and time zone, which an approval request shows. */
async function nameProject(run: SessionRun): Promise<void> {
	const { origin } = run.record;
	if (origin?.projectId === undefined || origin.timeZone !== undefined) return;
	const { projectName, timeZone } = await findProject(run.api, origin.projectId);
	run.save({ origin: { ...origin, projectName: origin.projectName ?? projectName, timeZone } });
}

function toOutcome(
	run: SessionRun,
	wake: Wake,
	result: RunResult | undefined,
	isUnread: boolean,
): RunResult {
	const { settings, record } = run;
	const whole = {
		...(result ?? toResult(run, 'stillRunning')),
		origin: record.origin,
		pollCount: record.pollCount ?? 0,
		durationMs: run.wallTime - run.wait.since,
	};
	if (whole.kind === 'completed' || whole.kind === 'failed') return whole;
	const asked = whole.kind === 'needsApproval' ? askApprovers(run) : [];
	const now = run.wallTime;
	const plannedAt = isUnread
		? now + FIRST_PAUSE_MS
		: nextWakeAt(run.wait, run.record.requests, settings.timeouts, now, nextApproverAt(run));
	// n8n wakes the execution by the system clock, which may have been set since the start of the run.
	const wakeAt = plannedAt - now + run.api.clock.now();
	if (wake.pauses) run.saveWait({ nextPollAt: wakeAt });
	return asked.length > 0
		? { ...whole, asked, wakeAt }
		: { ...whole, kind: 'stillRunning', wakeAt };
}
