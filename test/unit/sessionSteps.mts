// What the steps of one session's run need: an item's settings, its journal, and a client whose answers the test gives.
import type { Policy } from '../../nodes/RunAgentSession/policy/rules.ts';
import type { SessionRecord } from '../../nodes/RunAgentSession/session/journal.ts';
import { SessionRun } from '../../nodes/RunAgentSession/session/run.ts';
import type { ItemSettings, RunDependencies } from '../../nodes/RunAgentSession/session/types.ts';
import { openRecord } from '../../nodes/shared/n8n/journal.ts';
import { apiWith } from '../apiWith.mts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

export const ASK: Policy = { mode: 'ask', rules: [], defaultDecision: 'ask', approveWith: 'once' };

interface Given {
	settings?: Partial<ItemSettings>;
	/** What the journal has at the beginning */
	record?: Partial<SessionRecord>;
	dependencies?: Partial<RunDependencies>;
	/** The credential's overrides */
	overrides?: object;
}

/** Creates a run of an item, which starts a session and approves everything by default. */
export async function createSteps(
	answers: Parameters<typeof apiWith>[0],
	{ settings, record, dependencies: more, overrides }: Given = {},
) {
	const { api, sent, clock } = await apiWith(answers, overrides);
	const logged: string[] = [];
	const named: object[] = [];
	const journal = openRecord<SessionRecord>({}, 'sessions', '0.0');
	if (record) journal.write({ ledger: [], ...record });
	const dependencies: RunDependencies = {
		api,
		journal,
		random: () => 0,
		log: (message) => logged.push(message),
		onSession: (each) => named.push(each),
		...more,
	};
	const all: ItemSettings = {
		target: { operation: 'start', projectId: 'p1', prompt: 'x', extra: {} },
		policy: { ...ASK, mode: 'approve' },
		poll: { pollMs: 5 * SECOND, maxPollMs: 10 * SECOND },
		maxWaitMs: 10 * MINUTE,
		onMaxWait: 'route',
		abortOnStop: true,
		...settings,
	};
	const run = new SessionRun(all, dependencies, all.maxWaitMs);
	/** Waits for a result or an error. */
	const wait = async <T,>(work: Promise<T>) =>
		await clock.run(work.catch((error: unknown) => error as any));
	return { run, settings: all, dependencies, sent, clock, logged, named, journal, wait };
}
