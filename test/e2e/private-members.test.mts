// The private members of n8n that execution/engine.ts uses, one test for each. A test that fails in a new n8n says what has changed.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Execution } from '../../n8n-host/executions.mts';
import { hostVersion } from '../../n8n-host/versions.mts';
import { expectSuccess, untilPaused, usePausingStage } from './pausing.mts';
import {
	arrival,
	chain,
	editFields,
	eventually,
	manualTrigger,
	node,
	workflow,
} from './support.mts';

/** A package with the node of members.cjs */
const packageDir = mkdtempSync(join(tmpdir(), 'n8n-members-'));
const FILE = 'Members.node.js';
const NAME = 'n8n-nodes-members';
cpSync(join(import.meta.dirname, 'members.cjs'), join(packageDir, FILE));
const n8n = { n8nNodesApiVersion: 1, nodes: [FILE] };
writeFileSync(
	join(packageDir, 'package.json'),
	JSON.stringify({ name: NAME, version: '1.0.0', keywords: ['n8n-community-node-package'], n8n }),
);
afterAll(() => rmSync(packageDir, { recursive: true, force: true }));

const stage = usePausingStage({ packageDir });

const KEY = { name: 'x-key', value: 'of the other node' };

const input = editFields('Input', { text: 'same', url: '={{ $execution.resumeUrl }}' });
const members = (name: string, use: string, parts: object = {}) =>
	node(name, `${NAME}.members`, 1, { parameters: { use }, ...parts });

const begin = async (use: string): Promise<string> =>
	await stage.host.run(
		await stage.host.importWorkflow(
			chain(use, [
				manualTrigger(),
				input,
				members('Members', use, { alwaysOutputData: true }),
				arrival('After'),
			]),
		),
	);

const play = async (use: string): Promise<Execution> =>
	await stage.host.waitForExecution(await begin(use));

const runs = ({ runData }: Execution) =>
	runData.Members.map(({ data }) => data?.main[0]?.map(({ json }) => json));

describe('the contexts of a node', () => {
	let described: Record<string, any>;
	beforeAll(async () => {
		[described] = (await play('describe')).items('Members');
	});

	test.each(
		Object.entries({
			'getExecutionCancelSignal() returns a signal': { signal: 'boolean' },
			'runExecutionData.executionData.nodeExecutionStack is a list without the entry that runs': {
				stack: true,
				isOnStack: false,
			},
			'getExecuteData().node is the node': { isOwnNode: true },
			'getExecuteData().data.main has the input': { input: [{ text: 'same' }] },
			"runExecutionData.executionData.contextData has the node's context": { isOwnContext: true },
			'runExecutionData.resultData.runData has the runs of the nodes before': {
				ran: ['Start', 'Input'],
			},
			'additionalData.hooks.addHandler is a function': { addHandler: 'function' },
			'additionalData.setExecutionStatus is a function': { setExecutionStatus: 'function' },
			'customData is there where the parent of a paused sub-workflow waits for its end': {
				hasCustomData: hostVersion() !== '1.123',
			},
		}),
	)('%s', (_, expected) => {
		expect(described).toMatchObject(expected);
	});
});

test('an entry at the end of nodeExecutionStack is executed after the nodes behind the node', async () => {
	expect(runs(await play('again'))).toEqual([
		[{ isAgain: false, runsBehind: 0 }],
		[{ isAgain: true, runsBehind: 1 }],
	]);
});

test('null as the outputs leaves no run, if alwaysOutputData of getExecuteData().node is off', async () => {
	expect(runs(await play('null'))).toEqual([[{ runIndex: 0 }]]);
});

test("the contexts' constructor opens the context of another node on nodeExecutionStack, with its state, parameters, items, credentials and signal", async () => {
	const { host } = stage;
	await host.importCredential({ name: 'Key', type: 'httpHeaderAuth', data: KEY });
	const other = {
		...members('Other', "={{ $json.text === 'same' ? 'describe' : '' }}"),
		// n8n executes the upper one first.
		position: [0, 100] as [number, number],
		credentials: { httpHeaderAuth: { id: null, name: 'Key' } },
	};
	const file = workflow('open', [manualTrigger(), input, members('Members', 'open'), other], {
		Start: [['Input']],
		Input: [['Members', 'Other']],
	});
	const execution = await host.waitForExecution(await host.run(await host.importWorkflow(file)));
	expectSuccess(execution);
	expect(execution.items('Members')).toMatchObject([
		{ name: 'Other', use: 'describe', isOwnContext: true, key: KEY, hasSignal: true },
	]);
});

test('a handler of workflowExecuteAfter is called with the status', async () => {
	await play('end');
	await eventually(async () => stage.host.tail().includes('Members ended with success'));
});

test('a pause with runIndex, metadata, node and a date for the column only: a webhook and a timer execute the node again in the same run', async () => {
	const { host } = stage;
	const id = await begin('pause');
	await untilPaused(stage, id);
	const { runData } = await host.waitForExecution(id, { until: 'waiting' });
	const url = new URL(runData.Input[0].data!.main[0]![0].json.url);
	url.pathname += '/members';
	expect((await fetch(url, { method: 'POST' })).status).toBe(200);
	const execution = await host.waitForExecution(id);
	expect(execution.status).toBe('success');
	// The context, with the answer that the webhook wrote into it, is saved with the pauses.
	expect(runs(execution)).toEqual([
		[{ runs: 3, runIndex: 0, answer: 'from webhook', isAgain: true }],
	]);
});
