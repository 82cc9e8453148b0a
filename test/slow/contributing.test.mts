// Follows the guide for a new operation to the letter, in a copy of the repository: the guide works as it stands, or this fails.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { globSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { partFolders } from '../../tools/parts.mts';
import { copyRepository, repository } from '../support/repositoryCopy.mts';

const guide = readFileSync(join(repository, 'CONTRIBUTING.md'), 'utf8');

interface Block {
	language: string;
	/** Its file. Commands have none */
	file: string;
	text: string;
}

/** The code blocks of a section, in their order. */
function getBlocks(title: string): Block[] {
	const [, section = ''] = guide.split(`\n## ${title}\n`);
	const blocks = section.split('\n## ')[0].matchAll(/^```(\w+)(?: (\S+))?\n(.*?)^```$/gms);
	return [...blocks].map(([, language, file = '', text]) => ({ language, file, text }));
}

const blocks = getBlocks('Add an operation');
let copy: string;

beforeAll(() => {
	// CI may be installing n8n.
	const left = /^(\.git|\.cache|dist|docs\/images|(.*\/)?(node_modules|npm-shrinkwrap\.json))$/;
	copy = copyRepository((path) => !left.test(path), ['.', ...partFolders()]);
	// The README's pictures are looked for.
	symlinkSync(join(repository, 'docs/images'), join(copy, 'docs/images'));
}, 60_000);
afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** Does what a block with `+` and `-` says. Its other lines have to be in the file, once, as they are. */
function change({ file, text }: Block): void {
	const lines = text.split('\n').slice(0, -1);
	const side = (without: string) =>
		lines
			.filter((line) => !line.startsWith(without))
			.map((line) => `${line.slice(1)}\n`)
			.join('');
	const [before, after] = [side('+'), side('-')];
	const content = readFileSync(join(copy, file), 'utf8');
	expect({ file, before, found: content.split(before).length - 1 }).toEqual({
		file,
		before,
		found: 1,
	});
	writeFileSync(
		join(copy, file),
		content.replace(before, () => after),
	);
}

/** Runs commands as a person would in a terminal. Returns what they print. */
async function command({ text }: Block): Promise<string> {
	const env = Object.fromEntries(
		Object.entries(process.env).filter(
			([name]) => !/^(NODE_ENV$|NODE_OPTIONS$|JEST_|N8N_|npm_)/.test(name),
		),
	);
	const shell = spawn('bash', ['-e', '-c', text], {
		cwd: copy,
		env,
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	let printed = '';
	for (const stream of [shell.stdout, shell.stderr])
		stream.on('data', (chunk) => (printed += chunk));
	const code = await new Promise((resolve) => shell.on('close', resolve));
	if (code !== 0) throw new Error(`${text}ended with ${code}:\n${printed}`);
	return printed;
}

test('the new operation of the guide compiles, passes the lint, and works', async () => {
	let printed = '';
	for (const block of blocks) {
		if (block.language === 'diff') change(block);
		else printed = await command(block);
	}
	expect(blocks.map(({ language }) => language)).toEqual(expect.arrayContaining(['diff', 'sh']));
	expect(printed).toMatch(/^\d+ passed, 0 failed$/m);
	// The guide's tests ran against the code that the guide added.
	const built = globSync('dist/nodes/**/*.js', { cwd: copy });
	expect(built.map((file) => readFileSync(join(copy, file), 'utf8')).join('\n')).toContain(
		'deleteSharedPreview',
	);
}, 600_000);

test('the guide changes two files, and little but lines', () => {
	const diffs = blocks.filter(({ language }) => language === 'diff');
	expect(blocks.filter(({ language, file }) => file && language !== 'diff')).toEqual([]);
	expect(new Set(diffs.map(({ file }) => file)).size).toBe(2);
	expect(diffs.filter(({ text }) => (text.match(/^-/gm) ?? []).length > 1)).toEqual([]);
});
