// The tests that are long: those in the real n8n, once for each version, and those that take too long for `npm test`: `npm run test:e2e`, which installs and starts what they need (run.mts).
import { availableParallelism } from 'node:os';
import { HANG_MS } from '../../n8n-host/hang.mts';
import { chosenVersions, hostVersions } from '../../n8n-host/versions.mts';
import { common, inOwnRealm } from '../../jest.common.mjs';

/** What doesn't depend on how an n8n executes nodes: only in the first version */
const ONLY_REFERENCE = [
	'demo',
	'editor-fields',
	'editor-imported',
	'examples',
	'examples-run',
	'install',
	'migration',
	'page-in-browser',
	'page-look',
	'queue',
];

/** The end-to-end tests in one n8n */
const onHost = (version) => ({
	...common,
	displayName: `n8n ${version}`,
	testMatch: ['<rootDir>/test/e2e/**/*.test.mts'],
	testPathIgnorePatterns: [
		'/node_modules/',
		...(version === hostVersions[0] ? [] : ONLY_REFERENCE).map((name) => `/e2e/${name}.test.mts$`),
	],
	globals: { n8nHost: version },
	setupFiles: ['<rootDir>/test/e2e/chooseHost.mts'],
});

/** What needs no n8n server, and takes too long for `npm test` */
const slow = {
	...inOwnRealm,
	displayName: 'slow',
	testMatch: ['<rootDir>/test/slow/**/*.test.mts'],
};

export default {
	rootDir: common.rootDir,
	// For what hangs, not for what is slow: other tests keep the same n8n busy. A test waits for more than one result.
	testTimeout: 2 * HANG_MS,
	// Tests wait most of the time, but a browser and an n8n that start keep two processors busy.
	maxWorkers: availableParallelism() + 2,
	reporters: ['default', '<rootDir>/test/jest/reporter.mts'],
	testSequencer: '<rootDir>/test/jest/longestFirst.mjs',
	projects: [...chosenVersions().map(onHost), slow],
};
