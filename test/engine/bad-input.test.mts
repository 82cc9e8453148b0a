// Invalid values are refused before anything is sent, with an error that names the field and has advice.
import { describe, expect, test } from '@jest/globals';
import type { IDataObject, INodePropertyCollection, INodeProperties } from 'n8n-workflow';
import {
	rl,
	NULL,
	NUMBER,
	LONG,
	type Row,
	texts,
	ids,
	emptyTexts,
	anyIds,
	optionalIds,
	plainIds,
	limits,
	switches,
	jsons,
	body,
	update,
	good,
	neededFields,
} from './badInput.mts';
import { nodeProperties, run } from './engine.mts';
import { useService } from './service.mts';

const service = useService();

const table: Row[] = [
	...limits('project.getAll'),
	...limits('task.getAll'),
	...ids('task.get', 'taskId', 'Task'),
	...ids('task.update', 'taskId', 'Task'),
	['task.update', { updateFields: {} }, /^'Update Fields' is empty$/, /Add at least one/],
	...['title', 'prompt', 'rrule', 'emoji'].flatMap((name): Row[] => {
		const field = { title: 'Title', prompt: 'Prompt', rrule: 'Recurrence Rule', emoji: 'Emoji' }[
			name
		]!;
		return [
			['task.update', update(name)(NULL), new RegExp(`^'${field}' is empty$`), /Enter a value/],
			[
				'task.update',
				update(name)(NUMBER),
				new RegExp(`^'${field}' is not a text$`),
				/Enter a value/,
			],
		];
	}),
	...ids('agentSession.create', 'projectId', 'Project'),
	...texts('agentSession.create', 'prompt', 'Prompt'),
	...jsons('agentSession.create', body, 'Body'),
	...['get', 'abort', 'sendMessage', 'resolveInteraction'].flatMap((name) =>
		plainIds(`agentSession.${name}`, 'sessionId', 'Session'),
	),
	...texts('agentSession.sendMessage', 'message', 'Message'),
	...anyIds('agentSession.resolveInteraction', 'interactionId', 'Interaction ID'),
	...emptyTexts('agentSession.resolveInteraction', 'optionValue', 'Option Value'),
	...['expectedPermission', 'expectedPatterns'].flatMap((name): Row[] => [
		[
			'agentSession.resolveInteraction',
			{ decision: 'approve', additionalFields: { [name]: NULL } },
			/^'Expected (Permission|Patterns)' is empty$/,
			/Enter/,
		],
		[
			'agentSession.resolveInteraction',
			{ additionalFields: { [name]: NUMBER } },
			/^'Expected (Permission|Patterns)' is not a (list of )?texts?$/,
			/Enter/,
		],
	]),
	[
		'agentSession.resolveInteraction',
		{ additionalFields: { expectedInstruction: NUMBER } },
		/^'Expected Instruction' is not a text$/,
		/Enter/,
	],
	...jsons(
		'agentSession.resolveInteraction',
		(expectedMetadata) => ({ additionalFields: { expectedMetadata } }),
		'Expected Metadata',
	),
	...jsons(
		'agentSession.resolveInteraction',
		(expectedOtherFields) => ({ additionalFields: { expectedOtherFields } }),
		'Expected Other Fields',
	),
	[
		'agentSession.resolveInteraction',
		{ decision: '={{ "maybe" }}' },
		/^'Decision' has no valid value$/,
		/approve, option, deny, answer/,
	],
	...texts('agentSession.resolveInteraction', 'answer', 'Answer', (answer) => ({
		decision: 'answer',
		answer,
	})),
	...jsons('agentSession.resolveInteraction', body, 'Body'),
	...jsons('agentSession.sendMessage', body, 'Body'),
	...ids('file.create', 'projectId', 'Project'),
	...optionalIds('file.create', 'parentId', 'Folder'),
	['file.create', { name: '' }, /^'Name' is empty$/, /Enter a value/],
	['file.create', { name: NUMBER }, /^'Name' is not a text$/, /Enter a value/],
	[
		'file.create',
		{ contentSource: '={{ "url" }}' },
		/^'Content' has no valid value$/,
		/asset, binary, text/,
	],
	['file.create', { text: NULL }, /^'Text' is empty$/, /Enter a value/],
	[
		'file.create',
		{ text: LONG(10 * 1024 * 1024 + 1) },
		/^'Text' is too large$/,
		/at most 10 MiB .* 10\.1 MiB/,
	],
	[
		'file.create',
		{ contentSource: 'binary', binaryPropertyName: NULL },
		/^'Input Binary Field' is empty$/,
		/Enter a value/,
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
	...ids('file.createFolder', 'projectId', 'Project'),
	...optionalIds('file.createFolder', 'parentId', 'Folder'),
	...texts('file.createFolder', 'name', 'Name'),
	...['get', 'getContent', 'rename', 'move'].flatMap((name) =>
		ids(`file.${name}`, 'fileId', 'File or Folder'),
	),
	...texts('file.getContent', 'binaryPropertyName', 'Put Output File in Field'),
	[
		'file.getContent',
		{ outputAs: '={{ "paper" }}' },
		/^'Output As' has no valid value$/,
		/binary, url, text/,
	],
	...texts('file.rename', 'name', 'Name'),
	...optionalIds('file.move', 'parentId', 'Folder'),
	...ids('file.getAll', 'projectId', 'Project'),
	...limits('file.getAll'),
	...optionalIds('file.getAll', 'filters', 'Folder', (value) => ({ parentId: rl(value) })),
	...ids('customDomain.getAll', 'siteId', 'Site'),
	...limits('customDomain.getAll'),
	...switches('customDomain.getAll', 'simplify', 'Simplify'),
	...switches('agentSession.get', 'simplify', 'Simplify'),
	...ids('customDomain.delete', 'customDomainId', 'Custom Domain'),
	...ids('sharedPreview.create', 'projectId', 'Project'),
	...ids('sharedPreview.create', 'siteId', 'Site'),
	...texts('sharedPreview.create', 'route', 'Route'),
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
		/^'Name' is empty$/,
		/Enter a value/,
	],
	...texts('analytics.query', 'query', 'Query'),
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
	...ids('product.getAll', 'projectId', 'Project'),
	...limits('product.getAll'),
	...ids('product.create', 'projectId', 'Project'),
	...jsons('product.create', (fields) => ({ fields }), 'Fields'),
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
	...anyIds('product.update', 'productId', 'Product', rl),
	...optionalIds('product.update', 'projectId', 'Project'),
	...jsons('product.update', (fields) => ({ fields }), 'Fields'),
	['product.update', { fields: NULL }, /^'Fields' is empty$/, /"name"/],
	[
		'project.getAll',
		{ options: { maxConcurrentRequests: 0 } },
		/^'Max Concurrent Requests' isn't a valid number$/,
		/1 or more/,
	],
];

