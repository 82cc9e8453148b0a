import { createHash } from 'node:crypto';

import { splitVisible, type TextPart } from '../../shared/approvals/visibleText';
import { pluralize, toText } from '../../shared/values';
import { FROM_NOW_ON, type PageChoice, type PageChoiceName } from '../requests/choices';
import { describeRequest, type Fact, type RequestDetails } from '../requests/details';
import type { DecisionState } from '../requests/record';
import type { RequestOrigin } from '../requests/request';
import type { DecisionSummary } from '../requests/summary';
import { describeAfter, formatMoment, type AnswerDeadline } from '../requests/times';
import { PAGE_STYLE } from './style';
import {
	MAX_COMMENT_LENGTH,
	type GivenAnswer,
	type PageForm,
	type PageRequest,
	type VoteStatus,
} from './view';

// Renders the page without scripts or external resources. All of an agent's words are isolated text.

export interface PageView extends Partial<RequestOrigin> {
	title: string;
	says: string[];
	dashboardUrl?: string;
	/** Milliseconds since 1970 */
	now: number;
	pending?: PageForm;
	deadline?: AnswerDeadline;
	commentHint?: string;
	/** The reader's answers */
	given?: GivenAnswer[];
	/** True if the reader has just sent them */
	isSender?: boolean;
	/** Decisions about the link's requests that aren't the reader's */
	decisions?: DecisionSummary[];
	reader?: { name: string; needed: number };
}

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

type Html = { html: string };
type Part = string | Html | readonly Part[] | false | undefined;

const render = (part: Part): string => {
	if (part === undefined || part === false) return '';
	if (typeof part === 'string')
		return part.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
	return 'html' in part ? part.html : part.map(render).join('');
};

/** Returns HTML. Escapes inserted parts, unless they are HTML of this package. */
const markup = (texts: TemplateStringsArray, ...parts: Part[]): Html => ({
	html: texts.map((text, index) => text + render(parts[index])).join(''),
});

const TEXT_PARTS: Record<TextPart['kind'], (text: string) => Part> = {
	text: (text) => text,
	// The style adds the visible signs, so that copied text is unchanged.
	'line break': (text) => markup`<span class="line">${text}</span>`,
	tab: (text) => markup`<span class="tab">${text}</span>`,
	mixed: (text) => markup`<mark class="mixed">${text}</mark>`,
	hidden: (text) => markup`<mark>${text}</mark>`,
};

const cutOff = (hidden: number): string =>
	hidden > 0 ? ` (cut off, ${pluralize(hidden, 'more character')})` : '';

/** Renders an agent's words unchanged, but isolated and with names for invisible characters. */
function agentText(text: string, limit = 1_000): Html {
	const { parts, hidden } = splitVisible(text, limit);
	const shown = parts.map(({ kind, text: piece }) => TEXT_PARTS[kind](piece));
	return markup`<bdo dir="ltr">${shown}</bdo>${cutOff(hidden)}`;
}

const MIXED_HINT =
	'A marked word mixes letters of different alphabets. It may not be the word it looks like.';

const mixesAlphabets = (texts: readonly string[], limit: number): boolean =>
	texts.some((text) => splitVisible(text, limit).parts.some(({ kind }) => kind === 'mixed'));

const factList = (facts: readonly Fact[], limit?: number): Html =>
	markup`<dl>${facts.map(({ label, text }) => markup`<dt>${label}</dt><dd>${agentText(text, limit)}</dd>`)}</dl>`;

const codeBlock = (texts: readonly string[], limit?: number): Html =>
	markup`<ul class="code">${texts.map((text) => markup`<li>${agentText(text, limit)}</li>`)}</ul>`;

const MAX_TARGETS_SHOWN = 50;
const MAX_FACT_LENGTH = 10_000;
const MAX_PERMISSION_LENGTH = 100;

