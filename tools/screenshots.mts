// npm run screenshots [-- name ...]: pictures of the real editor for the README and the gallery, into docs/images/. All of them, or those of
// the panels and examples that are named.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { stopWhenInterrupted } from '../n8n-host/guarded.mts';
import type { WorkflowFile, WorkflowNode } from '../n8n-host/workflows.mts';
import { setStage, type Stage } from './demoStage.mts';
import {
	launchBrowser,
	type Browser,
	type BrowserContextOptions,
	type Locator,
	type Page,
} from './editor/browser.mts';
import { openPanel, openWorkflow, runWorkflow } from './editor/canvas.mts';
import { openSession } from './editor/signIn.mts';
import { getSize, takeExamplePicture } from './examplePictures.mts';
import { noteProblems } from './notes.mts';
import { noteTaken } from './pictures.mts';
import { readSummary, showMessage, SUMMARY_WINDOW } from './summaryPicture.mts';
import { examples, exampleWorkflow, filledInExample, firstProjectId } from './examples.mts';

const images = fileURLToPath(new URL('../docs/images/', import.meta.url));
const SIZE = { width: 1360, height: 1120 };
/** Elements over the canvas that don't belong to the workflow */
const DISTRACTIONS =
	'.el-notification, [data-test-id="canvas-minimap"], [data-test-id="canvas-controls"], [data-test-id="execute-workflow-button"], [data-test-id="floating-nodes"]';

/** A workflow, the node whose panel is shown with its result, and the name of the picture */
interface Scene {
	workflow: WorkflowFile;
	node: string;
	panel: string;
	/** View of the result */
	view: 'schema' | 'table';
	/** The output to show, for a node with several */
	output?: string;
}

/** The example as someone would fill it in who reads the panel from top to bottom */
function agentSession(): Scene {
	const node = 'Run Agent Session';
	const workflow = filledInExample('run-agent-session');
	const { parameters } = workflow.nodes.find(({ name }) => name === node)!;
	parameters.options = {};
	return { workflow, node, panel: 'run-agent-session', view: 'schema', output: 'Completed' };
}

/** The Workspace Automation node after a start by hand */
function single(
	name: string,
	parameters: WorkflowNode['parameters'],
): Pick<Scene, 'workflow' | 'node'> {
	const node = 'Workspace Automation';
	const { nodes, settings } = agentSession().workflow;
	const start = nodes.find(({ type }) => type.endsWith('manualTrigger'))!;
	const { credentials } = nodes.find(({ type }) => type.endsWith('runAgentSession'))!;
	const type = 'n8n-nodes-workspace-automation.workspaceAutomation';
	const shown = {
		id: 'shown',
		name: node,
		type,
		typeVersion: 1,
		position: [240, 0] as [number, number],
		parameters,
		credentials,
	};
	const connections = { [start.name]: { main: [[{ node, type: 'main', index: 0 }]] } };
	return { workflow: { name, nodes: [start, shown], connections, settings }, node };
}

/** The files of a project */
function fileList(): Scene {
	const { projectId } = agentSession().workflow.nodes.find(({ type }) =>
		type.endsWith('runAgentSession'),
	)!.parameters;
	return {
		...single('Files', { resource: 'file', operation: 'getAll', projectId, limit: 20 }),
		panel: 'workspace-automation',
		view: 'schema',
	};
}

/** The query of a table, as it comes, and its rows */
const analytics = (): Scene => ({
	...single('Page views', {
		resource: 'analytics',
		operation: 'query',
		table: 'daily_page_rollups',
	}),
	panel: 'analytics',
	view: 'table',
});

/** A file, as Fetch Test Event shows it */
function trigger(): Scene {
	const node = 'Workspace Automation Trigger';
	const { nodes, settings } = agentSession().workflow;
	const { credentials } = nodes.find(({ type }) => type.endsWith('runAgentSession'))!;
	const shown = {
		id: 'shown',
		name: node,
		type: 'n8n-nodes-workspace-automation.workspaceAutomationTrigger',
		typeVersion: 1,
		position: [0, 0] as [number, number],
		parameters: { event: 'fileCreated', projectIds: [firstProjectId] },
		credentials,
	};
	return {
		workflow: { name: 'A file arrives', nodes: [shown], connections: {}, settings },
		node,
		panel: 'trigger',
		view: 'schema',
	};
}

/** An AI Agent with Run Agent Session as its tool: the project is set by anyone who builds the workflow, the prompt by the model. */
function toolSettings(): Pick<Scene, 'workflow' | 'node'> {
	const node = 'Run the site agent';
	const workflow = filledInExample('agent-with-tools');
	const { parameters } = workflow.nodes.find(({ name }) => name === node)!;
	const { projectId } = agentSession().workflow.nodes.find(({ type }) =>
		type.endsWith('runAgentSession'),
	)!.parameters;
	// As the button beside the field writes it
	const prompt =
		"={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('Prompt', `What the agent of the site should do`, 'string') }}";
	Object.assign(parameters, { projectId, prompt, maxWait: 10 });
	return { workflow, node };
}

