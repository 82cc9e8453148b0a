// Each example as a person imports it. n8n 1 imports those of e2e/examples-run.
import { expect, test } from '@jest/globals';
import type { WorkflowNode } from '../../n8n-host/workflows.mts';
import type { Page } from '../../tools/editor/browser.mts';
import { canvasNode } from '../../tools/editor/canvas.mts';
import { examples, exampleWorkflow } from '../../tools/examples.mts';
import { isNote } from '../../tools/notes.mts';
import { useEditor } from './editor.mts';
import { describeWith } from './support.mts';

const describe = describeWith('Chromium');

const editor = useEditor();

const isOpenChoice = (value: any) => value?.__rl === true && value.value === '';

/** n8n 2 chooses the only account that there is, and saves the canvas by itself, which it may report as someone else's change. */
const OWN_MESSAGES = /^(Credentials auto-added|Workflow updated elsewhere)/;

describe('imported in the editor', () => {
	let canvas: Page | undefined;
	/** One empty canvas for all of them: what costs the most is to load the editor. */
	async function emptyCanvas(): Promise<Page> {
		if (!canvas) {
			canvas = await editor.page.context().newPage();
			await canvas.goto(`${editor.stage.host.url}/workflow/new`);
			return canvas;
		}
		await canvas.locator('.vue-flow__pane').click({ position: { x: 5, y: 300 } });
		await canvas.keyboard.press('ControlOrMeta+A');
		await canvas.keyboard.press('Delete');
		await canvas.getByTestId('canvas-node').first().waitFor({ state: 'detached' });
		return canvas;
	}

	let withAccounts: Set<string>;
	/** True if the user has to choose an account for a node, or an entry of a list */
	async function needsValue({ type, parameters }: WorkflowNode): Promise<boolean> {
		if (!withAccounts) {
			const url = `${editor.stage.host.url}/types/nodes.json`;
			const types: Array<{ name: string; credentials?: unknown[] }> = await (
				await editor.page.context().request.get(url)
			).json();
			const taking = types.filter(({ credentials }) => credentials?.length);
			withAccounts = new Set(taking.map(({ name }) => name));
		}
		return withAccounts.has(type) || Object.values(parameters).some(isOpenChoice);
	}

	test.each(examples())('%s: without a warning', async (name) => {
		const file = exampleWorkflow(name);
		const page = await emptyCanvas();
		await page.getByTestId('workflow-import-input').setInputFiles({
			name: `${name}.json`,
			mimeType: 'application/json',
			buffer: Buffer.from(JSON.stringify(file)),
		});
		const marked = [];
		for (const node of file.nodes.filter((each) => !isNote(each))) {
			const shown = canvasNode(page, node.name);
			await shown.waitFor();
			const marks = await shown.getByTestId(/^node-(issues|setup-required)$/).count();
			if (marks > 0 && !(await needsValue(node))) marked.push(node.name);
		}
		expect(marked).toEqual([]);
		const said = await page.locator('.el-notification').allInnerTexts();
		expect(said.filter((text) => !OWN_MESSAGES.test(text))).toEqual([]);
	});
});