function requestTitle({ kind, permission, targets }: RequestDetails): Part {
	const isOne = targets.length === 1;
	if (kind === 'command') return isOne ? 'Run this command' : 'Run these commands';
	if (kind === 'edit') return isOne ? 'Edit this file' : 'Edit these files';
	if (kind === 'read') return isOne ? 'Read this file' : 'Read these files';
	const name = agentText(permission.text, MAX_PERMISSION_LENGTH);
	return kind === 'other' ? markup`Use ${name}` : markup`${permission.label} ${name}`;
}

function targetList(facts: readonly Fact[], isWhole: boolean): Part {
	const shown = facts.slice(0, isWhole ? Infinity : MAX_TARGETS_SHOWN).map(({ text }) => text);
	const hidden = facts.length - shown.length;
	return [
		codeBlock(shown, isWhole ? Infinity : MAX_FACT_LENGTH),
		hidden > 0 && markup`<p class="hint">${pluralize(hidden, 'more line')} not shown.</p>`,
	];
}

function requestTargets({ targets, covers, folder }: RequestDetails, isWhole: boolean): Part {
	const limit = isWhole ? Infinity : MAX_FACT_LENGTH;
	const count = isWhole ? Infinity : MAX_TARGETS_SHOWN;
	const texts = [...targets.slice(0, count), ...covers.slice(0, count)].map(({ text }) => text);
	const isMixed = mixesAlphabets(folder === undefined ? texts : [...texts, folder], limit);
	return [
		targets.length === 0
			? markup`<p class="folder">No command or path given.</p>`
			: targetList(targets, isWhole),
		folder !== undefined && markup`<p class="folder">In the folder ${agentText(folder, limit)}</p>`,
		covers.length > 0 && [
			markup`<p class="folder">The request covers:</p>`,
			targetList(covers, isWhole),
		],
		isMixed && markup`<p class="hint">${MIXED_HINT}</p>`,
	];
}

function requestMore(
	{ permission, more, options }: RequestDetails,
	{ interaction: { id }, isWhole }: PageRequest,
): Html {
	const facts = [permission, ...more, ...options, { label: 'Request ID', text: toText(id) }];
	const limit = isWhole ? Infinity : MAX_FACT_LENGTH;
	const shown = facts.slice(0, isWhole ? Infinity : MAX_TARGETS_SHOWN);
	return markup`<details><summary>Details</summary>${factList(shown, limit)}</details>`;
}

const CHOICE_HINTS: Partial<Record<PageChoiceName, string>> = {
	[FROM_NOW_ON]:
		'Approves this request once. The workflow can keep a rule for exactly this request.',
	'Always approve': 'Also applies to later requests.',
	'Always deny': 'Also applies to later requests.',
};

function optionWords({ serviceSays, description }: PageChoice, scope: string | undefined): Part {
	return [
		markup` The service’s words: “${agentText(serviceSays)}”`,
		description !== undefined && markup`, “${agentText(description)}”`,
		scope !== undefined && markup`, scope “${agentText(scope)}”`,
	];
}

function choiceRadio(request: number, choice: PageChoice, at: number, scope?: string): Html {
	const { name } = choice;
	const hint = CHOICE_HINTS[name];
	const said = name !== FROM_NOW_ON && optionWords(choice, scope);
	const words = hint && markup`<small>${hint}${said}</small>`;
	return markup`<label${hint !== undefined && markup` class="always"`}><input type="radio" name="request${String(request)}" value="${String(at)}" required><span>${name}${words}</span></label>`;
}

const approverList = (names: ReadonlyArray<{ name: string; isReader: boolean }>): Part =>
	names.map(({ name, isReader }, index) => [
		index > 0 && ', ',
		isReader ? 'you' : agentText(name, MAX_NAME_SHOWN),
	]);

function voteStatus({ needed, approvals, answered, missing }: VoteStatus, view: PageView): Html {
	const said = answered.map(
		({ name, isReader, decision, at }) =>
			markup`<li>${isReader ? 'You' : agentText(name, MAX_NAME_SHOWN)} ${decision === 'approve' ? 'approved' : 'denied'} this, ${timeTag(at, view)}</li>`,
	);
	return markup`<ul class="votes"><li>${String(approvals)} of ${pluralize(needed, 'approval')}</li>
${said}
${missing.length > 0 && markup`<li>Not answered yet: ${approverList(missing)}</li>`}</ul>`;
}

