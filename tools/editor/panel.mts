// The panel of a node: what comes in on the left, its fields in the middle, its output on the right.
import type { Locator, Page } from 'playwright-core';

/** A list that is searched and paged, such as that of projects */
interface EntityList {
	/** Texts shown so far */
	entries: Locator;
	/** Types into the search field and waits for what n8n's server finds. */
	search(typed: string): Promise<void>;
	/** Goes to the end of what is shown and waits for the next page. */
	scrollToEnd(): Promise<void>;
	pick(entry: string): Promise<void>;
}

export interface Panel {
	root: Locator;
	output: Locator;
	/** A field by its parameter's name */
	field(name: string): Locator;
	/** The text in an editor of code or SQL, as it is seen */
	code(name: string): Promise<string>;
	/** Puts a text into a field in place of what is in it. */
	fill(name: string, text: string): Promise<void>;
	/** Picks an option of a drop-down field by its name. */
	choose(name: string, option: string): Promise<void>;
	/** Opens the list of a field that picks something of the service's, and waits for its first page. */
	openList(name: string): Promise<EntityList>;
	/** Choice in the list of a field */
	picked(name: string): Promise<string>;
	/** Shows on the left what a node further back has returned. */
	showInput(node: string): Promise<void>;
	/** Drags a value by its name from the panel on the left into a field. */
	drag(value: string, name: string): Promise<void>;
	/** Presses the button that executes the node, and waits until it has ended: well, or with an error. */
	execute(): Promise<void>;
	/** Shows one of several outputs. */
	showOutput(name: string): Promise<void>;
	selectOutputView(view: 'schema' | 'table' | 'json'): Promise<void>;
	close(): Promise<void>;
}

const LIST = '/dynamic-node-parameters/resource-locator-results';

/** The panel that is opening, once it is there. */
export async function getPanel(page: Page): Promise<Panel> {
	const root = page.getByTestId('ndv');
	await root.waitFor();
	const input = root.getByTestId('ndv-input-panel');
	const output = root.getByTestId('output-panel');
	const field = (name: string) => root.getByTestId(`parameter-input-${name}`);
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
		code: (name) => findCode(field(name)),
		fill: (name, text) => write(field(name).locator('input, textarea, .cm-content').first(), text),

		async choose(name, option) {
			await field(name).click();
			await page
				.getByRole('option')
				.filter({ has: page.getByText(option, { exact: true }) })
				.click();
		},

		async openList(name) {
			await fetched(page, () => field(name).getByTestId('rlc-input').click());
			const entries = page.getByTestId('rlc-item');
			await entries.first().waitFor();
			return {
				entries,
				search: (typed) =>
					fetched(page, () =>
						page
							.locator('[data-test-id="rlc-search"] input, input[data-test-id="rlc-search"]')
							.fill(typed),
					),
				scrollToEnd: () => fetched(page, () => entries.last().scrollIntoViewIfNeeded()),
				pick: (entry) => entries.getByText(entry, { exact: true }).click(),
			};
		},

		picked: (name) =>
			field(name)
				.locator('[data-test-id="rlc-input"] input, input[data-test-id="rlc-input"]')
				.inputValue(),

		async showInput(node) {
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

		async drag(value, name) {
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

		async execute() {
			await root.getByTestId('node-execute-button').click();
			const ended = output
				.getByTestId('node-run-status-success')
				.or(output.getByTestId('node-error-message'));
			await ended.first().waitFor();
		},

		async showOutput(name) {
			await output.getByTestId('branches').getByText(name).click();
		},

		async selectOutputView(view) {
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
