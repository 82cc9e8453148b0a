import {
	hadNoEffect,
	resultOrError,
	withSession,
	type WorkspaceAutomationError,
} from '../shared/base/errors';
import { count, digest } from '../shared/base/values';
import { contentOf } from '../shared/session/session';
import { courseAfter, nextLook } from './durable';
import { abandon } from './endings';
import type { Entry, Job, RunDependencies, RunResult } from './run';
import { newQuestion, withQuestion } from './page/view';
import { turnAfter } from './turn';
import { runSession, sendMessage } from './runSession';

// A look at a session that n8n parks in between: read once, decided as always, and no second poll, because the next look is minutes away.

const LOOK = {
	poll: { pollMs: Infinity, maxPollMs: Infinity },
	// With what is tried again: n8n that is killed during a look needs a retry.
	maxWaitMs: 15_000,
	onMaxWait: 'route',
} as const;

const hours = (ms: number): string => count(Math.round(ms / 36_000) / 100, 'hour');

/** A run of one reading, in which what people answered on the page goes along with the policy. */
async function readOnce(job: Job, dependencies: RunDependencies): Promise<RunResult> {
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
	const turn = turnAfter(result.session, api.clock.now());
	journal.write({ ...entry, turn, page: { ...page, comment: undefined } });
	const deadline = api.clock.now() + LOOK.maxWaitMs;
	const failure = await resultOrError(sendMessage(api, result.session, comment, deadline));
	if (failure && hadNoEffect(failure)) journal.write({ ...entry, page });
	return { ...result, kind: 'stillRunning' };
}

/** Sends what people answered on the page. Where that fails the next look does it, or says why not. */
export const applyAnswers = async (job: Job, dependencies: RunDependencies): Promise<unknown> =>
	await resultOrError(readOnce(job, dependencies));

/**
 * Starts the session of an item, or looks at it. A result of the kind `stillRunning` says when to look again.
 * @throws WorkspaceAutomationError as `runSession`, and when the session has been waited for long enough
 */
export async function look(job: Job, dependencies: RunDependencies): Promise<RunResult> {
	const patience = job.patience!;
	const { journal } = dependencies;
	const { clock } = dependencies.api;
	const startedAt = clock.now();
	const result = await readOnce(job, dependencies);
	const now = clock.now();
	const { sessionId } = result.session;
	const entry: Entry = { state: 'new', sessionId, ledger: [], ...journal.read() };
	const { since } = (entry.parked ??= { since: startedAt });
	entry.pollCount = (entry.pollCount ?? 0) + result.pollCount;
	const contents = result.undecided.map(({ interaction }) => contentOf(interaction) ?? '');
	const pending = digest(JSON.stringify(contents));
	const { course, parked } = courseAfter(result.kind, pending, entry.parked, patience, now);
	const whole = { ...result, pollCount: entry.pollCount, durationMs: now - since };
	const lookAt = nextLook(parked, patience, now);
	const isAsked = course === 'leave' && result.kind === 'needsApproval' && patience.waitsForPeople;
	const question = isAsked ? newQuestion(contents) : undefined;
	if (question) entry.page = withQuestion(entry.page, question, job);
	journal.write({ ...entry, parked });
	if (question) return { ...whole, question, lookAt };
	if (course === 'leave') return whole;
	if (course === 'park') return { ...whole, kind: 'stillRunning', lookAt };
	if (course === 'unanswered' && patience.ifNobodyAnswers === 'deny') {
		const denying: Job = {
			...job,
			policy: { ...job.policy, mode: 'deny' },
			patience: { ...patience, ifNobodyAnswers: 'wait' },
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
		throw withSession(error, { ...result.session, decisions: result.decisions });
	});
}
