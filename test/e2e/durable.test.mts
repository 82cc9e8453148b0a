// Run Agent Session that waits in the database, in an n8n that nobody kills: durable-killed.test.mts does. All workflows run beside each other,
// and the tests check what became of them.
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Execution } from '../../n8n-host/executions.mts';
import type { WorkflowFile } from '../../n8n-host/workflows.mts';
import { durable, twiceHost, looped, single } from './durable.mts';
import {
	arrival,
	connect,
	editFields,
	NODE,
	getRecord,
	sessionsFor,
	useOwnStage,
} from './support.mts';

const stage = useOwnStage(twiceHost);

const started: Record<string, string> = {};
/** Imports and starts a workflow: n8n 1's database takes one after the other. */
const begin = async (file: WorkflowFile): Promise<void> => {
	started[file.name] = await stage.host.run(await stage.host.importWorkflow(file));
};
const outcome = async (name: string): Promise<Execution> =>
	await stage.host.waitForExecution(started[name]);

const expectSuccess = ({ status, error }: Execution) =>
	expect({ status, error: error && JSON.stringify(error) }).toEqual({ status: 'success' });

/** Output items, with the number of their input item according to n8n, through all rounds */
const completed = editFields('Completed', {
	n: "={{ $('Items').item.json.n }}",
	text: '={{ $json.text }}',
});

const range = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** The service's minutes in a minute */
const SPEED = 30;

const asks = '[ask bash: npm publish]';

beforeAll(async () => {
	await stage.service.control.setSpeed(SPEED);
	const minutes = { prompt: '={{ $json.prompt }}' };

	await begin(
		looped(
			'Ten',
			range(10).map((n) => ({ n, prompt: `Ten ${n} [work ${n * 2}m] [say Done ${n}.]` })),
			durable(minutes),
			{ completed },
		),
	);
	await begin(
		looped(
			'Many',
			range(200).map((n) => ({
				n,
				prompt: `Many ${n} [work ${1 + (n % 20)}m] [say Done ${n}.]`,
			})),
			durable({ ...minutes, options: { maxConcurrentSessions: 20 } }),
			{ completed },
		),
	);
	await begin(single('Asks once', `Asks once ${asks} [say Never.]`, { permissionPolicy: 'ask' }));
	// The node after Needs Approval is connected back. An approver would need a message in between.
	const back = (name: string, options: object) =>
		looped(
			name,
			[{ n: 1 }],
			durable({ prompt: `${name} ${asks} [say Went on.]`, permissionPolicy: 'ask', options }),
			{
				wires: connect({ stillRunning: [NODE], completed: ['Completed'], needsApproval: ['Told'] }),
				more: [editFields('Told', { note: 'told' })],
				follows: { Told: [[NODE]] },
			},
		);
	await begin(back('Denied in the end', { ifNobodyAnswers: 'deny', unansweredAfter: 0.001 }));
	await begin(back('Aborted in the end', { ifNobodyAnswers: 'abort', unansweredAfter: 0.001 }));
	await begin(
		single('Given up', 'Given up [work 9h]', {
			options: { giveUpAfter: 0.001, onGiveUp: 'abort' },
		}),
	);
	await begin(
		single('Left', 'Left [work 9h]', { options: { giveUpAfter: 0.001, onGiveUp: 'error' } }),
	);
	await begin(
		looped(
			'One fails',
			[
				{ n: 1, prompt: 'One fails 1 [work 1m] [fail Out of disk]' },
				{ n: 2, prompt: 'One fails 2 [work 6m] [say Done.]' },
			],
			durable(minutes),
		),
	);
	await begin(
		looped(
			'Error output',
			[
				{ n: 1, prompt: 'Error output 1 [work 1m] [fail Out of disk]' },
				{ n: 2, prompt: 'Error output 2 [work 6m] [say Done.]' },
			],
			durable(minutes, { onError: 'continueErrorOutput' }),
			{
				wires: connect({ stillRunning: [NODE], completed: ['Completed'], error: ['Failed'] }),
				more: [arrival('Failed')],
			},
		),
	);
});

