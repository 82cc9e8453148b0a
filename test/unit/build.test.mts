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

test('a build is up to date while nothing that it reads has changed', () => {
	const before = sourcesDigest(folder);
	write('README.md', 'text');
	expect(sourcesDigest(folder)).toBe(before);
});

test.each(FILES)('a change of %s is built', (file) => {
	const before = sourcesDigest(folder);
	write(file, 'after');
	expect(sourcesDigest(folder)).not.toBe(before);
});

test('a new file is built', () => {
	const before = sourcesDigest(folder);
	write('nodes/B/b.ts', '');
	expect(sourcesDigest(folder)).not.toBe(before);
});
