// Checks the names in examples and documents: parameters, labels, pictures.
import { describe, expect, test } from '@jest/globals';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { INodeProperties, INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';
import { builtPackage, n8nWorkflow } from '../../n8n-host/core.mts';
import type { WorkflowFile, WorkflowNode } from '../../n8n-host/workflows.mts';
import { OUTPUTS } from '../../nodes/RunAgentSession/panel/properties.ts';
import { exampleWorkflow, examples } from '../../tools/examples.mts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (file: string) => readFileSync(root + file, 'utf8');
const { nodes, credential } = builtPackage();

type Entry = INodeProperties | INodePropertyCollection | INodePropertyOptions;
const isEntry = (entry: Entry): entry is INodeProperties => 'type' in entry;

/** Returns the names among these parameters that no field has, with the path to them. */
function unknownNames(parameters: object, fields: INodeProperties[], path = ''): string[] {
	return Object.entries(parameters).flatMap(([name, value]) => {
		const own = fields.filter((field) => field.name === name);
		if (own.length === 0) return [`${path}${name}`];
		const inner = own.filter(({ type }) => /^(fixedC|c)ollection$/.test(type));
		if (inner.length === 0 || typeof value !== 'object') return [];
		const entries = inner.flatMap(({ options = [] }) => options as Entry[]);
		if (inner[0].type === 'collection')
			return unknownNames(value, entries.filter(isEntry), `${path}${name}.`);
		return Object.entries(value as object).flatMap(([group, rows]) => {
			const found = entries.find((entry) => entry.name === group);
			if (!found || !('values' in found)) return [`${path}${name}.${group}`];
			return [rows].flat().flatMap((row) => unknownNames(row, found.values, `${path}${name}.`));
		});
	});
}

/** Returns the parameters that the panel doesn't show beside the others. */
function hiddenNames({ name, type, parameters }: WorkflowNode): string[] {
	const { description } = nodes[type.replace(/Tool$/, '')];
	const node = { id: name, name, type, typeVersion: 1, position: [0, 0] as [number, number] };
	const shown = n8nWorkflow.NodeHelpers.getNodeParameters(
		description.properties,
		parameters,
		true,
		false,
		node,
		description,
	)!;
	return Object.keys(parameters).filter((key) => !(key in shown));
}

/** n8n adds fields to tools and polling triggers. */
const FIELDS_OF_N8N = ['descriptionType', 'pollTimes', 'toolDescription'];

describe.each(examples())('%s.json', (name) => {
	const workflow = exampleWorkflow(name);
	const ours = workflow.nodes.filter(({ type }) => type.startsWith('n8n-nodes-workspace-auto'));

	test('has no credentials, which would make its nodes look set up', () => {
		expect(workflow.nodes.filter((node) => 'credentials' in node)).toEqual([]);
	});

	test("has no data of its author's n8n", () => {
		const { pinData, ...parts } = workflow as WorkflowFile & { pinData?: object };
		expect(Object.keys(parts).sort()).toEqual(['connections', 'name', 'nodes', 'settings']);
	});

	test('has only parameters that the panel has and shows', () => {
		const found = ours.flatMap((node) => {
			const { properties } = nodes[node.type.replace(/Tool$/, '')].description;
			const names = [...unknownNames(node.parameters, properties), ...hiddenNames(node)];
			return names.map((field) => `${node.name}: ${field}`);
		});
		const others = FIELDS_OF_N8N.map((field) => `: ${field}`);
		expect(found.filter((field) => !others.some((other) => field.endsWith(other)))).toEqual([]);
	});

	test('has lists only in fields with a list', () => {
		const found = ours.flatMap(({ name: node, type, parameters }) => {
			const { properties } = nodes[type.replace(/Tool$/, '')].description;
			const isLocator = (field: string) =>
				properties.some((each) => each.name === field && each.type === 'resourceLocator');
			return Object.entries(parameters).flatMap(([field, value]) =>
				value?.__rl && !isLocator(field) ? [`${node}: ${field}`] : [],
			);
		});
		expect(found).toEqual([]);
	});

	test('connects no output of Run Agent Session back to it, not even through other nodes', () => {
		const follow = (from: string, seen = new Set<string>()): Set<string> => {
			const { main = [] } = (workflow.connections as any)[from] ?? {};
			for (const { node } of main.flat().filter(Boolean)) {
				if (seen.has(node)) continue;
				seen.add(node);
				follow(node, seen);
			}
			return seen;
		};
		const runs = ours.filter(({ type }) => type.endsWith('.runAgentSession'));
		expect(runs.filter(({ name: node }) => follow(node).has(node))).toEqual([]);
	});

	test('has a note that names only its own nodes, and existing labels', () => {
		const { content } = workflow.nodes.find(({ type }) => type.endsWith('.stickyNote'))!.parameters;
		const names = new Set(workflow.nodes.map((node) => node.name));
		expect(findBold(content).filter((bold) => !names.has(bold) && !LABELS.has(bold))).toEqual([]);
	});

	test("escapes the agent's text in Slack messages, because Slack would read it as markup", () => {
		const raw = workflow.nodes
			.filter(({ type, name: node }) => /\.slack$/.test(type) || node === 'Summary line')
			.filter(({ parameters }) => {
				const text = JSON.stringify(parameters);
				return /json\.(text|error)\b/.test(text) && !text.includes('&lt;');
			});
		expect(raw.map((node) => node.name)).toEqual([]);
	});
});

test('Run Agent Session has two outputs while it waits, and one for other operations', () => {
	const { outputs } = nodes['n8n-nodes-workspace-automation.runAgentSession'].description;
	const evaluate = (operation: string) =>
		new Function('$parameter', `return ${String(outputs).slice(3, -2)}`)({
			operation,
		}) as unknown[];
	for (const operation of ['start', 'continue']) expect(evaluate(operation)).toEqual(OUTPUTS);
	for (const operation of ['applyAnswer', 'tryRules'])
		expect(evaluate(operation)).toEqual(['main']);
});

/** Labels of n8n itself that the documents name */
const OF_N8N = [
	'Allowed HTTP Request Domains',
	'All',
	'AI Agent',
	'Always Output Data',
	'Authentication',
	'Auto-Fix Format',
	'Auto-fixing Output Parser',
	'Credential Type',
	'Custom API Call',
	'Custom Form',
	'Execute Sub-workflow',
	'Execute Workflow',
	'Execute workflow',
	'Expression',
	'Fetch Test Event',
	'HTTP Request',
	'Human review',
	'Import > From file',
	'Import from File',
	'Item List Output Parser',
	'JSON Example',
	'Loop Over Items',
	'MCP Server Trigger',
	'Manual Trigger',
	'Mode',
	'On Error',
	'Output Parser',
	'Predefined Credential Type',
	'Publish',
	'Ready',
	'Retry',
	'Retry On Fail',
	'Send Headers',
	'Send and Wait for Response',
	'Split Out',
	'Stop',
	'Structured Output Parser',
	'Test',
	'URL',
	'Wait For Sub-Workflow Completion',
	'Workspace Automation API',
];

/** Labels of the approval page */
const OF_PAGE = ['Approve from now on', 'Details', 'Send'];

/** Titles of sections and paragraphs that look like labels */
const TITLES = [
	'Addresses',
	'Commands',
	'Paths',
	'Searches',
	'Dates',
	'Downloads',
	'Files',
	'Removed',
	'Results',
	'Retries',
];

/** Returns every label that the panels of the nodes and the credential have. A label counts without its unit, too. */
function labels(entries: Entry[]): string[] {
	return entries.flatMap((entry) => {
		const { displayName, name, value, modes, options, values } = entry as any;
		const label = displayName ?? (value === undefined ? undefined : name);
		const own = typeof label === 'string' ? [label, label.replace(/ \([^)]*\)$/, '')] : [];
		return [...own, ...[modes, options, values].flatMap((inner) => labels(inner ?? []))];
	});
}

