// Every example is as people expect it when they import it, and is in the gallery.
import { describe, expect, test } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import type { WorkflowFile, WorkflowNode } from '../../n8n-host/workflows.mts';
import { SCRIPTS } from '../../local-service/agent/scripts.mts';
import { examples, exampleWorkflow } from '../../tools/examples.mts';
import { isNote, noteProblems } from '../../tools/notes.mts';

const folder = new URL('../../examples/', import.meta.url);
const gallery = readFileSync(new URL('README.md', folder), 'utf8');

/** The fields of our nodes that hold an ID in one of several ways */
const LOCATORS = [
	'projectId',
	'sessionId',
	'taskId',
	'fileId',
	'parentId',
	'customDomainId',
	'productId',
];

/** Returns the indexes of the outputs that a node has items on, as far as they go to other nodes. */
function getOutputs({ type, parameters, onError }: WorkflowNode): number[] {
	const kind = type.split('.').at(-1)!;
	if (isNote({ type } as WorkflowNode) || /Tool$|^(lm|memory|outputParser)/.test(kind)) return [];
	// The first has the items when the loop is done.
	if (kind === 'splitInBatches') return [1];
	const errors = (own: number) => (onError === 'continueErrorOutput' ? [own] : []);
	if (kind !== 'runAgentSession') {
		const own = kind === 'if' ? 2 : 1;
		return [...Array(own).keys(), ...errors(own)];
	}
	if (parameters.operation === 'tryRules') return [0];
	// The node that waits for the session returns the result of an answer.
	if (parameters.operation === 'applyAnswer') return errors(1);
	const asks = parameters.permissionPolicy !== 'rules' || parameters.defaultDecision === 'ask';
	return [0, ...(asks ? [1] : []), ...errors(2)];
}

/** Who passes on to whom, and how far to the right that is. A model or a tool hangs below the node that uses it and has no connection of its outputs. */
function steps({ nodes, connections }: WorkflowFile) {
	const x = Object.fromEntries(nodes.map(({ name, position }) => [name, position[0]]));
	return Object.entries(
		connections as Record<string, { main?: Array<Array<{ node: string }> | null> }>,
	).flatMap(([from, { main = [] }]) =>
		main.flatMap((output) =>
			(output ?? []).map(({ node: to }) => ({ from, to, distance: x[to] - x[from] })),
		),
	);
}

test.each(SCRIPTS)('the mock agent has a script for a prompt of an example: %s', (text) => {
	const prompts = examples().flatMap((name) =>
		exampleWorkflow(name).nodes.map(({ parameters }) => String(parameters.prompt)),
	);
	expect(prompts).toContainEqual(expect.stringContaining(text));
});

