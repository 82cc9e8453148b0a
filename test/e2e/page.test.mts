// The page on which a person answers: what it shows, and what an answer does.
import { describe, expect, test } from '@jest/globals';
import { hurriedHost } from './durable.mts';
import { arrived, choiceOf, messages, openPage, send, withPage } from './page.mts';
import { recordOf, TEST_TIMEOUT_MS, useOwnStage } from './support.mts';

const stage = useOwnStage(hurriedHost);

const begin = async (name: string, prompts: string[]): Promise<string> =>
	await stage.host.run(
		await stage.host.importWorkflow(
			withPage(
				name,
				prompts.map((prompt) => ({ prompt })),
			),
		),
	);

describe('one session', () => {
	test(
		'is asked about by a link, shown, answered, and goes on',
		async () => {
			const execution = await begin('One', ['One [ask bash: npm publish] [say Went on.]']);
			const [{ url, text }] = await messages(stage, execution);
			expect(text).toContain('npm publish');
			const page = await openPage(url);
			expect(page).toMatchObject({ status: 200, title: 'An agent asks for permission' });
			const sent = await send(url, page, { request0: choiceOf(page, 0, 'Allow once') });
			expect(sent).toMatchObject({ status: 200, title: 'Sent' });
			const ended = await stage.host.waitForExecution(execution, { timeoutMs: TEST_TIMEOUT_MS });
			expect({ status: ended.status, error: ended.error?.message }).toEqual({ status: 'success' });
			const [item] = arrived(ended, 'Completed');
			expect(item).toMatchObject({
				text: 'Went on.',
				decisions: [{ decision: 'approve', decidedBy: 'page', patterns: ['npm publish'] }],
			});
			expect(await recordOf(stage, item.sessionId)).toMatchObject({ status: 'completed' });
		},
		TEST_TIMEOUT_MS,
	);
});
