// While the execution runs, n8n itself answers 409 with JSON, and 500 if it wakes at this moment. The script then
// repeats the request, so that no choice is lost.
// Without scripts, the page works as well. The Content-Security-Policy names the hash of exactly this text.

export const PAGE_SCRIPT = `
addEventListener('submit', async (event) => {
	event.preventDefault();
	const form = event.target;
	const button = form.querySelector('button');
	const status = form.querySelector('[role=status]');
	const body = new URLSearchParams(new FormData(form));
	const until = Date.now() + 60000;
	const say = (text) => {
		status.textContent = text;
		button.disabled = false;
		button.textContent = 'Send';
	};
	button.disabled = true;
	button.textContent = 'Sending…';
	status.textContent = '';
	for (;;) {
		const answer = await fetch('', { method: 'POST', body }).catch(() => undefined);
		if (!answer) return say('There’s no connection. Nothing was sent. Select Send again.');
		const text = await answer.text();
		const isPage = /html/.test(answer.headers.get('content-type'));
		const isBusy = isPage
			? answer.headers.has('retry-after')
			: /running already|executing the workflow/.test(text);
		if (isBusy && Date.now() < until) {
			await new Promise((resolve) => setTimeout(resolve, 1000));
			continue;
		}
		if (isPage) {
			document.open();
			document.write(text);
			return document.close();
		}
		return say(
			isBusy
				? 'n8n is still busy. Nothing was sent. Select Send again in a minute.'
				: 'n8n didn’t take the answer (status ' + answer.status + '). The workflow may have ended.',
		);
	}
});
`;
