// Runs tests for Stryker within its own process. Most changes are switched on in modules that are loaded already, so that a run takes
// milliseconds; Jest would take seconds to start for each.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import '../../tools/packageSources.mts';
import { beginFile, collected } from './suite.mjs';

/** What says how long something takes says nothing where every line counts itself. */
const IN_TIME =
	/\b(too long to|takes no longer|takes linear time|only long|spend what|a megabyte|ten thousand|in one go)\b/;
const testsOf = () => collected.filter(({ id }) => !IN_TIME.test(id));

/** What Stryker's changed sources read */
const switches = (globalThis.__stryker__ ??= {});

const STAND_INS = {
	'@jest/globals': import.meta.resolve('./suite.mjs'),
	'fast-check': import.meta.resolve('./properties.mjs'),
};

registerHooks({
	resolve(specifier, context, next) {
		const instead = STAND_INS[specifier];
		return next(instead && context.parentURL !== instead ? instead : specifier, context);
	},
});

/** How long each test takes: those that are quick come first, since one that fails is enough */
const TIMES = '.cache-times.json';

/** Beside five times of what a test takes, because the processors may be busy with something else */
const HANG_MS = 5_000;
const HANGS = 'It hangs, or loops';

class NodeRunner {
	static inject = ['options'];
	#tests;
	#loaded;
	#times;
	#hangs = false;

	constructor({ node }) {
		this.#tests = node.tests;
	}

	capabilities = () => ({ reloadEnvironment: false });

	async dryRun() {
		await this.#load();
		const tests = [];
		for (const test of testsOf()) {
			switches.currentTestId = test.id;
			const startedAt = performance.now();
			const failureMessage = await run(test);
			const timeSpentMs = performance.now() - startedAt;
			tests.push({
				id: test.id,
				name: test.id,
				timeSpentMs,
				...(failureMessage === undefined
					? { status: 0 /* success */ }
					: { status: 1 /* failed */, failureMessage }),
			});
		}
		switches.currentTestId = undefined;
		const times = tests.map(({ id, timeSpentMs }) => [id, timeSpentMs]);
		writeFileSync(TIMES, JSON.stringify(Object.fromEntries(times)));
		return { status: 'complete', tests, mutantCoverage: switches.mutantCoverage };
	}

	async mutantRun({ activeMutant, hitLimit, mutantActivation, testFilter }) {
		// Stryker restarts the process and runs this change again.
		if (this.#hangs) throw new Error('A test of an earlier change is still running');
		if (mutantActivation === 'static') switches.activeMutant = activeMutant.id;
		try {
			await this.#load();
		} catch (error) {
			return { status: 'killed', killedBy: [], failureMessage: String(error), nrOfTests: 0 };
		}
		Object.assign(switches, { activeMutant: activeMutant.id, hitCount: 0, hitLimit });
		const times = (this.#times ??= JSON.parse(readFileSync(TIMES, 'utf8')));
		const tests = testsOf()
			.filter(({ id }) => testFilter?.includes(id) ?? true)
			.sort((one, other) => times[one.id] - times[other.id]);
		for (const [index, test] of tests.entries()) {
			const failureMessage = await within(HANG_MS + 5 * times[test.id], () => run(test));
			this.#hangs = failureMessage === HANGS;
			if (switches.hitCount > hitLimit || this.#hangs) return { status: 'timeout', reason: HANGS };
			if (failureMessage !== undefined)
				return { status: 'killed', killedBy: [test.id], failureMessage, nrOfTests: index + 1 };
		}
		return { status: 'survived', nrOfTests: tests.length };
	}

	#load() {
		return (this.#loaded ??= (async () => {
			const files = globSync(this.#tests.map((name) => `test/${name}*.test.mts`)).sort();
			for (const file of files) {
				beginFile(file);
				await import(pathToFileURL(file).href);
			}
		})());
	}
}

/** Returns HANGS if the work takes longer. Stryker's own timeout is for all tests together. */
async function within(ms, work) {
	let timer;
	// Set first, because a test may replace the timers.
	const hangs = new Promise((resolve) => (timer = setTimeout(resolve, ms, HANGS)));
	return await Promise.race([work(), hangs]).finally(() => clearTimeout(timer));
}

/** @returns what the test failed with, if it did */
async function run({ run, around }) {
	try {
		for (const { before } of around) for (const hook of before) await hook();
		await run();
		return undefined;
	} catch (error) {
		return String(error?.message ?? error);
	} finally {
		for (const { after } of [...around].reverse()) for (const hook of after) await hook();
	}
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'node', NodeRunner)];
export const strykerValidationSchema = { properties: { node: { type: 'object' } } };
