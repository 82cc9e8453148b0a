// The tests that need npm only: `npm test`. Those in the real n8n have test/e2e/jest.config.mjs.
import { availableParallelism } from 'node:os';
import { inOwnRealm } from './jest.common.mjs';

export default {
	...inOwnRealm,
	testMatch: ['<rootDir>/test/**/*.test.mts'],
	testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/(e2e|slow)/'],
	// For what hangs, not for what is slow.
	testTimeout: 300_000,
	// Many tests wait for answers over real HTTP; while six wait, two others work.
	maxWorkers: availableParallelism() + 6,
	reporters: ['default', '<rootDir>/test/jest/reporter.mts'],
	testSequencer: '<rootDir>/test/jest/longestFirst.mjs',
};
