// examples/night.json, the whole of it: every project gets an agent, what no rule covers is asked in Slack, and one message in the morning says
// what became of it.
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { controlOver, type ControlClient } from '../../local-service/control/client.mts';
import { fillExample, importAllCredentials } from './channels/filledIn.mts';
import { atHost } from './channels/standIn.mts';
import { useChannels } from './channels/useChannels.mts';
import { getChoice, openPage, send } from './page.mts';
import { eventually, play, TEST_TIMEOUT_MS } from './support.mts';

// Not faster: nobody can answer on the page while n8n checks the sessions.
const { stage, channels, restart } = useChannels({ waitsFaster: 4 });
let control: ControlClient;

beforeAll(async () => await importAllCredentials(stage.host), TEST_TIMEOUT_MS);

let seen = 0;
beforeEach(async () => {
	control = controlOver(stage.service.controlUrl);
	await control.reset();
	await control.setSpeed(20);
	seen = channels.sent().length;
});

const inSlack = (): string[] =>
	channels
		.sent()
		.slice(seen)
		.filter(({ host }) => host === 'slack.com')
		.map(({ body }) => String(body.text));

/** The night over the first projects, with a prompt for each: morning comes as soon as everything is in. */
async function night(...prompts: string[]) {
	const { projects } = await control.seed();
	const file = fillExample('night', {
		Projects: { limit: prompts.length, returnAll: false },
		'Wait until 7 am': { dateTime: '={{ $now.plus({ seconds: 1 }) }}' },
	});
	const { parameters } = file.nodes.find(({ name }) => name === 'Run Agent Session')!;
	const names = projects.slice(0, prompts.length).map(({ name }) => name);
	const scripts = Object.fromEntries(names.map((name, index) => [name, prompts[index]]));
	parameters.prompt = `={{ ${JSON.stringify(scripts)}[$json.name] }}`;
	return { file, names };
}

/** The message that asks for this */
const asked = async (pattern: string): Promise<string> =>
	await eventually(async () => inSlack().find((text) => text.includes(`«${pattern}»`)), 60);

/** Opens the link of a message and approves its one request. */
async function answer(message: string): Promise<void> {
	const url = atHost(/https?:\S+$/.exec(message)![0], stage.host.url);
	await eventually(async () => {
		const page = await openPage(url);
		if (page.status !== 200) return false;
		const sent = await send(url, page, { request0: getChoice(page, 0, 'Approve once') });
		return sent.title === 'Your answer was sent';
	}, 60);
}

describe('night.json', () => {
	test(
		"one message lists each project's answer, in order, with links, and the failures",
		async () => {
			const { file, names } = await night(
				'[ask bash: npm run build] [say Three links <repaired>.]',
				'[work 4m] [say Nothing to do.]',
				'[fail Out of disk]',
			);
			const execution = await play(stage, file);

			expect(execution.error).toBeUndefined();
			const [message, ...more] = inSlack();
			expect(more).toEqual([]);
			expect(message).toMatch(/^Good morning!/);
			expect(message).toMatch(
				new RegExp(
					`\\*${names[0]}\\*: Three links &lt;repaired&gt;\\.\\nhttp\\S+/sessions/\\S+$`,
					'm',
				),
			);
			expect(message).toMatch(new RegExp(`\\*${names[1]}\\*: Nothing to do\\.\\nhttp\\S+$`, 'm'));
			expect(message).toMatch(new RegExp(`\\*${names[2]}\\*: OPEN\\. .*Out of disk`, 'm'));
			expect(names.map((name) => message.indexOf(`*${name}*`))).toEqual(
				names.map((name) => message.indexOf(`*${name}*`)).sort((a, b) => a - b),
			);
			expect(await control.sessions()).toHaveLength(3);
		},
		TEST_TIMEOUT_MS,
	);

	test(
		"asks in Slack with a link, continues with the approver's answer, and denies unanswered requests",
		async () => {
			const { file, names } = await night(
				'[ask bash: git push] [say Published.]',
				'[ask bash: rm -rf tmp] [say Left as it was.]',
			);
			const session = file.nodes.find(({ name }) => name === 'Run Agent Session')!;
			Object.assign(session.parameters.options, { unansweredAfter: 0.01 });
			const executionId = await stage.host.run(await stage.host.importWorkflow(file));
			const question = await asked('git push');
			expect(question).toContain(names[0]);
			await answer(question);
			await asked('rm -rf tmp');

			const execution = await stage.host.waitForExecution(executionId, {
				timeoutMs: TEST_TIMEOUT_MS,
			});
			expect(execution.error).toBeUndefined();
			const morning = inSlack().at(-1)!;
			expect(morning).toMatch(new RegExp(`\\*${names[0]}\\*: Published\\.$`, 'm'));
			expect(morning).toMatch(
				new RegExp(`\\*${names[1]}\\*: Left as it was\\..*\\nDenied: bash rm -rf tmp$`, 'm'),
			);
			const values = (await control.sessions()).map(({ interactions }) => interactions[0].value);
			expect(values.sort()).toEqual(['once', 'reject']);
		},
		TEST_TIMEOUT_MS,
	);

	test(
		'resumes after n8n was killed with an open question: one session each, one message in the morning',
		async () => {
			const { file, names } = await night(
				'[ask bash: git push] [say Published.]',
				'[work 10m] [say Long, and done.]',
			);
			const executionId = await stage.host.run(await stage.host.importWorkflow(file));
			const question = await asked('git push');
			await eventually(
				async () => (await stage.host.rest.get(`/executions/${executionId}`)).status === 'waiting',
			);

			await restart();
			await answer(question);

			const execution = await stage.host.waitForExecution(executionId, {
				timeoutMs: TEST_TIMEOUT_MS,
			});
			expect(execution.error).toBeUndefined();
			const mornings = inSlack().filter((text) => text.startsWith('Good morning'));
			expect(mornings).toEqual([
				expect.stringMatching(new RegExp(`\\*${names[0]}\\*: Published\\.$`, 'm')),
			]);
			expect(mornings[0]).toMatch(new RegExp(`\\*${names[1]}\\*: Long, and done\\.$`, 'm'));
			expect(await control.sessions()).toMatchObject([{ turns: 1 }, { turns: 1 }]);
		},
		2 * TEST_TIMEOUT_MS,
	);
});
