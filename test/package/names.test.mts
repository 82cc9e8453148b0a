// One name, one meaning: no two files declare the same name.
import { expect, test } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('../..', import.meta.url));
const files = globSync(['nodes/**/*.ts', 'credentials/**/*.ts'], { cwd: root });

const isDeclaration = (statement: ts.Statement): boolean =>
	ts.isVariableStatement(statement) || 'name' in statement;

/** Returns the names that a file declares at its top level. */
function listNames(file: string): string[] {
	const source = readFileSync(join(root, file), 'utf8');
	const { statements } = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
	return statements.filter(isDeclaration).flatMap((statement) => {
		const declared = ts.isVariableStatement(statement)
			? statement.declarationList.declarations
			: [statement as ts.DeclarationStatement];
		return declared.flatMap(({ name }) => (name && ts.isIdentifier(name) ? name.text : []));
	});
}

const places = new Map<string, Set<string>>();
for (const file of files)
	for (const name of listNames(file)) places.set(name, (places.get(name) ?? new Set()).add(file));

test('no name at the top of a file has two meanings', () => {
	expect(places.size).toBeGreaterThan(1_000);
	const several = [...places].filter(([, where]) => where.size > 1);
	expect(several.map(([name, where]) => `${name}: ${[...where].join(', ')}`)).toEqual([]);
});
