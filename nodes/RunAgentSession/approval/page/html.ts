import { createHash } from 'node:crypto';

import { quoteVisible } from '../../../shared/approvals/visibleText';
import type { RequestOrigin } from '../request';
import type { LedgerLine } from '../../session/ledger';
import { originFacts, describeRequest, type Fact } from '../question';
import { MAX_COMMENT_LENGTH, type PageChoice, type PageRequest, type PageForm } from './view';

// The page on which a person answers, as HTML: no script, nothing from elsewhere, and all of an agent's words as text.

export interface PageView extends Partial<RequestOrigin> {
	title: string;
	/** Sentences of ours */
	says: string[];
	/** The form, where there is something to decide */
	pending?: PageForm;
	/** What was decided */
	lines?: LedgerLine[];
	/** What becomes of a comment */
	commentHint?: string;
}

const PAGE_STYLE = `
:root{color-scheme:light dark;--line:#767676;--soft:#f3f3f5;--text:#1b1b1f;--back:#fff;--mark:#0b57d0;--on-mark:#fff}
@media (prefers-color-scheme:dark){:root{--line:#8e8e93;--soft:#26262b;--text:#ececf1;--back:#17171b;--mark:#a8c7fa;--on-mark:#062e6f}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:44rem;padding:1.5rem 1rem 3rem;background:var(--back);color:var(--text);font:1rem/1.5 system-ui,sans-serif}
h1{font-size:1.4rem;line-height:1.25;margin:0 0 .75rem}
fieldset,.decided{border:1px solid var(--line);border-radius:.5rem;margin:1.25rem 0;padding:.5rem 1rem 1rem}
legend,h2{font-size:1rem;font-weight:600;padding:0 .25rem}
dl{margin:.25rem 0 .75rem}dt{font-size:.875rem;margin-top:.5rem}
dd{margin:0;padding:.25rem .5rem;background:var(--soft);border-radius:.25rem;font-family:ui-monospace,monospace;font-size:.9375rem;overflow-wrap:anywhere}
.choice{display:flex;gap:.625rem;align-items:baseline;padding:.5rem 0;min-height:2.75rem}
.choice input{flex:none;width:1.125rem;height:1.125rem;accent-color:var(--mark)}
.lasting{border-top:1px dashed var(--line);margin:.5rem 0 0;padding-top:.5rem}
small{display:block;font-size:.875rem;overflow-wrap:anywhere}
textarea{display:block;width:100%;min-height:5rem;margin:.25rem 0;padding:.5rem;font:inherit;color:inherit;background:var(--back);border:1px solid var(--line);border-radius:.375rem}
button{min-height:3rem;width:100%;margin-top:1rem;border:0;border-radius:.5rem;background:var(--mark);color:var(--on-mark);font:inherit;font-weight:600;cursor:pointer}
:focus-visible{outline:3px solid var(--mark);outline-offset:2px}
footer{margin-top:2rem;font-size:.875rem}
`;

const CONTENT_SECURITY_POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(PAGE_STYLE).digest('base64')}'; form-action 'self'; base-uri 'none'`;

export const PAGE_HEADERS: Record<string, string> = {
	'Content-Security-Policy': `${CONTENT_SECURITY_POLICY}; frame-ancestors 'none'`,
	'Content-Type': 'text/html; charset=utf-8',
	'Cache-Control': 'no-store',
	'Referrer-Policy': 'no-referrer',
	'X-Content-Type-Options': 'nosniff',
	'X-Frame-Options': 'DENY',
	'X-Robots-Tag': 'noindex, nofollow',
};

/** HTML: text in it has been escaped. */
type Html = { html: string };
type Part = string | Html | readonly Part[] | false | undefined;

const render = (part: Part): string => {
	if (part === undefined || part === false) return '';
	if (typeof part === 'string')
		return part.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
	return 'html' in part ? part.html : part.map(render).join('');
};

/** A template of HTML, in which whatever is inserted is text unless it is HTML of ours. */
const markup = (texts: TemplateStringsArray, ...parts: Part[]): Html => ({
	html: texts.map((text, index) => text + render(parts[index])).join(''),
});

