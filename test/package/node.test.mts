// The Node that commands run on: the one that npm installs, whatever the machine has; and what that one has to be.
import { expect, test } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../../', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, root), 'utf8');
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

const PINNED = 'node tools/node/run.mjs ';
/** Programs of packages, which run on any Node that npm does, and commands that are others of these */
const ANY_NODE = /^(n8n-node|prettier|tsc|npm run) /;

test.each(Object.entries(scripts))(
	'npm run %s: our own files run on the installed Node',
	(_, script) => {
		const others = script.split(' && ').filter((command) => !command.startsWith(PINNED));
		expect(others.filter((command) => !ANY_NODE.test(command))).toEqual([]);
	},
);

test('no file asks what Node has had only since 24.2: for some systems npm installs 24.0', () => {
	const files = globSync('{bench,local-service,n8n-host,openapi,test,tools}/**/*.{mts,mjs}', {
		cwd: fileURLToPath(root),
		exclude: (path) => path.includes('node_modules'),
	});
	expect(files.length).toBeGreaterThan(100);
	const asking = files.filter((file) => /import\.meta\.(main)\b/.test(read(file)));
	expect(asking).toEqual([]);
});
