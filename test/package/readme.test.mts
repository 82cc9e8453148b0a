// What the README promises about operations and examples is there.
import { expect, test } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { endpoints } from '../../openapi/endpoints.mts';

const root = new URL('../../', import.meta.url);
const readme = readFileSync(new URL('README.md', root), 'utf8');

test('the operation table links every operation to its file', () => {
	const linked = [...readme.matchAll(/\(nodes\/WorkspaceAutomation\/resources\/(\w+)\/(\w+)\.ts\)/g)].map(([, resource, operation]) => `${resource}.${operation}`);
	expect(linked.sort()).toEqual(Object.values(endpoints).flat().sort());
});

test('every example is listed', () => {
	for (const file of readdirSync(new URL('examples/', root))) expect(readme).toContain(`(examples/${file})`);
});

test('every relative link leads somewhere', () => {
	const links = [...readme.matchAll(/(?:\]\(|src="|srcset=")(?!https?:|#)([^)#"]+)/g)].map(([, link]) => link);
	expect(links.filter((link) => !existsSync(new URL(link, root)))).toEqual([]);
});

test('every npm script that it names exists', () => {
	const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
	const named = [...readme.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name);
	expect(named.filter((name) => !(name in scripts))).toEqual([]);
});
