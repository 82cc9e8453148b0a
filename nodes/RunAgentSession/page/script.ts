// While an execution runs, wakes or n8n restarts, n8n itself answers a form with an error, also if it saved the answer. The script then
// repeats the form, so that no choice is lost. Without scripts, the page works as well.

/** The first line of each of our pages. The script shows nothing that begins otherwise, whatever its content type. */
export const FIRST_LINE = '<!doctype html><html lang="en" id="approval-page">';

/** The Content-Security-Policy names the hash of exactly this text. */
export const PAGE_SCRIPT = `
addEventListener('submit', async (event) => {
	event.preventDefault();
	const form = event.target;
	const button = form.querySelector('button');
	const status = form.querySelector('[role=status]');
	const body = new URLSearchParams(new FormData(form));
	const minute = new AbortController();
	const { signal } = minute;
	setTimeout(() => minute.abort(), 60000);
	button.disabled = true;
	button.textContent = 'Sending…';
	status.textContent = '';
	while (!signal.aborted) {
		const response = await fetch('', { method: 'POST', body, signal }).catch(() => undefined);
		const text = response ? await response.text().catch(() => '') : '';
		const isPage = text.startsWith('${FIRST_LINE}');
		if (isPage && !response.headers.has('retry-after')) {
			document.open();
			document.write(text);
			return document.close();
		}
		const isBusy = !response || isPage || response.status === 409 || response.status >= 500;
		if (!isBusy && !/Cannot (GET|POST) /.test(text)) break;
		status.textContent = 'There’s no confirmation yet. Your answer is being sent again.';
		await new Promise((resolve) => setTimeout(resolve, 1000));
	}
	status.textContent = 'Your answer may have been saved. Open the link again to see it, or select Send again.';
	button.disabled = false;
	button.textContent = 'Send';
});
`;
