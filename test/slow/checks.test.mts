// The checks of the repository as a whole, as people run them.
import { expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { scan } from '../package/scan.mts';

const root = fileURLToPath(new URL('../..', import.meta.url));

test.each([
	['lint', "n8n's strict lint, and the format"],
	['typecheck', 'the types, those of tools and tests included'],
])(
	'npm run %s: %s',
	async (script) => {
		// n8n's lint rules judge every file as if it were a node when they see that a test runs them.
		const { NODE_ENV: _, ...env } = process.env;
		await promisify(execFile)('npm', ['run', script], { cwd: root, env });
	},
	300_000,
);

test("the scanner's analysis of the source", async () => {
	expect(await scan(root, 'sources')).toEqual({ passed: true });
}, 300_000);
