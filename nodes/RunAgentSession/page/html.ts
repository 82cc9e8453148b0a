import { createHash } from 'node:crypto';

import { pluralize, readSafeLink } from '../../shared/values';
import type { DecisionSummary } from '../requests/decisions';
import { describeAfter, formatMoment } from '../requests/sheet';
import type { Vote } from '../requests/votes';
import {
	approverList,
	codeBlock,
	commentLine,
	describeState,
	MAX_LENGTH,
	MAX_NAME_SHOWN,
	requestCard,
	SENT_NAMES,
	STATE_REMARKS,
	textArea,
	timeTag,
	voteStatus,
	type ShownTimes,
} from './card';
import { agentText, markup, type Html, type Part } from './markup';
import { FIRST_LINE, PAGE_SCRIPT, PAGE_STYLE } from './assets';
import {
	findSame,
	isAnswerable,
	isUnanswered,
	MAX_COMMENT_LENGTH,
	shownTogether,
	type AnsweredPage,
	type GivenAnswer,
	type OpenPage,
	type PageForm,
	type PageSection,
	type PageView,
	type SessionFacts,
} from './view';

// Renders the page, which works without its script and has no external resources. All of an agent's words are isolated text.

const hashOf = (text: string): string =>
	`'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const CONTENT_SECURITY_POLICY = `default-src 'none'; style-src ${hashOf(PAGE_STYLE)}; script-src ${hashOf(PAGE_SCRIPT)}; connect-src 'self'; form-action 'self'; base-uri 'none'`;

export const PAGE_HEADERS: Record<string, string> = {
	'Content-Security-Policy': `${CONTENT_SECURITY_POLICY}; frame-ancestors 'none'`,
	'Content-Type': 'text/html; charset=utf-8',
	'Cache-Control': 'no-store',
	'Referrer-Policy': 'no-referrer',
	'X-Content-Type-Options': 'nosniff',
	'X-Frame-Options': 'DENY',
	'X-Robots-Tag': 'noindex, nofollow',
};

const MAX_PROMPT_SHOWN = 200;
const MAX_WORDS_SHOWN = 300;

const DECIDERS: Record<string, string> = { page: 'on this page', policy: 'by the node’s policy' };

const DECIDED: Record<Vote['decision'], string> = {
	approve: 'Approved',
	deny: 'Denied',
	answer: 'Answered',
};

function decidedLine(summary: DecisionSummary, times: ShownTimes): Html {
	const { decision = 'deny', decidedBy = '', permission, patterns, at, approvers, state } = summary;
	const { question, answer } = summary;
	const by = approvers
		? ['by ', approverList(approvers.map(({ name }) => ({ name })))]
		: (DECIDERS[decidedBy] ?? `by ${decidedBy}`);
	const what = agentText(question ?? [permission, ...patterns].join(' '), 300);
	const said = answer !== undefined && markup` “${agentText(String(answer), 300)}”`;
	return markup`<li>${DECIDED[decision]} ${by}: ${what}${said}, ${timeTag(Date.parse(at), times)}${STATE_REMARKS[state]}</li>`;
}

const decidedList = (decisions: readonly DecisionSummary[], times: ShownTimes): Html =>
	markup`<ul class="decided">${decisions.map((each) => decidedLine(each, times))}</ul>`;

/** Says until when to answer the requests of a session, if some lack an answer. */
function deadlineLine({ deadline, timeZone, pending }: PageSection, now: number): Part {
	const open = pending.requests.filter(isUnanswered);
	if (!deadline || open.length === 0) return undefined;
	const questions = open.filter(({ sheet }) => sheet.kind !== 'permission').length;
	const { time, zone } = formatMoment(deadline.at, timeZone, now);
	return markup`<p>Answer until <b>${time}</b> (${zone}). After that, ${describeAfter(deadline, open.length, questions)}.</p>`;
}

/** Renders why the agent asks, in its own words, and folds the rest of them and the task. Without words, the task says what it's about. */
function whyLines({ words, prompt }: PageSection): Part {
	const task =
		prompt !== undefined &&
		markup`<p><span class="soft">Task:</span> “${agentText(prompt, MAX_PROMPT_SHOWN)}”</p>`;
	if (words === undefined) return task;
	const isLong = words.length > MAX_WORDS_SHOWN;
	const shown = isLong ? words.slice(0, MAX_WORDS_SHOWN) : words;
	return [
		markup`<p><span class="soft">The agent says:</span> “${agentText(shown, Infinity)}${isLong && '…'}”</p>`,
		(isLong || task) &&
			markup`<details class="why"><summary>${isLong ? 'All of its words, and the task' : 'The task'}</summary>${isLong && markup`<p>“${agentText(words, Infinity)}”</p>`}${task}</details>`,
	];
}

/** Renders the link to the preview, which isn't ours: it names its host. */
function previewLine({ previewUrl }: SessionFacts): Part {
	const url = readSafeLink(previewUrl);
	return (
		url &&
		markup`<p><a href="${url.href}" target="_blank" rel="noopener noreferrer">Open the preview</a> <span class="soft">(the service’s page on ${url.host}, in a new tab)</span></p>`
	);
}

/** Renders what the page says of a form, below its requests. */
const formNotes = ({ more, decided }: PageForm, times: ShownTimes): Part => [
	more > 0 &&
		markup`<p class="soft">${pluralize(more, 'more request')}: you get another message.</p>`,
	decided.length > 0 &&
		markup`<details><summary>Already decided</summary>${decidedList(decided, times)}</details>`,
];

function otherSession(section: PageSection, cards: Part, now: number): Html {
	return markup`<section>
