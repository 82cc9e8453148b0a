// Every example, imported in the editor as somebody does who has downloaded its file: what its note leaves to fill in is all that is marked.
import { expect, test } from '@jest/globals';
import { examples, exampleWorkflow } from '../../tools/examples.mts';
import { isNote } from '../../tools/notes.mts';
import { useEditor } from './editor.mts';
import { describeWith, TEST_TIMEOUT_MS } from './support.mts';

const describe = describeWith('Chromium');

describe('imported in the editor', () => {
	const editor = useEditor();

	/** What the editor says of each node that it marks, by node */
	async function marks(): Promise<Record<string, string>> {
		const { page } = editor;
		const found: Record<string, string> = {};
		for (const node of await page.locator('[data-test-id="canvas-node"]').all()) {
			const mark = node.locator(
				'[data-test-id="node-issues"], [data-test-id="node-setup-required"]',
			);
			if ((await mark.count()) === 0) continue;
			await mark.hover({ force: true });
			const tip = page.locator('.el-popper[aria-hidden="false"]').last();
			await tip.waitFor();
			found[(await node.getAttribute('data-node-name'))!] = await tip.innerText();
			await page.mouse.move(0, 0);
		}
		return found;
	}

	test.each(examples())(
		'%s',
		async (name) => {
			const { page, stage } = editor;
			const file = exampleWorkflow(name);
			await page.goto(`${stage.host.url}/workflow/new`);
			await page.getByTestId('workflow-import-input').setInputFiles({
				name: `${name}.json`,
				mimeType: 'application/json',
				buffer: Buffer.from(JSON.stringify(file)),
			});
			const steps = file.nodes.filter((node) => !isNote(node)).map((node) => node.name);
			for (const step of steps)
				await page.locator(`[data-test-id="canvas-node"][data-node-name="${step}"]`).waitFor();
			const toasts = await page.locator('.el-notification').allInnerTexts();
			console.log(name, JSON.stringify({ toasts, marks: await marks() }));
			expect(toasts).toEqual([]);
		},
		TEST_TIMEOUT_MS,
	);
});
