// A pause that is overdue when n8n starts again. n8n resumes it before its recovery, which takes it for crashed.
import { expect, test } from '@jest/globals';
import { answerAfterRestart, messages, withPage } from './page.mts';
import { startLive, untilPaused, usePausingStage } from './pausing.mts';
import { arrived, eventually } from './support.mts';

const stage = usePausingStage({ recoversSlowly: true });

test('the execution continues, and applies an answer', async () => {
	const file = withPage('overdue', ['overdue: [ask bash: npm publish] [say Went on.]']);
	const { executionId } = await startLive(stage.host, file);
	const [{ url }] = await messages(stage, executionId);
	await untilPaused(stage, executionId, 20_000);
	const { waitTill } = await stage.host.rest.get(`/executions/${executionId}`);
	await stage.kill();
	await eventually(async () => stage.now() > Date.parse(waitTill));
	// The recovery has to meet the wake.
	const slow = { operationId: 'getAgentSession', kind: 'latency', ms: 10_000, times: 1 } as const;
	await stage.service.control.addFaults(slow);
	await stage.restart();
	await answerAfterRestart(stage.host, { executionId, url }, ['Approve once']);
	const execution = await eventually(async () => {
		const found = await stage.host.waitForExecution(executionId);
		return found.status === 'success' ? found : undefined;
	});
	expect(arrived(execution, 'Completed')).toMatchObject([{ decisions: [{ decidedBy: 'page' }] }]);
});
