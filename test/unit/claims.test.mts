// One run at a time: n8n 1 can execute a paused node twice at once, with the same context.
import { expect, test } from '@jest/globals';
import { restoreResults, runOnceAtATime } from '../../nodes/RunAgentSession/session/claims.ts';

/** A run of a node, with a copy of the execution as n8n loads it for each resume */
function loadExecution(executionId: string) {
	const nodeContext = { pause: { until: 0, runs: 3 } };
	const runExecutionData = {
		resultData: { runData: { Agent: [{}] } as Record<string, unknown[]> },
	};
	const context = {
		runExecutionData,
		getContext: () => nodeContext,
		getNode: () => ({ id: 'node', name: 'Agent' }),
		getExecutionId: () => executionId,
	} as never;
	return { context, nodeContext, runExecutionData };
}
const never = async () => await Promise.reject(new Error('This run is the second one.'));

test('the second run has no effect, and takes over the context of the first', async () => {
	const [first, second] = [loadExecution('1'), loadExecution('1')];
	Object.assign(first.nodeContext, { sessions: 'one' });
	const outputs = runOnceAtATime(first.context, async () => [[], [], []], never);
	const repeated = await runOnceAtATime(second.context, never, async (first) => {
		expect(first).toEqual({ hasLeft: false, returning: [] });
		return [];
	});
	expect([await outputs, repeated]).toEqual([[[], [], []], []]);
	expect(second.nodeContext).toEqual({ sessions: 'one', pause: { until: 0, runs: 4 } });
});

test('the second run never ends if items leave the first meanwhile, so n8n saves the first last', async () => {
	const [first, second] = [loadExecution('3'), loadExecution('3')];
	let leave = () => {};
	const outputs = [[], [{ json: {} }], []];
	const running = runOnceAtATime(
		first.context,
		async () => await new Promise((resolve) => (leave = () => resolve(outputs))),
		never,
	);
	let isOver = false;
	void runOnceAtATime(second.context, never, never).finally(() => (isOver = true));
	leave();
	expect(await running).toBe(outputs);
	await new Promise(setImmediate);
	expect(isOver).toBe(false);
});

test('copies of an execution whose items have left get the results of the original', async () => {
	const [first, second, woken, wokenTwice] = [1, 2, 3, 4].map(() => loadExecution('2'));
	const completed = { json: { text: 'Done.' } };
	await runOnceAtATime(first.context, async () => [[], [completed], []], never);
	await runOnceAtATime(second.context, never, async () => []);
	// The items of the original reach other nodes meanwhile.
	first.runExecutionData.resultData.runData.Result = [{ data: completed }];
	restoreResults(woken.context);
	expect(woken.runExecutionData).toEqual(first.runExecutionData);
	// n8n adds the run of the copy, which the original doesn't have.
	woken.runExecutionData.resultData.runData.Agent.push({});
	expect(first.runExecutionData.resultData.runData.Agent).toHaveLength(1);
	restoreResults(wokenTwice.context);
	expect(wokenTwice.runExecutionData).toEqual(first.runExecutionData);
});

test('a copy of a paused execution gets the results without the run that paused it, as n8n resumes it', async () => {
	const [first, second, woken] = [1, 2, 3].map(() => loadExecution('4'));
	await runOnceAtATime(first.context, async () => [[], [{ json: {} }], []], never);
	await runOnceAtATime(second.context, never, async () => []);
	first.runExecutionData.resultData.runData.Agent.push({});
	Object.assign(first.runExecutionData, { waitTill: new Date() });
	restoreResults(woken.context);
	expect(woken.runExecutionData.resultData.runData.Agent).toHaveLength(1);
});
