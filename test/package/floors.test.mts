// The rooms and floors of CONTRIBUTING: imports go along its arrows and down its list only.
import { expect, test } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const guide = readFileSync(posix.join(root, 'CONTRIBUTING.md'), 'utf8');
const floors = [...guide.matchAll(/^\d+\. `([\w.]+)\/?`:/gm)].map(([, name]) => name);

/** The files that a file imports, at once or on first use, below `nodes/`, without extension */
function getImports(file: string): string[] {
	const text = readFileSync(posix.join(root, file), 'utf8');
	return [...text.matchAll(/(?:from |import\()'(\.[^']+?)(?:\.ts)?'/g)].map(([, path]) =>
		posix.relative('nodes', posix.join(posix.dirname(file), path)),
	);
}

/** 0 for a node, then the floors from the top down; -1 for what is on none */
function getFloor(path: string): number {
	const [first, second] = path.split('/');
	if (first !== 'shared') return 0;
	const index = floors.findIndex((name) => name.replace('.ts', '') === second.replace('.ts', ''));
	return index < 0 ? -1 : index + 1;
}

const files = globSync('nodes/**/*.ts', { cwd: root }).map((file) => file.replaceAll('\\', '/'));

test('every file of nodes/shared is on a floor', () => {
	expect(floors.length).toBeGreaterThan(5);
	const paths = files.map((file) => posix.relative('nodes', file));
	expect(paths.filter((path) => getFloor(path) < 0)).toEqual([]);
});

test('nothing imports from a floor above its own', () => {
	const upwards = files.flatMap((file) =>
		getImports(file)
			.filter((imported) => getFloor(imported) < getFloor(posix.relative('nodes', file)))
			.map((imported) => `${file} imports ${imported}`),
	);
	expect(upwards).toEqual([]);
});

test('no node imports another', () => {
	const across = files.flatMap((file) => {
		const [node] = posix.relative('nodes', file).split('/');
		if (node === 'shared') return [];
		return getImports(file)
			.map((imported) => imported.split('/')[0])
			.filter((other) => other !== node && other !== 'shared')
			.map((other) => `${file} imports ${other}`);
	});
	expect(across).toEqual([]);
});

test('rooms of Run Agent Session import along the arrows of the guide only', () => {
	const below = new Map<string, string[]>();
	for (const [chain] of guide.matchAll(/\w+(?: --> \w+)+/g))
		chain.split(' --> ').forEach((room, at, all) => {
			below.set(room, [...(below.get(room) ?? []), ...all.slice(at + 1, at + 2)]);
		});
	const reach = (room: string): string[] => [room, ...(below.get(room) ?? []).flatMap(reach)];
	const roomOf = (path: string) => path.split('/')[1];
	const wrong = files
		.filter((file) => file.split('/').length === 4 && file.includes('/RunAgentSession/'))
		.flatMap((file) => {
			const room = roomOf(posix.relative('nodes', file));
			return getImports(file)
				.filter((path) => path.startsWith('RunAgentSession/'))
				.filter((path) => !reach(room).includes(roomOf(path)))
				.map((path) => `${file} imports ${path}`);
		});
	expect(below.size).toBeGreaterThan(5);
	expect(wrong).toEqual([]);
});

test('no files import each other in a circle, type imports included', () => {
	const graph = new Map(
		files.map((file) => [posix.relative('nodes', file).replace('.ts', ''), getImports(file)]),
	);
	const circles: string[] = [];
	const done = new Set<string>();
	const visit = (at: string, path: string[]) => {
		if (path.includes(at)) circles.push([...path.slice(path.indexOf(at)), at].join(' > '));
		else if (!done.has(at)) for (const next of graph.get(at) ?? []) visit(next, [...path, at]);
		done.add(at);
	};
	for (const file of graph.keys()) visit(file, []);
	expect(circles).toEqual([]);
});
