// The expressions of examples/check-then-hand-over.json, as n8n evaluates them: which addresses it checks, and what it answers.
import { expect, test } from '@jest/globals';
import type { IDataObject, INodeExecutionData, IRunExecutionData } from 'n8n-workflow';
import { prepareWorkflow } from '../../n8n-host/core.mts';
import { exampleWorkflow } from '../../tools/examples.mts';

const file = exampleWorkflow('check-then-hand-over');
const parametersOf = (name: string) => file.nodes.find((node) => node.name === name)!.parameters;

const asItems = (all: IDataObject[]): INodeExecutionData[] =>
	all.map((json, item) => ({ json, pairedItem: { item } }));

/** Returns the value of an expression for an item, after these nodes have run. */
async function evaluate(
	[node, value]: [node: string, value: string],
	item: IDataObject,
	ran: Record<string, IDataObject[]>,
): Promise<unknown> {
	const { workflow } = prepareWorkflow(file, {});
	const runs = Object.entries(ran).map(([name, all]) => [
		name,
		[{ startTime: 0, executionTime: 0, source: [], data: { main: [asItems(all)] } }],
	]);
	const data = {
		resultData: { runData: Object.fromEntries(runs) },
	} as unknown as IRunExecutionData;
	await workflow.expression.acquireIsolate?.();
	const input = asItems([item]);
	return workflow.expression.getParameterValue(value, data, 0, 0, node, input, 'manual', {});
}

test("checks the page and each link to the preview's own host once", async () => {
	const [{ value }] = parametersOf('Addresses').assignments.assignments;
	const previewUrl = 'https://preview.example.com/p/1?a=b';
	const addresses = async (item: IDataObject) =>
		await evaluate(['Addresses', value], item, {
			'When called with a preview': [{ previewUrl }],
		});
	const own = ['/about', '/about#team', '#top', 'c', 'https://preview.example.com/d'];
	const others = ['mailto:a@example.com', 'javascript:alert(1)', '//localhost/'];
	const hosts = ['https://preview.example.com.evil.example/d', 'http://169.254.169.254/'];
	expect(await addresses({ links: [...own, ...others, ...hosts] })).toEqual([
		previewUrl,
		'https://preview.example.com/about',
		'https://preview.example.com/p/c',
		'https://preview.example.com/d',
	]);
	expect(await addresses({ error: 'no page' })).toEqual([previewUrl]);
});

test.each<[number | undefined, Array<number | undefined>, string]>([
	[200, [200, 301, 401, 403, 429], ''],
	[200, [404], 'Broken link: https://a.example/1 (404)'],
	[200, [undefined], 'Broken link: https://a.example/1 (no response)'],
	[500, [], 'The page does not load (500).'],
	[undefined, [], 'The page does not load (no response).'],
])(
	'answers a page with status %p and links with %p with the reason "%s"',
	async (page, links, reason) => {
		const all = [page, ...links];
		const text = await evaluate(['Answer', parametersOf('Answer').jsonOutput], {}, {
			'Get the page': [{ statusCode: page }],
			'One by one': all.map((_, index) => ({ address: `https://a.example/${index}` })),
			'Check each address': all.map((statusCode) => ({ statusCode })),
		} as Record<string, IDataObject[]>);
		expect(JSON.parse(String(text))).toEqual({ ok: reason === '', reason });
	},
);
