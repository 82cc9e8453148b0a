// The style and the script of the page, which has no external resources.

export const PAGE_STYLE = `
:root{color-scheme:light dark;--back:#f5f6f8;--card:#fff;--code:#eff1f5;--line:#d5d8df;--edge:#767b87;--text:#1a1c21;--soft:#595e6b;--accent:#0b57d0;--on-accent:#fff;--good:#0a6b3d;--bad:#b3261e;--hint:#fdf0c8;--on-hint:#4a3800;--gutter:max(1rem,calc(50vw - 20rem))}
@media (prefers-color-scheme:dark){:root{--back:#111317;--card:#1c1f24;--code:#282c33;--line:#353a43;--edge:#8b919e;--text:#eceef2;--soft:#a8aebb;--accent:#8ab4f8;--on-accent:#07214d;--good:#6fd39b;--bad:#ff8f86;--hint:#4a3d12;--on-hint:#ffe9a8}}
*{box-sizing:border-box}
html{scroll-padding-bottom:9rem;-webkit-text-size-adjust:100%}
body{margin:0;min-height:100vh;min-height:100dvh;display:flex;flex-direction:column;background:var(--back);color:var(--text);font:1rem/1.45 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:anywhere}
header{display:flex;align-items:baseline;gap:.25rem 1rem;justify-content:space-between;padding:.75rem var(--gutter) 0;font-size:.875rem}
header b{min-width:0;font-weight:600}
header a{flex:none}
a{color:var(--accent);padding:.125rem 0}
main,form{flex:1;display:flex;flex-direction:column}
main{padding:.5rem var(--gutter) 1rem}
form{margin:0 calc(-1*var(--gutter)) -1rem;padding:0 var(--gutter)}
h1{font-size:1.375rem;line-height:1.2;margin:.25rem 0 .5rem;letter-spacing:-.01em}
p{margin:0 0 .75rem}
.soft,small,summary,dt{color:var(--soft)}
.card{min-width:0;margin:0 0 .75rem;padding:.75rem .875rem .625rem;border:1px solid var(--line);border-radius:.875rem;background:var(--card)}
legend{float:left;width:100%;padding:0}
legend,h2{margin:0 0 .5rem;font-size:1rem;font-weight:600;line-height:1.3}
legend+*{clear:both}
ul{list-style:none;margin:0;padding:0}
.code,dd{margin:0 0 .5rem;border-radius:.5rem;background:var(--code);font:.9375rem/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.code li{padding:.5rem .75rem;white-space:pre-wrap;tab-size:4}
.code li+li{border-top:1px solid var(--line)}
.folder{margin:0 0 .5rem;font-size:.875rem;color:var(--soft)}
bdo{white-space:pre-wrap}
.line::before{content:"\\23CE";color:var(--soft)}
.tab::before{content:"\\21E5";color:var(--soft)}
mark{padding:0 .1875rem;border-radius:.25rem;background:var(--hint);color:var(--on-hint)}
mark.mixed{padding:0;text-decoration:underline wavy}
.hint{margin:0 0 .5rem;padding:.5rem .75rem;border-radius:.5rem;background:var(--hint);color:var(--on-hint);font-size:.875rem}
.problem{margin:0 0 .5rem;padding:.5rem .75rem;border-radius:.5rem;border:1px solid var(--bad);color:var(--bad);font-size:.875rem;font-weight:600}
.wrong{border-color:var(--bad)}
.mine{margin:.25rem 0 .5rem;font-size:.9375rem}
.choices{display:grid;grid-template-columns:1fr 1fr;gap:.5rem;margin:.625rem 0 .375rem}
.choices label{display:flex;align-items:center;gap:.625rem;min-height:3.5rem;padding:.5rem .75rem;border:1px solid var(--edge);border-radius:.75rem;font-weight:600;line-height:1.25;cursor:pointer}
.choices label:last-child:nth-child(odd){grid-column:1/-1}
.choices .always{grid-column:1/-1;border-style:dashed}
.choices label:hover{background:var(--code)}
.choices label:has(:checked){border:2px solid var(--accent);padding:calc(.5rem - 1px) calc(.75rem - 1px)}
.choices input{flex:none;width:1.125rem;height:1.125rem;margin:0;accent-color:var(--accent)}
small{display:block;margin-top:.125rem;font-size:.8125rem;font-weight:400;line-height:1.35}
details{margin:.25rem 0 .5rem}
.card details{margin:.125rem 0 0}
summary{display:inline-block;padding:.25rem 0;font-size:.875rem;cursor:pointer}
summary::before{content:"\\25B8\\00A0"}
[open]>summary::before{content:"\\25BE\\00A0"}
summary::-webkit-details-marker{display:none}
dl{margin:.25rem 0}
dt{font-size:.8125rem}
dd{padding:.375rem .625rem;font-size:.875rem}
dd ol{margin:0;padding-left:1.5rem}
dd ul>li>ul,dd ul>li>ol{margin-left:1rem}
.why p{margin:.25rem 0 .5rem}
.why{margin:-.5rem 0 .5rem}
textarea{display:block;width:100%;min-height:5rem;margin:.375rem 0;padding:.625rem;font:inherit;color:inherit;background:var(--card);border:1px solid var(--edge);border-radius:.625rem}
.reason{margin:0 0 .5rem}
@supports selector(:has(a)){.reason{display:none}.card:has(.denies:checked) .reason{display:block}}
.message{margin:.5rem 0}
@supports selector(:has(a)){.message{display:none}.card:has(.writes:checked) .message{display:block}}
.reason label,.message label,.card>label{font-size:.875rem;font-weight:600}
.decided,.votes{font-size:.875rem}
.decided li{margin:.25rem 0}
.votes{margin:0 0 .5rem;color:var(--soft)}
.same{display:flex;align-items:center;gap:.625rem;min-height:2.75rem;font-size:.9375rem}
form>section{margin-top:1.5rem}
.send{position:sticky;bottom:0;margin:auto calc(-1*var(--gutter)) 0;padding:.625rem var(--gutter) max(.75rem,env(safe-area-inset-bottom));border-top:1px solid var(--line);background:var(--card);font-size:.8125rem}
.send [role=status]:empty{margin:0}
.send [role=status]{color:var(--bad);font-weight:600}
@supports selector(:has(a)){.answered:not(:has(.change-answer[open])) :is(.send,.comment){display:none}}
.send p{margin:0 0 .5rem;color:var(--soft)}
.send b{color:var(--text)}
button{display:block;width:100%;min-height:2.75rem;border:0;border-radius:.75rem;background:var(--accent);color:var(--on-accent);font:inherit;font-size:1rem;font-weight:600;cursor:pointer}
button:disabled{opacity:.6;cursor:default}
.done{display:flex;gap:.75rem}
.done>div{flex:1;min-width:0}
.done>span{font-size:1.125rem;line-height:1.25;font-weight:700}
.approve>span,.answer>span{color:var(--good)}
.deny>span{color:var(--bad)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
@media (min-width:40rem){body{font-size:1.0625rem}h1{font-size:1.625rem}header{padding-top:1.5rem;font-size:.9375rem}.card{padding:1rem 1.125rem .75rem}.send{padding-top:.875rem;padding-bottom:1rem}}
@media (max-height:26rem){.send{position:static}}
@media (forced-colors:active){.choices label:has(:checked){border-color:Highlight}}
:root{--added:#dff3e4;--removed:#fde4e1}
@media (prefers-color-scheme:dark){:root{--added:#143222;--removed:#44201d}}
.change{width:100%;margin:0 0 .5rem;border-collapse:collapse;border-radius:.5rem;background:var(--code);font:.8125rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;tab-size:4}
.change caption{padding:.25rem 0;text-align:left;font-weight:600}
.change td{padding:0 .25rem;vertical-align:top}
.change td:last-child{width:100%;padding-right:.5rem;overflow-wrap:anywhere}
.change .number{text-align:right;white-space:nowrap;color:var(--soft);-webkit-user-select:none;user-select:none}
.change .sign{font-weight:700;-webkit-user-select:none;user-select:none}
.change .added{background:var(--added)}
.change .added .sign{color:var(--good)}
.change .removed{background:var(--removed)}
.change .removed .sign{color:var(--bad)}
.change .part td{color:var(--soft)}
.spoken{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
`;

// While an execution runs, wakes or n8n restarts, n8n itself answers a form with an error, also if it saved the answer. The script then
// repeats the form, so that no choice is lost. Without scripts, the page works as well.

/** First line of each approval page. The script shows only responses that start with it, whatever their content type. */
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
