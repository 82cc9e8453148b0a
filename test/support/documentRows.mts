// The rows of the API document, as the contract has them: endpoints, parameters and fields of responses.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { contractFile } from '../../openapi/contract.mts';
import { endpoints } from './endpoints.mts';

type Json = Record<string, any>;

const contract = parse(readFileSync(contractFile, 'utf8')) as Json;

/** Follows a `$ref`. */
function resolve(schema: Json): Json {
	if (typeof schema.$ref !== 'string') return schema;
	const keys = schema.$ref.split('/').slice(1);
	return resolve(keys.reduce((at: Json, key: string) => at[key], contract));
}

/** Returns the dotted paths of the fields in a schema; of a list's entries as those of one entry. */
function fieldPaths(schema: Json, parent = ''): string[] {
	const { properties = {}, items, allOf = [], anyOf = [], oneOf = [] } = resolve(schema);
	const own = Object.entries(properties as Json).flatMap(([name, field]) => [
		`${parent}${name}`,
		...fieldPaths(field, `${parent}${name}.`),
	]);
	const others = [...allOf, ...anyOf, ...oneOf, ...(items ? [items] : [])];
	return [...new Set([...own, ...others.flatMap((each: Json) => fieldPaths(each, parent))])];
}

interface DocumentedOperation {
	/** `METHOD /path` */
	endpoint: string;
	/** The node's operations */
	names: string[];
	/** By where they are: `query.limit`, `path.taskId`, `header.…`, `body.title` */
	parameters: string[];
	/** Dotted paths of the success response */
	fields: string[];
}

const getBody = (content: Json | undefined): Json =>
	content?.content?.['application/json']?.schema ?? {};

/** The header of the contract's security scheme, which every endpoint requires */
const authentication = contract.security.some((scheme: Json) => 'bearer' in scheme)
	? ['header.Authorization']
	: [];

export const documented: DocumentedOperation[] = Object.entries(contract.paths as Json).flatMap(
	([path, item]) =>
		Object.entries(item as Json)
			.filter(([method]) => method !== 'parameters')
			.map(([method, operation]) => {
				const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(
					(parameter: Json) => resolve(parameter),
				);
				const success = Object.keys(operation.responses).find((status) => status.startsWith('2'))!;
				const endpoint = `${method.toUpperCase()} ${path}`;
				return {
					endpoint,
					names: endpoints[endpoint],
					parameters: [
						...authentication,
						...parameters.map((each) => `${each.in}.${each.name}`),
						...fieldPaths(getBody(operation.requestBody)).map((name) => `body.${name}`),
					],
					fields: fieldPaths(getBody(operation.responses[success])),
				};
			}),
);
