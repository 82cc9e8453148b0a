// The examples and the nodes avoid everything that n8n 3 changes. docs/n8n-3.md lists the changes.
import { describe, expect, test } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { exampleWorkflow, examples } from '../../tools/examples.mts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Nodes that n8n 3 removes */
const REMOVED = /\.(function|functionItem|itemLists|aiTransform|code)$/i;
const SEVERAL_OUTPUTS = /\.(if|switch|filter|runAgentSession|splitInBatches)$/;

describe.each(examples())('%s.json', (name) => {
	const { nodes } = exampleWorkflow(name) as { nodes: Array<Record<string, any>> };
	const ofType = (type: RegExp) => nodes.filter((node) => type.test(node.type));

	test('has no node that n8n 3 removes, and no Code node', () => {
		expect(ofType(REMOVED)).toEqual([]);
		expect(ofType(/\.agent$/).filter(({ typeVersion }) => typeVersion < 2)).toEqual([]);
	});

	test('has Always Output Data only where a node has one output', () => {
		expect(ofType(SEVERAL_OUTPUTS).filter((node) => node.alwaysOutputData)).toEqual([]);
	});

	test('calls sub-workflows with all items, and waits only for those that never pause', () => {
		const { connections } = exampleWorkflow(name) as { connections: Record<string, any> };
		const follow = (from: string): string[] =>
			(connections[from]?.main ?? [])
				.flat()
				.flatMap(({ node }: { node: string }) => [node, ...follow(node)]);
		for (const { parameters } of ofType(/\.executeWorkflow$/)) {
			expect(parameters.mode ?? 'once').toBe('once');
			if (parameters.options.waitForSubWorkflow === false) continue;
			const called = ofType(/\.executeWorkflowTrigger$/).flatMap((node) => follow(node.name));
			expect(called.length).toBeGreaterThan(0);
			const pausing = ofType(/\.(wait|runAgentSession|form)$/).map((node) => node.name);
			expect(called.filter((node) => pausing.includes(node))).toEqual([]);
		}
	});
});

test('no example, guide or panel uses an expression helper that n8n 3 removes', () => {
	const files = globSync(
		['{credentials,nodes,examples}/**/*.{ts,json}', 'docs/*.md', 'README.md'],
		{
			cwd: root,
		},
	);
	expect(files.length).toBeGreaterThan(50);
	const using = files.filter(
		(file) =>
			!file.endsWith('n8n-3.md') &&
			/\$(getPairedItem|evaluateExpression)\(/.test(readFileSync(root + file, 'utf8')),
	);
	expect(using).toEqual([]);
});
