// Checks the shipped package. n8n's checks of the source are in test/slow.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readdir, readFile } from 'node:fs/promises';
import { join, posix, relative } from 'node:path';
import { scan } from './scan.mts';
import { packedPackage, type PackedPackage } from '../../tools/package.mts';

let packed: PackedPackage;
let unpacked: string;

beforeAll(async () => {
	packed = await packedPackage(false);
	unpacked = packed.folder;
});
afterAll(() => packed.remove());

/** The files of the package, with slashes */
const findFiles = async () =>
	(await readdir(unpacked, { recursive: true, withFileTypes: true }))
		.filter((entry) => entry.isFile())
		.map((entry) => relative(unpacked, join(entry.parentPath, entry.name)).replaceAll('\\', '/'));

describe('the package', () => {
	test("passes the scanner's analysis of the tarball", async () => {
		expect(await scan(unpacked)).toEqual({ passed: true });
	});

	test('holds only files that n8n loads', async () => {
		const files = await findFiles();
		const expected =
			/^(package\.json|README\.md|LICENSE|index\.js|dist\/(nodes|credentials)\/.+\.(js|svg|node\.json))$/;
		expect(files.filter((file) => !expected.test(file))).toEqual([]);
		const { n8n } = JSON.parse(await readFile(join(unpacked, 'package.json'), 'utf8'));
		for (const file of [...n8n.nodes, ...n8n.credentials]) {
			expect(files).toContain(file);
			const built = await readFile(join(unpacked, file), 'utf8');
			for (const [, icon] of built.matchAll(/'file:([\w./]+)'/g))
				expect(files).toContain(posix.join(file, '..', icon));
		}
	});

	test('is written in Latin-1, because the engine stores Latin-1 in half the memory', async () => {
		for (const file of (await findFiles()).filter((name) => name.endsWith('.js'))) {
			const code = await readFile(join(unpacked, file), 'utf8');
			expect([file, ...(code.match(/[^\0-\xff]/g) ?? [])]).toEqual([file]);
		}
	});

	test('names its author and repository, and allows n8n to list it', async () => {
		const manifest = JSON.parse(await readFile(join(unpacked, 'package.json'), 'utf8'));
		const repository = 'https://github.com/workspace-automation/n8n-nodes-workspace-automation';
		expect(manifest).toMatchObject({
			name: expect.stringMatching(/^n8n-nodes-/),
			description: expect.stringMatching(/^.{50,250}$/),
			license: 'MIT',
			author: { name: expect.any(String), email: expect.stringContaining('@') },
			repository: { type: 'git', url: `git+${repository}.git` },
			homepage: `${repository}#readme`,
			bugs: `${repository}/issues`,
			keywords: expect.arrayContaining(['n8n-community-node-package']),
			n8n: { n8nNodesApiVersion: 1, strict: true },
		});
		expect(await readFile(join(unpacked, 'LICENSE'), 'utf8')).toMatch(/^MIT License/);
		expect(await readFile(join(unpacked, 'README.md'), 'utf8')).toContain(`# ${manifest.name}`);
	});

	test('has a manifest without what only its developers need', async () => {
		const manifest = JSON.parse(await readFile(join(unpacked, 'package.json'), 'utf8'));
		expect(Object.keys(manifest)).toEqual([
			...['name', 'version', 'description', 'license', 'author', 'repository', 'homepage', 'bugs'],
			...['keywords', 'engines', 'main', 'files', 'n8n', 'peerDependencies'],
		]);
	});

	test('depends on nothing at run time', async () => {
		const { dependencies, peerDependencies } = JSON.parse(
			await readFile(join(unpacked, 'package.json'), 'utf8'),
		);
		expect(dependencies).toBeUndefined();
		expect(peerDependencies).toEqual({ 'n8n-workflow': '*' });
	});
});
