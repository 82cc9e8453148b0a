// What Stryker changes, and what it runs to see whether a test fails.
import { fileURLToPath } from 'node:url';
import { modules } from './modules.mts';

const name = process.env.MUTATED_MODULE;
const { mutate, tests, without = [], skipsConstants = false } = modules[name];

export default {
	plugins: [fileURLToPath(new URL('runner.mjs', import.meta.url))],
	mutate,
	mutator: { excludedMutations: without },
	ignoreStatic: skipsConstants,
	cleanTempDir: 'always',
	testRunner: 'node',
	node: { tests },
	testRunnerNodeArgs: ['--no-warnings'],
	coverageAnalysis: 'perTest',
	concurrency: 1,
	// The processors may be busy with something else.
	timeoutMS: 20_000,
	tempDirName: '.cache/mutation',
	ignorePatterns: [
		'docs',
		'examples',
		'dist',
		'bench',
		'n8n-host',
		'.cache',
		'test/e2e',
		'test/mutation',
		'**/node_modules',
	],
	disableTypeChecks: false,
	reporters: ['progress-append-only', 'clear-text', 'json'],
	clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
	// Below this the command fails.
	thresholds: { high: 95, low: 90, break: 90 },
	jsonReporter: { fileName: `.cache/mutation/${name}.json` },
};
