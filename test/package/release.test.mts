// A release says where it comes from and whom to ask, in all places the same.
import { describe, expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { releaseProblems, type Manifest } from '../../tools/release.mts';

const root = new URL('../../', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, root), 'utf8');
const manifest = JSON.parse(read('package.json')) as Manifest;

const ready: Manifest = {
	version: '1.2.3',
	author: { email: 'people@somewhere.dev' },
	repository: { url: 'git+https://github.com/somebody/package.git' },
	homepage: 'https://github.com/somebody/package#readme',
	bugs: 'https://github.com/somebody/package/issues',
};
const changelog = '# Changelog\n\n## 1.2.3\n\nFirst.\n';
const pages = { 'SECURITY.md': 'Write to people@somewhere.dev. See https://somewhere.dev.' };

describe('a release', () => {
	test('can go with a tag, a changelog section and working addresses', () => {
		expect(
			releaseProblems(ready, 'v1.2.3', changelog, pages, '[a service](https://somewhere.dev)'),
		).toEqual([]);
	});

	test.each<[string, Manifest, string, string, RegExp]>([
		['another tag', ready, 'v1.2.4', changelog, /The tag is v1\.2\.4, the version 1\.2\.3/],
		['no section in the changelog', ready, 'v1.2.3', '# Changelog\n', /no section 1\.2\.3/],
		[
			'a placeholder for a mail address',
			{ ...ready, author: { email: 'maintainers@package.example' } },
			'v1.2.3',
			changelog,
			/author\.email in package\.json is a placeholder/,
		],
		[
			'a placeholder for a repository',
			{ ...ready, repository: { url: 'git+https://git.example.com/package.git' } },
			'v1.2.3',
			changelog,
			/repository\.url in package\.json is a placeholder/,
		],
	])('with %s is kept back', (_, given, tag, log, problem) => {
		expect(releaseProblems(given, tag, log, {}, '')).toEqual([expect.stringMatching(problem)]);
	});

	test.each([
		['names another address', 'Write to others@somewhere.dev.', /does not name people@/],
		['names a placeholder', `${pages['SECURITY.md']} Or a@b.example.`, /placeholder: a@b\.example/],
		['leads nowhere', `${pages['SECURITY.md']} https://x.invalid/y`, /placeholder: https:/],
	])('whose SECURITY.md %s is kept back', (_, text, problem) => {
		expect(releaseProblems(ready, 'v1.2.3', changelog, { 'SECURITY.md': text }, '')).toEqual([
			expect.stringMatching(problem),
		]);
	});

	test("whose README links to a placeholder is kept back, as today's is", () => {
		const problem = /README\.md links to a placeholder: https:\/\/workspace-automation\.example/;
		expect(releaseProblems(ready, 'v1.2.3', changelog, pages, read('README.md'))).toEqual([
			expect.stringMatching(problem),
		]);
	});

	test('is kept back by the publishing workflow', () => {
		expect(read('.github/workflows/publish.yml')).toContain('node tools/release.mts "$TAG"');
	});
});

describe('the addresses', () => {
	const repository = manifest.homepage.replace(/#.*/, '');

	test.each([
		...readdirSync(new URL('nodes/', root), { recursive: true, encoding: 'utf8' })
			.filter((file) => file.endsWith('.node.json'))
			.map((file) => `nodes/${file}`),
		'credentials/WorkspaceAutomationApi.credentials.ts',
	])('that n8n links to from %s are those of package.json', (file) => {
		const links = read(file).match(/https:\/\/github\.com\/[^'"]+/g) ?? [];
		expect(links.length).toBeGreaterThan(0);
		expect(links.filter((link) => !link.startsWith(`${repository}#`))).toEqual([]);
		// The README has the section that a link names.
		const anchors = [...read('README.md').matchAll(/^## (.+)$/gm)].map(([, heading]) =>
			heading.toLowerCase().replaceAll(' ', '-'),
		);
		expect(links.filter((link) => !anchors.includes(link.split('#')[1]))).toEqual([]);
	});

	test.each(['SECURITY.md', 'CODE_OF_CONDUCT.md'])(
		'for email in %s are that of package.json',
		(file) => {
			const mails = read(file).match(/[\w.-]+@[\w-]+\.[\w.-]*\w/g) ?? [];
			expect(new Set(mails)).toEqual(new Set([manifest.author.email]));
		},
	);
});