const LABELS = new Set([
	...Object.values(nodes).flatMap(({ description }) => [
		description.displayName,
		...labels(description.properties),
	]),
	...labels((credential as unknown as { properties: INodeProperties[] }).properties),
	...OUTPUTS.map(({ displayName }) => displayName),
	...OF_N8N,
	...OF_PAGE,
]);

const withoutCode = (text: string) => text.replaceAll(/^```.*?^```$/gms, '');
const findBold = (text: string) =>
	[...withoutCode(text).matchAll(/\*\*([^*\n]+)\*\*/g)].map(([, bold]) =>
		bold.replace(/[.:]$/, ''),
	);
const SMALL = /^(a|an|and|as|by|for|if|in|is|no|of|on|the|to|with)$/;

/** Returns whether this is written as a label: few words, each with a capital */
function isLabel(text: string): boolean {
	const words = text.split(' ');
	return words.length <= 6 && words.every((word) => /^[A-Z]/.test(word) || SMALL.test(word));
}

const pages = [
	'README.md',
	'examples/README.md',
	...readdirSync(`${root}docs`)
		.filter((file) => file.endsWith('.md'))
		.map((file) => `docs/${file}`),
];

test.each(pages)('%s: every bold label is one of the panel', (page) => {
	const nodeNames = new Set(
		examples().flatMap((name) => exampleWorkflow(name).nodes.map((node) => node.name)),
	);
	const isKnown = (label: string) =>
		LABELS.has(label) || nodeNames.has(label) || TITLES.includes(label);
	const unknown = findBold(read(page)).filter(
		(bold) => isLabel(bold) && !isKnown(bold) && !bold.split(' and ').every(isKnown),
	);
	expect(unknown).toEqual([]);
});

test('every picture is shown in a document', () => {
	const all = ['README.md', 'CONTRIBUTING.md', 'local-service/README.md', ...pages]
		.map(read)
		.join();
	const pictures = globSync('docs/images/**/*.{png,svg}', { cwd: root });
	expect(pictures.length).toBeGreaterThan(50);
	expect(pictures.filter((file) => !all.includes(file.replace(/^docs\//, '')))).toEqual([]);
});
