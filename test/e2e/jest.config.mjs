// The tests that are long: those in the real n8n, once for each version, and those of the repository as a whole: `npm run test:e2e`, which installs and starts what they need (run.mts).
import { availableParallelism } from 'node:os';
import { chosenVersions, hostVersions } from '../../n8n-host/versions.mts';
import { common } from '../../jest.common.mjs';

/** The end-to-end tests on this n8n */
const onHost = (version) => ({
	...common,
	displayName: `n8n ${version}`,
	testMatch: ['<rootDir>/test/e2e/**/*.test.mts'],
	testPathIgnorePatterns: [
		'/node_modules/',
		// Queue mode is a matter of n8n more than of the package, but for its page; and the demo and the installation are of one version: once is enough.
		...(version === hostVersions[0] ? [] : ['/(queue(-killed|-trigger)?|demo|install).test.mts$']),
	],
	globals: { n8nHost: version },
	setupFiles: ['<rootDir>/test/e2e/chooseHost.mts'],
});

/** What takes the whole repository: its checks, and CONTRIBUTING's guide, followed to the letter in a copy */
const repository = {
	...common,
	displayName: 'repository',
	testMatch: ['<rootDir>/test/repository/**/*.test.mts'],
};

export default {
	rootDir: common.rootDir,
	// For what hangs, not for what is slow: other tests keep the same n8n busy.
	testTimeout: 60_000,
	// Nearly all of the time is waiting: two processors are idle for three quarters of it while two files run.
	maxWorkers: availableParallelism() + 4,
	reporters: ['default', '<rootDir>/test/reporter.mts'],
	testSequencer: '<rootDir>/test/longestFirst.mjs',
	projects: [...chosenVersions().map(onHost), repository],
};