table.push(...neededFields(table));

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

const short = (value: unknown) => JSON.stringify(value).slice(0, 60);

test.each(table.map((row) => [row[0], short(row[1]), row] as const))(
	'%s with %s',
	async (_, _spoilt, [name, spoilt, message, description]) => {
		const [resource, operation] = name.split('.');
		const parameters = { resource, operation, ...good[name], ...spoilt };
		const { error } = await run({
			node: 'workspaceAutomation',
			parameters,
			credentials: service.credentials,
		});
		expect(error?.message).toMatch(message);
		expect(error?.description).toMatch(description);
		expect(await service.requests()).toEqual([]);
	},
);

const hasText = ({ type }: INodeProperties) => ['string', 'json', 'resourceLocator'].includes(type);

/** Every field of the panel that takes a text, those in collections included, with its operation. A query has escapes. */
const textFields = nodeProperties('workspaceAutomation').flatMap((property) => {
	const { resource = [], operation = [] } = property.displayOptions?.show ?? {};
	const inner =
		property.type === 'collection' ? (property.options as INodeProperties[]) : [property];
	const name = `${String(resource[0])}.${String(operation[0])}`;
	return inner
		.filter((each) => operation.length > 0 && hasText(each))
		.filter((each) => !UNSENT.includes(`${name} ${each.name}`) && each.name !== 'query')
		.map((each) => ({ name, property, each }));
});

/** Shows a field that depends on another one, beside what `good` has */
const shownBy = ({ displayOptions }: INodeProperties): IDataObject => {
	const { resource: _, operation: __, ...others } = displayOptions?.show ?? {};
	return Object.fromEntries(Object.entries(others).map(([name, values]) => [name, values![0]]));
};

test.each(textFields)('$name refuses a null character in $each.name', async (row) => {
	const { name, property, each } = row;
	const text = each.type === 'json' ? '{"a": {"b": ["x\\u0000"]}}' : '={{ "a\\u0000b" }}';
	const value = each.type === 'resourceLocator' ? rl(text) : text;
	const [resource, operation] = name.split('.');
	const { error } = await run({
		node: 'workspaceAutomation',
		parameters: {
			resource,
			operation,
			...good[name],
			...shownBy(property),
			...(each === property ? { [each.name]: value } : { [property.name]: { [each.name]: value } }),
		},
		credentials: service.credentials,
	});
	const refused = [`'${each.displayName}' has a null character`, expect.stringMatching(/U\+0000/)];
	expect([error?.message, error?.description]).toEqual(refused);
	expect(await service.requests()).toEqual([]);
});

test("n8n doesn't answer an interaction without a decision", async () => {
	const parameters = {
		resource: 'agentSession',
		operation: 'resolveInteraction',
		...good['agentSession.resolveInteraction'],
		decision: undefined,
	};
	const running = run({
		node: 'workspaceAutomation',
		parameters,
		credentials: service.credentials,
	});
	await expect(running).rejects.toThrow('Parameter "Decision" is required');
	expect(await service.requests()).toEqual([]);
});

describe('the table', () => {
	test('has a row for every parameter of every operation', () => {
		const shownFor = (property: INodeProperties) => {
			const { resource, operation } = property.displayOptions?.show ?? {};
			return ((operation ?? []) as string[]).map((name) => `${String(resource![0])}.${name}`);
		};
		const declared = nodeProperties('workspaceAutomation').flatMap((property) =>
			shownFor(property).flatMap((operation) => {
				const inner =
					property.type === 'collection'
						? (property.options as INodePropertyCollection[]).map(
								({ name }) => `${property.name}.${name}`,
							)
						: [property.name];
				return inner.map((name) => `${operation} ${name}`);
			}),
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
		for (const [name, parameters] of Object.entries(good)) {
			const [resource, operation] = name.split('.');
			await run({
				node: 'workspaceAutomation',
				parameters: { resource, operation, ...parameters },
				credentials: service.credentials,
			});
			expect([name, (await service.requests()).length > 0]).toEqual([name, true]);
			await service.control.clearRequests();
		}
	});
});
