// node tools/release.mts <tag>: whether what is checked out may be released under that tag. Only the publishing workflow asks.
import { readFileSync } from 'node:fs';

const root = new URL('../', import.meta.url);

export interface Manifest {
	version: string;
	author: { email: string };
	repository: { url: string };
	homepage: string;
	bugs: string;
}

/** Hosts that do not exist, reserved by RFC 2606 */
const PLACEHOLDER = /\.(example|test|invalid)$|(^|\.)example\.(com|net|org)$/;

const getHost = (address: string) =>
	address.includes('://')
		? new URL(address.replace(/^git\+/, '')).hostname
		: address.split('@').at(-1)!;

/** Pages with the contact's address */
const PAGES = ['SECURITY.md', 'CODE_OF_CONDUCT.md'];

/** The addresses that a text links to */
const findLinks = (markdown: string): string[] =>
	[...markdown.matchAll(/\]\((https?:\/\/[^)\s]+)\)/g)].map(([, address]) => address);

/** The addresses in a text, of email and of pages */
const findAddresses = (text: string): string[] =>
	text.match(/https?:\/\/[^\s)>]+|[\w.+-]+@[\w-]+(\.[\w-]+)+/g) ?? [];

/**
 * Returns the reasons against a release, one line each.
 * @param pages what people read whom to write to, by file
 * @param readme it links to the service
 */
export function releaseProblems(
	manifest: Manifest,
	tag: string,
	changelog: string,
	pages: Record<string, string>,
	readme: string,
): string[] {
	const { version, author, repository, homepage, bugs } = manifest;
	const addresses = {
		'author.email': author.email,
		'repository.url': repository.url,
		homepage,
		bugs,
	};
	return [
		...(tag === `v${version}` ? [] : [`The tag is ${tag}, the version ${version}.`]),
		...(changelog.includes(`\n## ${version}`) ? [] : [`CHANGELOG.md has no section ${version}.`]),
		...Object.entries(addresses)
			.filter(([, address]) => PLACEHOLDER.test(getHost(address)))
			.map(([field, address]) => `${field} in package.json is a placeholder: ${address}`),
		...findLinks(readme)
			.filter((address) => PLACEHOLDER.test(getHost(address)))
			.map((address) => `README.md links to a placeholder: ${address}`),
		...Object.entries(pages).flatMap(([page, text]) => {
			const found = findAddresses(text);
			return [
				...(found.includes(author.email) ? [] : [`${page} does not name ${author.email}.`]),
				...found
					.filter((address) => PLACEHOLDER.test(getHost(address)))
					.map((address) => `${page} has a placeholder: ${address}`),
			];
		}),
	];
}

if (process.argv[1] === import.meta.filename) {
	const [tag] = process.argv.slice(2);
	if (!tag) throw new Error('Name the tag: node tools/release.mts v1.2.3');
	const read = (file: string) => readFileSync(new URL(file, root), 'utf8');
	const manifest = JSON.parse(read('package.json')) as Manifest;
	const pages = Object.fromEntries(PAGES.map((page) => [page, read(page)]));
	const problems = releaseProblems(manifest, tag, read('CHANGELOG.md'), pages, read('README.md'));
	for (const problem of problems) console.error(problem);
	process.exitCode = problems.length > 0 ? 1 : 0;
}
