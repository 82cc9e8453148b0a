// What modules of the package remember: each says what that spares, and the generated worlds empty it, as if another worker went on.
import { describe, expect, test } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { loadPackage, type Look } from '../worlds/package.mts';
import { createRandom } from '../worlds/random.mts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const files = globSync(['nodes/**/*.ts', 'credentials/**/*.ts'], { cwd: root });
const sources = files.map((file) => {
	const text = readFileSync(join(root, file), 'utf8');
	return ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
});

const COLLECTION = /^new (Weak)?(Map|Set)\b/;
/** A function with a map of what it has made */
const MAKER = /^oncePer\(/;
/** Has no memory */
const PLAIN = /^new (RegExp|Error)\b/;

/** Returns whether the file changes what a constant has. */
const isChanged = (name: string, text: string): boolean =>
	new RegExp(`(?<![.\\w])${name}\\.(set|add|delete|clear|push|pop|shift|unshift|splice)\\(`).test(
		text,
	) || new RegExp(`(?<![.\\w])${name}(\\.\\w+|\\[[^\\]]+\\]) (=|[^\\s=!<>]+=) `).test(text);

function isMemory(declaration: ts.VariableDeclaration): boolean {
	const { name, initializer, parent } = declaration;
	if (!(parent.flags & ts.NodeFlags.Const)) return true;
	const value = initializer?.getText() ?? '';
	const isObject = /^(new |lazily\()/.test(value) && !COLLECTION.test(value) && !PLAIN.test(value);
	return (
		isObject || MAKER.test(value) || isChanged(name.getText(), declaration.getSourceFile().text)
	);
}

interface Memory {
	place: string;
	name: string;
	value: string;
	comment: string | undefined;
}

const listMemories = (source: ts.SourceFile): Memory[] =>
	source.statements.filter(ts.isVariableStatement).flatMap((statement) =>
		statement.declarationList.declarations.filter(isMemory).map(({ name, initializer }) => ({
			place: `${name.getText()} of ${source.fileName}`,
			name: name.getText(),
			value: initializer?.getText() ?? '',
			comment: ts
				.getLeadingCommentRanges(source.text, statement.pos)
				?.map(({ pos, end }) => source.text.slice(pos, end))
				.at(-1),
		})),
	);

const memories = sources.flatMap(listMemories);

test.each(memories)(
	'$place says what it spares, or is gone with what is under way',
	({ comment }) => {
		expect(comment).toMatch(/\b[Ss]pares\b|\bunder way\b/);
	},
);

test('no class has a variable that its instances share', () => {
	const shared = sources.flatMap((source) =>
		[...source.text.matchAll(/^\s+((private|public) )?static (?!readonly)\w+.*$/gm)].map(
			([line]) => line,
		),
	);
	expect(shared).toEqual([]);
});

type Collection = Map<unknown, unknown> | Set<unknown>;

/** Returns the collections that a value has, itself included. */
function findCollections(value: unknown): Collection[] {
	const types = [Map, Set, WeakMap, WeakSet];
	if (types.some((type) => value instanceof type)) return [value as Collection];
	const isObject = typeof value === 'object' && value !== null;
	return isObject ? Object.values(value).flatMap(findCollections) : [];
}

describe('the generated worlds empty', () => {
	const looks: Look[] = [];
	const { forget, load } = loadPackage(createRandom('memory'), (look) => looks.push(look));
	for (const file of globSync('dist/{nodes,credentials}/**/*.js', { cwd: root }))
		load(join(root, file));

	/** Returns what the built modules have under a name. The build numbers names that several modules have. */
	const find = (name: string) =>
		looks.flatMap((look) =>
			[name, `${name}$1`].flatMap((own) => {
				try {
					return { value: look(own), look: (code: string) => look(`${own}${code}`) };
				} catch {
					return [];
				}
			}),
		);

	test.each(memories.filter(({ value }) => !MAKER.test(value)))('$place', ({ name }) => {
		const found = find(name);
		expect(found.length).toBeGreaterThan(0);
		for (const { value, look } of found) {
			const collections = findCollections(value);
			const key = {};
			for (const each of collections)
				if ('set' in each) each.set(key, key);
				else each.add(key);
			if (collections.length === 0) look(' = "remembered"');
			forget();
			expect(collections.filter((each) => each.has(key))).toEqual([]);
			expect(look('')).not.toBe('remembered');
		}
	});
});
