// Someone approves in the chat of the editor: the example that does so, played to its end, for a picture of the conversation.
import type { Locator, Page } from './editor/browser.mts';
import type { Host } from '../n8n-host/host.mts';
import type { WorkflowFile } from '../n8n-host/workflows.mts';
import { openWorkflow } from './editor/canvas.mts';
import { filledInExample } from './examples.mts';
import { lastTold, startScriptedModel, type Script } from './scriptedModel.mts';
import { byId } from '../n8n-host/workflows.mts';

/** The chat has a third of it, in which the whole conversation is to be seen. */
export const CHAT_WINDOW = { width: 1560, height: 2360 };
const TIMEOUT_MS = 60_000;
const JOB = 'Publish the landing page. [ask bash: git push] [say The landing page is live.]';

/** Script of the example's model: it passes the prompt on, and names the session that asks. */
const handsOn = (job: string): Script => [
	[{ tool: 'Run_the_site_agent', with: { prompt: job } }],
	(told) => [
		{
			tool: 'format_final_json_response',
			with: { output: { answer: 'It asks.', sessionId: lastTold(told)[0].sessionId } },
		},
	],
];

/** Puts a scripted model into an example with an AI Agent. `credential` is the name of its credential. */
function withModel(workflow: WorkflowFile, credential: string): WorkflowFile {
	const node = workflow.nodes.find(({ name }) => name === 'Chat model')!;
	node.credentials = { openAiApi: { id: null, name: credential } };
	node.parameters.model = byId('scripted');
	return workflow;
}

/** Sends a prompt in the chat, and approves the request there. */
async function converse(page: Page): Promise<void> {
	await page.getByTestId('workflow-chat-button').click();
	const say = async (text: string) => {
		const field = page.locator('.chat-inputs textarea');
		await field.fill(text);
		await field.press('Enter');
	};
	const heard = async (text: string) =>
		await page.locator('.chat-message').getByText(text).first().waitFor({ timeout: TIMEOUT_MS });
	await say('Please publish the landing page.');
	await heard('«git push»');
	await say('Yes.');
	await heard('The landing page is live.');
	await page.locator('.chat-message-typing').waitFor({ state: 'hidden', timeout: TIMEOUT_MS });
}

/** Plays the conversation in the editor, to its end. Returns the chat. */
export async function playChat(host: Host, page: Page): Promise<Locator> {
	const model = await startScriptedModel();
	try {
		const data = { apiKey: 'none', url: model.baseUrl };
		await host.importCredential({ name: model.baseUrl, type: 'openAiApi', data });
		model.play(handsOn(JOB));
		const workflow = withModel(filledInExample('approve-in-chat'), model.baseUrl);
		const workflowId = await host.importWorkflow(workflow);
		await openWorkflow(page, host.workflowUrl(workflowId));
		await converse(page);
		return page.getByTestId('canvas-chat');
	} finally {
		await model.close();
	}
}