<h2>${agentText(sessionName(section), MAX_NAME_SHOWN)}</h2>
${whyLines(section)}
${previewLine(section)}
${deadlineLine(section, now)}
${cards}
${formNotes(section.pending, { ...section, now })}</section>`;
}

/** Renders the requests of each section, which are numbered across all of them. */
function sectionCards({ sections, refused }: OpenPage, now: number): Html[][] {
	const same = findSame(sections);
	const likes = [...same.values()].flat();
	const total = sections.reduce((sum, { pending }) => sum + pending.requests.length, 0);
	let next = 0;
	return sections.map((section, at) =>
		section.pending.requests.map((request) => {
			const index = next++;
			const likeCount = same.get(index)?.length ?? 0;
			const isOptional = at > 0 || likes.includes(index) || request.given !== undefined;
			const { timeZone, sendsReasons = false } = section;
			const about = { now, timeZone, sendsReasons, refused };
			return requestCard({ request, index, total, likeCount, isOptional, ...about });
		}),
	);
}

function form(view: OpenPage, now: number): Html {
	const { sections, moreSessions, refused, commentHint } = view;
	const [own, ...others] = sections;
	const [cards, ...otherCards] = sectionCards(view, now);
	const shown = markup`${cards}
${[
	formNotes(own.pending, { ...own, now }),
	others.map((each, at) => otherSession(each, otherCards[at], now)),
	moreSessions > 0 &&
		markup`<p class="soft">${pluralize(moreSessions, 'more session')} of this workflow ${moreSessions === 1 ? 'waits' : 'wait'} too. Answer them with the links in their messages.</p>`,
]}`;
	const requests = sections.flatMap(({ pending }) => pending.requests);
	if (!requests.some(isAnswerable)) return markup`<div>${shown}</div>`;
	const comment = refused?.fields.comment;
	return markup`<form method="post"${!requests.some(isUnanswered) && markup` class="answered"`}>
${shown}
<details class="comment"><summary>Add a comment</summary>
${textArea('comment', 'Comment', typeof comment === 'string' ? comment : '', MAX_LENGTH, commentHint)}</details>
<p class="soft"><small>Anyone with this link can answer.</small></p>
<input type="hidden" name="shown" value="${own.pending.shown}">
${others.length > 0 && markup`<input type="hidden" name="together" value="${shownTogether(sections)}">`}
<div class="send">
${deadlineLine(own, now)}
<p role="status"></p>
<button type="submit">Send</button>
</div>
</form>
<script>${{ html: PAGE_SCRIPT }}</script>`;
}

function givenCard(
	{ record, vote, answer, status, targets }: GivenAnswer,
	times: ShownTimes,
	{ isSender, hasComment }: { isSender: boolean; hasComment: boolean },
): Html {
	const { choice, decision, comment } = vote;
	const state = describeState(record, vote);
	return markup`<section class="card done ${decision}"><span aria-hidden="true">${decision === 'deny' ? '✕' : '✓'}</span><div>