/** The settings of a node, without what is beside them */
async function takeSettings(
	page: Page,
	workflowUrl: string,
	node: string,
	name: string,
): Promise<void> {
	await openWorkflow(page, workflowUrl);
	const panel = await openPanel(page, node);
	await page.addStyleTag({ content: `${DISTRACTIONS} { visibility: hidden !important; }` });
	await page.mouse.move(0, 0);
	await settle(page);
	await savePicture(page, name, panel.root);
}

async function savePicture(page: Page, name: string, of: Locator): Promise<void> {
	const path = join(images, `${name}.png`);
	const clip = (await of.boundingBox())!;
	await page.screenshot({ path, clip, animations: 'disabled' });
	console.log(path);
}

/** Runs the workflow in the editor, and takes a picture of the node's panel with the result. */
async function takePicture(
	page: Page,
	workflowUrl: string,
	scene: Scene,
	suffix: string,
): Promise<void> {
	await openWorkflow(page, workflowUrl);
	await runWorkflow(page, scene.node);
	await page.addStyleTag({ content: `${DISTRACTIONS} { visibility: hidden !important; }` });
	const panel = await openPanel(page, scene.node);
	if (scene.output) await panel.showOutput(scene.output);
	await panel.selectOutputView(scene.view);
	await page.mouse.move(0, 0);
	await settle(page);
	await savePicture(page, `${scene.panel}${suffix}`, panel.root);
}

/** Animations of the canvas and the panel */
const settle = async (page: Page) => await page.waitForTimeout(1500);

const TASK = 'Give the landing page a new headline, and build the site.';
/** Prompts with requests. The page is shown without the directives. */
const QUESTION = `${TASK} [question Which style? {new=Modern, old=Classic}]`;
const CHANGE = `${TASK} [say I have a headline that says what is special.] [change diff: <h1>Coffee</h1>
<p>Open daily</p> => <h1>Coffee, roasted here</h1>
<p>Open 8 to 18</p>] [ask edit: pages/index.html]`;
const WORDS = '[say The new headline is in place. I build the site, so that you can look at it.]';
const ONE_REQUEST = `${TASK} ${WORDS} [ask bash: npm run build]`;
const TWO_REQUESTS = `${TASK} ${WORDS} [ask bash: npm run build + edit: pages/index.html, pages/about.html]`;

/** The link to the approval page of the example, once n8n has polled the session, in a minute or two */
async function approvalLink({ host }: Stage, prompt: string): Promise<string> {
	const workflow = filledInExample('approve-on-a-page');
	const session = workflow.nodes.find(({ type }) => type.endsWith('runAgentSession'))!;
	// The example's rule would approve npm run build.
	session.parameters.permissionPolicy = 'ask';
	session.parameters.prompt = prompt;
	Object.assign((session.parameters.approvals ??= {}), {
		ifNobodyAnswers: 'deny',
		unansweredAfter: 2,
	});
	const id = await host.run(await host.importWorkflow(workflow));
	for (;;) {
		const { runData } = await host.waitForExecution(id, { until: 'waiting' });
		const asking = 1;
		const asked = runData[session.name]?.flatMap(({ data }) => data?.main[asking] ?? []) ?? [];
		if (asked.length > 0) return asked[0].json.approvalUrl;
		await sleep(2000);
	}
}

/** Saves a picture of an approval page for each color scheme: what a screen of this size shows, or the whole page. */
async function saveApprovalPage(page: Page, name: string, isWhole = false): Promise<void> {
	await page.evaluate(`for (const task of document.querySelectorAll('p bdo'))
		task.textContent = task.textContent.replace(/ \\[.*/s, '')`);
	const viewport = page.viewportSize()!;
	// The bar with Send stays at the end of a screen that is as high as the page.
	const height = await page.evaluate('document.documentElement.scrollHeight');
	if (isWhole) await page.setViewportSize({ ...viewport, height: height as number });
	for (const [colorScheme, suffix] of schemes) {
		await page.emulateMedia({ colorScheme });
		const path = join(images, `${name}${suffix}.png`);
		await page.screenshot({ path });
		console.log(path);
	}
	await page.setViewportSize(viewport);
}

/** Takes the pictures of the approval page: one request, two, a question, an edit, and after sending. */
async function takeApprovalPages(browser: Browser, stage: Stage): Promise<void> {
	const [one, two, asked, changed] = await Promise.all(
		[ONE_REQUEST, TWO_REQUESTS, QUESTION, CHANGE].map(
			async (prompt) => await approvalLink(stage, prompt),
		),
	);
	const phone = await browser.newPage({ viewport: PHONE, deviceScaleFactor: 2 });
	await phone.goto(one);
	await saveApprovalPage(phone, 'approval-page');
	await phone.goto(two);
	await saveApprovalPage(phone, 'approval-page-two', true);
	await phone.getByRole('group', { name: '1 of 2' }).getByLabel('Approve once').check();
	await phone.getByRole('group', { name: '2 of 2' }).getByLabel('Deny').check();
	await phone.getByRole('button', { name: 'Send' }).click();
	await phone.getByRole('heading', { name: 'Your answer was saved' }).waitFor();
	await saveApprovalPage(phone, 'approval-page-sent', true);
	await phone.goto(asked);
	await saveApprovalPage(phone, 'approval-page-question', true);
	await phone.goto(changed);
	await phone.getByLabel('Deny').check();
	await saveApprovalPage(phone, 'approval-page-change', true);
	await phone.close();
}

