// npm run mutate -- <module ...>: changes the lines of a pure module one by one, and says which changes no test notices. Without arguments,
// it does this for all modules.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureParts } from '../../tools/parts.mts';
import { modules } from './modules.mts';

const root = join(import.meta.dirname, '../..');
const stryker = join(import.meta.dirname, 'node_modules/@stryker-mutator/core/bin/stryker.js');
const known = Object.keys(modules);
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !known.includes(name));

if (unknown.length > 0) {
	console.error(`There is no module ${unknown.join(', ')}. There is: ${known.join(', ')}.`);
	process.exit(1);
}
await ensureParts(['mutation'], console.error);
for (const name of asked.length > 0 ? asked : known) {
	console.log(`\n${name}`);
	const { status } = spawnSync(
		process.execPath,
		[stryker, 'run', 'test/mutation/stryker.config.mjs'],
		{ cwd: root, stdio: 'inherit', env: { ...process.env, MUTATED_MODULE: name } },
	);
	if (status !== 0) process.exitCode = 1;
}
