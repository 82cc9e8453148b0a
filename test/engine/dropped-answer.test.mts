// An answer of the approval page that n8n 2 drops, because the timer wakes the execution at the same moment.
import { expect, test } from '@jest/globals';
import { createStage, fillIn, NODE, runsOf } from './flow.mts';

test('an answer that was confirmed is applied in the next wake, even if n8n has dropped it', async () => {
	const stage = createStage();
	const flow = {
		parameters: { permissionPolicy: 'ask' },
		items: [{ prompt: '[ask bash: npm publish] [say Went on.]' }],
	};
	let isAnswered = false;
	const run = await stage.run(flow, async (paused) => {
		const [item] = runsOf(paused, NODE, 1).flat();
		if (!item || isAnswered) return;
		const link = String(item.approvalUrl);
		const page = await stage.open(flow, paused, link);
		const answer = await stage.open(flow, paused, link, fillIn(page.body, 'Deny'));
		isAnswered = answer.resumes;
		// The data with the answer isn't returned: n8n wakes the execution with what it had saved before.
	});
	expect(isAnswered).toBe(true);
	expect(run.status).toBe('success');
	expect(runsOf(run, NODE).flat()).toMatchObject([
		{ decisions: [{ decision: 'deny', decidedBy: 'page' }] },
	]);
	expect(stage.of('POST', '/resolve')).toHaveLength(1);
});
