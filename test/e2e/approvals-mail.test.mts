// A workflow that asks by email, which leads to a form: what answers, and what does not. In the real n8n, with Gmail played by a mock.
import { describe, expect, test } from '@jest/globals';
import { OVER, useAsking } from './channels/asking.mts';
import { fillExample } from './channels/filledIn.mts';
import { fillFields } from './channels/people.mts';
import { atHost, links, type Sent } from './channels/standIn.mts';
import { getRecord } from './support.mts';

const { stage, asks, valuesOf, askWith, askingExecutions } = useAsking();

/** Answers in the form that the email leads to. */
const sendForm = async (message: Sent, approve: boolean) =>
	await fillFields(stage.host, message, [approve ? 'Approve' : 'Deny']);

describe('workflows/approve-by-mail.json', () => {
	test.each([
		{ approve: true, value: 'once' },
		{ approve: false, value: 'reject' },
	])("continues with the form's answer: $value", async ({ approve, value }) => {
		const { workflowId, asked } = await askWith(fillExample('approve-by-mail'));
		await sendForm(await asks('git push', 'index.html'), approve);
		await askingExecutions(workflowId, 1);
		expect(await valuesOf(asked[0].sessionId)).toEqual([
			['git push', value],
			['index.html', value],
		]);
	});
});

test('an email with a form approves nothing for a scanner that opens every link', async () => {
	const { workflowId, asked } = await askWith(fillExample('approve-by-mail'));
	const message = await asks('git push', 'index.html');
	const found = links(message);
	expect(found.length).toBeGreaterThan(0);
	for (const method of ['HEAD', 'GET'])
		for (const link of found) await fetch(atHost(link, stage.host.url), { method });
	const untouched = (await valuesOf(asked[0].sessionId)).map(([, value]: any) => value);
	expect(untouched).toEqual([null, null]);
	await sendForm(message, false);
	await askingExecutions(workflowId, 1);
});

test('aborts the session if nobody answers the email in time, and names the request', async () => {
	const file = fillExample('approve-by-mail', { 'Ask by mail': { options: OVER } });
	const { workflowId, asked } = await askWith(file);
	const [{ sessionId, dashboardUrl, question }] = asked;
	const [execution] = await askingExecutions(workflowId, 1);
	expect(execution.items('Nobody answered')).toEqual([
		{
			text: `Nobody answered in time, so the session was aborted. What was asked:\n${question}`,
			dashboardUrl,
		},
	]);
	expect((await getRecord(stage, sessionId)).aborted).toBe(true);
});
