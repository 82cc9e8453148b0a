// The one way into the editor: signed in as the owner, without the form.
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core';
import { HANG_MS } from '../../n8n-host/hang.mts';
import type { Host } from '../../n8n-host/host.mts';

/** The login is bound to the browser id that the editor sends. */
const BROWSER_ID = 'workspace-automation';

/** A context whose pages are signed in to the host's editor. The caller closes it. */
export async function openSession(
	browser: Browser,
	host: Pick<Host, 'url' | 'login'>,
	options: BrowserContextOptions = {},
): Promise<BrowserContext> {
	const context = await browser.newContext({
		locale: 'en-US',
		permissions: ['clipboard-read', 'clipboard-write'],
		...options,
	});
	context.setDefaultTimeout(HANG_MS);
	await context.addInitScript(
		(id) => (globalThis as any).localStorage.setItem('n8n-browserId', id),
		BROWSER_ID,
	);
	const login = await context.request.post(`${host.url}/rest/login`, {
		headers: { 'browser-id': BROWSER_ID },
		data: { emailOrLdapLoginId: host.login.email, password: host.login.password },
	});
	if (!login.ok()) throw new Error(`n8n refused the login: ${login.status()}`);
	return context;
}