<h2>${SENT_NAMES[choice][isSender ? 0 : 1]}${state}</h2>
${codeBlock(targets)}
${answer !== undefined && markup`<p>“${agentText(answer, Infinity)}”</p>`}
${hasComment && commentLine(comment)}
${status && voteStatus(status, record, times)}</div></section>`;
}

function givenAnswers(given: readonly GivenAnswer[], times: ShownTimes, isSender = false): Part {
	if (given.length === 0) return undefined;
	const { at, comment } = given[0].vote;
	const isShared = given.every(({ vote }) => vote.comment === comment);
	const isDecided = given.every(({ status }) => status?.isDecided ?? true);
	const next = isDecided ? '' : 'The agent waits for more approvals. ';
	return markup`<p class="soft">Answered at ${timeTag(at, times)}.${isSender && ` ${next}You can close this page.`}</p>
${given.map((each) => givenCard(each, times, { isSender, hasComment: !isShared }))}
${isShared && commentLine(comment)}`;
}

const answers = ({ given, isSender, decisions }: AnsweredPage, times: ShownTimes): Part => [
	givenAnswers(given, times, isSender),
	decisions.length > 0 && decidedList(decisions, times),
];

/** Shows what was typed into a form that can't be sent anymore, to copy it. */
const typedTexts = (typed: readonly string[]): Html =>
	markup`<p class="soft">You typed:</p>${codeBlock(typed, 2 * MAX_COMMENT_LENGTH)}`;

function dashboardLink({ dashboardUrl }: SessionFacts): Part {
	const url = readSafeLink(dashboardUrl);
	return url && markup`<a href="${url.href}" rel="noreferrer noopener">Open in dashboard</a>`;
}

function sessionName({ projectName, projectId, sessionId }: SessionFacts): string {
	return projectName ?? projectId ?? (sessionId === undefined ? '' : `Session ${sessionId}`);
}

function pageHeader(session: SessionFacts): Html {
	const name = sessionName(session);
	return markup`<header>${name !== '' && markup`<b>${agentText(name, MAX_NAME_SHOWN)}</b>`}${dashboardLink(session)}</header>`;
}

const greeting = ({ name, needed }: NonNullable<PageView['reader']>): Html =>
	markup`<p>Hello ${agentText(name, MAX_NAME_SHOWN)}. ${needed === 1 ? 'One approval is enough.' : `Each request needs ${needed} approvals.`}</p>`;

function pageBody(view: PageView, session: SessionFacts, now: number): Part {
	const times = { timeZone: session.timeZone, now };
	if (view.kind !== 'open')
		return [previewLine(session), view.kind === 'answered' && answers(view, times)];
	return [
		whyLines(view.sections[0]),
		previewLine(session),
		view.given.length > 0 &&
			markup`<details><summary>Your earlier answers</summary>${givenAnswers(view.given, times)}</details>`,
		form(view, now),
	];
}

/** @param now milliseconds since 1970 */
export function renderPage(view: PageView, now: number): string {
	const { title, says, reader, typed = [] } = view;
	const { session = {} } = view.kind === 'open' ? { session: view.sections[0] } : view;
	return markup`${{ html: FIRST_LINE }}
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${CONTENT_SECURITY_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="format-detection" content="telephone=no, date=no, email=no, address=no">
<title>${title}</title>
<style>${{ html: PAGE_STYLE }}</style>
</head>
<body>
${pageHeader(session)}
<main>
<h1>${title}</h1>
${reader && greeting(reader)}
${says.map((sentence) => markup`<p>${sentence}</p>`)}
${typed.length > 0 && typedTexts(typed)}
${pageBody(view, session, now)}
</main>
</body>
</html>
`.html;
}
