// The tests that are long: those in the real n8n, once for each version, and those of the repository as a whole: `npm run test:e2e`, which installs and starts what they need (run.mts).
import { availableParallelism } from 'node:os';
import { HANG_MS } from '../../n8n-host/hang.mts';
import { chosenVersions, hostVersions } from '../../n8n-host/versions.mts';
import { common, inOwnRealm } from '../../jest.common.mjs';

/** Not on other versions than the reference: queue mode is a matter of n8n more than of the package, but for its page; the demo and the installation are of one version; and how the page looks needs no n8n. */
const ONLY_REFERENCE = ['demo', 'install', 'page-look', 'queue', 'queue-killed', 'queue-trigger'];

/** Only in the first n8n that is chosen, because they take long. In n8n 1, `npm run test:e2e -- 1.123 e2e/` runs them, and so does a job of .github/workflows/ci.yml. */
const ONLY_FIRST = [
	'approvals-mail',
	'approvals-reviewed',
	'channels',
	'durable-changes',
	'durable-crashed',
	'durable-killed',
	'durable-killed-anywhere',
	'durable-queue',
	'durable-queue-crashed',
	'durable-wiring',
	'editor',
	'editor-analytics',
	'editor-examples',
	'editor-night',
	'gallery-night',
	'gallery-reports',
	'gallery-work',
	'killed',
	'page-hostile',
	'page-killed',
	'queue-page',
	'teams',
];

/** The end-to-end tests in the n8n at this place among the chosen ones */
const onHost = (version, place) => {
	const left = [
		...(version === hostVersions[0] ? [] : ONLY_REFERENCE),
		...(place === 0 ? [] : ONLY_FIRST),
	];
	return {
		...common,
		displayName: `n8n ${version}`,
		testMatch: ['<rootDir>/test/e2e/**/*.test.mts'],
		testPathIgnorePatterns: ['/node_modules/', ...left.map((name) => `/e2e/${name}.test.mts$`)],
		globals: { n8nHost: version },
		setupFiles: ['<rootDir>/test/e2e/chooseHost.mts'],
	};
};

/** What needs no n8n server, and takes too long for `npm test` */
const repository = {
	...inOwnRealm,
	displayName: 'repository',
	testMatch: ['<rootDir>/test/repository/**/*.test.mts'],
};

export default {
	rootDir: common.rootDir,
	// For what hangs, not for what is slow: other tests keep the same n8n busy. A test waits for more than one result.
	testTimeout: 2 * HANG_MS,
	// Tests wait most of the time, but a browser and an n8n that start keep two processors busy.
	maxWorkers: availableParallelism() + 2,
	reporters: ['default', '<rootDir>/test/reporter.mts'],
	testSequencer: '<rootDir>/test/longestFirst.mjs',
	projects: [...chosenVersions().map(onHost), repository],
};
