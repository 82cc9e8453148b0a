// One name, one meaning: no file declares a name that another file exports.
import { expect, test } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('../..', import.meta.url));
const files = globSync(['nodes/**/*.ts', 'credentials/**/*.ts'], { cwd: root });

const isExported = (statement: ts.Statement): boolean =>
	ts.canHaveModifiers(statement) &&
	(ts.getModifiers(statement) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);

const isDeclaration = (statement: ts.Statement): boolean =>
	ts.isVariableStatement(statement) || 'name' in statement;

/** Returns the names that a file declares, or only those that it exports. */
function listNames(file: string, isListed: (statement: ts.Statement) => boolean): string[] {
	const source = readFileSync(join(root, file), 'utf8');
	const { statements } = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
	return statements.filter(isListed).flatMap((statement) => {
		const declared = ts.isVariableStatement(statement)
			? statement.declarationList.declarations
			: [statement as ts.DeclarationStatement];
		return declared.flatMap(({ name }) => (name && ts.isIdentifier(name) ? name.text : []));
	});
}

const exported = new Set(files.flatMap((file) => listNames(file, isExported)));

const places = new Map<string, Set<string>>();
for (const file of files)
	for (const name of listNames(file, isDeclaration))
		places.set(name, (places.get(name) ?? new Set()).add(file));

test('no exported name of the package has two meanings', () => {
	expect(exported.size).toBeGreaterThan(300);
	const several = [...places].filter(([name, where]) => exported.has(name) && where.size > 1);
	expect(several.map(([name, where]) => `${name}: ${[...where].join(', ')}`)).toEqual([]);
});