/** The items that reached a node, over all of its runs */
const arrived = ({ runData }: Execution, name: string): Array<Record<string, any>> =>
	(runData[name] ?? []).flatMap((run) => run.data?.main[0] ?? []).map(({ json }) => json);

/** Returns the result of the item with this number. */
const findDone = (n: number) => ({ n: String(n), text: `Done ${n}.` });

describe('many items', () => {
	test('ten sessions of different lengths each return once, at their end', async () => {
		const execution = await outcome('Ten');
		expectSuccess(execution);
		const runs = execution.runData.Completed;
		expect(arrived(execution, 'Completed')).toEqual(range(10).map(findDone));
		// Not all at the end: the next nodes run while other items wait.
		expect(runs.length).toBeGreaterThan(2);
		for (const n of range(10))
			expect(await sessionsFor(stage, `Ten ${n} [work ${n * 2}m] [say Done ${n}.]`)).toHaveLength(
				1,
			);
	});

	test('200 sessions of 1 to 20 minutes: each item returns once, paired with its input, and no second session starts', async () => {
		const execution = await outcome('Many');
		expectSuccess(execution);
		const items = arrived(execution, 'Completed').sort((one, other) => one.n - other.n);
		expect(items).toEqual(range(200).map(findDone));
		const prompts = (await stage.service.sessions())
			.map(({ prompt }) => prompt)
			.filter((prompt) => prompt.startsWith('Many '));
		expect([prompts.length, new Set(prompts).size]).toEqual([200, 200]);
	});
});

describe('approvers', () => {
	test('an item with an undecided request leaves through Needs Approval once (rule 5)', async () => {
		const execution = await outcome('Asks once');
		expectSuccess(execution);
		expect(arrived(execution, 'Approval')).toMatchObject([
			{ pendingInteractions: [{ patterns: ['npm publish'] }] },
		]);
	});

	test('If Nobody Answers denies the request, and the session continues', async () => {
		const execution = await outcome('Denied in the end');
		expectSuccess(execution);
		expect(execution.runData.Told).toHaveLength(1);
		const [item] = arrived(execution, 'Completed');
		expect(item).toMatchObject({ decisions: [{ decision: 'deny' }] });
		expect(await getRecord(stage, item.sessionId)).toMatchObject({ status: 'completed' });
	});

	test('If Nobody Answers aborts the session, and says so', async () => {
		const execution = await outcome('Aborted in the end');
		expect(execution.status).toBe('error');
		expect(execution.error?.message).toMatch(
			/waited .* for an approver's decision and was aborted/,
		);
	});
});

describe('the end of the wait', () => {
	test.each([
		['Given up', 'aborted', true],
		['Left', 'still running', false],
	])('Give Up After: %s', async (name, words, aborted) => {
		const execution = await outcome(name);
		expect(execution.status).toBe('error');
		expect(execution.error?.message).toContain(words);
		const [session] = await sessionsFor(stage, `${name} [work 9h]`);
		expect(execution.error?.description).toContain(session.sessionId);
		expect(session.aborted).toBe(aborted);
	});
});

describe('one of two sessions fails', () => {
	test('the node waits for the other item, and then fails', async () => {
		const execution = await outcome('One fails');
		expect(execution.error?.message).toContain('Out of disk');
		const [first, second] = ['1 [work 1m] [fail Out of disk]', '2 [work 6m] [say Done.]'];
		expect(await sessionsFor(stage, `One fails ${first}`)).toMatchObject([{ status: 'failed' }]);
		expect(await sessionsFor(stage, `One fails ${second}`)).toMatchObject([
			{ status: 'completed' },
		]);
	});

	test('its item leaves through the error output before the other session has ended', async () => {
		const execution = await outcome('Error output');
		expectSuccess(execution);
		expect(arrived(execution, 'Failed')).toMatchObject([
			{ error: expect.stringContaining('Out of disk') },
		]);
		expect(arrived(execution, 'Completed')).toMatchObject([{ text: 'Done.' }]);
	});
});
