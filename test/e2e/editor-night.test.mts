// The way of someone new, from the README's text: import the night, fill in what its note names, run it, decide by the link in Slack, and read the
// message in the morning. In a real browser; Slack is a mock, and morning comes as soon as everything is in.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { hostVersion } from '../../n8n-host/versions.mts';
import type { WorkflowFile } from '../../n8n-host/workflows.mts';
import { launchBrowser, type Browser, type Page } from '../../tools/editor/browser.mts';
import { canvasNode, openPanel } from '../../tools/editor/canvas.mts';
import type { Panel } from '../../tools/editor/panel.mts';
import { openSession } from '../../tools/editor/signIn.mts';
import { credentialName } from '../../tools/examples.mts';
import { CREDENTIAL, importCredentials } from './channels/channelNodes.mts';
import { atHost } from './channels/standIn.mts';
import { useChannels } from './channels/useChannels.mts';
import { describeWith, eventually } from './support.mts';

// Not faster: nobody can answer on the page while n8n checks the sessions.
const { stage, channels } = useChannels({ waitsFaster: 4, env: {} });
const root = new URL('../../', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, root), 'utf8');

let browser: Browser;
let page: Page;

beforeAll(async () => {
	await importCredentials(stage.host);
	await stage.service.control.setSpeed(20);
	browser = await launchBrowser((line) => process.stderr.write(`${line}\n`));
	const context = await openSession(browser, stage.host, {
		viewport: { width: 1600, height: 1000 },
	});
	page = await context.newPage();
});
afterAll(async () => await browser?.close());

/** The first example that the README names, as its section of the gallery leads to it */
function firstExample(): WorkflowFile {
	const [, anchor] = /\(examples\/README\.md#([\w-]+)\)/.exec(read('README.md'))!;
	const sections = read('examples/README.md').split('\n## ');
	const section = sections.find(
		(text) => text.split('\n')[0].toLowerCase().replaceAll(' ', '-') === anchor,
	)!;
	const [, file] = /\]\(([\w-]+\.json)\)/.exec(section)!;
	return JSON.parse(read(`examples/${file}`));
}

/** Chooses the credential of a node, where it is not there yet. */
async function chooseCredential({ root: panel }: Panel, credential = CREDENTIAL): Promise<void> {
	await panel.getByTestId('node-credentials-select').click();
	await page.getByRole('option').filter({ hasText: credential }).first().click();
}

/** Enters the ID of a channel. */
async function chooseChannel(panel: Panel): Promise<void> {
	const field = panel.field('channelId');
	await field.getByTestId('rlc-mode-selector').click();
	await page.getByRole('option').filter({ hasText: 'By ID' }).click();
	const input = field.locator('[data-test-id="rlc-input"] input, input[data-test-id="rlc-input"]');
	await input.fill('C012AB3CD');
	await input.press('Tab');
	await eventually(async () => (await panel.picked('channelId')) === 'C012AB3CD');
}

const inSlack = (): string[] =>
	channels
		.sent()
		.filter(({ host }) => host === 'slack.com')
		.map(({ body }) => String(body.text));

const describe = describeWith('Chromium');

describe('a new user', () => {
	test('imports the night, fills it in, runs it, decides by the link and reads the message in the morning', async () => {
		const file = firstExample();
		const note = String(
			file.nodes.find(({ type }) => type.endsWith('.stickyNote'))!.parameters.content,
		);
		const [first, second] = (await stage.service.control.seed()).projects;
		// The prompt, as a script for the agent
		Object.assign(file.nodes.find(({ name }) => name === 'Run Agent Session')!.parameters, {
			prompt: `={{ $json.name === '${first.name}' ? 'Check it. [ask bash: git push] [say Checked.]' : 'Check it. [say Fine.]' }}`,
		});
		// Too long for a test: the night, and a hundred projects
		Object.assign(file.nodes.find(({ name }) => name === 'Wait until 7 am')!.parameters, {
			dateTime: '={{ $now.plus({ seconds: 1 }) }}',
		});
		Object.assign(file.nodes.find(({ name }) => name === 'Projects')!.parameters, {
			returnAll: false,
			limit: 2,
		});

		await page.goto(`${stage.host.url}/workflow/new`);
		await page.getByTestId('workflow-import-input').setInputFiles({
			name: 'night.json',
			mimeType: 'application/json',
			buffer: Buffer.from(JSON.stringify(file)),
		});
		await canvasNode(page, 'Run Agent Session').waitFor();

		// n8n 2 chooses a credential by itself if there is only one of its type.
		expect(note).toContain('Choose your credentials in all nodes.');
		for (const name of hostVersion() === '1.123' ? ['Projects', 'Run Agent Session'] : []) {
			const panel = await openPanel(page, name);
			await chooseCredential(panel, credentialName);
			await panel.close();
		}
		expect(note).toContain('In the Slack nodes, choose the channel.');
		for (const name of ['Ask in Slack', 'Post the summary', 'Notify the team']) {
			const panel = await openPanel(page, name);
			await chooseCredential(panel);
			await chooseChannel(panel);
			await panel.close();
		}
		expect(note).toContain('In **Run Agent Session**, write the prompt and rules.');

		await page.getByTestId('execute-workflow-button').first().click();
		const question = await eventually(async () =>
			inSlack().find((text) => text.includes('«git push»')),
		);
		const link = atHost(/https?:\S+$/.exec(question)![0], stage.host.url);
		const decision = await page.context().newPage();
		const title = decision.getByRole('heading', { level: 1 });
		const allow = decision.getByLabel('Approve once');
		await eventually(async () => {
			await decision.goto(link);
			// While n8n checks the sessions it answers itself, with neither.
			if ((await allow.count()) > 0) {
				await allow.check();
				await decision.getByRole('button', { name: 'Send' }).click();
			}
			const [says = ''] = await title.allInnerTexts();
			return ['Your answer was sent', 'Already answered'].includes(says);
		});

		const morning = await eventually(async () =>
			inSlack().find((text) => text.startsWith('Good morning')),
		);
		expect(morning).toContain(`*${first.name}*: Checked.`);
		expect(morning).toContain(`*${second.name}*: Fine.`);
		await canvasNode(page, 'Post the summary').getByTestId('canvas-node-status-success').waitFor();
	});
});
