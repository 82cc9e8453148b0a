// The Node that commands run on: the one that npm installs, not the machine's, and its version.
import { expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../../', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, root), 'utf8');
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

const PINNED = 'pinned-node ';
/** Programs of packages, which run on any Node that npm does */
const ANY_NODE = /^(gulp$|n8n-node |prettier )/;

test.each(Object.entries(scripts))(
	'npm run %s: our own files run on the installed Node',
	(_, script) => {
		const others = script.split(' && ').filter((command) => !command.startsWith(PINNED));
		expect(others.filter((command) => !ANY_NODE.test(command))).toEqual([]);
	},
);

test('pinned-node runs its arguments on the installed Node, and returns their exit code', () => {
	const { status, stdout } = spawnSync(
		process.execPath,
		['tools/node/run.mjs', '-p', 'process.exitCode = 3; process.version'],
		{ cwd: fileURLToPath(root), encoding: 'utf8' },
	);
	expect({ status, version: stdout.trim() }).toEqual({ status: 3, version: process.version });
});

test('no file uses a Node function newer than 24.0: for some systems npm installs 24.0', () => {
	const files = globSync('{bench,local-service,n8n-host,openapi,test,tools}/**/*.{mts,mjs}', {
		cwd: fileURLToPath(root),
		exclude: (path) => path.includes('node_modules'),
	});
	expect(files.length).toBeGreaterThan(100);
	const asking = files.filter((file) => /import\.meta\.(main)\b/.test(read(file)));
	expect(asking).toEqual([]);
});
