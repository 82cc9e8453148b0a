// The panel of a node: what comes in on the left, its fields in the middle, its output on the right.
import type { Locator, Page } from 'playwright-core';

export type Panel = Awaited<ReturnType<typeof getPanel>>;

const LIST = '/dynamic-node-parameters/resource-locator-results';

/** The panel that is opening, once it is there. */
export async function getPanel(page: Page) {
	const root = page.getByTestId('ndv');
	await root.waitFor();
	const input = root.getByTestId('ndv-input-panel');
	const output = root.getByTestId('output-panel');
	/** A field by its parameter's name */
	const field = (name: string): Locator => root.getByTestId(`parameter-input-${name}`);
	const write = async (into: Locator, text: string) => {
		await into.click();
		await page.keyboard.press('ControlOrMeta+A');
		await page.keyboard.press('Delete');
		if (text !== '') await paste(page, into, text);
	};

	return {
		root,
		output,
		field,
		/** The text in an editor of code or SQL, as it is seen */
		code: (name: string) => findCode(field(name)),
		/** Puts a text into a field in place of what is in it. */
		fill: (name: string, text: string) =>
			write(field(name).locator('input, textarea, .cm-content').first(), text),

		/** Picks an option of a drop-down field by its name. */
		async choose(name: string, option: string) {
			await field(name).click();
			await page
				.getByRole('option')
				.filter({ has: page.getByText(option, { exact: true }) })
				.click();
		},

		/** Opens the list of a field that picks something of the service's, and waits for its first page. */
		async openList(name: string) {
			await fetched(page, () => field(name).getByTestId('rlc-input').click());
			const entries = page.getByTestId('rlc-item');
			await entries.first().waitFor();
			return {
				entries,
				/** Types into the search field and waits for what n8n's server finds. */
				search: (typed: string) =>
					fetched(page, () =>
						page
							.locator('[data-test-id="rlc-search"] input, input[data-test-id="rlc-search"]')
							.fill(typed),
					),
				/** Goes to the end of what is shown and waits for the next page. */
				scrollToEnd: () => fetched(page, () => entries.last().scrollIntoViewIfNeeded()),
				pick: (entry: string) => entries.getByText(entry, { exact: true }).click(),
			};
		},

		/** Choice in the list of a field */
		picked: (name: string) =>
			field(name)
				.locator('[data-test-id="rlc-input"] input, input[data-test-id="rlc-input"]')
				.inputValue(),

		/** Shows on the left what a node further back has returned. */
		async showInput(node: string) {
			const header = input.getByTestId('run-data-schema-header').filter({ hasText: node });
			const fields = input.locator('[data-target="mappable"]');
			// A click while the panel is still being built may be lost, or close what has just opened by itself.
			for (let tries = 0, shows = false; !shows && tries < 5; tries++) {
				const before = await fields.count();
				await header.click();
				const more = fields.nth(before).waitFor({ state: 'attached', timeout: 5_000 });
				shows = await more.then(
					() => true,
					() => false,
				);
			}
		},

		/** Drags a value by its name from the panel on the left into a field. */
		async drag(value: string, name: string) {
			const from = input.locator(`[data-target="mappable"][data-name="${value}"]`).first();
			// The editor doesn't accept drops on an element that scrolls during the drag.
			await field(name).scrollIntoViewIfNeeded();
			await from.hover();
			await page.mouse.down();
			const { x, y, width, height } = (await field(name).boundingBox())!;
			await page.mouse.move(x + width / 2, y + height / 2, { steps: 10 });
			await page.mouse.up();
			// A panel that is closed before the field has it would lose it.
			await field(name).getByText(value).first().waitFor();
		},

		/** Presses the button that executes the node, and waits until it has ended: well, or with an error. */
		async execute() {
			await root.getByTestId('node-execute-button').click();
			const ended = output
				.getByTestId('node-run-status-success')
				.or(output.getByTestId('node-error-message'));
			await ended.first().waitFor();
		},

		/** Shows the run whose name in the list has this text. */
		async showRun(text: string) {
			await output.getByTestId('run-selector').click();
			await page.getByRole('option').filter({ hasText: text }).first().click();
		},

		/** Shows one of several outputs. */
		async showOutput(name: string) {
			await output.getByTestId('branches').getByText(name).click();
		},

		async selectOutputView(view: 'schema' | 'table' | 'json') {
			await output.getByTestId(`radio-button-${view}`).click();
		},

		async close() {
			await root.getByTestId('ndv-close-button').or(root.getByTestId('back-to-canvas')).click();
			await root.waitFor({ state: 'hidden' });
		},
	};
}

/** The text in an editor, line by line: the editor shows an empty one as a line break. */
async function findCode(field: Locator): Promise<string> {
	return (await field.locator('.cm-line').allInnerTexts())
		.map((line) => line.replace(/\n$/, ''))
		.join('\n');
}

/** Pastes, because an editor of code closes brackets and suggests words over the other fields while someone types. */
async function paste(page: Page, into: Locator, text: string): Promise<void> {
	await page.evaluate((copied) => (globalThis as any).navigator.clipboard.writeText(copied), text);
	await into.press('ControlOrMeta+V');
}

/** Does something after which the list asks n8n's server, and waits for the answer. */
async function fetched(page: Page, act: () => Promise<void>): Promise<void> {
	const answered = page.waitForResponse(
		(response) => response.url().includes(LIST) && response.ok(),
	);
	await Promise.all([answered, act()]);
}
