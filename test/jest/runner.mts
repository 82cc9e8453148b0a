// Runs a test file with Node's own `import`, so that all files of a process share what they load. Jest's runtime would load and
// compile each file's two hundred modules again, which takes more processor time than the tests.
import { createRequire, registerHooks } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Circus, Config } from '@jest/types';
import type { TestResult } from '@jest/test-result';
import '../../tools/packageSources.mts';
import { setGlobals, type Globals } from './globals.mts';

const require = createRequire(import.meta.url);
const circus = join(dirname(require.resolve('jest-circus')), 'jestAdapterInit.js');
const globals = import.meta.resolve('./globals.mts');

registerHooks({
	resolve: (specifier, context, next) =>
		next(specifier === '@jest/globals' ? globals : specifier, context),
});

/** What jest sends a worker that has no more files (jest-worker's CHILD_MESSAGE_END) */
const END = 2;

// Idle connections of n8n's HTTP client keep a process for seconds. Jest waits for half of one, and then warns of it.
process.on('message', (message: unknown) => {
	if (Array.isArray(message) && message[0] === END) process.exit();
});

interface Adapter {
	initialize(options: object): Promise<unknown>;
	runAndTransformResultsToJestFormat(options: object): Promise<TestResult>;
}

/** jest-circus with no tests and no listeners. It keeps them in its module and in a global. */
function freshCircus(): Adapter {
	delete require.cache[circus];
	delete (globalThis as Record<symbol, unknown>)[Symbol.for('EVENT_HANDLERS')];
	return require(circus) as Adapter;
}

export default async function runFile(
	globalConfig: Config.GlobalConfig,
	config: Config.ProjectConfig,
	environment: { handleTestEvent?: Circus.EventHandler },
	runtime: object,
	testPath: string,
	sendMessageToJest?: unknown,
): Promise<TestResult> {
	const { initialize, runAndTransformResultsToJestFormat } = freshCircus();
	await initialize({
		config,
		environment,
		globalConfig,
		localRequire: require,
		parentProcess: process,
		runtime,
		sendMessageToJest,
		setGlobalsForRuntime: (given: Globals) => setGlobals(given),
		testPath,
	});
	await import(pathToFileURL(testPath).href);
	return await runAndTransformResultsToJestFormat({ config, globalConfig, testPath });
}
