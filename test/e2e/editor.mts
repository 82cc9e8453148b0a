// The editor in a real browser, for the tests of one file: each has its own page.
import { isDeepStrictEqual } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import type { WorkflowFile, WorkflowNode } from '../../n8n-host/workflows.mts';
import type { Stage } from '../../tools/demoStage.mts';
import {
	launchBrowser,
	type Browser,
	type BrowserContext,
	type Locator,
	type Page,
} from '../../tools/editor/browser.mts';
import { openPanel, openWorkflow } from '../../tools/editor/canvas.mts';
import type { Panel } from '../../tools/editor/panel.mts';
import { openSession } from '../../tools/editor/signIn.mts';
import { eventually, useStage } from './support.mts';

interface Editor {
	stage: Stage;
	/** The page of the test that runs */
	page: Page;
	/** Imports a workflow and opens it; returns its id. */
	open(file: WorkflowFile): Promise<string>;
	/**
	 * Goes back to the canvas, saves until n8n has what was filled in (it reaches the node a moment after it is seen), and opens the panel
	 * again.
	 */
	saved(
		panel: Panel,
		workflowId: string,
		name: string,
		parameters: Record<string, unknown>,
	): Promise<Panel>;
}

/** An editor whose service does in three seconds what takes the scripted agent a minute */
export function useEditor(): Editor {
	const stage = useStage();
	let browser: Browser;
	let context: BrowserContext;

	beforeAll(async () => {
		browser = await launchBrowser((line) => process.stderr.write(`${line}\n`));
		await stage.service.control.setSpeed(20);
		context = await openSession(browser, stage.host, { viewport: { width: 1360, height: 1000 } });
	});
	afterAll(async () => {
		await browser?.close();
	});
	beforeEach(async () => {
		editor.page = await context.newPage();
	});
	afterEach(async () => {
		await editor.page.close();
	});

	const editor: Editor = {
		stage,
		// Nobody reads it before the first test begins.
		page: undefined as unknown as Page,
		async open(file) {
			const id = await stage.host.importWorkflow(file);
			await openWorkflow(editor.page, stage.host.workflowUrl(id));
			return id;
		},
		async saved(panel, workflowId, name, parameters) {
			await panel.close();
			await eventually(async () => {
				await editor.page.keyboard.press('ControlOrMeta+S');
				const { nodes } = await stage.host.rest.get(`/workflows/${workflowId}`);
				const found = nodes.find((one: WorkflowNode) => one.name === name)?.parameters ?? {};
				return Object.entries(parameters).every(([field, value]) =>
					isDeepStrictEqual(found[field], value),
				);
			});
			return await openPanel(editor.page, name);
		},
	};
	return editor;
}

/** Waits for a text and returns it. */
async function read(element: Locator): Promise<string> {
	await element.waitFor();
	return await element.innerText();
}

export const findError = async ({ output }: Panel) => ({
	message: await read(output.getByTestId('node-error-message')),
	description: await read(output.getByTestId('node-error-description')),
});
