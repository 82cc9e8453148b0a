// One run at a time: n8n 1 can execute a paused node twice at once, with the same context, and saves both executions.
import { expect, test } from '@jest/globals';
import { runOnceAtATime } from '../../nodes/RunAgentSession/session/claims.ts';

type Handler = (run: object) => void;

let executions = 0;
/** An execution that no test has begun before */
const newExecution = () => `${++executions}`;

/** A run of a node, in an execution as n8n loads it for each resume */
function loadExecution(executionId: string) {
	const stop = new AbortController();
	const handlers = { workflowExecuteAfter: [] as Handler[] };
	const runExecutionData = { executionData: { nodeExecutionStack: ['another node'] } };
	const nodeContext: Record<string, unknown> = { pause: { until: 0, runs: 3 } };
	const context = {
		runExecutionData,
		additionalData: { hooks: { handlers } },
		getContext: () => nodeContext,
		getNode: () => ({ id: 'node', name: 'Agent' }),
		getExecutionId: () => executionId,
		getExecutionCancelSignal: () => stop.signal,
	};
	return {
		context: context as never,
		nodeContext,
		runExecutionData,
		stop: () => stop.abort(),
		/** Ends the execution as n8n does, and returns what its functions leave to save. */
		end(run: object): object {
			const saved = { ...run };
			for (const handle of handlers.workflowExecuteAfter) handle(saved);
			return saved;
		},
	};
}
const NONE = [[], [], []];
const never = async () => await Promise.reject(new Error('This run is the second one.'));
const isPending = async (running: Promise<unknown>) =>
	await Promise.race([
		running.then(() => false),
		new Promise((resolve) => setImmediate(() => resolve(true))),
	]);

test('a second run has no effect, and n8n saves for it what it has saved for the first', async () => {
	const id = newExecution();
	const [first, second] = [loadExecution(id), loadExecution(id)];
	const outputs = [[], [{ json: { text: 'Done.' } }], []];
	expect(await runOnceAtATime(first.context, async () => outputs)).toBe(outputs);
	const repeated = runOnceAtATime(second.context, never);
	// Other nodes of the first execution are still running.
	expect(await isPending(repeated)).toBe(true);
	const end = { status: 'waiting', waitTill: 'later', data: 'all results' };
	first.end(end);
	expect(await repeated).toEqual(NONE);
	expect(second.runExecutionData.executionData.nodeExecutionStack).toEqual([]);
	expect(second.end({ status: 'success', finished: true, data: 'none' })).toEqual(end);
});

test('a second run never ends if n8n does not provide its functions, so that n8n saves only the first', async () => {
	const id = newExecution();
	const [first, second] = [loadExecution(id), loadExecution(id)];
	for (const { context } of [first, second])
		delete (context as { additionalData?: object }).additionalData;
	expect(await runOnceAtATime(first.context, async () => NONE)).toBe(NONE);
	expect(await isPending(runOnceAtATime(second.context, never))).toBe(true);
});

test('the next run of the node is another one', async () => {
	const { context, nodeContext } = loadExecution(newExecution());
	for (const runs of [4, 5]) {
		expect(await runOnceAtATime(context, async () => NONE)).toBe(NONE);
		expect(nodeContext.pause).toMatchObject({ runs });
	}
});

test('after Stop, the second run does the work with the context of the first, because n8n stops only the second', async () => {
	const id = newExecution();
	const [first, second] = [loadExecution(id), loadExecution(id)];
	void runOnceAtATime(first.context, async () => await new Promise(() => {}));
	first.nodeContext.sessions = 'one';
	const aborted = runOnceAtATime(second.context, async () => {
		expect(second.nodeContext.sessions).toBe('one');
		return NONE;
	});
	expect(await isPending(aborted)).toBe(true);
	second.stop();
	expect(await aborted).toBe(NONE);
});

test('a run is forgotten after ten minutes, when n8n cannot repeat it any more', async () => {
	const id = newExecution();
	const real = performance.now;
	let minutes = 0;
	performance.now = () => minutes * 60_000;
	try {
		for (const at of [0, 11]) {
			minutes = at;
			const { context } = loadExecution(id);
			expect(await runOnceAtATime(context, async () => NONE)).toBe(NONE);
		}
		minutes = 20;
		expect(await isPending(runOnceAtATime(loadExecution(id).context, never))).toBe(true);
	} finally {
		performance.now = real;
	}
});
