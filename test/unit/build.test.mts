// Rebuilds of the package.
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { sourcesDigest } from '../../tools/build.mts';

let folder: string;

function write(file: string, text: string): void {
	mkdirSync(dirname(join(folder, file)), { recursive: true });
	writeFileSync(join(folder, file), text);
}

const FILES = [
	'nodes/A/A.node.ts',
	'nodes/A/a.svg',
	'nodes/A/A.node.json',
	'credentials/A.credentials.ts',
	'gulpfile.js',
	'tsconfig.json',
	'package.json',
	'package-lock.json',
];

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'build-'));
	for (const file of FILES) write(file, 'before');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a build is current while its inputs are unchanged', () => {
	const before = sourcesDigest(folder);
	write('README.md', 'text');
	expect(sourcesDigest(folder)).toBe(before);
});

test.each(FILES)('a change of %s causes a build', (file) => {
	const before = sourcesDigest(folder);
	write(file, 'after');
	expect(sourcesDigest(folder)).not.toBe(before);
});

test('a new file causes a build', () => {
	const before = sourcesDigest(folder);
	write('nodes/B/b.ts', '');
	expect(sourcesDigest(folder)).not.toBe(before);
});
