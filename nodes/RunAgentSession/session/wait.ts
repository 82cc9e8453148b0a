import type { CallOptions } from '../../shared/client/operations';
import { findProject } from '../../shared/client/projects';
import { fetchSession } from '../../shared/client/sessions';
import { hasEnded, requestKey } from '../../shared/client/session';
import { resultOrError, WorkspaceAutomationError } from '../../shared/errors';
import { pluralize } from '../../shared/values';
import { askApprovers, isNewQuestion, nextApproverAt } from './ask';
import { begin } from './begin';
import { whileWaiting } from './crowd';
import {
	abandon,
	abortAfterStop,
	endedResult,
	lastRequests,
	toResult,
	withSessionErrors,
} from './finish';
import { applyReading, pollOnce, sleepUntilNextPoll } from './poll';
import { applyFormat } from './repair';
import { SessionRun } from './run';
import {
	ACTIVE_MS,
	FIRST_PAUSE_MS,
	MANUAL_WAKE_MS,
	MAX_WAKE_MS,
	nextWakeAt,
	passedTimeout,
} from './schedule';
import type { ItemSettings, RunDependencies, RunResult } from './types';

// Waits in one loop for both modes. In memory, its budget is Max Wait. In the database, its budget is short, and then the execution pauses.

/** Polls until the session has an outcome, or until `leftMs` is over. */
async function waitForOutcome(
	run: SessionRun,
	leftMs: () => number,
	isDue: boolean,
): Promise<RunResult | undefined> {
	return await whileWaiting(async () => {
		for (let isPollDue = isDue; ; isPollDue = true) {
			if (isPollDue) {
				const result = await pollOnce(run);
				if (result) return result;
			}
			if (!(await sleepUntilNextPoll(run, leftMs()))) return undefined;
		}
	});
}

/**
 * Starts or continues the session, polls it, and decides its requests, until Max Wait ends.
 * @param isReturning true if an output returned the item: it first waits a poll interval, because a short Max Wait would poll nonstop
 * @throws WorkspaceAutomationError that names the session and the decisions, and CanceledError after Stop
 */
export async function runInMemory(
	settings: ItemSettings,
	dependencies: RunDependencies,
	isReturning = false,
): Promise<RunResult> {
	const { maxWaitMs, onMaxWait, poll } = settings;
	const budgetMs = isReturning ? Math.max(maxWaitMs, poll.pollMs) : maxWaitMs;
	const run = new SessionRun(settings, dependencies, budgetMs);
	return await withSessionErrors(run, async () => {
		const isNew = await begin(run);
		if (budgetMs === 0 && onMaxWait === 'route') return toResult(run, 'stillRunning');
		const isDue = !isNew && !isReturning;
		const result = await waitForOutcome(run, () => run.lastPollAt - run.now, isDue);
		return noteFailed(run, result ?? (await handleMaxWait(run)));
	});
}

function noteFailed(run: SessionRun, result: RunResult): RunResult {
	if (result.kind === 'failed') run.save({ hasFailed: true });
	return result;
}

/** Returns the known result when Max Wait ends, or aborts the session and throws. */
async function handleMaxWait(run: SessionRun): Promise<RunResult> {
	const { settings, api } = run;
	if (run.undecided.length > 0) return toResult(run, 'needsApproval');
	if (run.lastFailure && run.failedPolls > 0)
		run.warnings.add(
			`The session couldn't be read at the end: ${run.lastFailure.message}. ${run.lastFailure.description}`,
		);
	if (settings.onMaxWait === 'route') return toResult(run, 'stillRunning');
	await api.clock.sleep(Math.max(0, run.pollDeadline - run.now), api.signal);
	const options = lastRequests(api);
	const ended = await pollLast(run, options);
	if (ended.result) return ended.result;
	const minutes = pluralize(Math.round(settings.maxWaitMs / 6_000) / 10, 'minute');
	const advice = [
		"Raise 'Max Wait', or set 'On Max Wait' to route the item to Still Running instead.",
		...run.listWarnings(),
	].join(' ');
	const tooLong = `The session did not finish within ${minutes}`;
	return await abandon(run, { tooLong, advice, isAborted: true, ...ended }, options);
}

/** Polls once more before an abort: a session that has ended is a result, and doesn't need an abort. */
async function pollLast(
	run: SessionRun,
	options: CallOptions,
): Promise<{ wasRead: boolean; result?: RunResult }> {
	const last = await resultOrError(fetchSession(run.api, run.sessionId, options));
	if (last instanceof WorkspaceAutomationError || !applyReading(run, last))
		return { wasRead: false };
	const isPending = last.pendingInteractions.length > 0 && last.status !== 'failed';
	const result = hasEnded(last) && !isPending ? endedResult(run) : undefined;
	return { wasRead: true, result: result && (await applyFormat(run, result, false)) };
}

export interface Wake {
	/** The latest end of the wake, on the monotonic clock. An outcome of another item makes it sooner. */
	endsAt: number;
	/** True if a person watches: the first wake of a manual execution polls before it pauses */
	isWatched: boolean;
}

/** Time that other items keep polling when an item has an outcome, which should leave soon */
const OTHERS_MS = 30_000;
const WAKE_REQUEST_MS = 15_000;

export const createWake = (nowMs: number, isWatched: boolean): Wake => ({
	endsAt: nowMs + MAX_WAKE_MS,
	isWatched,
});

