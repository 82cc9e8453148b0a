// npm run operations: writes the nodes' table of operations, as the contract's paths, schemas and `x-client` have it. The panel needs only
// the routes, so n8n loads nothing else of the table when it starts.
import { writeFileSync } from 'node:fs';
import { document, follow, type Json } from './contract.mts';

const tableFile = new URL('../nodes/shared/client/operationTable.ts', import.meta.url);
const routesFile = new URL('../nodes/shared/client/routes.ts', import.meta.url);

/** API document, List envelope */
const LIST = {
	response: { data: ['data'], has_more: ['has_more'], next_cursor: ['next_cursor'] },
	tooLarge: "Ask for less, for example with 'Limit'.",
};

const jsonSchema = ({ content }: Json): Json => follow(content['application/json'].schema);

/** Returns an object with a placeholder for each value that callers give, by its own name. */
function toTemplate(schema: Json): Json {
	const { properties, oneOf = [] } = follow(schema);
	const parts = [properties, ...oneOf.map((each: Json) => follow(each).properties)];
	const fields = Object.entries<Json>(Object.assign({}, ...parts)).map(([name, field]) => {
		const inner = toTemplate(field);
		return [name, Object.keys(inner).length > 0 ? inner : `{${name}}`];
	});
	return Object.fromEntries(fields);
}

function hasAssumption(part: unknown): boolean {
	if (typeof part !== 'object' || part === null) return false;
	const { 'x-assumed': isAssumed = false, ...rest } = follow(part);
	return isAssumed || Object.values(rest).some(hasAssumption);
}

/** Returns what a response has to show of the resource that was asked for. What is assumed need not be there. */
function toResource(path: string, answer: Json): Json | undefined {
	const { properties = {}, required = [] } = jsonSchema(answer);
	const documented = Object.keys(properties).filter(
		(name) => !answer['x-assumed'] && !properties[name]['x-assumed'] && required.includes(name),
	);
	const fixed = documented.filter((name) => 'const' in properties[name]);
	const [text] = documented.filter((name) => name !== 'id' && !fixed.includes(name));
	const [, id] = ('id' in properties && /\{(\w+)\}$/.exec(path)) || [];
	if (fixed.length === 0 && id === undefined) return undefined;
	const shows = Object.fromEntries(fixed.map((name) => [name, properties[name].const]));
	return { id, ...(fixed.length > 0 && { shows }), text };
}

const byName = (parameters: Json[]): Json =>
	Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]));

/** Returns the row of an operation. @param field the only one of the body, if the method and path serve several operations */
function toRow(path: string, method: string, item: Json, client: Json, field?: string): Json {
	const operation: Json = item[method];
	const parameters: Json[] = [...(item.parameters ?? []), ...(operation.parameters ?? [])];
	const { header = [], query = [] } = Object.groupBy(parameters.map(follow), (each) => each.in);
	const [version] = header.flatMap(({ schema }) => schema.enum);
	const { requestBody, responses } = operation;
	const names = toTemplate({ properties: byName(query) });
	const all = requestBody && toTemplate(jsonSchema(requestBody));
	const success = Object.keys(responses).find((status) => status.startsWith('2'))!;
	const isList = 'allOf' in jsonSchema(responses[success]);
	const shape = hasAssumption([query, requestBody]) ? 'shape' : undefined;
	return {
		method: method.toUpperCase(),
		path,
		version: version === document.info.version ? undefined : version,
		query: query.length > 0 ? names : undefined,
		body: field === undefined ? all : { [field]: all[field] },
		assumed: operation['x-assumed'] ? 'path' : shape,
		scope: operation['x-scopes']?.join(' and '),
		resource: toResource(path, responses[success]),
		effect: method === 'get' ? 'read' : undefined,
		...(isList && LIST),
		...client,
	};
}

/** Returns the rows of an endpoint by operation. */
function toRows(path: string, method: string, item: Json): Array<[id: string, row: Json]> {
	const { operationId, 'x-client': own = {}, 'x-operations': named = {} } = item[method];
	const others = Object.entries<Json>(named);
	const rows = others.map(([id, { client, field }]): [string, Json] => [
		id,
		toRow(path, method, item, client, field),
	]);
	const isNamed = others.some(([, { field }]) => field !== undefined);
	return isNamed ? rows : [[operationId, toRow(path, method, item, own)], ...rows];
}

/** Rows by operation, in the contract's order */
export const operationRows: Record<string, Json> = Object.fromEntries(
	Object.entries<Json>(document.paths).flatMap(([path, item]) =>
		Object.keys(item)
			.filter((key) => key !== 'parameters')
			.flatMap((method) => toRows(path, method, item)),
	),
);

const NOTE =
	'// Written by `npm run operations`, from openapi/workspace-automation.yaml. Change the contract instead.\n';

/** Returns the text of the table. A row is on one line. */
function operationTable(): string {
	const rows = Object.entries(operationRows);
	const json = rows
		.map(([id, row]) => {
			const rest = JSON.stringify({ ...row, method: undefined, path: undefined });
			return `\t${id}: {...ROUTES.${id},${rest.slice(1)},\n`;
		})
		.join('');
	const limits = [...new Set(json.match(/(?<=")MAX_\w+(?=")/g))].sort().join(', ');
	const lines = json.replace(/"(MAX_\w+)"|"(\w+)":/g, (_, limit, key) => limit ?? `${key}:`);
	return `${NOTE}
import { ${limits} } from '../limits';
import type { OperationRow } from './apiTypes';
import { ROUTES } from './routes';

export const OPERATIONS = {
${lines}} as const satisfies Record<string, OperationRow>;
`;
}

/** Returns the text of the routes. */
function routeTable(): string {
	const rows = Object.entries(operationRows).map(
		([id, { method, path }]) => `\t${id}: { method: '${method}', path: '${path}' },\n`,
	);
	return `${NOTE}
export const ROUTES = {
${rows.join('')}} as const;
`;
}

/** What is written into each file */
export const tables: Array<[file: URL, text: string]> = [
	[tableFile, operationTable()],
	[routesFile, routeTable()],
];

if (process.argv[1] === import.meta.filename)
	for (const [file, text] of tables) writeFileSync(file, text);
