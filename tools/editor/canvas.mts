// The canvas: its nodes, the button that runs the workflow, and the panel in which nodes are looked for.
import type { Locator, Page } from 'playwright-core';
import { getPanel, type Panel } from './panel.mts';

export const canvasNode = (page: Page, name: string): Locator =>
	page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`);

/** Opens a workflow and waits until its nodes are there. */
export async function openWorkflow(page: Page, workflowUrl: string): Promise<void> {
	await page.goto(workflowUrl);
	await page.getByTestId('canvas-node').first().waitFor();
}

/** Runs the workflow with the button below the canvas and waits until the node has ended well. */
export async function runWorkflow(page: Page, node: string): Promise<void> {
	await page.getByTestId('execute-workflow-button').click();
	await canvasNode(page, node).getByTestId('canvas-node-status-success').waitFor();
}

/** Opens the panel of a node. */
export async function openPanel(page: Page, node: string): Promise<Panel> {
	await canvasNode(page, node).dblclick();
	return await getPanel(page);
}

/** Looks for a node by what someone types into the node panel. The locator is that of the names of all that is found, once it is. */
export async function searchNodes(page: Page, typed: string): Promise<Locator> {
	const field = page.getByTestId('node-creator-search-bar');
	if (!(await field.isVisible())) await page.getByTestId('node-creator-plus-button').click();
	await field.fill(typed);
	return page.getByTestId('node-creator-item-name');
}

/** Takes an action of a node that was found into the workflow; the panel of the new node opens. */
export async function addAction(
	page: Page,
	found: Locator,
	node: string,
	action: string,
): Promise<Panel> {
	await found.getByText(node, { exact: true }).click();
	await page.getByTestId('node-creator-item-name').getByText(action, { exact: true }).click();
	return await getPanel(page);
}
