// The pure modules whose tests are known to catch, and the tests that have to: `npm run mutate -- tokenizer`.
const run = 'nodes/RunAgentSession';
const shared = 'nodes/shared';
const trigger = 'nodes/WorkspaceAutomationTrigger';

interface Module {
	mutate: string[];
	tests: string[];
	/** Kinds of changes that are not made */
	without?: string[];
	/** True if changes of constants are left out: each takes a separate process, which is slow with many tests */
	skipsConstants?: true;
}

/** Sources, and tests by the beginning of their path below test/ */
export const modules: Record<string, Module> = {
	rules: {
		mutate: [
			'rules',
			'commands',
			'compiledRule',
			'globs',
			'guards',
			'paths',
			'plainCommand',
			'reach',
			'runners',
		].map((name) => `${run}/policy/${name}.ts`),
		tests: [
			'unit/permission-',
			'unit/command-rules',
			'unit/path-rules',
			'unit/plain-commands',
			'unit/more-rules',
			'unit/ordinary-commands',
			'unit/try-rules',
		],
		// Stryker makes an invalid pattern from `\v` with the flag u.
		without: ['Regex'],
	},
	answers: {
		mutate: [`${run}/requests/answer.ts`, `${shared}/client/overrides.ts`],
		tests: ['unit/answer', 'unit/evidence', 'unit/overrides'],
	},
	turn: { mutate: [`${run}/session/turn.ts`], tests: ['unit/turn'] },
	retries: {
		mutate: [`${shared}/client/retryPolicy.ts`],
		tests: ['unit/retry-', 'unit/evidence', 'unit/html-pages'],
	},
	gate: {
		mutate: [`${shared}/client/rateLimiter.ts`, `${shared}/client/rateController.ts`],
		tests: ['unit/rate-'],
	},
	pages: { mutate: [`${shared}/client/lists.ts`], tests: ['unit/pages'] },
	comparison: {
		mutate: [`${trigger}/compare.ts`, `${trigger}/events.ts`],
		tests: ['unit/trigger-'],
	},
	trigger: {
		mutate: ['poll', 'sources', 'state', 'failures'].map((name) => `${trigger}/${name}.ts`),
		tests: ['unit/trigger-'],
	},
	tokenizer: {
		mutate: ['tokenizer', 'bind'].map((name) => `${shared}/analytics/${name}.ts`),
		tests: ['unit/tokenizer', 'unit/bind', 'unit/sql'],
	},
	options: {
		mutate: [`${shared}/approvals/options.ts`],
		tests: ['unit/interaction-option'],
	},
	schedule: {
		mutate: [`${run}/session/schedule.ts`],
		tests: ['unit/schedule'],
	},
	run: {
		mutate: ['poll', 'decide', 'finish', 'run'].map((name) => `${run}/session/${name}.ts`),
		tests: ['simulation/decisions', 'simulation/endings'],
		skipsConstants: true,
	},
	wait: {
		mutate: ['wait', 'wake', 'begin', 'message', 'repair', 'ask', 'format'].map(
			(name) => `${run}/session/${name}.ts`,
		),
		tests: ['simulation/', 'unit/output-format'],
		skipsConstants: true,
	},
	items: {
		mutate: ['ancestors', 'batch', 'journal', 'marks', 'outputs'].map(
			(name) => `${run}/execution/${name}.ts`,
		),
		tests: ['unit/marks', 'unit/paired-items', 'engine/many-items'],
		skipsConstants: true,
	},
	panel: {
		mutate: [
			...['options', 'policy', 'policyChecks', 'read', 'session', 'team', 'teamChecks'].map(
				(name) => `${run}/panel/${name}.ts`,
			),
			`${run}/policy/moreRules.ts`,
		],
		tests: ['unit/panel', 'unit/more-rules', 'unit/permission-policy', 'unit/try-rules'],
		skipsConstants: true,
	},
	page: {
		mutate: ['view', 'changeView', 'html'].map((name) => `${run}/page/${name}.ts`),
		tests: ['unit/page', 'unit/change-view'],
		skipsConstants: true,
	},
	approval: {
		mutate: ['details', 'record', 'questions', 'times', 'votes'].map(
			(name) => `${run}/requests/${name}.ts`,
		),
		tests: [
			'unit/agent-question',
			'unit/asked-',
			'unit/page',
			'unit/question',
			'unit/request-',
			'simulation/teams',
		],
		skipsConstants: true,
	},
	requests: {
		mutate: [
			'attemptError',
			'httpRequest',
			'pollUntilFound',
			'semaphore',
			'transport',
			'withRetries',
		].map((name) => `${shared}/client/${name}.ts`),
		tests: [
			'unit/api-client',
			'unit/attempt-errors',
			'unit/clock-changes',
			'unit/deep-json',
			'unit/download',
			'unit/errors',
			'unit/evidence',
			'unit/html-pages',
			'unit/json-body',
			'unit/requests',
			'unit/retry-',
			'simulation/beginning',
			'simulation/polling',
		],
		skipsConstants: true,
	},
	session: {
		mutate: ['files', 'projects', 'reconcilers', 'session', 'sessions'].map(
			(name) => `${shared}/client/${name}.ts`,
		),
		tests: [
			'unit/create-file',
			'unit/deep-json',
			'unit/interaction-reconciler',
			'unit/message-reconciler',
			'unit/overrides',
			'unit/pages',
			'unit/projects',
			'unit/session-reading',
			'unit/sessions',
			'unit/turn',
			'simulation/answers',
			'simulation/beginning',
			'simulation/endings',
		],
		skipsConstants: true,
	},
	secret: {
		mutate: ['credential', 'json', 'redactSecret'].map((name) => `${shared}/client/${name}.ts`),
		tests: [
			'unit/credential',
			'unit/deep-json',
			'unit/json-body',
			'unit/parse-json',
			'unit/secret',
		],
		skipsConstants: true,
	},
	journal: { mutate: [`${shared}/n8n/journal.ts`], tests: ['unit/execution-journal'] },
};
