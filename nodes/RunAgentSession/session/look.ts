import {
	hadNoEffect,
	resultOrError,
	addSession,
	type WorkspaceAutomationError,
} from '../../shared/errors';
import { pluralize, fingerprint } from '../../shared/values';
import { fingerprintContent } from '../../shared/client/session';
import { courseAfter, nextWakeAt } from './schedule';
import { abandon } from './finish';
import type { SessionRecord, ItemSettings, RunDependencies, RunResult } from './run';
import { createLink, addLink } from '../approval/page/view';
import { findDeadline } from '../approval/times';
import { createTurn } from './turn';
import { runSession, sendMessage } from './runSession';

// A look at a session that n8n parks in between: read once, decided as always, and no second poll, because the next look is minutes away.

const LOOK = {
	poll: { pollMs: Infinity, maxPollMs: Infinity },
	// With what is tried again: n8n that is killed during a look needs a retry.
	maxWaitMs: 15_000,
	onMaxWait: 'route',
} as const;

const hours = (ms: number): string => pluralize(Math.round(ms / 36_000) / 100, 'hour');

/** A run of one reading, in which what people answered on the page goes along with the policy. */
async function readOnce(job: ItemSettings, dependencies: RunDependencies): Promise<RunResult> {
	const policy = { ...job.policy, page: dependencies.journal.read()?.page?.answers };
	const result = await runSession({ ...job, ...LOOK, policy }, dependencies);
	return job.sendComments ? await passOnComment(result, dependencies) : result;
}

/** Sends the agent what a person wrote on the page, once, when all that was asked is decided. That begins another turn. */
async function passOnComment(result: RunResult, dependencies: RunDependencies): Promise<RunResult> {
	const { api, journal } = dependencies;
	const { page, ...entry } = journal.read()!;
	const { comment } = page ?? {};
	if (!page || !comment || result.kind === 'needsApproval' || result.kind === 'failed')
		return result;
	const turn = createTurn(result.session, api.clock.now());
	journal.write({ ...entry, turn, page: { ...page, comment: undefined } });
	const deadline = api.clock.now() + LOOK.maxWaitMs;
	const failure = await resultOrError(sendMessage(api, result.session, comment, deadline));
	if (failure && hadNoEffect(failure)) journal.write({ ...entry, page });
	return { ...result, kind: 'stillRunning' };
}

/** Sends what people answered on the page. Where that fails the next look does it, or says why not. */
export const applyAnswers = async (
	job: ItemSettings,
	dependencies: RunDependencies,
): Promise<unknown> => await resultOrError(readOnce(job, dependencies));

/**
 * Starts the session of an item, or looks at it. A result of the kind `stillRunning` says when to look again.
 * @throws WorkspaceAutomationError as `runSession`, and when the session has been waited for long enough
 */
export async function look(job: ItemSettings, dependencies: RunDependencies): Promise<RunResult> {
	const patience = job.timeouts!;
	const { journal } = dependencies;
	const { clock } = dependencies.api;
	const startedAt = clock.now();
	const result = await readOnce(job, dependencies);
	const now = clock.now();
	const { sessionId } = result.session;
	const entry: SessionRecord = { state: 'new', sessionId, ledger: [], ...journal.read() };
	const { since } = (entry.parked ??= { since: startedAt });
	entry.pollCount = (entry.pollCount ?? 0) + result.pollCount;
	const contents = result.undecided.map(({ interaction }) => fingerprintContent(interaction) ?? '');
	const pending = fingerprint(JSON.stringify(contents));
	const { course, parked } = courseAfter(result.kind, pending, entry.parked, patience, now);
	const whole = { ...result, pollCount: entry.pollCount, durationMs: now - since };
	const lookAt = nextWakeAt(parked, patience, now);
	const isAsked = course === 'leave' && result.kind === 'needsApproval' && patience.waitsForPeople;
	const deadline = findDeadline({ since, askedAt: now }, patience);
	const question = isAsked ? createLink(contents, deadline) : undefined;
	if (question) entry.page = addLink(entry.page, question, job);
	journal.write({ ...entry, parked });
	if (question) return { ...whole, question, lookAt };
	if (course === 'leave') return whole;
	if (course === 'park') return { ...whole, kind: 'stillRunning', lookAt };
	if (course === 'unanswered' && patience.ifNobodyAnswers === 'deny') {
		const denying: ItemSettings = {
			...job,
			policy: { ...job.policy, mode: 'deny' },
			timeouts: { ...patience, ifNobodyAnswers: 'wait' },
		};
		return await look(denying, dependencies);
	}
	const givesUp = course === 'giveUp';
	const about = {
		tooLong: givesUp
			? `The session did not finish within ${hours(patience.giveUpAfterMs)}`
			: `The session waited ${hours(patience.unansweredAfterMs)} for somebody's decision`,
		advice: `Raise '${givesUp ? 'Give Up After' : 'If Nobody Answers After'}' in the options.`,
		aborts: !givesUp || patience.onGiveUp === 'abort',
		forgets: false,
	};
	return await abandon(dependencies, sessionId, about).catch((error: WorkspaceAutomationError) => {
		throw addSession(error, { ...result.session, decisions: result.decisions });
	});
}
