// npm run bench [-- name ...]: runs the benchmarks, or those named, and fails when a figure is not as expected.
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { styleText } from 'node:util';
import { isMet, type Benchmark } from './benchmark.mts';
import { lines } from './print.mts';

const { version } = createRequire(import.meta.url)('n8n-core/package.json') as { version: string };

/** Every benchmark of this folder */
async function all(): Promise<Benchmark[]> {
	const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.bench.mts'));
	return await Promise.all(
		files.sort().map(async (file) => (await import(`./${file}`)) as Benchmark),
	);
}

/** Those that were asked for; all if none was. */
function chosen(benchmarks: Benchmark[], names: string[]): Benchmark[] {
	const known = benchmarks.map(({ name }) => name);
	const unknown = names.find((name) => !known.includes(name));
	if (unknown !== undefined)
		throw new Error(`There is no benchmark "${unknown}". There is: ${known.join(', ')}.`);
	return benchmarks.filter(({ name }) => names.length === 0 || names.includes(name));
}

/** Runs one and prints what came out. Returns whether it was as expected. */
async function show({ name, about, run }: Benchmark): Promise<boolean> {
	console.log(`\n${styleText('bold', name)}: ${about}`);
	const table = await run((line) => console.log(styleText('dim', `- ${line}`)));
	console.log(`\n${lines(table).join('\n')}`);
	return table.expectations.every(isMet);
}

try {
	const benchmarks = chosen(await all(), process.argv.slice(2));
	console.log(`Node ${process.versions.node}, n8n-core ${version}`);
	// One after the other, so that none slows another down.
	for (const benchmark of benchmarks) {
		if (!(await show(benchmark))) process.exitCode = 1;
	}
} catch (error) {
	console.error((error as Error).message);
	// What may still be running waits for something that is gone.
	process.exit(1);
}