describe.each(examples())('%s.json', (name) => {
	const workflow = exampleWorkflow(name);
	const { nodes } = workflow;

	test('has its section in the gallery, with its pictures and a paragraph', () => {
		const [, section] = gallery.split(`\n## ${workflow.name}\n`);
		expect(section).toBeDefined();
		const own = section.split('\n## ')[0];
		expect(own).toContain(`](${name}.json)`);
		for (const picture of [`${name}.png`, `${name}-dark.png`]) {
			expect(own).toContain(`"../docs/images/examples/${picture}"`);
			expect(existsSync(new URL(`../docs/images/examples/${picture}`, folder))).toBe(true);
		}
		expect(own.trim().split('\n\n')[0].length).toBeGreaterThan(100);
	});

	test('describes the workflow on the canvas', () => {
		expect(nodes.filter(isNote)).toMatchObject([
			{ parameters: { content: expect.stringMatching(/^## .+\n/) } },
		]);
	});

	test('has at most 120 words of setup instructions, in numbered steps', () => {
		const { content } = nodes.find(isNote)!.parameters;
		const numbers = [...content.matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number));
		expect(numbers.length).toBeGreaterThan(1);
		expect(numbers).toEqual(numbers.map((_, index) => index + 1));
		expect(content.split(/\s+/).length).toBeLessThanOrEqual(120);
	});

	test('has prompts for any agent, and no ID of another user', () => {
		const parameters = nodes.map((node) => node.parameters);
		expect(JSON.stringify(parameters)).not.toMatch(/\[(ask|fail|idle|question|say|work)[ !\]]/);
		const ours = nodes.filter(({ type }) => type.includes('workspace-automation'));
		const ids = ours.flatMap(
			(node) => JSON.stringify(node.parameters).match(/[\da-f]{8}-[\da-f]{4}-[\da-f-]{22}/gi) ?? [],
		);
		expect(ids).toEqual([]);
	});

	test("uses n8n's own nodes and this package's", () => {
		const foreign = nodes.filter(
			({ type }) =>
				!/^(n8n-nodes-base|@n8n\/n8n-nodes-langchain|n8n-nodes-workspace-automation)\./.test(type),
		);
		expect(foreign).toEqual([]);
	});

	test('is laid out from left to right, except loops, and no nodes overlap', () => {
		const all = steps(workflow);
		const leadsTo = (from: string, to: string): boolean =>
			from === to ||
			all.some((step) => step.from === from && step.distance > 0 && leadsTo(step.to, to));
		expect(all.filter(({ from, to, distance }) => distance <= 0 && !leadsTo(to, from))).toEqual([]);
		const overlapping = nodes
			.filter((one) => !isNote(one))
			.flatMap((one, index, others) =>
				others
					.slice(index + 1)
					.filter(
						({ position: [x, y] }) =>
							Math.abs(x - one.position[0]) < 120 && Math.abs(y - one.position[1]) < 140,
					)
					.map((other) => [one.name, other.name]),
			);
		expect(overlapping).toEqual([]);
	});

	test('names every node once, after its task', () => {
		expect(new Set(nodes.map((node) => node.name)).size).toBe(nodes.length);
		expect(nodes.map((node) => node.name).filter((node) => /\d$/.test(node))).toEqual([]);
	});

	test('shows all of its note, and no node on it', () => {
		expect(noteProblems(workflow)).toEqual([]);
	});

	test('connects every output, including error outputs', () => {
		const follows = workflow.connections as Record<string, { main?: Array<unknown[] | null> }>;
		const loose = nodes.flatMap((node) => {
			const outputs = getOutputs(node);
			const led = follows[node.name]?.main ?? [];
			// A node without connections is an end.
			const isEnd = led.length === 0 && outputs.length === 1 && outputs[0] === 0;
			// An AI Agent's output is the answer in its chat.
			const isAnswer = (index: number) => index === 0 && node.type.endsWith('.agent');
			return isEnd
				? []
				: outputs
						.filter((index) => !led[index]?.length && !isAnswer(index))
						.map((index) => `${node.name}, output ${index}`);
		});
		expect(loose).toEqual([]);
	});

	test('notifies people by a message, not by an error that it throws', () => {
		expect(nodes.filter(({ type }) => type.endsWith('.stopAndError'))).toEqual([]);
	});

	test('stores IDs as the editor does, because the editor would show others as "Mode..."', () => {
		const plain = nodes
			.filter(({ type }) => type.includes('workspace-automation'))
			.flatMap(({ name: node, parameters }) =>
				LOCATORS.filter((field) => field in parameters && parameters[field]?.__rl !== true).map(
					(field) => `${node}: ${field}`,
				),
			);
		expect(plain).toEqual([]);
	});

	test('approves exact commands: no wildcard in a rule', () => {
		const patterns = nodes.flatMap(({ parameters }) =>
			(parameters.permissionRules?.rule ?? [])
				.filter(({ decision }: { decision: string }) => decision === 'approve')
				.map(({ pattern }: { pattern: string }) => pattern),
		);
		expect(patterns.filter((pattern: string) => /[*?]/.test(pattern))).toEqual([]);
	});
});
