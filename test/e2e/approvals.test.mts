// The examples in which people approve in their own channels, in the real n8n, with the people played on a stand-in for the channels.
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Execution } from '../../n8n-host/executions.mts';
import type { WorkflowFile } from '../../n8n-host/workflows.mts';
import { CREDENTIAL, importCredentials } from './channels/channelNodes.mts';
import { click } from './channels/people.mts';
import type { Sent } from './channels/standIn.mts';
import { useChannels } from './channels/useChannels.mts';
import { example, NODE, play, recordOf, startedByItself, TEST_TIMEOUT_MS } from './support.mts';

const { stage, channels } = useChannels();

/** n8n looks once a minute for whose time limit is over. */
const OVER_TIMEOUT_MS = 5 * 60_000;
const OVER = {
	limitWaitTime: {
		values: { limitType: 'atSpecifiedTime', maxDateAndTime: '2026-01-01T00:00:00' },
	},
};

beforeAll(async () => await importCredentials(stage.host), TEST_TIMEOUT_MS);

const CREDENTIALS: Record<string, string> = {
	'n8n-nodes-base.slack': 'slackApi',
	'n8n-nodes-base.gmail': 'gmailOAuth2',
	'n8n-nodes-base.gmailTrigger': 'gmailOAuth2',
};

/** An example as somebody has filled it in: credentials, and the channel in Slack */
function filledIn(
	name: string,
	changes: Record<string, Record<string, unknown>> = {},
): WorkflowFile {
	const file = example(name, changes);
	for (const node of file.nodes) {
		const type = CREDENTIALS[node.type];
		if (type) node.credentials = { [type]: { id: null, name: CREDENTIAL } };
		if (node.parameters.channelId)
			node.parameters.channelId = { mode: 'id', value: 'C012AB3CD', __rl: true };
	}
	return file;
}

let seen = 0;
beforeEach(() => {
	seen = channels.sent().length;
});

/** The message that asks for these patterns, sent since the test began or, the later ones, since the last that was found */
async function asks(...patterns: string[]): Promise<Sent> {
	const found = await channels.message(
		(sent) =>
			channels.sent().indexOf(sent) >= seen &&
			patterns.every((pattern) => sent.text.includes(`«${pattern}»`)),
	);
	seen = channels.sent().indexOf(found) + 1;
	return found;
}

const valuesOf = async (sessionId: string) =>
	(await recordOf(stage, sessionId)).interactions.map(({ patterns, value }: any) => [
		patterns.join(),
		value ?? null,
	]);

const ended = async (parked: Execution): Promise<Execution> => {
	const execution = await stage.host.waitForExecution(parked.id, { timeoutMs: 150_000 });
	expect(execution.error).toBeUndefined();
	return execution;
};

describe.each([
	{ name: 'approve-in-slack', file: 'approve-in-slack.json' },
	{ name: 'approve-by-mail', file: 'approve-by-mail.json' },
])('$file', ({ name }) => {
	test.each([
		{ approve: true, value: 'once', text: 'The landing page is live.' },
		{ approve: false, value: 'reject', text: expect.stringContaining('not permitted') },
	])(
		'asks in one message, and goes on with the answer: $value',
		async ({ approve, value, text }) => {
			const parked = await play(stage, filledIn(name), 'waiting');
			const [{ sessionId }] = parked.items(NODE, 1);
			const message = await asks('git push', 'index.html');
			expect(message.text).toContain(sessionId);

			await click(stage.host, message, approve);

			const execution = await ended(parked);
			expect(execution.items('Result')).toMatchObject([{ text }]);
			expect(execution.items('Go on with the session')[0].decisions).toMatchObject([
				{ decidedBy: 'answer' },
				{ decidedBy: 'answer' },
			]);
			expect(await valuesOf(sessionId)).toEqual([
				['git push', value],
				['index.html', value],
			]);
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'asks again for what comes after the first answer',
		async () => {
			const prompt = '[ask bash: git push] [ask bash: rm -rf tmp] [say Tidied up.]';
			const parked = await play(stage, filledIn(name, { [NODE]: { prompt } }), 'waiting');
			const first = await asks('git push');
			expect(first.text).not.toContain('rm -rf');
			await click(stage.host, first, true);
			const second = await asks('rm -rf tmp');
			expect(second.text).not.toContain('git push');
			await click(stage.host, second, false);

			const execution = await ended(parked);
			expect(execution.items('Result')).toHaveLength(1);
			expect(await valuesOf(parked.items(NODE, 1)[0].sessionId)).toEqual([
				['git push', 'once'],
				['rm -rf tmp', 'reject'],
			]);
		},
		TEST_TIMEOUT_MS,
	);
});

describe('approve-in-slack.json, when nobody answers in time', () => {
	test(
		'decides nothing, and asks again',
		async () => {
			const file = filledIn('approve-in-slack', { 'Ask in Slack': { options: OVER } });
			const parked = await play(stage, file, 'waiting');
			const [{ sessionId }] = parked.items(NODE, 1);
			await asks('git push', 'index.html');
			const again = await asks('git push', 'index.html');
			expect((await valuesOf(sessionId)).map(([, value]: any) => value)).toEqual([null, null]);
			await click(stage.host, again, true);
			expect((await ended(parked)).items('Result')).toHaveLength(1);
		},
		OVER_TIMEOUT_MS,
	);
});

describe('approve-by-mail.json, when nobody answers in time', () => {
	test(
		'aborts the session, and says what it had asked',
		async () => {
			const file = filledIn('approve-by-mail', { 'Ask by mail': { options: OVER } });
			const parked = await play(stage, file, 'waiting');
			const [{ sessionId, dashboardUrl, question }] = parked.items(NODE, 1);
			const execution = await ended(parked);
			expect(execution.items('Nobody answered')).toEqual([
				{
					text: `Nobody answered in time, so the session was aborted. What was asked:\n${question}`,
					dashboardUrl,
				},
			]);
			expect(execution.items('Result')).toEqual([]);
			const record = await recordOf(stage, sessionId);
			expect(record.aborted).toBe(true);
			expect(record.interactions.map(({ value }: any) => value ?? null)).toEqual([null, null]);
		},
		OVER_TIMEOUT_MS,
	);
});

describe('approve-several.json', () => {
	test(
		'asks for each session in a message of its own, and each answer counts for its session, in whatever order',
		async () => {
			const { host } = stage;
			const workflowId = await host.importWorkflow(filledIn('approve-several'));
			expect((await host.waitForExecution(await host.run(workflowId))).status).toBe('success');
			const before = seen;
			const publish = await asks('git push');
			seen = before;
			const tidy = await asks('rm -rf drafts');
			await click(host, tidy, false);
			await click(host, publish, true);

			const started = await startedByItself(stage, workflowId);
			expect(started).toHaveLength(3);
			const results = await Promise.all(
				started.map(async ({ id }) => (await host.waitForExecution(id)).items('Result')[0].text),
			);
			expect(results).toEqual([
				'The landing page is live.',
				expect.stringContaining('not permitted'),
				'The shop is built.',
			]);
			expect(
				(await stage.service.sessions())
					.flatMap(({ interactions }) => interactions)
					.map(({ patterns, value }: any) => [patterns.join(), value])
					.filter(([pattern]: string[]) => /drafts|npm/.test(pattern)),
			).toEqual(
				expect.arrayContaining([
					['rm -rf drafts', 'reject'],
					['npm run build', 'once'],
				]),
			);
		},
		TEST_TIMEOUT_MS,
	);
});
