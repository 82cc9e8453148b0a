// The note of an example names every node that needs something before the workflow runs, as its file shows.
import { describe, expect, test } from '@jest/globals';
import type { WorkflowFile, WorkflowNode } from '../../n8n-host/workflows.mts';
import { exampleWorkflow, examples } from '../../tools/examples.mts';
import { isNote } from '../../tools/notes.mts';

/** What a step calls an empty field */
const CALLED: Record<string, string> = {
	channelId: 'channel',
	databaseId: 'database',
	dataTableId: 'table',
	documentId: 'sheet',
	fromEmail: 'address',
	owner: 'repository',
	projectId: 'project',
	repository: 'repository',
	sheetName: 'sheet',
	siteId: 'site',
	toEmail: 'address',
	value: 'ID',
};

/** Parts of a condition, which are empty where the other part says all */
const COMPARED = /^(left|right)Value$/;

/** Returns the names of the fields that have no value. */
function emptyFields(value: unknown, name = ''): string[] {
	if (value === '') return COMPARED.test(name) ? [] : [name];
	if (typeof value !== 'object' || value === null) return [];
	if ('__rl' in value) return (value as { value?: unknown }).value === '' ? [name] : [];
	return Object.entries(value).flatMap(([key, inner]) => emptyFields(inner, key));
}

const hasExampleAddress = ({ parameters }: WorkflowNode) =>
	/@[\w.]*example\b|from:[\w.]*example\b/.test(JSON.stringify(parameters));

/** Returns what a node needs of the user, each in the word of a step. */
const needsOf = (node: WorkflowNode): string[] => [
	...new Set([
		...emptyFields(node.parameters).map((name) => CALLED[name] ?? name),
		...(hasExampleAddress(node) ? ['address'] : []),
		...(/\.lmChat/.test(node.type) ? ['model'] : []),
		...(node.disabled ? ['Activate'] : []),
	]),
];

/** Triggers of workflows that n8n starts only if they're published. n8n starts the others by hand, in its chat, or after an error. */
const isPublished = ({ type }: WorkflowNode) =>
	/trigger$/i.test(type) && !/\.(manual|chat|error)Trigger$/.test(type);

/** The nodes after which nothing comes */
function lastNodes({ nodes, connections }: WorkflowFile): string[] {
	const ends = (name: string) => {
		const { main = [] } = (connections[name] ?? {}) as { main?: unknown[][] };
		return (main[0] ?? []).length === 0;
	};
	return nodes.filter((node) => !isNote(node) && ends(node.name)).map(({ name }) => name);
}

describe.each(examples())('%s.json', (example) => {
	const workflow = exampleWorkflow(example);
	const nodes = workflow.nodes.filter((node) => !isNote(node));
	const { content } = workflow.nodes.find(isNote)!.parameters as { content: string };
	const steps = content.split('\n').filter((line) => /^\d+\. /.test(line));
	const [, about] = content.split('\n');

	test('has a step for each field that is empty, with the name of its node', () => {
		const missing = nodes.flatMap((node) =>
			needsOf(node)
				.filter(
					(need) =>
						!steps.some(
							(step) =>
								step.includes(`**${node.name}**`) &&
								step.toLowerCase().includes(need.toLowerCase()),
						),
				)
				.map((need) => `${node.name}: ${need}`),
		);
		expect(missing).toEqual([]);
	});

	test('has a step to publish it if its trigger needs that, and none otherwise', () => {
		expect(steps.some((step) => /publish the workflow/i.test(step))).toBe(nodes.some(isPublished));
	});

	test('says in its first paragraph where the result is', () => {
		const hasChat = nodes.some(({ type }) => type.endsWith('.chatTrigger'));
		const named = lastNodes(workflow).filter((name) => about.includes(`**${name}**`));
		expect(named.length > 0 || (hasChat && about.includes('chat'))).toBe(true);
	});

	test('says where the ID of a site is, if a node needs one', () => {
		const needs = nodes.some((node) => needsOf(node).includes('site'));
		expect(content.includes('For others, ask the service for the ID.')).toBe(needs);
	});

	test('sends people the message, and buttons the question', () => {
		for (const { type, parameters } of nodes) {
			const text = JSON.stringify(parameters);
			expect(text).not.toContain('approvalUrl');
			if (!/\.(slack|gmail|emailSend)$/.test(type) || parameters.operation === 'sendAndWait')
				continue;
			expect(text).not.toContain('$json.question');
		}
	});
});
