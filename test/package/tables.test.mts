// The tables of docs/operations.md are those of the panel and the code. `WRITE_DOCUMENT=1 npm test -- -i test/package/tables` writes them.
import { expect, test } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import {
	operationRow,
	OPERATIONS,
	type OperationId,
} from '../../nodes/shared/client/operations.ts';
import { allowedPlaceholders } from '../../nodes/shared/client/overrides.ts';
import { toTitle } from '../../nodes/shared/values.ts';
import { declared } from '../endpoints.mts';

const resources = [...new Set(declared.map(({ resource }) => resource))];
const of = (resource: string) => declared.filter((operation) => operation.resource === resource);
const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');

const page = new URL('../../docs/operations.md', import.meta.url);

/** Rows by the header of their table */
const tables: Array<[header: string, rows: string[]]> = [
	[
		'| resource | operation | description |',
		resources.flatMap((resource) =>
			of(resource).map(({ option: { name, description } }, index) => {
				const link = `[${toTitle(resource)}](../nodes/WorkspaceAutomation/resources/${resource}.ts)`;
				return `| ${index === 0 ? link : ''} | ${name} | ${description?.replace(/(?<!\.)$/, '.')} |`;
			}),
		),
	],
	[
		'| operation | default request | placeholders | `answer` | `words` |',
		(Object.keys(OPERATIONS) as OperationId[]).map((operation) => {
			const { method, path, answer = {}, words = [] } = operationRow(operation);
			return `| \`${operation}\` | \`${method} ${path}\` | ${code(allowedPlaceholders(operation))} | ${code(Object.keys(answer))} | ${code(words)} |`;
		}),
	],
];

test.each(tables)('%s has every operation', (header, rows) => {
	const text = readFileSync(page, 'utf8');
	const [before, after] = text.split(`${header}\n`);
	const [line, ...lines] = after.split('\n');
	const rest = lines.slice(lines.findIndex((each) => !each.startsWith('|')));
	const expected = [`${before}${header}`, line, ...rows, ...rest].join('\n');
	if (process.env.WRITE_DOCUMENT === '1') writeFileSync(page, expected);
	expect(readFileSync(page, 'utf8')).toBe(expected);
});
