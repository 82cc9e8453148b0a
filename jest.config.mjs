/** Tests are ES modules (.mts), like everything outside the package; the package's own sources stay CommonJS, as n8n loads them. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chosenVersion, hostVersions } from './n8n-host/versions.mts';

// n8n's own log says nothing that a test does not check.
process.env.N8N_LOG_LEVEL = 'silent';
// n8n-core writes a key to its user folder; that of whoever runs the tests is not ours.
process.env.N8N_USER_FOLDER = join(tmpdir(), 'workspace-automation-tests');

const common = {
	testEnvironment: 'node',
	extensionsToTreatAsEsm: ['.mts'],
	moduleFileExtensions: ['mts', 'ts', 'mjs', 'cjs', 'js', 'json', 'node'],
	modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/.cache', '<rootDir>/n8n-host/[^/]+/'],
	transform: {
		'^.+\\.mts$': [
			'ts-jest',
			{ useESM: true, tsconfig: 'tsconfig.tools.json', diagnostics: false },
		],
		'^.+\\.ts$': ['ts-jest', { tsconfig: 'tsconfig.json', diagnostics: false }],
	},
};

/** The end-to-end tests once more, on this n8n */
const onHost = (version) => ({
	...common,
	displayName: `n8n ${version}`,
	testMatch: ['<rootDir>/test/e2e/**/*.test.mts'],
	// Several machines are n8n's matter more than the package's: seen once.
	testPathIgnorePatterns: [
		'/node_modules/',
		...(version === hostVersions[0] ? [] : ['/queue.test.mts$']),
	],
	globals: { n8nHost: version },
	setupFiles: ['<rootDir>/test/e2e/chooseHost.mts'],
});

const chosen = chosenVersion();

export default {
	// For what hangs, not for what is slow: an n8n may be installing or starting beside it.
	testTimeout: 60_000,
	// Most of the time the tests wait, for n8n or for a session: one process less than there are cores would be too few.
	maxWorkers: '100%',
	reporters: ['default', '<rootDir>/test/reporter.mts'],
	projects: [
		{
			...common,
			displayName: 'package',
			testMatch: ['<rootDir>/test/**/*.test.mts'],
			testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/e2e/'],
		},
		...(chosen ? [chosen] : hostVersions).map(onHost),
	],
};
