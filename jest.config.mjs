// The tests that need npm only: `npm test`. Those in the real n8n have test/e2e/jest.config.mjs.
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { common } from './jest.common.mjs';
import preflight from './tools/preflight.js';

// n8n's own log says nothing that a test checks.
process.env.N8N_LOG_LEVEL = 'silent';
// n8n-core writes a key to its user folder, which must not be the developer's own, nor one that somebody else's tests made.
process.env.N8N_USER_FOLDER = join(common.rootDir, '.cache', 'n8n-user');

/** Packages that all files of a process share */
const SHARED = '(ajv|ajv-formats|fastify|n8n-workflow|yaml)';

export default {
	...common,
	transform: {
		...common.transform,
		[`/node_modules/${SHARED}/.*\\.js$`]: '<rootDir>/test/outsideTransformer.mjs',
	},
	transformIgnorePatterns: [`/node_modules/(?!${SHARED}/)`],
	testEnvironment: '<rootDir>/test/environment.mjs',
	testEnvironmentOptions: { clickHouse: preflight.clickHouseLoads() },
	testMatch: ['<rootDir>/test/**/*.test.mts'],
	testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/(e2e|repository)/'],
	// For what hangs, not for what is slow.
	testTimeout: 300_000,
	// Many tests wait for answers over real HTTP; while three wait, two others work.
	maxWorkers: availableParallelism() + 3,
	reporters: ['default', '<rootDir>/test/reporter.mts'],
	testSequencer: '<rootDir>/test/longestFirst.mjs',
};
