// Matches an item of Run Agent Session with its session: by its key, by its run and item, or by its ancestors.
import { describe, expect, test } from '@jest/globals';
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { listAncestors } from '../../nodes/RunAgentSession/session/ancestors.ts';
import { matchItem, type SessionRecord } from '../../nodes/RunAgentSession/session/journal.ts';
import { openRecord } from '../../nodes/shared/n8n/journal.ts';

const NODE = 'Run Agent Session';

interface World {
	/** Runs of other nodes and of this one, as n8n has them */
	runData?: Record<string, unknown[]>;
	source?: unknown;
	input: INodeExecutionData[];
	records?: Record<string, Partial<SessionRecord>>;
	operation?: string;
	run?: number;
}

function createContext({ runData = {}, source, input, records = {}, ...more }: World) {
	const nodeContext = {};
	for (const [key, record] of Object.entries(records))
		openRecord<object>(nodeContext, 'sessions', key).write({ ledger: [], ...record });
	return {
		runExecutionData: { resultData: { runData } },
		getNode: () => ({ name: NODE, parameters: { operation: 'start' } }),
		getInputData: () => input,
		getExecuteData: () => ({ source: { main: [source ?? { previousNode: 'Trigger' }] } }),
		getContext: () => nodeContext,
		getExecutionId: () => '1',
		getNodeParameter: () => more.operation ?? 'start',
		getWorkflowDataProxy: () => ({ $runIndex: more.run ?? 0 }),
	} as unknown as IExecuteFunctions;
}

const match = (world: World, index = 0) => matchItem(createContext(world), index, () => '');
const outputs = (...items: object[][]) => ({ data: { main: items }, source: [null] });
const [one, two] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];

/** Two sessions that needed approval, combined into one item on their way back */
const aggregated: World = {
	records: {
		'0.0': { sessionId: one },
		'0.1': { sessionId: two, dashboardUrl: 'https://x.test/2' },
	},
	runData: {
		[NODE]: [
			outputs(
				[],
				[],
				[
					{ json: { sessionId: one }, pairedItem: { item: 0 } },
					{ json: { sessionId: two }, pairedItem: { item: 1 } },
				],
			),
		],
		Aggregate: [
			{
				...outputs([{ json: { data: [] }, pairedItem: [{ item: 0 }, { item: 1 }] }]),
				source: [{ previousNode: NODE, previousNodeOutput: 2, previousNodeRun: 0 }],
			},
		],
	},
	source: { previousNode: 'Aggregate' },
	input: [{ json: { data: [] }, pairedItem: { item: 0 } }],
	run: 1,
};

describe('an item that descends from sessions of this node (rule 31)', () => {
	test('continues that session, although its JSON has no ID', () => {
		const world = structuredClone(aggregated);
		world.runData!.Aggregate = [
			{
				...outputs([{ json: {}, pairedItem: { item: 1 } }]),
				source: [{ previousNode: NODE, previousNodeOutput: 2, previousNodeRun: 0 }],
			},
		];
		expect(match(world)?.key).toBe('0.1');
		expect(match(world)?.read()).toBeDefined();
	});

	test('is an error that names the sessions, if there are several (Aggregate, Merge)', () => {
		expect(() => match(aggregated)).toThrow('belongs to several sessions');
		try {
			match(aggregated);
		} catch (error) {
			expect((error as { description: string }).description).toMatch(
				new RegExp(`Nothing was started.*${one}.*${two}, https://x\\.test/2`),
			);
		}
	});

	test('carries the ID of a session of this node: it continues that session', () => {
		const found = match({
			records: { '0.0': { sessionId: one } },
			input: [{ json: { sessionId: one } }],
			run: 1,
		});
		expect(found?.key).toBe('0.0');
		expect(found?.read()).toBeDefined();
	});

	test("carries the ID of another node's session: it starts its own", () => {
		const found = match({ input: [{ json: { sessionId: two } }] });
		expect(found?.key).toBe('0.0');
		expect(found?.read()).toBeUndefined();
	});

	test('ends at a loop of paired items', () => {
		const source = { previousNode: 'Loop', previousNodeRun: 0 };
		const loop = { ...outputs([{ json: {}, pairedItem: { item: 0 } }]), source: [source] };
		const context = createContext({
			runData: { Loop: [loop] },
			source,
			input: [{ json: {}, pairedItem: { item: 0 } }],
		});
		expect(listAncestors(context, 0)).toEqual([]);
	});
});

test('a run with the status crashed is not counted: the retry has the same key and mark', () => {
	const crashed = { executionStatus: 'crashed', source: [null] };
	const world = { runData: { [NODE]: [crashed] }, input: [{ json: {} }], run: 1 };
	expect(match(world)?.key).toBe('0.0');
	const again = { ...world, runData: { [NODE]: [outputs([]), crashed] }, run: 2 };
	expect(match(again)?.key).toBe('1.0');
});

describe('an item that returned from Still Running', () => {
	const source = { previousNode: NODE, previousNodeOutput: 0, previousNodeRun: 0 };

	test('continues the record of its key, at any position in the list', () => {
		const input = [
			{ json: {}, sessionKey: '0.3' },
			{ json: {}, sessionKey: '0.1' },
		];
		const records = { '0.1': { sessionId: one }, '0.3': { sessionId: two } };
		const keys = [0, 1].map((index) => match({ source, input, records, run: 1 }, index)?.key);
		expect(keys).toEqual(['0.3', '0.1']);
	});

	test('starts nothing without a record, for example the {} of Always Output Data', () => {
		expect(match({ source, input: [{ json: {} }], run: 1 })).toBeUndefined();
	});

	test('starts another session if its own has failed and was cleared', () => {
		const world = { source, input: [{ json: {}, sessionKey: '0.0' }], run: 1 };
		const context = createContext(world);
		const journal = openRecord<object>(context.getContext('node'), 'sessions', '0.0');
		journal.write({ ledger: [], sessionId: one });
		journal.clear();
		const found = matchItem(context, 0, () => '');
		expect(found?.key).toBe('0.0');
		expect(found?.read()).toBeUndefined();
	});
});
