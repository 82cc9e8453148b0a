// The README for npm, where relative links do not work: `node tools/npmReadme.mts <tag>` rewrites README.md. Only the publishing
// workflow does that, in a checkout that is thrown away: in the repository, links stay relative, so that a clone or a fork shows its own.
import { readFileSync, statSync, writeFileSync } from 'node:fs';

const root = new URL('../', import.meta.url);

interface RepositoryUrls {
	/** Base URL of shown files: the address of `docs/benchmarks.md` is `${files}/docs/benchmarks.md` */
	files: string;
	folders: string;
	/** Base URL of raw files */
	raw: string;
}

/** Returns GitHub's URLs of the repository at a tag. */
export function repositoryUrls(repository: string, tag: string): RepositoryUrls {
	const [, path] = /github\.com\/(.+?)(?:\.git)?$/.exec(repository) ?? [];
	if (path === undefined) throw new Error(`${repository} is not on GitHub.`);
	return {
		files: `https://github.com/${path}/blob/${tag}`,
		folders: `https://github.com/${path}/tree/${tag}`,
		raw: `https://raw.githubusercontent.com/${path}/${tag}`,
	};
}

/** The text with its relative links and pictures made absolute. Links within the text stay as they are. */
export function npmReadme(readme: string, { files, folders, raw }: RepositoryUrls): string {
	const isFolder = (path: string) => statSync(new URL(path.split('#')[0], root)).isDirectory();
	return readme
		.replaceAll(/(src|srcset)="(?!https?:)([^"]+)"/g, `$1="${raw}/$2"`)
		.replaceAll(
			/\]\((?!https?:|#)([^)]+)\)/g,
			(_, path: string) => `](${isFolder(path) ? folders : files}/${path})`,
		);
}

if (process.argv[1] === import.meta.filename) {
	const [tag] = process.argv.slice(2);
	if (!tag) throw new Error('Name the tag: node tools/npmReadme.mts v1.2.3');
	const { repository } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
		repository: { url: string };
	};
	const file = new URL('README.md', root);
	writeFileSync(file, npmReadme(readFileSync(file, 'utf8'), repositoryUrls(repository.url, tag)));
}
