// Messages about a machine before the start.
import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import preflight from '../../tools/preflight.js';

const file = fileURLToPath(new URL('../../tools/preflight.js', import.meta.url));
const { nodeProblem } = preflight;

test.each(['v24.0.0', 'v24.21.0', 'v26.1.0'])('Node %s is accepted', (version) =>
	expect(nodeProblem(version, 'linux-x64')).toBeUndefined(),
);

test.each(['v0.12.18', 'v8.17.0', 'v20.20.2', 'v23.11.1'])(
	'Node %s is too old, and one line says first what to do',
	(version) => {
		const problem = nodeProblem(version, 'linux-x64');
		expect(problem).toMatch(/^Install Node 24 or newer/);
		expect(problem).toContain(`Node ${version.slice(1)} is too old`);
		expect(problem).not.toContain('\n');
	},
);

test('a Node that is too old can read the check', () => {
	const text = readFileSync(file, 'utf8');
	const { outputText } = ts.transpileModule(text, {
		compilerOptions: {
			target: ts.ScriptTarget.ES5,
			allowJs: true,
			newLine: ts.NewLineKind.LineFeed,
		},
		fileName: file,
	});
	const bare = (code: string) => code.replaceAll(/\s/g, '').replaceAll('"', "'");
	expect(bare(outputText)).toBe(bare(text));
});
