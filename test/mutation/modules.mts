// The pure modules whose tests are known to catch, and the tests that have to: `npm run mutate -- tokenizer`.
const run = 'nodes/RunAgentSession';
const shared = 'nodes/shared';
const trigger = 'nodes/WorkspaceAutomationTrigger';

interface Module {
	mutate: string[];
	tests: string[];
	/** Kinds of changes that are not made */
	without?: string[];
}

/** Sources, and tests by the beginning of their path below test/ */
export const modules: Record<string, Module> = {
	rules: {
		mutate: [`${run}/permissionPolicy.ts`, `${run}/glob.ts`, `${run}/shellText.ts`],
		tests: [
			'unit/permission-',
			'unit/hostile-requests',
			'unit/glob',
			'unit/try-rules',
			'unit/shell-text',
		],
		// Of `\v` in a pattern with the flag u Stryker makes what cannot be read.
		without: ['Regex'],
	},
	answers: {
		mutate: [`${run}/answer.ts`, `${shared}/api/overrides.ts`],
		tests: ['unit/answer', 'unit/evidence', 'unit/overrides'],
	},
	ledger: { mutate: [`${run}/ledger.ts`], tests: ['unit/ledger'] },
	turn: { mutate: [`${run}/turn.ts`], tests: ['unit/turn'] },
	retries: {
		mutate: [`${shared}/transport/evidence.ts`],
		tests: ['unit/retry-', 'unit/evidence'],
	},
	gate: { mutate: [`${shared}/transport/concurrency.ts`], tests: ['unit/rate-limit-gate'] },
	pages: { mutate: [`${shared}/api/pages.ts`], tests: ['unit/pages'] },
	comparison: {
		mutate: [`${trigger}/compare.ts`, `${trigger}/events.ts`],
		tests: ['unit/trigger-'],
	},
	tokenizer: {
		mutate: ['tokenizer', 'bind'].map((name) => `${shared}/analytics/${name}.ts`),
		tests: ['unit/tokenizer', 'unit/bind', 'unit/sql', 'unit/literals'],
	},
	options: {
		mutate: [`${shared}/session/interactionOptions.ts`],
		tests: ['unit/interaction-option'],
	},
	durable: { mutate: [`${run}/durable.ts`], tests: ['unit/durable'] },
};