/** Runs one item until nothing changes. `stillRunning` has the next wake's time. @throws WorkspaceAutomationError, also for a timeout */
export async function runInDatabase(
	settings: ItemSettings,
	dependencies: RunDependencies,
	wake: Wake,
): Promise<RunResult> {
	const run = new SessionRun(settings, dependencies, WAKE_REQUEST_MS);
	run.limitTimes();
	return await withSessionErrors(run, async () => {
		const isNew = await begin(run);
		const pollCount = run.record.pollCount ?? 0;
		let result: RunResult | undefined;
		if (!isNew || wake.isWatched)
			result = await waitForOutcome(run, () => leftInWake(run, wake), !isNew);
		result = await applyTimeout(run, wake, result);
		run.save({ pollCount: pollCount + run.pollCount });
		if (result?.kind === 'needsApproval' && isNewQuestion(run)) await nameProject(run);
		const outcome = noteFailed(run, toOutcome(run, result, isNew && !wake.isWatched));
		if (outcome.kind !== 'stillRunning') wake.endsAt = Math.min(wake.endsAt, run.now + OTHERS_MS);
		return outcome;
	});
}

/** Returns the time that is left for polling in this wake, and sets the deadline of the next poll. */
function leftInWake(run: SessionRun, wake: Wake): number {
	const { changedAt = 0 } = run.wait;
	const activeMs = Math.max(0, changedAt + ACTIVE_MS - run.wallTime);
	const watchedMs = wake.isWatched ? run.startedAt + MANUAL_WAKE_MS - run.now : 0;
	const left = Math.min(Math.max(activeMs, watchedMs), wake.endsAt - run.now);
	run.pollDeadline = run.now + Math.max(0, left) + WAKE_REQUEST_MS;
	return left;
}

const pendingKeys = ({ session }: SessionRun): string[] =>
	(session?.pendingInteractions ?? []).map(requestKey);

/** Applies If Nobody Answers and Give Up After. @throws WorkspaceAutomationError that reports the end of the wait */
async function applyTimeout(
	run: SessionRun,
	wake: Wake,
	result: RunResult | undefined,
): Promise<RunResult | undefined> {
	const timeouts = run.settings.timeouts!;
	if (result && result.kind !== 'needsApproval') return result;
	const passed = passedTimeout(run.wait, pendingKeys(run), timeouts, run.wallTime);
	if (!passed || (passed === 'unanswered' && isNewQuestion(run))) return result;
	if (passed === 'unanswered' && timeouts.ifNobodyAnswers === 'deny') {
		run.keysToDeny = run.undecided.map(({ interaction }) => requestKey(interaction));
		const next = await waitForOutcome(run, () => leftInWake(run, wake), true);
		run.keysToDeny = [];
		return next;
	}
	const isGivenUp = passed === 'giveUp';
	const limitMs = isGivenUp ? timeouts.giveUpAfterMs : timeouts.unansweredAfterMs;
	const hours = pluralize(Math.round(limitMs / 36_000) / 100, 'hour');
	const about = {
		tooLong: isGivenUp
			? `The session did not finish within ${hours}`
			: `The session waited ${hours} for an approver's decision`,
		advice: `Raise '${isGivenUp ? 'Give Up After' : 'If Nobody Answers After'}' in the options.`,
		isAborted: !isGivenUp || timeouts.onGiveUp === 'abort',
	};
	const options = lastRequests(run.api);
	const isRead = run.session !== undefined && run.failedPolls === 0;
	const last = isRead ? { wasRead: true } : await pollLast(run, options);
	return last.result ?? (await abandon(run, { ...about, wasRead: last.wasRead }, options));
}

/** Looks up the project's name and time zone, which an approval request shows. */
async function nameProject(run: SessionRun): Promise<void> {
	const { origin } = run.record;
	if (origin?.projectId === undefined || origin.timeZone !== undefined) return;
	const { projectName, timeZone } = await findProject(run.api, origin.projectId);
	run.save({ origin: { ...origin, projectName: origin.projectName ?? projectName, timeZone } });
}

function toOutcome(run: SessionRun, result: RunResult | undefined, isNew: boolean): RunResult {
	const { settings, record } = run;
	const whole = {
		...(result ?? toResult(run, 'stillRunning')),
		origin: record.origin,
		pollCount: record.pollCount!,
		durationMs: run.wallTime - run.wait.since,
	};
	if (whole.kind === 'completed' || whole.kind === 'failed') return whole;
	const asked = whole.kind === 'needsApproval' ? askApprovers(run) : undefined;
	const now = run.wallTime;
	const plannedAt = isNew
		? now + FIRST_PAUSE_MS
		: nextWakeAt(run.wait, pendingKeys(run), settings.timeouts!, now, nextApproverAt(run));
	// n8n wakes the execution by the system clock, which may have been set since the start of the run.
	const wakeAt = plannedAt - now + run.api.clock.now();
	if (!asked) return { ...whole, kind: 'stillRunning', wakeAt };
	return { ...whole, ...asked, ...(asked.link && { wakeAt }) };
}

export async function stopItem(
	settings: ItemSettings,
	dependencies: RunDependencies,
): Promise<string | undefined> {
	return await abortAfterStop(new SessionRun(settings, dependencies, 0));
}