function requestVotes({ status, voided }: PageRequest, view: PageView): Part {
	const names = voided.map((name) => ({ name, isReader: false }));
	return [
		voided.length > 0 &&
			markup`<p class="hint">The request has changed. Earlier answers to it don’t count: ${approverList(names)}.</p>`,
		status && voteStatus(status, view),
	];
}

function requestCard(
	request: PageRequest,
	index: number,
	all: readonly PageRequest[],
	view: PageView,
): Html {
	const { record, interaction, isWhole, choices, because } = request;
	const details = describeRequest(interaction);
	const count = all.length > 1 ? `${index + 1} of ${all.length} · ` : '';
	const scope = details.more.find(({ label }) => label === 'Scope')?.text;
	const radios = choices.map((choice, at) => choiceRadio(index, choice, at, scope));
	return markup`<fieldset class="card">
<legend>${count}${requestTitle(details)}</legend>
${record.unsteady && markup`<p class="hint">${agentText(record.unsteady.join(', '), MAX_NAME_SHOWN)} changes with each reading, so you can only deny this.</p>`}
${requestTargets(details, isWhole)}
${requestVotes(request, view)}
${radios.length > 0 && markup`<div class="choices">${radios}</div>`}
${because !== undefined && markup`<p class="hint">You can’t decide this here: ${because}. Decide it in the dashboard.</p>`}
${requestMore(details, request)}
</fieldset>`;
}

const STATES: Record<DecisionState, string> = {
	confirmed: '',
	sent: ' (sent, waiting for confirmation)',
	unconfirmed: ' (not confirmed by the service)',
	gone: ' (the request was gone by then)',
	refused: ' (refused by the service)',
};

const timeTag = (at: number, view: PageView): Html => {
	const { time, zone } = formatMoment(at, view.timeZone, view.now);
	const iso = Number.isFinite(at) ? new Date(at).toISOString() : '';
	return markup`<time datetime="${iso}">${time}</time> (${zone})`;
};

const DECIDERS: Record<string, string> = { page: 'on this page', policy: 'by the node’s policy' };

function decidedLine(summary: DecisionSummary, view: PageView): Html {
	const { decision, decidedBy = '', permission, patterns, at, approvers, state } = summary;
	const names = approvers?.map(({ name }) => ({ name, isReader: false }));
	const by = names ? ['by ', approverList(names)] : (DECIDERS[decidedBy] ?? `by ${decidedBy}`);
	const what = agentText([permission, ...patterns].join(' '), 300);
	return markup`<li>${decision === 'approve' ? 'Approved' : 'Denied'} ${by}: ${what}, ${timeTag(Date.parse(at), view)}${STATES[state]}</li>`;
}

const decidedList = (decisions: readonly DecisionSummary[], view: PageView): Html =>
	markup`<ul class="decided">${decisions.map((each) => decidedLine(each, view))}</ul>`;

function sendBar(view: PageView, requests: number): Html {
	const { deadline, timeZone, now } = view;
	const { time = '', zone = '' } = deadline ? formatMoment(deadline.at, timeZone, now) : {};
	return markup`<div class="send">
${deadline && markup`<p>Answer until <b>${time}</b> (${zone}). After that, ${describeAfter(deadline, requests)}.</p>`}
<button type="submit">Send</button>
</div>`;
}

