// Ask If Quiet, from the option to the approval page and back, in n8n-core's engine and in simulated time.
import { describe, expect, test } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';
import { answering, createStage, fillIn, NODE, runsOf, type Flow } from './flow.mts';

const watch = (prompt: string, parameters: IDataObject = {}): Flow => ({
	parameters: { permissionPolicy: 'approve', options: { askIfQuiet: 20 }, ...parameters },
	items: [{ prompt }],
});

describe('a quiet session', () => {
	test('is asked about on the page, gets a message once, and completes', async () => {
		const stage = createStage();
		const { item, pages, replies, asked, sent } = await answering(
			stage,
			watch('[quiet]'),
			(html) => fillIn(html, 'Keep waiting'),
			(html) => fillIn(html, 'Send a message', { answer0: '[say Done]' }),
		);
		const [page] = pages;
		expect(page).toContain('<h1>The session has been quiet for 20 minutes</h1>');
		for (const label of ['Keep waiting', 'Send a message', 'Abort the session'])
			expect(page).toContain(`<span>${label}`);
		expect(page).toContain('No activity since');
		expect(replies[0]).toContain('It will be applied, usually within a minute.');
		expect(asked).toHaveLength(2);
		expect(asked[0]).toMatchObject({ pendingInteractions: [], undecided: [] });
		expect(stage.bodies('/messages')).toEqual([{ text: '[say Done]' }]);
		expect([...sent, ...stage.of('POST', '/abort')]).toEqual([]);
		expect(item.text).toBe('Done');
		expect(item.decisions).toMatchObject([
			{ kind: 'quiet', answer: 'Keep waiting', decidedBy: 'page', state: 'confirmed' },
			{ kind: 'quiet', answer: '[say Done]', decidedBy: 'page', state: 'confirmed' },
		]);
		expect(item).not.toHaveProperty('warnings');
	});

	test("an approver's abort is done once, and the error says who chose it", async () => {
		const stage = createStage();
		const { run } = await answering(stage, watch('[quiet]'), (html) => fillIn(html, 'Abort'));
		expect(run.data.resultData.error).toMatchObject({
			message: 'The session was quiet for 20 minutes and was aborted',
			description: expect.stringContaining('An approver chose to abort it.'),
		});
		expect(stage.of('POST', '/abort')).toHaveLength(1);
	});

	test('that works again takes the question back, and its page says so', async () => {
		const stage = createStage();
		const flow = watch('[idle 25m] [work 40m] [say Done]');
		const replies: string[] = [];
		const run = await stage.run(flow, async (paused, pauses) => {
			const [item] = runsOf(paused, NODE, 1).flat();
			if (!item) return;
			const link = String(item.approvalUrl);
			const { body } = await stage.open(flow, paused, link);
			if (!body.includes('works again') && !body.includes('active again')) return;
			const reply = await stage.open(flow, paused, link, { request0: '2', shown: 'earlier' });
			replies.push(body, reply.body);
			expect(reply.resumes).toBe(false);
			expect(pauses).toBeGreaterThan(1);
		});
		expect(replies[0]).toContain('<h1>The session is active again</h1>');
		expect(replies[1]).toContain('Your new answer wasn’t saved.');
		expect(runsOf(run, NODE).flat()).toMatchObject([{ text: 'Done', decisions: [] }]);
		expect(stage.of('POST', '/abort')).toEqual([]);
	});
});
