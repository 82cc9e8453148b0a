// Every operation against the contract: its request fits, every parameter can be sent, and every field of the response is in the item.
import { describe, expect, test } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';
import { documented } from '../support/documentRows.mts';
import { endpoints } from '../support/endpoints.mts';
import { useAnswers } from './answers.mts';
import { good as given, ID, rl } from './badInput.mts';
import { operation, run, type Setup } from './engine.mts';
import { useService } from './service.mts';

/** The form of a product's ID is not shown, and the contract assumes a UUID. */
const good: Record<string, IDataObject> = {
	...given,
	'product.update': { ...given['product.update'], productId: rl(ID) },
};

test('every operation of the contract is run here', () => {
	expect(Object.keys(good).sort()).toEqual(Object.values(endpoints).flat().sort());
});

describe('the local mock service, which compares requests with the contract,', () => {
	const service = useService();
	test.each(Object.entries(good))(
		'refuses no request of %s as invalid',
		async (does, parameters) => {
			await run(operation(does, parameters, service.credentials));
			const statuses = (await service.requests()).map(({ status }) => status);
			expect(statuses).not.toEqual([]);
			expect(statuses).not.toContain(400);
		},
	);
});

const service = useAnswers();

/** The dotted paths of the values in JSON */
const findPaths = (value: unknown, at: string): string[] =>
	typeof value === 'object' && value !== null
		? Object.entries(value).flatMap(([name, inner]) => [
				`${at}${name}`,
				...findPaths(inner, `${at}${name}.`),
			])
		: [];

const call = async (does: string, parameters: IDataObject, more?: Partial<Setup>) =>
	await run(operation(does, { limit: 1, ...parameters }, service.credentials, more));

const binary = [{ data: { data: 'AAAA', mimeType: 'image/png', fileName: 'a.png' } }];

/** Uses that together send everything that an operation can */
const everything: Record<string, IDataObject[]> = {
	'task.update': [{ updateFields: { title: 'x', prompt: 'x', rrule: 'x', emoji: 'x' } }],
	'file.create': [
		{ parentId: rl(ID) },
		{ contentSource: 'asset', assetId: ID },
		{ contentSource: 'binary', binaryPropertyName: 'data' },
	],
	'file.getAll': [{ filters: { parentId: rl(ID) } }],
	'sharedPreview.create': [{ locale: 'en' }],
};

test.each(documented)('$endpoint: every parameter is sent', async (row) => {
	service.answer = () => row.example;
	for (const does of row.names)
		for (const more of everything[does] ?? [{}])
			await call(
				does,
				{ ...good[does], ...more, ...(does.endsWith('getAll') && { limit: 2 }) },
				{ binary },
			);
	const sent = service.requests.flatMap(({ query, headers, body }) => [
		...[...query.keys()].map((name) => `query.${name}`),
		...Object.keys(headers).map((name) => `header.${name}`),
		...findPaths(body, 'body.'),
	]);
	const found = sent.map((name) => name.toLowerCase());
	// The path is where the request went.
	const named = row.parameters.filter((name) => !name.startsWith('path.'));
	expect(named.filter((name) => !found.includes(name.toLowerCase()))).toEqual([]);
});

/** Fields that the node reads itself, by operation: they have the rows, and the place of a file */
const READ_BY_THE_NODE: Record<string, string[]> = {
	'analytics.query': ['rowCount', 'data'],
	'file.getContent': ['url'],
};

/** Returns the fields that an item has. Of a list, the node reads the envelope itself. */
const itemFields = (does: string, fields: string[]): string[] =>
	does.endsWith('getAll')
		? fields.filter((path) => path.startsWith('data.')).map((path) => path.slice('data.'.length))
		: fields.filter((path) => !READ_BY_THE_NODE[does]?.includes(path));

test.each(documented)(
	'$endpoint: every field of the response is in the item',
	async ({ names, fields, example }) => {
		service.answer = () => example;
		const [does] = names;
		const asText = does === 'file.getContent' ? { outputAs: 'text' } : {};
		const parameters = { ...good[does], ...asText, simplify: false };
		const { outputs, error } = await call(does, parameters);
		expect(error).toBeUndefined();
		const found = findPaths(outputs[0][0].json, '').map((path) =>
			path.replace(/\.\d+(?=\.|$)/g, ''),
		);
		expect(itemFields(does, fields).filter((path) => !found.includes(path))).toEqual([]);
	},
);
