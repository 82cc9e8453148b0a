// The form in which a credential is made or changed, with the test that n8n makes whenever it is saved.
import type { Page } from 'playwright-core';
import type { Panel } from './panel.mts';

/** From the panel of a node, to make a credential */
export async function createCredential(page: Page, panel: Panel) {
	await panel.root.getByTestId('node-credentials-select').click();
	await page.getByTestId('node-credentials-select-item-new').click();
	return await getForm(page);
}

/** From the panel of a node, to check the credential that it has; n8n tests it at once. */
export async function openCredential(page: Page, panel: Panel) {
	await tested(page, () => panel.root.getByTestId('credential-edit-button').click());
	return await getForm(page);
}

async function getForm(page: Page) {
	const root = page.getByTestId('editCredential-modal');
	await root.getByTestId('credential-name').waitFor();
	return {
		root,
		/** Types into a field of the form in place of what is in it. */
		type: (name: string, text: string) =>
			root.getByTestId(`parameter-input-${name}`).locator('input').fill(text),
		/** Saves, and waits for what the test says. */
		saveAndTest: () => tested(page, () => root.getByTestId('credential-save-button').click()),
		async close() {
			// The Escape key would close the panel behind it, too.
			await root.getByRole('button', { name: 'Close this dialog' }).click();
			await root.waitFor({ state: 'hidden' });
		},
	};
}

async function tested(page: Page, act: () => Promise<void>): Promise<void> {
	const answered = page.waitForResponse((response) => response.url().endsWith('/credentials/test'));
	await Promise.all([answered, act()]);
}
