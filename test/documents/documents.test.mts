// The documents lead to what is there, also where npm shows the README.
import { describe, expect, test } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { npmReadme, repositoryUrls } from '../../tools/npmReadme.mts';

const root = new URL('../../', import.meta.url);
const documents = [
	'README.md',
	'CHANGELOG.md',
	'CONTRIBUTING.md',
	'SECURITY.md',
	'CODE_OF_CONDUCT.md',
	...readdirSync(new URL('docs/', root))
		.filter((name) => name.endsWith('.md'))
		.map((name) => `docs/${name}`),
	'examples/README.md',
	'local-service/README.md',
];

/** Code is shown, not followed. */
const getProse = (file: string) =>
	readFileSync(new URL(file, root), 'utf8').replaceAll(/^```.*?^```$/gms, '');
const findLinks = (text: string) =>
	[...text.matchAll(/(?:\]\(|src="|srcset=")([^)"\s]+)/g)].map(([, link]) => link);
/** The anchor that GitHub gives a heading */
const getAnchor = (heading: string) =>
	heading
		.toLowerCase()
		.replaceAll(/[^\w\- ]/g, '')
		.replaceAll(' ', '-');
const getAnchors = (file: string) =>
	[...getProse(file).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => getAnchor(heading));

describe.each(documents)('%s', (file) => {
	test('has no broken link', () => {
		const broken = findLinks(getProse(file)).filter((link) => {
			if (/^\w+:/.test(link)) return false;
			const [path, anchor] = link.split('#');
			const target =
				path === '' ? file : new URL(path, new URL(file, root)).href.slice(root.href.length);
			return (
				!existsSync(new URL(target, root)) ||
				(anchor !== undefined && !getAnchors(target).includes(anchor))
			);
		});
		expect(broken).toEqual([]);
	});
});

describe('SECURITY.md', () => {
	const promises = [
		...getProse('SECURITY.md').matchAll(/^\| (.+) \| .+ \| `([\w/.-]+)`: (.+) \|$/gm),
	].map(([, promise, file, title]) => [promise, file, title]);

	test('has a test for every promise', () => {
		expect(promises.length).toBe(getProse('SECURITY.md').match(/^\| [^-]/gm)!.length - 1);
		expect(promises.length).toBeGreaterThan(20);
	});

	test.each(promises)('promises "%s", and %s has "%s"', (_, file, title) => {
		const source = readFileSync(new URL(`test/${file}`, root), 'utf8');
		expect(source.replaceAll("\\'", "'")).toMatch(
			new RegExp(`(test|\\))\\(\\s*['"\`]${title.replaceAll(/[^\w\s]/g, '\\$&')}['"\`],`),
		);
	});
});

test("CONTRIBUTING.md names a test for each point of n8n's verification that one can show", () => {
	const rows = [
		...getProse('CONTRIBUTING.md')
			.split("### n8n's verification")[1]
			.matchAll(/^\| (.+) \| (.+) \| (.*)\|$/gm),
	].slice(2);
	expect(rows.length).toBeGreaterThan(10);
	const missing = rows.filter(([, , , evidence]) => {
		const [, file, title] = /^`([\w/.-]+)`: (.+?) $/.exec(evidence) ?? [];
		return (
			file !== undefined && !readFileSync(new URL(`test/${file}`, root), 'utf8').includes(title)
		);
	});
	expect(missing).toEqual([]);
	expect(rows.filter(([, , , evidence]) => evidence.trim() === '')).toHaveLength(1);
});

describe('the README on npm', () => {
	const { repository } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
	const readme = readFileSync(new URL('README.md', root), 'utf8');
	const published = npmReadme(readme, repositoryUrls(repository.url, 'v1.2.3'));
	const repositoryUrl = 'https://github.com/workspace-automation/n8n-nodes-workspace-automation';

	test('has no link or picture that only works in the repository', () => {
		expect(findLinks(published).filter((link) => !/^(https?:\/\/|#)/.test(link))).toEqual([]);
	});

	test('links to the pictures and files of its own version', () => {
		expect(published).toContain(
			'src="https://raw.githubusercontent.com/workspace-automation/n8n-nodes-workspace-automation/v1.2.3/docs/images/approval-page.png"',
		);
		expect(published).toContain(`](${repositoryUrl}/blob/v1.2.3/examples/README.md)`);
		expect(npmReadme('[nodes](nodes)', repositoryUrls(repository.url, 'v1.2.3'))).toBe(
			`[nodes](${repositoryUrl}/tree/v1.2.3/nodes)`,
		);
	});

	test('otherwise equals README.md', () => {
		const bare = (text: string) => text.replaceAll(/(\]\(|src="|srcset=")[^)"\s]+/g, '$1');
		expect(bare(published)).toBe(bare(readme));
	});
});
