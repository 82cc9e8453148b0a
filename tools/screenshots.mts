// npm run screenshots [-- name ...]: pictures of the real editor for the README and the gallery, into docs/images/. All of them, or those of
// the panels and examples that are named.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, selectors, type Browser, type Page } from 'playwright-core';
import type { Host } from '../n8n-host/host.mts';
import { stopAllGuarded } from '../n8n-host/guarded.mts';
import type { WorkflowFile } from '../n8n-host/workflows.mts';
import { exampleWorkflow, setStage } from './demoStage.mts';
import { examples, sizeOf, takeExamplePicture } from './examplePictures.mts';

const images = fileURLToPath(new URL('../docs/images/', import.meta.url));
const browsers = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const BROWSER_ID = 'screenshots';
const SIZE = { width: 1360, height: 1120 };
/** Around the nodes; more where their names and their unconnected outputs stick out */
const AIR = { left: 32, top: 32, right: 112, bottom: 96 };
const RUN_TIMEOUT_MS = 120_000;
/** What lies over the canvas, and says nothing about the workflow */
const DISTRACTIONS =
	'.el-notification, [data-test-id="canvas-minimap"], [data-test-id="canvas-controls"], [data-test-id="execute-workflow-button"], [data-test-id="floating-nodes"]';

type ColorScheme = 'light' | 'dark';
type Rectangle = { x: number; y: number; width: number; height: number };

const quiet = [
	'--no-sandbox',
	'--disable-gpu',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
	'--no-first-run',
	'--disable-quic',
];

function findBrowser(): string {
	const found = process.env.CHROMIUM ?? browsers.find((file) => existsSync(file));
	if (found) return found;
	throw new Error('Chromium is missing. On Debian: apt-get install -y chromium. Elsewhere set CHROMIUM to the path of a Chromium or Chrome.');
}

/** A workflow, the node whose panel is shown with its result, and the names of the pictures */
interface Scene {
	workflow: WorkflowFile;
	node: string;
	panel: string;
	canvas?: string;
}

/** The example as somebody would fill it in who reads the panel from top to bottom, without what is for the scripted agent only */
function agentSession(): Scene {
	const node = 'Run Agent Session';
	const workflow = exampleWorkflow('run-agent-session');
	const { parameters } = workflow.nodes.find(({ name }) => name === node)!;
	Object.assign(parameters.projectId, { mode: 'list', cachedResultName: 'Juniper Coffee' });
	// Scrolls the directives out of the field
	parameters.prompt = parameters.prompt.replace('\n\n[', '\n\n\n\n[');
	parameters.options = { maxWait: 30 };
	return { workflow, node, panel: 'run-agent-session', canvas: 'workflow' };
}

/** The files of a project, as the Workspace Automation node lists them */
function fileList(): Scene {
	const node = 'Workspace Automation';
	const { nodes, settings } = agentSession().workflow;
	const [{ name: start }] = nodes.filter(({ type }) => type.endsWith('manualTrigger'));
	const { parameters, credentials } = nodes.find(({ type }) => type.endsWith('runAgentSession'))!;
	const list = {
		id: 'list',
		name: node,
		type: 'n8n-nodes-workspace-automation.workspaceAutomation',
		typeVersion: 1,
		position: [240, 0] as [number, number],
		parameters: { resource: 'file', operation: 'getAll', projectId: parameters.projectId, limit: 20 },
		credentials,
	};
	const workflow = {
		name: 'Files',
		nodes: [...nodes.filter(({ name }) => name === start), list],
		connections: { [start]: { main: [[{ node, type: 'main', index: 0 }]] } },
		settings,
	};
	return { workflow, node, panel: 'workspace-automation' };
}

