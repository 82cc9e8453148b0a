// Which items of earlier runs of this node an item descends from, whichever way it returned.
import { describe, expect, test } from '@jest/globals';
import {
	isFromItself,
	isFromOwnOutput,
	listAncestors,
} from '../../nodes/RunAgentSession/session/ancestors.ts';

const NODE = 'Run Agent Session';
const FROM_NODE = { previousNode: NODE, previousNodeOutput: 2 };

/** An item's name, and what it descends from */
const item = (name: string, pairedItem?: unknown) => ({ json: { name }, pairedItem });
/** A run of a node: the items of its outputs, and where its inputs come from */
const ran = (outputs: unknown[], ...source: unknown[]) => ({ data: { main: outputs }, source });
const own = ran([[item('running')], [], [item('a'), item('b'), item('c')]], null);

interface World {
	runData?: object;
	/** What the input descends from: the first item of the node A, unless it says otherwise */
	pairedItem?: unknown;
	sources?: unknown[] | null;
}
const createContext = ({ runData = {}, sources = [{ previousNode: 'A' }], ...world }: World) => ({
	runExecutionData: { resultData: { runData: { [NODE]: [own], ...runData } } },
	getNode: () => ({ name: NODE }),
	getExecuteData: () => ({ source: sources && { main: sources } }),
	getInputData: () => [item('input', 'pairedItem' in world ? world.pairedItem : { item: 0 })],
});
const list = (world: World, index = 0) =>
	listAncestors(createContext(world) as never, index).map(({ json }) => json.name);

describe('an item descends from', () => {
	const twoBranches = {
		Merge: [
			ran(
				[
					[
						item('merged', [
							{ item: 0, input: 0 },
							{ item: 0, input: 1 },
						]),
					],
				],
				{ previousNode: 'Left' },
				{ previousNode: 'Right' },
			),
		],
		Left: [ran([[item('left', 1)]], FROM_NODE)],
		Right: [ran([[item('right', { item: 2 })]], FROM_NODE)],
	};
	const overwritten = { item: 1, sourceOverwrite: FROM_NODE };

	test.each<[string, World, string[]]>([
		['the item that the node has returned to it', { sources: [FROM_NODE] }, ['a']],
		['one through another node', { runData: { A: [ran([[item('x', 1)]], FROM_NODE)] } }, ['b']],
		[
			'one of the first run and output, unless n8n names others',
			{ sources: [{ previousNode: NODE }] },
			['running'],
		],
		[
			'one of the run that n8n names',
			{
				runData: { A: [ran([[item('x', 0)]], FROM_NODE), ran([[item('x', 2)]], FROM_NODE)] },
				sources: [{ previousNode: 'A', previousNodeRun: 1 }],
			},
			['c'],
		],
		[
			'several, each once',
			{ runData: { A: [ran([[item('x', [0, { item: 2 }, 0])]], FROM_NODE)] } },
			['a', 'c'],
		],
		[
			'those of all branches that were merged',
			{ runData: twoBranches, sources: [{ previousNode: 'Merge' }] },
			['b', 'c'],
		],
		[
			"one of the input's own second branch",
			{
				runData: twoBranches,
				sources: [null, { previousNode: 'Right' }],
				pairedItem: { item: 0, input: 1 },
			},
			['c'],
		],
		['one whose source n8n has written to the pair', { pairedItem: overwritten }, ['b']],
		[
			'one whose source n8n has written to the pair of another node',
			{ runData: { A: [ran([[item('x', overwritten)]], null)] } },
			['b'],
		],
		['none without a pair', { sources: [FROM_NODE], pairedItem: undefined }, []],
		['none if nothing is known of its source', { sources: null }, []],
		['none if the pair has no source', { sources: [null] }, []],
		[
			'none of a node that started the workflow',
			{ runData: { A: [ran([[item('x', 0)]], null)] } },
			[],
		],
		['none of a node that has not run', {}, []],
		['none of a run that is not there', { runData: { A: [] } }, []],
		['none of a run without data', { runData: { A: [{ source: [null] }] } }, []],
		['none of a run without outputs', { runData: { A: [{ data: {}, source: [null] }] } }, []],
		['none of an empty output', { runData: { A: [ran([null], null)] } }, []],
		['none of an item that is not there', { sources: [FROM_NODE], pairedItem: { item: 7 } }, []],
	])('%s', (_, world, names) => {
		expect(list(world)).toEqual(names);
	});

	test.each([undefined, null])('none if n8n has no data of the runs: %s', (runExecutionData) => {
		const context = { ...createContext({ sources: [FROM_NODE] }), runExecutionData };
		expect(listAncestors(context as never, 0)).toEqual([]);
	});

	test('none if it is not in the input', () => {
		expect(list({ sources: [FROM_NODE] }, 1)).toEqual([]);
	});

	test('no more than 20,000 items are looked at', () => {
		const many = Array.from({ length: 20_001 }, (_, index) => index);
		const all = ran([many.map((index) => item(`${index}`))], null);
		const runData = { [NODE]: [all], A: [ran([[item('x', many)]], { previousNode: NODE })] };
		// The combined item is one of them.
		expect(list({ runData })).toHaveLength(19_999);
	});
});

test.each<[string, unknown[] | null | undefined, boolean, boolean]>([
	['its Still Running', [{ previousNode: NODE, previousNodeOutput: 0 }], true, true],
	['its first output, which n8n does not name', [{ previousNode: NODE }], true, true],
	['another of its outputs', [FROM_NODE], true, false],
	['another node', [{ previousNode: 'A' }], false, false],
	['nowhere that n8n knows', [null], false, false],
	['no input', [], false, false],
	['no inputs', undefined, false, false],
	['a start without a source', null, false, false],
])('items come back from %s', (_, main, fromNode, fromOwnOutput) => {
	const source = main === null ? null : { main };
	const context = {
		getNode: () => ({ name: NODE }),
		getExecuteData: () => ({ source }),
	} as never;
	expect([isFromItself(context), isFromOwnOutput(context)]).toEqual([fromNode, fromOwnOutput]);
});