/** Takes the picture of the page for an approver while one approval is missing. */
async function takeTeamPage(browser: Browser, stage: Stage): Promise<void> {
	const workflow = filledInExample('two-approvers');
	const session = workflow.nodes.find(({ name }) => name === 'Run Agent Session')!;
	// The example's rule would approve npm run build.
	Object.assign(session.parameters, { permissionPolicy: 'ask', prompt: ONE_REQUEST });
	for (const approver of session.parameters.approvals.approvers.approver) approver.isBackup = false;
	workflow.nodes.find(({ name }) => name === 'Ask by email')!.disabled = true;
	const { host } = stage;
	const id = await host.run(await host.importWorkflow(workflow));
	const readItems = async () => {
		const { runData } = await host.waitForExecution(id, { until: 'waiting' });
		const asking = 1;
		return runData[session.name]?.flatMap(({ data }) => data?.main[asking] ?? []) ?? [];
	};
	let items = await readItems();
	for (; items.length < 3; items = await readItems()) await sleep(2000);
	const [anna, ben] = items.map(({ json }) => json.approvalUrl as string);
	const phone = await browser.newPage({ viewport: PHONE, deviceScaleFactor: 2 });
	await phone.goto(ben);
	await phone.getByLabel('Approve once').check();
	await phone.getByRole('button', { name: 'Send' }).click();
	await phone.getByRole('heading', { name: 'Your answer was saved' }).waitFor();
	for (;;) {
		await phone.goto(anna);
		if (await phone.getByText('1 of 2 approvals').isVisible()) break;
		await sleep(1000);
	}
	await saveApprovalPage(phone, 'approval-page-team', true);
	await phone.close();
}

const PHONE = { width: 360, height: 740 };
const schemes = [
	['light', ''],
	['dark', '-dark'],
] as const;

stopWhenInterrupted(() => 1);

const wanted = process.argv.slice(2).map((name) => name.replace('examples/', ''));
const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name);

try {
	mkdirSync(images, { recursive: true });
	const stage = await setStage(console.log);
	const browser = await launchBrowser(console.log);
	const openPage = async (options: BrowserContextOptions) =>
		await (await openSession(browser, stage.host, options)).newPage();
	try {
		for (const scene of [agentSession(), fileList(), analytics(), trigger()].filter(({ panel }) =>
			isWanted(panel),
		)) {
			const workflowId = await stage.host.importWorkflow(scene.workflow);
			for (const [colorScheme, suffix] of schemes) {
				const page = await openPage({ colorScheme, viewport: SIZE, deviceScaleFactor: 2 });
				await takePicture(page, stage.host.workflowUrl(workflowId), scene, suffix);
				await page.context().close();
			}
		}
		if (isWanted('approval-page')) await takeApprovalPages(browser, stage);
		if (isWanted('approval-page-team')) await takeTeamPage(browser, stage);
		if (isWanted('tool-settings')) {
			const { workflow, node } = toolSettings();
			const workflowId = await stage.host.importWorkflow(workflow);
			for (const [colorScheme, suffix] of schemes) {
				const page = await openPage({ colorScheme, viewport: SIZE, deviceScaleFactor: 2 });
				const url = stage.host.workflowUrl(workflowId);
				await takeSettings(page, url, node, `tool-settings${suffix}`);
				await page.context().close();
			}
		}
		if (isWanted('morning-summary')) {
			const text = await readSummary(stage);
			for (const [colorScheme, suffix] of schemes) {
				const page = await browser.newPage({
					colorScheme,
					viewport: SUMMARY_WINDOW,
					deviceScaleFactor: 2,
				});
				await showMessage(page, text);
				await savePicture(page, `morning-summary${suffix}`, page.locator('main'));
				await page.close();
			}
		}
		for (const name of examples().filter(isWanted)) {
			const workflow = exampleWorkflow(name);
			const problems = noteProblems(workflow);
			if (problems.length > 0) throw new Error(`${name}.json: ${problems.join('; ')}`);
			const workflowId = await stage.host.importWorkflow(workflow);
			for (const [colorScheme, suffix] of schemes) {
				const page = await openPage({
					colorScheme,
					viewport: getSize(workflow),
					deviceScaleFactor: 1,
				});
				console.log(
					await takeExamplePicture(
						page,
						stage.host.workflowUrl(workflowId),
						join(images, 'examples', `${name}${suffix}.png`),
					),
				);
				await page.context().close();
			}
		}
		noteTaken((name) => isWanted(name.replace('examples/', '')));
	} finally {
		await browser.close();
		await stage.close();
	}
} catch (error) {
	console.error((error as Error).message);
	process.exitCode = 1;
}
