// Requests with the same content that wait at once, in n8n-core's engine and in simulated time.
import { expect, test } from '@jest/globals';
import { createStage, fillIn, NODE, runsOf } from './flow.mts';

const askFor = (count: number) =>
	`[ask ${Array.from({ length: count }, () => 'bash: npm test').join(' + ')}] [say Went on.]`;

test.each<[count: number, questions: number]>([
	[2, 1],
	[7, 2],
])('%i requests with the same content are each answered, in %i questions', async (count, asked) => {
	const stage = createStage();
	const flow = { parameters: { permissionPolicy: 'ask' }, items: [{ prompt: askFor(count) }] };
	let answered = 0;
	const run = await stage.run(flow, async (paused) => {
		const item = runsOf(paused, NODE, 1).flat()[answered];
		if (!item) return;
		const link = String(item.approvalUrl);
		const { body } = await stage.open(flow, paused, link);
		const form = { ...fillIn(body, 'Approve once'), request1: fillIn(body, 'Deny').request1 };
		answered++;
		return (await stage.open(flow, paused, link, form)).data;
	});
	expect(runsOf(run, NODE, 1).flat()).toHaveLength(asked);
	const [{ decisions }] = runsOf(run, NODE).flat();
	expect(decisions).toHaveLength(count);
	expect(
		(decisions as Array<{ decision: string }>).filter((each) => each.decision === 'deny'),
	).toHaveLength(asked);
	expect(stage.of('POST', '/resolve')).toHaveLength(count);
});
