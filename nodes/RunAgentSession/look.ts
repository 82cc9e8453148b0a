import type { WorkspaceAutomationError } from '../shared/base/errors';
import { digest } from '../shared/base/digest';
import { count } from '../shared/base/values';
import { contentOf } from '../shared/session/session';
import { courseAfter, nextLook } from './durable';
import { abandon } from './endings';
import { withResult } from './failures';
import type { Entry, Job, RunDependencies, RunResult } from './run';
import { runSession } from './runSession';

// A look at a session that n8n parks in between: read once, decided as always, and no second poll, because the next look is minutes away.

const LOOK = {
	poll: { pollMs: Infinity, maxPollMs: Infinity },
	// With what is tried again: n8n that is killed during a look needs a retry.
	maxWaitMs: 15_000,
	onMaxWait: 'route',
} as const;

const hours = (ms: number): string => count(Math.round(ms / 36_000) / 100, 'hour');

function outcomeOf({ kind, undecided }: RunResult) {
	if (kind === 'stillRunning') return { kind: 'waiting' } as const;
	if (kind !== 'needsApproval') return { kind: 'ended' } as const;
	const contents = undecided.map(({ interaction }) => contentOf(interaction));
	return { kind: 'asking', pending: digest(JSON.stringify(contents)) } as const;
}

/**
 * Starts the session of an item, or looks at it. A result of the kind `stillRunning` says when to look again.
 * @throws WorkspaceAutomationError as `runSession`, and when the session has been waited for long enough
 */
export async function look(job: Job, dependencies: RunDependencies): Promise<RunResult> {
	const patience = job.patience!;
	const { clock, journal } = dependencies;
	const startedAt = clock.now();
	const result = await runSession({ ...job, ...LOOK }, dependencies);
	const now = clock.now();
	const { sessionId } = result.session;
	const entry: Entry = { state: 'new', sessionId, ledger: [], ...journal.read() };
	const { since } = (entry.parked ??= { since: startedAt });
	entry.pollCount = (entry.pollCount ?? 0) + result.pollCount;
	const { course, parked } = courseAfter(outcomeOf(result), entry.parked, patience, now);
	const whole = { ...result, pollCount: entry.pollCount, durationMs: now - since };
	// One that failed, too: its item comes back with it, and must not start another.
	journal.write({ ...entry, parked });
	if (course === 'leave') return whole;
	if (course === 'park')
		return { ...whole, kind: 'stillRunning', lookAt: nextLook(parked, patience, now) };
	if (course === 'unanswered' && patience.ifNobodyAnswers === 'deny') {
		const denying: Job = {
			...job,
			policy: { ...job.policy, mode: 'deny' },
			patience: { ...patience, ifNobodyAnswers: 'wait' },
		};
		return await look(denying, dependencies);
	}
	const about =
		course === 'giveUp'
			? {
					tooLong: `The session did not finish within ${hours(patience.giveUpAfterMs)}`,
					advice: "Raise 'Give Up After' in the options.",
					aborts: patience.onGiveUp === 'abort',
				}
			: {
					tooLong: `The session waited ${hours(patience.unansweredAfterMs)} for somebody's decision`,
					advice: "Raise 'If Nobody Answers After' in the options.",
					aborts: true,
				};
	return await abandon(dependencies, sessionId, { ...about, forgets: false }).catch(
		(error: WorkspaceAutomationError) => {
			throw withResult(error, result);
		},
	);
}
