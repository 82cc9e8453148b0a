// Return Items Together In the Database, over several wakes in n8n's engine.
import { expect, test } from '@jest/globals';
import { outputIndex } from '../../nodes/RunAgentSession/outputs.ts';
import { resume, run } from './engine.mts';
import { until, useRunAgentSession } from './runAgentSession.mts';

const { service, setup } = useRunAgentSession();

test('a failed item waits for the others in every wake, if On Error continues', async () => {
	const together = setup(
		{ prompt: '={{ $json.prompt }}', wait: 'database', options: { returnTogether: true } },
		{
			items: [{ prompt: '[fail Out of disk]' }, { prompt: '[work 10h] [say Never.]' }],
			backFrom: outputIndex('stillRunning'),
			settings: { onError: 'continueRegularOutput' },
		},
	);
	let execution = await run(together);
	await until(async () => (await service.sessions()).some(({ status }) => status === 'failed'));
	for (let wake = 1; wake <= 3; wake++) {
		execution = await resume(together, execution);
		const runs = execution.data.resultData.runData['Node under test'];
		expect(runs).toHaveLength(1 + 2 * wake);
		const completed = runs.flatMap(({ data }) => data?.main[outputIndex('completed')] ?? []);
		expect(completed).toEqual([]);
	}
});
