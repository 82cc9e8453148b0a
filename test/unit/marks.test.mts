// Marks survive n8n killed at any moment: they are in n8n's database, not in the node's context.
import { expect, test } from '@jest/globals';
import type { IExecuteFunctions } from 'n8n-workflow';
import { createMarks } from '../../nodes/RunAgentSession/execution/marks.ts';
import type { NodeState } from '../../nodes/RunAgentSession/execution/marks.ts';

/** Returns what creates the marks of an attempt. All attempts share n8n's database; each has a context that nothing has saved. */
function attempts() {
	const database = new Set<string>();
	let executions = 0;
	return (
		mode: string,
		token?: string,
		nodeContext: { state?: Partial<NodeState> } = {},
		execution = `${++executions}`,
	) => {
		const resumeUrl = token && `http://n8n.example/webhook-waiting/1?signature=${token}`;
		return createMarks({
			getContext: () => nodeContext,
			getExecutionId: () => execution,
			getMode: () => mode,
			getNode: () => ({ id: 'node' }),
			getWorkflowDataProxy: () => ({ $execution: { resumeUrl } }),
			helpers: {
				async checkProcessedAndRecord(keys: string[]) {
					const processed = keys.filter((key) => database.has(key));
					for (const key of keys) database.add(key);
					return { processed };
				},
				async removeProcessed(keys: string[]) {
					for (const key of keys) database.delete(key);
				},
			},
		} as unknown as IExecuteFunctions);
	};
}

test('a start that a killed n8n recorded counts in the retry: n8n 2 has the same resume token', async () => {
	const attempt = attempts();
	expect(await attempt('trigger', 'token').record('0.0 start 0')).toBe(false);
	const retry = attempt('retry', 'token');
	expect(await retry.record('0.0 start 0')).toBe(true);
	expect(await retry.record('0.1 start 0')).toBe(false);
	expect(await attempt('trigger', 'another').record('0.0 start 0')).toBe(false);
});

test('on n8n 1 before the first pause it counts only in a retry of the execution, at the same run and item', async () => {
	const attempt = attempts();
	expect(await attempt('trigger').record('0.0 start 0')).toBe(false);
	expect(await attempt('trigger').record('0.0 start 0')).toBe(false);
	expect(await attempt('retry').record('0.1 start 0')).toBe(false);
	expect(await attempt('retry').record('0.0 start 0')).toBe(true);
});

test('on n8n 1 it counts if the same execution runs again without its context, also after its run has ended', async () => {
	const attempt = attempts();
	const first = attempt('trigger', undefined, {}, '7');
	await first.record('0.0 start 0');
	await first.release('ended');
	expect(await attempt('trigger', undefined, {}, '7').record('0.0 start 0')).toBe(true);
	expect(await attempt('trigger', undefined, {}, '8').record('0.0 start 0')).toBe(false);
});

test('n8n 1 keeps no mark of a finished run for retries', async () => {
	const attempt = attempts();
	const first = attempt('trigger');
	await first.record('0.0 start 0');
	await first.release('ended');
	expect(await attempt('retry').record('0.0 start 0')).toBe(false);
});

test('a mark stays until a pause has saved the context', async () => {
	const attempt = attempts();
	const nodeContext: { state?: Partial<NodeState> } = {};
	await attempt('trigger', 'token', nodeContext).record('0.0 start 0');
	await attempt('trigger', 'token', nodeContext).release('begun');
	expect(await attempt('retry', 'token').record('0.0 start 0')).toBe(true);
	nodeContext.state!.hasSavedMarks = true;
	await attempt('trigger', 'token', nodeContext).release('begun');
	expect(await attempt('retry', 'token').record('0.0 start 0')).toBe(false);
});

test('a mark that counted stays on n8n 1, so that the next retry and Retry On Fail start nothing either', async () => {
	const attempt = attempts();
	await attempt('trigger').record('0.0 start 0');
	const retry = attempt('retry');
	expect(await retry.record('0.0 start 0')).toBe(true);
	await retry.release('ended');
	expect(await attempt('retry').record('0.0 start 0')).toBe(true);
});
