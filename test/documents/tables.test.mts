// The documents' tables are those of the panel and the code. `WRITE_DOCUMENT=1 npm test -- -i test/documents/tables` writes them.
import { expect, test } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import type { OperationRow } from '../../nodes/shared/client/apiTypes.ts';
import type { OperationId } from '../../nodes/shared/client/operations.ts';
import { OPERATIONS } from '../../nodes/shared/client/operationTable.ts';
import { PERMISSIONS } from '../../nodes/shared/approvals/interaction.ts';
import { RUNNING_WORDS } from '../../nodes/RunAgentSession/policy/programs.ts';
import { allowedPlaceholders } from '../../nodes/shared/client/overrides.ts';
import { toTitle } from '../../nodes/shared/values.ts';
import { declared } from '../support/endpoints.mts';

const resources = [...new Set(declared.map(({ resource }) => resource))];
const of = (resource: string) => declared.filter((operation) => operation.resource === resource);
const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');

/** Rows by the header of their table */
const tables: Array<[page: string, header: string, rows: string[]]> = [
	[
		'docs/operations.md',
		'| resource | operation | description |',
		resources.flatMap((resource) =>
			of(resource).map(({ option: { name, description } }, index) => {
				const link = `[${toTitle(resource)}](../nodes/WorkspaceAutomation/resources/${resource}.ts)`;
				return `| ${index === 0 ? link : ''} | ${name} | ${description?.replace(/(?<!\.)$/, '.')} |`;
			}),
		),
	],
	[
		'docs/operations.md',
		'| operation | default request | placeholders | `response` | `words` |',
		(Object.keys(OPERATIONS) as OperationId[]).map((operation) => {
			const { method, path, response = {}, words = [] }: OperationRow = OPERATIONS[operation];
			return `| \`${operation}\` | \`${method} ${path}\` | ${code(allowedPlaceholders(operation))} | ${code(Object.keys(response))} | ${code(words)} |`;
		}),
	],
	[
		'docs/rules.md',
		'| texts | permissions |',
		[...new Set(PERMISSIONS.map(({ kind }) => kind))].map((kind) => {
			const permissions = PERMISSIONS.filter((each) => each.kind === kind);
			return `| ${kind} | ${code(permissions.flatMap((each) => each.permissions))} |`;
		}),
	],
	[
		'docs/programs.md',
		'| program | words |',
		Object.entries(RUNNING_WORDS).map(([program, lines]) => `| \`${program}\` | ${code(lines)} |`),
	],
];

test.each(tables)('%s has the table %s', (page, header, rows) => {
	const file = new URL(`../../${page}`, import.meta.url);
	const text = readFileSync(file, 'utf8');
	const [before, after] = text.split(`${header}\n`);
	const [line, ...lines] = after.split('\n');
	const rest = lines.slice(lines.findIndex((each) => !each.startsWith('|')));
	const expected = [`${before}${header}`, line, ...rows, ...rest].join('\n');
	if (process.env.WRITE_DOCUMENT === '1') writeFileSync(file, expected);
	expect(readFileSync(file, 'utf8')).toBe(expected);
});
