// Ask If Quiet, from the option to the approval page and back, in n8n-core's engine and in simulated time.
import { describe, expect, test } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';
import { createStage, fillIn, NODE, runsOf, type Flow } from './flow.mts';

const watch = (prompt: string, parameters: IDataObject = {}): Flow => ({
	parameters: { permissionPolicy: 'approve', options: { askIfQuiet: 20 }, ...parameters },
	items: [{ prompt }],
});

/** Runs a workflow, and answers each item on To Approve with a form. Returns the pages. */
async function answering(flow: Flow, ...fills: Array<(html: string) => Record<string, string>>) {
	const stage = createStage();
	const pages: string[] = [];
	let answered = 0;
	const run = await stage.run(flow, async (paused) => {
		const item = runsOf(paused, NODE, 1).flat()[answered];
		if (!item || !fills[answered]) return;
		const link = String(item.approvalUrl);
		const { body } = await stage.open(flow, paused, link);
		const reply = await stage.open(flow, paused, link, fills[answered](body));
		pages.push(body, reply.body);
		answered++;
		return reply.data;
	});
	const sent = (ending: string) => stage.of('POST', ending);
	const [item] = runsOf(run, NODE).flat();
	const bodies = (ending: string) =>
		sent(ending).map(({ body }) => JSON.parse(Buffer.from(body).toString()));
	return { stage, run, item, pages, asked: runsOf(run, NODE, 1).flat(), sent, bodies };
}

describe('a quiet session', () => {
	test('is asked about on the page, gets a message once, and completes', async () => {
		const { item, pages, asked, sent, bodies } = await answering(
			watch('[quiet]'),
			(html) => fillIn(html, 'Keep waiting'),
			(html) => fillIn(html, 'Send a message', { answer0: '[say Done]' }),
		);
		const [page, saved] = pages;
		expect(page).toContain('<h1>The session has been quiet for 20 minutes</h1>');
		for (const label of ['Keep waiting', 'Send a message', 'Abort the session'])
			expect(page).toContain(`<span>${label}`);
		expect(page).toContain('No activity since');
		expect(saved).toContain('It will be applied, usually within a minute.');
		expect(asked).toHaveLength(2);
		expect(asked[0]).toMatchObject({ pendingInteractions: [], undecided: [] });
		expect(bodies('/messages')).toEqual([{ text: '[say Done]' }]);
		expect([...sent('/resolve'), ...sent('/abort')]).toEqual([]);
		expect(item.text).toBe('Done');
		expect(item.decisions).toMatchObject([
			{ kind: 'quiet', answer: 'Keep waiting', decidedBy: 'page', state: 'confirmed' },
			{ kind: 'quiet', answer: '[say Done]', decidedBy: 'page', state: 'confirmed' },
		]);
		expect(item).not.toHaveProperty('warnings');
	});

	test('is aborted by an answer, once', async () => {
		const flow = watch('[quiet]');
		const { stage, run, sent } = await answering(flow, (html) => fillIn(html, 'Abort'));
		expect(run.data.resultData.error?.message).toBe(
			'The session was quiet for 20 minutes and was aborted',
		);
		expect(sent('/abort')).toHaveLength(1);
		expect(stage.sessions().map(({ aborted }) => aborted)).toEqual([true]);
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

	test('is not asked about without the option', async () => {
		const { asked, item } = await answering(watch('[idle 60m] [say Done]', { options: {} }));
		expect(asked).toEqual([]);
		expect(item.text).toBe('Done');
	});
});