/** A page that is logged in to the editor. */
async function openEditor(browser: Browser, host: Host, colorScheme: ColorScheme, viewport = SIZE, deviceScaleFactor = 2): Promise<Page> {
	const context = await browser.newContext({ viewport, deviceScaleFactor, colorScheme, locale: 'en-US' });
	// The login is bound to the browser id that the editor sends.
	await context.addInitScript((id) => (globalThis as any).localStorage.setItem('n8n-browserId', id), BROWSER_ID);
	const login = await context.request.post(`${host.url}/rest/login`, {
		headers: { 'browser-id': BROWSER_ID },
		data: { emailOrLdapLoginId: host.login.email, password: host.login.password },
	});
	if (!login.ok()) throw new Error(`n8n refused the login: ${login.status()}`);
	return await context.newPage();
}

/** Runs the workflow in the editor and takes its picture on the canvas if wanted, then that of the node's panel with the result in it. */
async function takePictures(page: Page, workflowUrl: string, scene: Scene, suffix: string): Promise<void> {
	const save = async (name: string, clip?: Rectangle) => {
		const path = join(images, `${name}${suffix}.png`);
		await page.screenshot({ path, clip, animations: 'disabled' });
		console.log(path);
	};

	await page.goto(workflowUrl);
	const node = page.locator(`[data-test-id="canvas-node"][data-node-name="${scene.node}"]`);
	await node.waitFor();
	await page.getByTestId('execute-workflow-button').click();
	await node.getByTestId('canvas-node-status-success').waitFor({ timeout: RUN_TIMEOUT_MS });
	await page.addStyleTag({ content: `${DISTRACTIONS} { visibility: hidden !important; }` });
	await page.mouse.move(0, 0);
	await settle(page);
	if (scene.canvas) await save(scene.canvas, await aroundNodes(page));

	await node.dblclick();
	const panel = page.getByTestId('ndv');
	await panel.getByTestId('output-panel').getByTestId('radio-button-schema').click();
	await page.mouse.move(0, 0);
	await settle(page);
	await save(scene.panel, (await panel.boundingBox())!);
}

/** Animations of the canvas and the panel */
const settle = async (page: Page) => await page.waitForTimeout(1500);

/** The rectangle around everything on the canvas, with some air */
async function aroundNodes(page: Page): Promise<Rectangle> {
	const boxes = await Promise.all((await page.locator('.vue-flow__node').all()).map(async (node) => (await node.boundingBox())!));
	const left = Math.min(...boxes.map(({ x }) => x)) - AIR.left;
	const top = Math.min(...boxes.map(({ y }) => y)) - AIR.top;
	const right = Math.max(...boxes.map(({ x, width }) => x + width)) + AIR.right;
	const bottom = Math.max(...boxes.map(({ y, height }) => y + height)) + AIR.bottom;
	return { x: left, y: top, width: right - left, height: bottom - top };
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
	process.on(signal, () => void stopAllGuarded().then(() => process.exit(1)));
}

selectors.setTestIdAttribute('data-test-id');

const wanted = process.argv.slice(2);
const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name);

try {
	const executablePath = findBrowser();
	mkdirSync(images, { recursive: true });
	const stage = await setStage(console.log);
	const browser = await chromium.launch({ executablePath, args: quiet });
	try {
		const schemes = [['light', ''], ['dark', '-dark']] as const;
		for (const scene of [agentSession(), fileList()].filter(({ panel }) => isWanted(panel))) {
			const workflowId = await stage.host.importWorkflow(scene.workflow);
			for (const [scheme, suffix] of schemes) {
				const page = await openEditor(browser, stage.host, scheme);
				await takePictures(page, stage.host.workflowUrl(workflowId), scene, suffix);
				await page.context().close();
			}
		}
		for (const name of examples().filter(isWanted)) {
			const workflow = exampleWorkflow(name);
			const workflowId = await stage.host.importWorkflow(workflow);
			for (const [scheme, suffix] of schemes) {
				const page = await openEditor(browser, stage.host, scheme, sizeOf(workflow), 1);
				console.log(await takeExamplePicture(page, stage.host.workflowUrl(workflowId), join(images, 'examples', `${name}${suffix}.png`)));
				await page.context().close();
			}
		}
	} finally {
		await browser.close();
		await stage.close();
	}
} catch (error) {
	console.error((error as Error).message);
	process.exitCode = 1;
}
