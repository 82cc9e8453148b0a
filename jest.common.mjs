// What the two kinds of tests have in common: those that need npm only (jest.config.mjs), and those in the real n8n (test/e2e).
import { fileURLToPath } from 'node:url';

/** Tests are ES modules (.mts), like everything outside the package; the package's own sources stay CommonJS, as n8n loads them. */
export const common = {
	rootDir: fileURLToPath(new URL('.', import.meta.url)),
	testEnvironment: 'node',
	extensionsToTreatAsEsm: ['.mts'],
	moduleFileExtensions: ['mts', 'ts', 'mjs', 'cjs', 'js', 'json', 'node'],
	modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/.cache', '<rootDir>/n8n-host/[^/]+/'],
	transform: {
		'^.+\\.mts$': '<rootDir>/test/jest/stripTypes.mjs',
		'^.+\\.ts$': ['ts-jest', { tsconfig: 'tsconfig.json', diagnostics: false }],
	},
};

/** For tests that need no n8n server: they run in Node's own realm. */
export const inOwnRealm = {
	...common,
	transform: {},
	testRunner: '<rootDir>/test/jest/runner.mts',
	testEnvironment: '<rootDir>/test/jest/environment.mjs',
};
