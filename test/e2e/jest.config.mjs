// The tests that are long: those in the real n8n, once for each version, and those of the repository as a whole: `npm run test:e2e`, which installs and starts what they need (run.mts).
import { availableParallelism } from 'node:os';
import { HANG_MS } from '../../n8n-host/hang.mts';
import { chosenVersions, hostVersions } from '../../n8n-host/versions.mts';
import { common, inOwnRealm } from '../../jest.common.mjs';

/** The end-to-end tests on this n8n */
const onHost = (version) => ({
	...common,
	displayName: `n8n ${version}`,
	testMatch: ['<rootDir>/test/e2e/**/*.test.mts'],
	testPathIgnorePatterns: [
		'/node_modules/',
		// Once is enough: queue mode is a matter of n8n more than of the package, but for its page; the demo and the installation are of one version; and how
		// the page looks needs no n8n.
		...(version === hostVersions[0]
			? []
			: ['/(queue(-killed|-trigger)?|demo|install|page-look).test.mts$']),
	],
	globals: { n8nHost: version },
	setupFiles: ['<rootDir>/test/e2e/chooseHost.mts'],
});

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
