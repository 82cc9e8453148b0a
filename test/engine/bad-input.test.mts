// Invalid values are refused before anything is sent, with an error that names the field and has advice.
import { describe, expect, test } from '@jest/globals';
import type { IDataObject, INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { good, rl } from './badInput.mts';
import { nodeProperties, operation, run } from './engine.mts';
import { useService } from './service.mts';

const service = useService();
const runWith = async (name: string, spoilt: IDataObject) =>
	await run(operation(name, { ...good[name], ...spoilt }, service.credentials));

const NULL = '={{ null }}';
const NUMBER = '={{ 7 }}';
const LONG = (length: number, start = '') => `={{ "${start}" + "x".repeat(${length}) }}`;

/** A field of an operation: a property of the panel, or in a collection that is one */
interface Field {
	operation: string;
	property: INodeProperties;
	each: INodeProperties;
}

/** Every field of the panel */
const fields = nodeProperties('workspaceAutomation').flatMap((property): Field[] => {
	const { resource = [], operation = [] } = property.displayOptions?.show ?? {};
	const inner =
		property.type === 'collection' ? (property.options as INodeProperties[]) : [property];
	return operation.flatMap((name) =>
		inner.map((each) => ({ operation: `${String(resource[0])}.${String(name)}`, property, each })),
	);
});

/** Gives a field this value, and shows it if that depends on another one. */
function spoil({ property, each }: Field, value: unknown): IDataObject {
	const { resource: _, operation: __, ...others } = property.displayOptions?.show ?? {};
	const shown = Object.entries(others).map(([name, values]) => [name, values![0]]);
	const given = { [each.name]: each.type === 'resourceLocator' ? rl(value) : value };
	return {
		...Object.fromEntries(shown),
		...(each === property ? given : { [property.name]: given }),
	} as IDataObject;
}

type Row = [operation: string, spoilt: IDataObject, message: RegExp, description: RegExp];

/** Values that no field of a type takes, what the error says about the field, and its advice */
type Refusals = Array<[values: unknown[], is: string, advice: RegExp]>;

/** IDs of any form: only what would lead to another path is refused */
const ANY_ID: Refusals = [
	[
		['..', '\\ud800', 'a\\u0001b'].map((id) => `={{ "${id}" }}`),
		"isn't a valid ID",
		/can't be an ID/,
	],
];
const EMPTY: Refusals = [[[NULL, '={{ "  " }}'], 'is empty', /Enter a value/]];
const NO_TEXT: Refusals = [[[NUMBER], 'is not a text', /Enter a value/]];

/** Returns what a field refuses because of its type. */
function refusals({ each, property }: Field): Refusals {
	const { type, name, required } = each;
	const isId = type === 'string' && /123e4567/.test(each.placeholder ?? '');
	const isAnyId = name === 'productId' || name === 'interactionId';
	if (type === 'boolean')
		return [
			[[NULL, NUMBER, '={{ "yes" }}', '={{ [true] }}'], 'is neither true nor false', /on or off/],
		];
	if (type === 'number')
		return [[[NULL, '={{ 0 }}', '={{ "many" }}'], "isn't a valid number", /1 or more/]];
	if (type === 'json')
		return [[['{"a"', '[1]', NUMBER], "isn't a valid JSON object", /\{"name": "value"\}/]];
	if (type === 'options') {
		const choices = (each.options as INodePropertyOptions[]).map(({ value }) => value);
		const advice = new RegExp(choices.filter((value) => value !== '').join(', '));
		return [[['={{ "maybe" }}'], 'has no valid value', advice]];
	}
	const empty = required ? EMPTY : [];
	if (property.name === 'updateFields') return [[[NULL], 'is empty', /Enter a value/], ...NO_TEXT];
	if (isAnyId) return [...empty, ...ANY_ID];
	if (type === 'resourceLocator') return [...empty, [['={{ "p1" }}'], "isn't a valid ID", /UUID/]];
	return required && !isId ? [...EMPTY, ...NO_TEXT] : empty;
}

/** Fill a list, or the query, in the editor, or say what to do about a refusal, and are never sent. */
const UNSENT = [
	'customDomain.delete siteId',
	'file.get projectId',
	'file.getContent projectId',
	'file.move projectId',
	'file.rename projectId',
	'analytics.query table',
	'file.create ifExists',
	'file.createFolder ifExists',
];

const byType = fields
	.filter(({ operation, each }) => !UNSENT.includes(`${operation} ${each.name}`))
	.flatMap((field) =>
		refusals(field).flatMap(([values, is, advice]) =>
			values.map((value): Row => {
				const message = new RegExp(`^'${field.each.displayName.replace(/[()]/g, '\\$&')}' ${is}$`);
				return [field.operation, spoil(field, value), message, advice];
			}),
		),
	);

const resolving = 'agentSession.resolveInteraction';
const table: Row[] = [
	...byType,
	...[NULL, '={{ "  " }}'].map((optionValue): Row => [
		resolving,
		{ optionValue },
		/^'Option Value' is empty$/,
		/Enter a value/,
	]),
	...[NULL, '={{ "  " }}'].map((answer): Row => [
		resolving,
		{ decision: 'answer', answer },
		/^'Answer' is empty$/,
		/Enter a value/,
	]),
	[resolving, { decision: 'answer', answer: NUMBER }, /^'Answer' is not a text$/, /Enter a value/],
	...['Permission', 'Patterns'].flatMap((name): Row[] => [
		[
			resolving,
			{ additionalFields: { [`expected${name}`]: NULL } },
			new RegExp(`^'Expected ${name}' is empty$`),
			/Enter/,
		],
		[
			resolving,
			{ additionalFields: { [`expected${name}`]: NUMBER } },
			new RegExp(`^'Expected ${name}' is not a (list of )?texts?$`),
			/Enter/,
		],
	]),
	['task.update', { updateFields: {} }, /^'Update Fields' is empty$/, /Add at least one/],
	[
		resolving,
		{ additionalFields: { expectedInstruction: NUMBER } },
		/^'Expected Instruction' is not a text$/,
		/Enter/,
	],
	['file.create', { name: '' }, /^'Name' is empty$/, /Enter a value/],
	['file.create', { name: NUMBER }, /^'Name' is not a text$/, /Enter a value/],
	['file.create', { text: NULL }, /^'Text' is empty$/, /Enter a value/],
	[
		'file.create',
		{ text: LONG(10 * 1024 * 1024 + 1) },
		/^'Text' is too large$/,
		/at most 10 MiB .* 10\.1 MiB/,
	],
	[
		'file.create',
		{ contentSource: 'binary', binaryPropertyName: 'other' },
		/^'Input Binary Field' names "other", which isn't in the input$/,
		/no binary data/,
	],
	[
		'file.create',
		{ contentSource: 'asset', assetId: NULL },
		/^'Asset ID' is empty$/,
		/Enter a value/,
	],
	[
		'file.create',
		{ contentSource: 'asset', assetId: '={{ ".." }}' },
		/^'Asset ID' isn't a valid ID$/,
		/can't be an ID/,
	],
	[
		'sharedPreview.create',
		{ route: 'pricing' },
		/^'Route' doesn't start with one slash$/,
		/\/pricing/,
	],
	['sharedPreview.create', { route: '/a?b=1' }, /^'Route' has a query string or fragment$/, /"\?"/],
	['sharedPreview.create', { route: '/a#b' }, /^'Route' has a query string or fragment$/, /"#"/],
	[
		'sharedPreview.create',
		{ route: LONG(2048, '/') },
		/^'Route' is too long$/,
		/at most 2048 characters, and has 2049/,
	],
	[
		'sharedPreview.create',
		{ route: '={{ "/" + "🧹".repeat(2048) }}' },
		/^'Route' is too long$/,
		/at most 2048 characters, and has 2049/,
	],
	['sharedPreview.create', { locale: NUMBER }, /^'Locale' is not a text$/, /Enter a value/],
	[
		'sharedPreview.create',
		{ locale: 'english please' },
		/^'Locale' isn't a language tag$/,
		/BCP 47/,
	],
	[
		'sharedPreview.create',
		{ locale: LONG(256) },
		/^'Locale' is too long$/,
		/at most 255 characters, and has 256/,
	],
	['analytics.query', { query: '{{ $json.nothing }}' }, /^'Query' is empty$/, /Enter a value/],
	['analytics.query', { query: '{{ 7 }}' }, /^'Query' is not a text$/, /Enter a value/],
	[
		'analytics.query',
		{ query: 'SELECT {{ $json.nothing }}' },
		/^The expression {{ \$json\.nothing }} in 'Query' has no value$/,
		/the item it reads from/,
	],
	[
		'analytics.query',
		{ query: 'SELECT {since:String}' },
		/^The query parameter since has no value$/,
		/Options > Query Parameters/,
	],
	[
		'analytics.query',
		{ options: { parameters: { values: [{ name: ' ', value: 1 }] } } },
		/^Parameter 1 of 'Query Parameters' has no name$/,
		/name between the braces/,
	],
	[
		'analytics.query',
		{ options: { rowsInOneItem: '={{ "yes" }}' } },
		/^'Return as Single Item' is neither true nor false$/,
		/on or off/,
	],
	[
		'analytics.query',
		{ query: 'DROP TABLE x' },
		/^'Query' isn't a SELECT or WITH statement$/,
		/Start the query with SELECT/,
	],
	[
		'product.create',
		{ fields: '{"sku": 12345678901234567890}' },
		/^'Fields' has a number that would change$/,
		/^12345678901234567890 would.*quotes/,
	],
	[
		'sharedPreview.create',
		{ route: '//elsewhere.example.com/x' },
		/^'Route' doesn't start with one slash$/,
		/such as \/pricing/,
	],
	[
		'file.createFolder',
		{ name: '={{ "a\\r\\nb" }}' },
		/^'Name' has a line break or a control character$/,
		/U\+000D/,
	],
	['product.create', { fields: '{}' }, /^'Fields' is empty$/, /"name"/],
	['product.update', { fields: NULL }, /^'Fields' is empty$/, /"name"/],
	[
		'project.getAll',
		{ options: { maxConcurrentRequests: 0 } },
		/^'Max Concurrent Requests' isn't a valid number$/,
		/1 or more/,
	],
];

const short = (value: unknown) => JSON.stringify(value).slice(0, 60);

test.each(table.map((row) => [row[0], short(row[1]), row] as const))(
	'%s with %s',
	async (_, _spoilt, [name, spoilt, message, description]) => {
		const { error } = await runWith(name, spoilt);
		expect(error?.message).toMatch(message);
		expect(error?.description).toMatch(description);
		expect(await service.requests()).toEqual([]);
	},
);

const textFields = fields.filter(
	({ operation, each }) =>
		['string', 'json', 'resourceLocator'].includes(each.type) &&
		!UNSENT.includes(`${operation} ${each.name}`) &&
		// A query has escapes.
		each.name !== 'query',
);

test.each(textFields)('$operation refuses a null character in $each.name', async (field) => {
	const { operation, each } = field;
	const text = each.type === 'json' ? '{"a": {"b": ["x\\u0000"]}}' : '={{ "a\\u0000b" }}';
	const { error } = await runWith(operation, spoil(field, text));
	const refused = [`'${each.displayName}' has a null character`, expect.stringMatching(/U\+0000/)];
	expect([error?.message, error?.description]).toEqual(refused);
	expect(await service.requests()).toEqual([]);
});

test("n8n doesn't answer an interaction without a decision", async () => {
	const running = runWith('agentSession.resolveInteraction', { decision: undefined });
	await expect(running).rejects.toThrow('Parameter "Decision" is required');
	expect(await service.requests()).toEqual([]);
});

describe('the table', () => {
	test('has a row for every parameter of every operation', () => {
		const declared = fields.map(({ operation, property, each }) =>
			[operation, each === property ? each.name : `${property.name}.${each.name}`].join(' '),
		);
		const covered = table.flatMap(([operation, spoilt]) =>
			Object.entries(spoilt).flatMap(([name, value]) =>
				[
					name,
					...Object.keys(typeof value === 'object' ? (value ?? {}) : {}).map(
						(inner) => `${name}.${inner}`,
					),
				].map((path) => `${operation} ${path}`),
			),
		);
		expect(declared.filter((entry) => !covered.includes(entry) && !UNSENT.includes(entry))).toEqual(
			[],
		);
	});

	test('starts from valid parameters', async () => {
		for (const name of Object.keys(good)) {
			await runWith(name, {});
			expect([name, (await service.requests()).length > 0]).toEqual([name, true]);
			await service.control.clearRequests();
		}
	});
});
