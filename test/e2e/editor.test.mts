// The editor as people see it, in a real browser: a new user's way to the first session, and to the error of one that failed.
import { expect, test } from '@jest/globals';
import { listExecutions } from '../../n8n-host/executions.mts';
import { hostVersion, type HostVersion } from '../../n8n-host/versions.mts';
import { addAction, openPanel, searchNodes } from '../../tools/editor/canvas.mts';
import { createCredential, openCredential } from '../../tools/editor/credentialForm.mts';
import { findError, useEditor } from './editor.mts';
import { openLink, sendForm } from './phone.mts';
import { agentSession, chain, describeWith, eventually, manualTrigger, NODE } from './support.mts';

const describe = describeWith('Chromium');

const editor = useEditor();

/** Message of the form about a refused key. n8n 1 has its own words. */
const REFUSED: Record<HostVersion, string> = {
	'2.41':
		"The API key was refused. Check that it is complete and still exists in the service's settings.",
	'1.123': 'Authorization failed - please check your credentials',
};

describe('a new user', () => {
	test('without Slack, opens To Approve in the run with items, and approves on the page of approvalUrl', async () => {
		const prompt = 'Publish it. [ask bash: git push] [say Published.]';
		const session = agentSession({ prompt, permissionPolicy: 'ask', whileWaiting: 'pause' });
		const workflowId = await editor.open(chain('First approval', [manualTrigger(), session]));
		const readStatus = async () =>
			(await listExecutions(editor.stage.host.rest, workflowId))[0]?.status;
		await editor.page.getByTestId('execute-workflow-button').click();
		await eventually(async () => (await readStatus()) === 'waiting');
		const panel = await openPanel(editor.page, NODE);
		await panel.showRun('1 item');
		await panel.showOutput('To Approve');
		await panel.selectOutputView('json');
		const text = await panel.output.getByText('/approval?').last().innerText();
		const [url] = /http[^"\s]+/.exec(text)!;

		const page = await editor.page.context().newPage();
		await openLink(page, url);
		await page.getByLabel('Approve once').check();
		await sendForm(page);
		await page.close();
		await eventually(async () => (await readStatus()) === 'success');
	});

	test('finds the node, creates a credential, chooses a project, writes prompt and rules, and runs it', async () => {
		const workflowId = await editor.open(chain('Just started', [manualTrigger()]));
		const found = await searchNodes(editor.page, 'permission');
		let panel = await addAction(editor.page, found, NODE, 'Start agent session and wait');

		const form = await createCredential(editor.page, panel);
		await form.type('baseUrl', editor.stage.service.baseUrl);
		await form.type('accessToken', 'not-a-key');
		await form.saveAndTest();
		await form.root.getByText('Couldn’t connect with these settings').waitFor();
		await form.root.getByText('More details').click();
		await form.root.getByText(REFUSED[hostVersion()]).waitFor();

		await form.type('accessToken', editor.stage.service.key);
		await form.saveAndTest();
		// n8n 2 closes the form when all is well, n8n 1 says so in it.
		const well = form.root
			.getByText('Connection tested successfully')
			.or(editor.page.getByText('Credential saved'));
		await well.first().waitFor();
		if (await form.root.isVisible()) await form.close();
		const again = await openCredential(editor.page, panel);
		await again.root.getByText('Connection tested successfully').waitFor();
		await again.close();

		const list = await panel.openList('projectId');
		await list.search('velvet tr');
		await list.pick('Velvet Travel');
		const prompt =
			'Check every page. [ask bash: npm run build] [ask bash: git push] [say All pages are fine.]';
		await panel.fill('prompt', prompt);
		await panel.choose('permissionPolicy', 'Decide by Rules');
		await panel.root
			.getByTestId('fixed-collection-permissionRules')
			.getByRole('button', { name: 'Add Rule' })
			.click();
		await panel.fill('permission', 'bash');
		await panel.fill('pattern', 'npm run build');
		await panel.choose('decision', 'Approve');
		await panel.choose('defaultDecision', 'Deny');
		const permissionRules = {
			rule: [{ permission: 'bash', pattern: 'npm run build', decision: 'approve' }],
		};
		panel = await editor.saved(panel, workflowId, NODE, {
			prompt,
			permissionPolicy: 'rules',
			permissionRules,
			defaultDecision: 'deny',
		});
		await panel.execute();

		await panel.showOutput('Completed');
		await panel.selectOutputView('json');
		await panel.output.getByText('All pages are fine.').first().waitFor();
		const [session] = (await editor.stage.service.sessions()).slice(-1);
		const { projects } = await editor.stage.service.control.seed();
		expect(session).toMatchObject({
			status: 'completed',
			projectId: projects.find(({ name }) => name === 'Velvet Travel')!.id,
			interactions: [
				{ patterns: ['npm run build'], value: 'once' },
				{ patterns: ['git push'], value: 'reject' },
			],
		});
	});
});

describe('the panel of Run Agent Session, after a run', () => {
	test('names the cause and the dashboard in the error of a failed session', async () => {
		await editor.open(
			chain('Failing', [manualTrigger(), agentSession({ prompt: '[fail Out of disk]' })]),
		);
		const panel = await openPanel(editor.page, NODE);
		await panel.execute();

		const { message, description } = await findError(panel);
		expect(message).toBe('The agent session failed: Out of disk');
		expect(description).toMatch(
			/^Check the session in the dashboard.*Session [0-9a-f-]{36}, http:\S+\/dashboard\/sessions\/[0-9a-f-]{36}/,
		);
	});
});