function form(view: PageView, { requests, more, shown, decided }: PageForm): Html {
	const open = requests.filter(({ choices }) => choices.length > 0).length;
	const cards = requests.map((request, index) => requestCard(request, index, requests, view));
	const rest = [
		more > 0 &&
			markup`<p class="soft">${pluralize(more, 'more request')}: you get another message.</p>`,
		decided.length > 0 &&
			markup`<details><summary>Already decided</summary>${decidedList(decided, view)}</details>`,
	];
	if (open === 0) return markup`<div>${cards}${rest}</div>`;
	return markup`<form method="post">
${cards}
${rest}
<details><summary>Add a comment</summary>
<label for="comment">Comment</label>
<textarea id="comment" name="comment" maxlength="${String(MAX_COMMENT_LENGTH)}" aria-describedby="hint"></textarea>
<small id="hint">${view.commentHint}</small></details>
<p class="soft"><small>Anyone with this link can answer.</small></p>
<input type="hidden" name="shown" value="${shown}">
${sendBar(view, open)}
</form>`;
}

const SENT_NAMES: Record<PageChoiceName, [own: string, others: string]> = {
	'Approve once': ['You approved this once', 'Approved once'],
	Deny: ['You denied this', 'Denied'],
	[FROM_NOW_ON]: ['You approved this from now on', 'Approved from now on'],
	'Always approve': ['You always approve this', 'Always approved'],
	'Always deny': ['You always deny this', 'Always denied'],
};

function givenCard({ record, vote, status, targets }: GivenAnswer, view: PageView): Html {
	const { choice, decision } = vote;
	const state = record.decision ? STATES[record.decision.state] : '';
	return markup`<section class="card done ${decision}"><span aria-hidden="true">${decision === 'approve' ? '✓' : '✕'}</span><div>
<h2>${SENT_NAMES[choice][view.isSender ? 0 : 1]}${state}</h2>
${codeBlock(targets)}
${status && voteStatus(status, view)}</div></section>`;
}

function givenAnswers(view: PageView, given: readonly GivenAnswer[]): Html {
	const { at, comment } = given[0].vote;
	const isDecided = given.every(({ status }) => status?.isDecided ?? true);
	const next = isDecided ? 'The agent continues.' : 'The agent waits for more approvals.';
	return markup`<p class="soft">Sent at ${timeTag(at, view)}.${view.isSender && ` ${next} You can close this page.`}</p>
${given.map((each) => givenCard(each, view))}
${comment !== undefined && markup`<p class="soft">Comment: “${agentText(comment, MAX_COMMENT_LENGTH)}”</p>`}`;
}

const MAX_PROMPT_SHOWN = 200;
const MAX_NAME_SHOWN = 80;
const MAX_URL_SHOWN = 2_000;

function dashboardLink(url: string | undefined): Html | undefined {
	if (url === undefined || url.length > MAX_URL_SHOWN || !/^https?:\/\/[!-~]+$/i.test(url))
		return undefined;
	return markup`<a href="${url}" rel="noreferrer noopener">Open in dashboard</a>`;
}

function pageHeader({ projectName, projectId, sessionId, dashboardUrl }: PageView): Html {
	const name = projectName ?? projectId ?? (sessionId && `Session ${sessionId}`);
	return markup`<header>${name !== undefined && markup`<b>${agentText(name, MAX_NAME_SHOWN)}</b>`}${dashboardLink(dashboardUrl)}</header>`;
}

const greeting = ({ name, needed }: NonNullable<PageView['reader']>): Html =>
	markup`<p>Hello ${agentText(name, MAX_NAME_SHOWN)}. ${needed === 1 ? 'One approval is enough.' : `Each request needs ${needed} approvals.`}</p>`;

export function renderPage(view: PageView): string {
	const { title, says, pending, decisions = [], given = [], job, reader } = view;
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
${pageHeader(view)}
<main>
<h1>${title}</h1>
${reader && greeting(reader)}
${says.map((sentence) => markup`<p>${sentence}</p>`)}
${pending && job !== undefined && markup`<p><span class="soft">Task:</span> “${agentText(job, MAX_PROMPT_SHOWN)}”</p>`}
${given.length > 0 && givenAnswers(view, given)}
${pending && form(view, pending)}
${decisions.length > 0 && !pending && decidedList(decisions, view)}
</main>
</body>
</html>
`.html;
}
