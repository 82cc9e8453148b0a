// The contract as others read it: each operation explained, with its errors, and each body with an example.
import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'yaml';
import { contractFile, examplesOf, operations } from '../../openapi/contract.mts';
import { tables } from '../../openapi/operationTable.mts';

type Json = Record<string, any>;

const contract = parse(readFileSync(contractFile, 'utf8')) as Json;
const described = Object.entries(contract.paths as Json).flatMap(([path, item]) =>
	Object.entries(item as Json)
		.filter(([method]) => method !== 'parameters')
		.map(([method, operation]) => ({ endpoint: `${method.toUpperCase()} ${path}`, operation })),
);

/** Follows a `$ref`. */
const resolve = (value: Json): Json =>
	typeof value.$ref === 'string'
		? resolve(
				value.$ref
					.split('/')
					.slice(1)
					.reduce((at: Json, key: string) => at[key], contract),
			)
		: value;

const findSchema = (body: Json | undefined): Json | undefined =>
	body && resolve(body).content['application/json'].schema;

describe.each(described)('$endpoint', ({ operation }) => {
	const { operationId } = operation as { operationId: string };
	const { validateBody, validateAnswer } = operations.find(
		(each) => each.operationId === operationId,
	)!;

	test('has a summary, a description, and the errors that each client has to expect', () => {
		expect(operation).toMatchObject({
			summary: expect.any(String),
			description: expect.any(String),
		});
		const statuses = Object.keys(operation.responses);
		expect(statuses).toEqual(
			expect.arrayContaining(['400', '401', '403', '404', '429', '500', '503', 'default']),
		);
	});

	test('has an example of each body, which is valid', () => {
		const bodies = Object.entries(operation.responses as Json).map(
			([status, response]) => [findSchema(response)!, validateAnswer[status]] as const,
		);
		// An optional body has no validator: only an empty object is valid.
		const validateSent = validateBody ?? ((value: unknown) => isDeepStrictEqual(value, {}));
		const sent = findSchema(operation.requestBody);
		if (sent) bodies.push([sent, validateSent]);
		for (const [schema, validate] of bodies) {
			const examples = examplesOf(schema);
			expect(examples).not.toEqual([]);
			for (const example of examples)
				expect([validate(example), validate.errors ?? null]).toEqual([true, null]);
		}
	});
});

test('values beside those of an extensible enum are valid', () => {
	const { validateAnswer } = operations.find((each) => each.operationId === 'getAgentSession')!;
	const [example] = contract.components.schemas.AgentSession.examples;
	expect(validateAnswer['200']({ ...example, status: 'paused' })).toBe(true);
	expect(validateAnswer['200']({ ...example, status: 7 })).toBe(false);
});

test('each tag says what it is about', () => {
	expect((contract.tags as Json[]).filter(({ description }) => !description)).toEqual([]);
});

test("the nodes' table of operations is the contract's, as `npm run operations` writes it", () => {
	for (const [file, text] of tables) expect(readFileSync(file, 'utf8')).toBe(text);
});