/** An agent's words, which are shown as what they are: whatever is invisible in them, or may look like ours, as signs. */
const agentText = (text: string, limit = 1_000): Html =>
	markup`<bdi>${quoteVisible(text, limit)}</bdi>`;

const factList = (list: readonly Fact[], limit?: number): Html =>
	markup`<dl>${list.map(({ label, text }) => markup`<dt>${label}</dt><dd>${agentText(text, limit)}</dd>`)}</dl>`;

/** Of a request that is too long to be shown whole */
const MAX_PATTERNS_SHOWN = 50;
const MAX_FACT_LENGTH = 10_000;

function requestPart(
	{ interaction, isWhole, choices, because }: PageRequest,
	index: number,
	{ length }: readonly PageRequest[],
): Html {
	const request = describeRequest(interaction, isWhole ? Infinity : MAX_PATTERNS_SHOWN);
	const choice = ({ label, serviceSays }: PageChoice, at: number) =>
		markup`<label class="choice"><input type="radio" name="request${String(index)}" value="${String(at)}" required><span>${label}<small>${agentText(serviceSays)}</small></span></label>`;
	const lasting = choices.findIndex(({ label }) => label === 'Allow from now on');
	const radios = choices.map(choice);
	const rest = lasting < 0 ? [] : radios.splice(lasting);
	return markup`<fieldset>
<legend>Request ${String(index + 1)} of ${String(length)}</legend>
${factList(request.facts, isWhole ? Infinity : MAX_FACT_LENGTH)}
${request.remarks.map((remark) => markup`<p>${remark}</p>`)}
${radios}
${rest.length > 0 && markup`<div class="lasting">For longer than this once:${rest}</div>`}
${because !== undefined && markup`<p>It cannot be decided on this page: ${because}. Decide it in the dashboard.</p>`}
</fieldset>`;
}

function form({ requests, more, shown }: PageForm, commentHint: string): Html {
	const canAnswer = requests.some(({ choices }) => choices.length > 0);
	return markup`<form method="post">
${requests.map(requestPart)}
${more > 0 && markup`<p>There are ${String(more)} more, which are asked after this.</p>`}
${
	canAnswer &&
	markup`<input type="hidden" name="shown" value="${shown}">
<label for="comment">Comment (optional)</label>
<small id="hint">${commentHint}</small>
<textarea id="comment" name="comment" maxlength="${String(MAX_COMMENT_LENGTH)}" aria-describedby="hint"></textarea>
<button type="submit">Send</button>`
}
</form>`;
}

const STATE_TEXTS: Record<LedgerLine['state'], string> = {
	confirmed: '',
	inferred: ' (the service did not confirm it, and lists it no longer)',
	sent: ' (sent; what became of it is not known yet)',
	refused: ' (the service refused it)',
};

const decidedLine = ({ record, state }: LedgerLine): Html => {
	const { decision, decidedBy, permission, patterns, at } = record;
	const by = decidedBy === 'page' ? 'on this page' : `by ${decidedBy}`;
	const what = agentText([permission, ...patterns].join(' '));
	return markup`<li>${decision === 'approve' ? 'Allowed' : 'Denied'}: ${what}, ${by}, <time datetime="${at}">${at.slice(0, 16).replace('T', ' ')} UTC</time>${STATE_TEXTS[state]}</li>`;
};

export function renderPage(view: PageView): string {
	const { title, says, pending, lines = [], commentHint = '' } = view;
	const about = originFacts(view);
	return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${CONTENT_SECURITY_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="format-detection" content="telephone=no, date=no, email=no, address=no">
<title>${title}</title>
<style>${{ html: PAGE_STYLE }}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${says.map((sentence) => markup`<p>${sentence}</p>`)}
${about.length > 0 && factList(about)}
${pending && form(pending, commentHint)}
${lines.length > 0 && markup`<section class="decided"><h2>What was decided</h2><ul>${lines.map(decidedLine)}</ul></section>`}
</main>
<footer>Words between « and » are the agent’s or the service’s. Whoever has this link may answer.</footer>
</body>
</html>
`.html;
}
