// The files that exist at the start: many in the first project, a few in the next nine.
import { getContentType } from './content-types.mts';
import type { FileItem } from './file-store.mts';
import { getId } from './ids.mts';

const day = 86_400_000;

/** Paths of folders; `''` is My Files. */
const folders = [
	'Briefs',
	'Content',
	'Content/Blog',
	'Content/Blog/Drafts',
	'Reports',
	'Reports/2026',
	'Media',
	'Empty',
];

/** Bytes that are not text, always the same */
const noise = (size: number) =>
	Buffer.alloc(
		size,
		Uint8Array.from({ length: 251 }, (_, index) => (index * 97) % 251),
	);

const small: Record<string, Buffer> = {
	'readme.md': Buffer.from('# Working documents\n\nBriefs, drafts and reports of this project.\n'),
	'Briefs/homepage.md': Buffer.from('# Homepage\n\nOne promise, one picture, one button.\n'),
	'Briefs/übersicht.md': Buffer.from('# Übersicht\n\nGrüße aus Köln. 日本語 👋\n'),
	'Content/navigation.json': Buffer.from('{"items": ["Home", "Shop", "About"]}\n'),
	'Reports/2026/visits.csv': Buffer.from('day,visits\n2026-09-01,412\n2026-09-02,398\n'),
	'Media/floor-plan.pdf': Buffer.concat([Buffer.from('%PDF-1.4\n'), noise(40_000)]),
	'Media/teaser.mp4': noise(3_000_000),
	'Media/team.jpg': noise(120_000),
	// Text, but too long to be returned as text
	'Reports/2026/log.txt': Buffer.from('GET /index.html 200 12ms\n'.repeat(20_000)),
};

const drafts = Array.from(
	{ length: 100 },
	(_, index) => `Content/Blog/Drafts/draft-${String(index + 1).padStart(3, '0')}.md`,
);
const reports = Array.from(
	{ length: 12 },
	(_, index) => `Reports/month-${String(index + 1).padStart(2, '0')}.csv`,
);

const split = (path: string) => {
	const at = path.lastIndexOf('/');
	return { folder: path.slice(0, Math.max(at, 0)), name: path.slice(at + 1) };
};

function getFiles(projectId: string, index: number, now: number): FileItem[] {
	const many = index === 0;
	const idAt = (path: string) => getId(`file:${index}:${path}`);
	const item = (
		path: string,
		rest: Pick<FileItem, 'kind' | 'content' | 'contentType'>,
		order: number,
	): FileItem => {
		const { folder, name } = split(path);
		const createdAt = now - 60 * day + order * 60_000;
		return {
			id: idAt(path),
			projectId,
			...(folder !== '' && { parentId: idAt(folder) }),
			name,
			...rest,
			createdAt,
			updatedAt: createdAt,
		};
	};
	const contents: Array<[string, Buffer]> = [
		...Object.entries(small),
		...(many ? drafts : []).map((path, n): [string, Buffer] => [
			path,
			Buffer.from(`# Draft ${n + 1}\n\nTo be written.\n`),
		]),
		...(many ? reports : []).map((path, n): [string, Buffer] => [
			path,
			Buffer.from(`month,visits\n${n + 1},${1000 + n * 37}\n`),
		]),
	];
	return [
		...folders.map((path, order) =>
			item(path, { kind: 'folder', content: Buffer.alloc(0) }, order),
		),
		...contents.map(([path, content], order) =>
			item(
				path,
				{ kind: 'file', content, contentType: getContentType(path) },
				folders.length + order,
			),
		),
	];
}

/** Folders come before their content. Only the first ten projects have files. */
export const seedFiles = (projectIds: string[], now: number): FileItem[] =>
	projectIds.slice(0, 10).flatMap((projectId, index) => getFiles(projectId, index, now));
