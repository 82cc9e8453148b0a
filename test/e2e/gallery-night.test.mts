// The examples whose approvers answer on a page while n8n waits: examples/night.json, the whole of it, several approvers, and rules that are kept.
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { controlOver, type ControlClient } from '../../local-service/control/client.mts';
import { fillExample, importAllCredentials } from './channels/filledIn.mts';
import { atHost } from './channels/standIn.mts';
import { useChannels } from './channels/useChannels.mts';
import { getChoice, openPage, send } from './page.mts';
import { eventually, NODE, play } from './support.mts';

// Not faster: nobody can answer on the page while n8n checks the sessions.
const { stage, channels, restart } = useChannels({ waitsFaster: 4 });
let control: ControlClient;

beforeAll(async () => await importAllCredentials(stage.host));

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
	await eventually(async () => inSlack().find((text) => text.includes(`«${pattern}»`)));

/** Opens the link of a message and chooses this for its one request. */
async function answer(message: string, label = 'Approve once'): Promise<void> {
	const url = atHost(/https?:\S+$/.exec(message)![0], stage.host.url);
	await eventually(async () => {
		const page = await openPage(url);
		if (page.status !== 200) return false;
		const sent = await send(url, page, { request0: getChoice(page, 0, label) });
		return sent.title === 'Your answer was sent';
	});
}

/** A filled-in example whose agent does this */
function scripted(
	name: string,
	prompt: string,
	changes: Record<string, Record<string, unknown>> = {},
) {
	const file = fillExample(name, changes);
	file.nodes.find((node) => node.name === NODE)!.parameters.prompt = prompt;
	return file;
}

describe('two-approvers.json', () => {
	const mailsTo = (name: string) =>
		channels
			.sent()
			.slice(seen)
			.filter(
				({ host, text }) => host === 'www.googleapis.com' && text.includes(`${name}@example.com`),
			)
			.map(({ text }) => text.trim());
	const mail = async (name: string, which: RegExp) =>
		await eventually(async () => mailsTo(name).find((text) => which.test(text)));

	test('sends each approver a link, reminds approvers without an answer, asks the backup, and needs two approvals', async () => {
		const file = scripted('two-approvers', '[ask bash: git push] [say Published.]');
		const { options } = file.nodes.find(({ name }) => name === NODE)!.parameters;
		Object.assign(options, { remindAfter: 0.001, askBackupsAfter: 0.001 });
		const executionId = await stage.host.run(await stage.host.importWorkflow(file));
		await answer(await mail('anna', /Subject: An agent/));
		expect(await mail('ben', /Subject: Reminder: an agent/)).toContain('Reminder: you haven’t');
		expect(mailsTo('ben')).toHaveLength(2);
		await answer(await mail('carla', /Subject: An agent/));
		const execution = await stage.host.waitForExecution(executionId);
		expect(execution.items('Result')).toMatchObject([
			{
				text: 'Published.',
				decisions: 'approve: bash git push, by Anna (approve), Carla (approve)',
			},
		]);
	});
});

describe('rules-in-a-table.json', () => {
	test('keeps a rule that an approver approves from now on, and asks no approver again', async () => {
		const { rest } = stage.host;
		const { id: owner } = await rest.get('/projects/personal');
		const types = {
			permission: 'string',
			pattern: 'string',
			decision: 'string',
			wildcard: 'boolean',
			expires: 'date',
		};
		const columns = Object.entries(types).map(([name, type]) => ({ name, type }));
		const table = await rest.post(`/projects/${owner}/data-tables`, {
			name: `Rules ${Date.now()}`,
			columns,
		});
		const dataTableId = { __rl: true, mode: 'list', value: table.id };
		const chosen = { 'Get rules': { dataTableId }, 'Save rules': { dataTableId } };
		const file = scripted(
			'rules-in-a-table',
			'[ask bash: git push, git tag] [say Published.]',
			chosen,
		);
		const executionId = await stage.host.run(await stage.host.importWorkflow(file));
		await answer(await asked('git push'), 'Approve from now on');
		const first = await stage.host.waitForExecution(executionId);
		expect(first.items('Save rules')).toMatchObject(
			['git push', 'git tag'].map((pattern) => ({
				permission: 'bash',
				pattern,
				decision: 'approve',
			})),
		);
		const messages = inSlack().length;
		const second = await play(stage, file);
		expect(second.items('Result')).toMatchObject([
			{ text: 'Published.', decisions: expect.stringContaining('by more rule 2') },
		]);
		expect(second.items('Save rules')).toEqual([]);
		expect(inSlack()).toHaveLength(messages);
	});
});

// Last, because it restarts n8n.
describe('night.json', () => {
	test("one message lists each project's answer, in order, with links, and the failures", async () => {
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
	});

	test("asks in Slack with a link, continues with the approver's answer, and denies unanswered requests", async () => {
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

		const execution = await stage.host.waitForExecution(executionId);
		expect(execution.error).toBeUndefined();
		const morning = inSlack().at(-1)!;
		expect(morning).toMatch(new RegExp(`\\*${names[0]}\\*: Published\\.$`, 'm'));
		expect(morning).toMatch(
			new RegExp(`\\*${names[1]}\\*: Left as it was\\..*\\nDenied: bash rm -rf tmp$`, 'm'),
		);
		const values = (await control.sessions()).map(({ interactions }) => interactions[0].value);
		expect(values.sort()).toEqual(['once', 'reject']);
	});

	test('resumes after n8n was killed with an unanswered request: one session each, one message in the morning', async () => {
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

		const execution = await stage.host.waitForExecution(executionId);
		expect(execution.error).toBeUndefined();
		const mornings = inSlack().filter((text) => text.startsWith('Good morning'));
		expect(mornings).toEqual([
			expect.stringMatching(new RegExp(`\\*${names[0]}\\*: Published\\.$`, 'm')),
		]);
		expect(mornings[0]).toMatch(new RegExp(`\\*${names[1]}\\*: Long, and done\\.$`, 'm'));
		expect(await control.sessions()).toMatchObject([{ turns: 1 }, { turns: 1 }]);
	});
});
