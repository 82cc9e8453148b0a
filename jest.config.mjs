/** Tests are ES modules (.mts), like everything outside the package; the package's own sources stay CommonJS, as n8n loads them. */
// n8n's own log says nothing that a test does not check.
process.env.N8N_LOG_LEVEL = 'silent';

export default {
	testEnvironment: 'node',
	reporters: ['default', '<rootDir>/test/reporter.mts'],
	testMatch: ['<rootDir>/test/**/*.test.mts'],
	extensionsToTreatAsEsm: ['.mts'],
	moduleFileExtensions: ['mts', 'ts', 'mjs', 'cjs', 'js', 'json', 'node'],
	modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/n8n-host/node_modules'],
	transform: {
		'^.+\\.mts$': ['ts-jest', { useESM: true, tsconfig: 'tsconfig.tools.json', diagnostics: false }],
		'^.+\\.ts$': ['ts-jest', { tsconfig: 'tsconfig.json', diagnostics: false }],
	},
};
