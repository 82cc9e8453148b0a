import { createHash } from 'node:crypto';

import { capitalize, isRecord, pluralize, toText, tryParseJson } from '../../shared/values';
import { readChange } from '../changes/change';
import { FROM_NOW_ON, type PageChoice, type PageChoiceName } from '../requests/choices';
import {
	describeFields,
	describeRequest,
	type Fact,
	type RequestDetails,
} from '../requests/details';
import type { Interaction } from '../../shared/client/session';
import { readSafeLink } from '../../shared/client/safeLink';
import type { AgentQuestion } from '../../shared/approvals/agentQuestion';
import {
	isLate,
	isOpen,
	type DecisionState,
	type Quiet,
	type RequestRecord,
} from '../requests/record';
import type { RequestOrigin } from '../requests/request';
import type { DecisionSummary } from '../requests/summary';
import { describeAfter, formatMoment, type AnswerDeadline } from '../requests/times';
import type { Vote, VoteName } from '../requests/votes';
import { CHANGE_STYLE, changeView } from './changeView';
import { agentText, markup, mixedHint, type Html, type Part } from './markup';
import { FIRST_LINE, PAGE_SCRIPT } from './script';
import { PAGE_STYLE } from './style';
import {
	answerField,
	choiceField,
	findSame,
	isAnswerable,
	isUnanswered,
	MAX_COMMENT_LENGTH,
	reasonField,
	repeatAnswer,
	sameField,
	shownTogether,
	type AnswerProblem,
	type GivenAnswer,
	type PageForm,
	type PageRequest,
	type PageSection,
	type VoteStatus,
} from './view';

// Renders the page, which works without its script and has no external resources. All of an agent's words are isolated text.

export interface PageView extends Partial<RequestOrigin> {
	title: string;
	says: string[];
	dashboardUrl?: string;
	/** Milliseconds since 1970 */
	now: number;
	pending?: PageForm;
	/** Other sessions of the execution whose requests the reader may answer */
	others?: OtherSession[];
	/** Number of sessions left for their own links */
	moreSessions?: number;
	deadline?: AnswerDeadline;
	commentHint?: string;
	/** True if the agent gets the reason of a denial */
	sendsReasons?: boolean;
	/** The agent's latest words when it asked */
	words?: string;
	/** What was sent in a form that wasn't accepted */
	filled?: Record<string, unknown>;
	/** What's wrong with it */
	problems?: readonly AnswerProblem[];
	/** Texts of the form that no field shows anymore */
	typed?: readonly string[];
	given?: GivenAnswer[];
	/** True if the reader has just sent them */
	isSender?: boolean;
	/** Decisions about the link's requests that aren't the reader's */
	decisions?: DecisionSummary[];
	reader?: { name: string; needed: number };
}

/** What the page says of a session */
type SessionFacts = Partial<RequestOrigin> &
	Pick<PageView, 'dashboardUrl' | 'deadline' | 'sendsReasons' | 'words'>;
type OtherSession = SessionFacts & PageSection;

const STYLE = PAGE_STYLE + CHANGE_STYLE;
const hashOf = (text: string): string =>
	`'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const CONTENT_SECURITY_POLICY = `default-src 'none'; style-src ${hashOf(STYLE)}; script-src ${hashOf(PAGE_SCRIPT)}; connect-src 'self'; form-action 'self'; base-uri 'none'`;

export const PAGE_HEADERS: Record<string, string> = {
	'Content-Security-Policy': `${CONTENT_SECURITY_POLICY}; frame-ancestors 'none'`,
	'Content-Type': 'text/html; charset=utf-8',
	'Cache-Control': 'no-store',
	'Referrer-Policy': 'no-referrer',
	'X-Content-Type-Options': 'nosniff',
	'X-Frame-Options': 'DENY',
	'X-Robots-Tag': 'noindex, nofollow',
};

/** Facts whose text is an object of the agent's as JSON, which people read as a list */
const WITH_FIELDS = ['Metadata', 'Other details'];
/** With more, it's shown as JSON. */
const MAX_FIELDS_LISTED = 50;

function factText({ label, text }: Fact, limit?: number): Html {
	const found = WITH_FIELDS.includes(label) ? tryParseJson(text) : undefined;
	const fields = isRecord(found) ? Object.entries(found) : [];
	if (fields.length === 0 || fields.length > MAX_FIELDS_LISTED) return agentText(text, limit);
	return markup`<ul>${fields.map(([name, value]) => markup`<li>${agentText(name, limit)}: ${agentText(toText(value), limit)}</li>`)}</ul>`;
}

const factList = (facts: readonly Fact[], limit?: number): Html =>
	markup`<dl>${facts.map((fact) => markup`<dt>${fact.label}</dt><dd>${factText(fact, limit)}</dd>`)}</dl>`;

const codeBlock = (texts: readonly string[], limit?: number): Html =>
	markup`<ul class="code">${texts.map((text) => markup`<li>${agentText(text, limit)}</li>`)}</ul>`;

const MAX_PERMISSION_LENGTH = 100;

function requestTitle({ kind, verb, permission }: RequestDetails): Part {
	if (verb !== undefined) return capitalize(verb);
	const name = agentText(permission.text, MAX_PERMISSION_LENGTH);
	return kind === 'other' ? markup`Use ${name}` : markup`${permission.label} ${name}`;
}

const targetList = (facts: readonly Fact[]): Html =>
	codeBlock(
		facts.map(({ text }) => text),
		Infinity,
	);

function requestTargets({ targets, covers, folder }: RequestDetails): Part {
	const shown = markup`${[
		targets.length === 0
			? markup`<p class="folder">No command or path given.</p>`
			: targetList(targets),
		folder !== undefined &&
			markup`<p class="folder">In the folder ${agentText(folder, Infinity)}</p>`,
		covers.length > 0 && [markup`<p class="folder">The request covers:</p>`, targetList(covers)],
	]}`;
	return [shown, mixedHint(shown)];
}

function requestMore({ permission, more, options }: RequestDetails, { id }: Interaction): Html {
	const facts = [permission, ...more, { label: 'Request ID', text: id }, ...options];
	return markup`<details><summary>Details</summary>${factList(facts, Infinity)}</details>`;
}

const CHOICE_HINTS: Partial<Record<PageChoiceName, string>> = {
	[FROM_NOW_ON]:
		'Approves this request once. The workflow can keep a rule for exactly this request.',
	'Always approve': 'Also applies to later requests.',
	'Always deny': 'Also applies to later requests.',
};

function sentText({ filled = {} }: PageView, name: string): string {
	const value = filled[name];
	return typeof value === 'string' ? value : '';
}

const findProblem = ({ problems = [] }: PageView, index: number): string | undefined =>
	problems.find(({ at }) => at === index)?.reason;

const problemId = (index: number): string => `problem${index}`;

/** Returns the attributes of a request's first field: it says what's wrong, and the page jumps to the first one. */
function problemAttributes(view: PageView, index: number): Part {
	if (findProblem(view, index) === undefined) return undefined;
	const isFirst = view.problems?.[0]?.at === index;
	return markup` aria-describedby="${problemId(index)}"${isFirst && ' autofocus'}`;
}

const problemNote = (view: PageView, index: number): Part => {
	const reason = findProblem(view, index);
	return reason !== undefined && markup`<p class="problem" id="${problemId(index)}">${reason}</p>`;
};

interface RadioField {
	placed: PlacedRequest;
	at: number;
	/** Class of the radio button, and of its label */
	kind?: string;
	around?: string;
}

function radio({ placed, at, kind, around }: RadioField, says: Part, view: PageView): Html {
	const { index, isOptional } = placed;
	const name = choiceField(index);
	const isChecked = sentText(view, name) === String(at);
	return markup`<label${around !== undefined && markup` class="${around}"`}><input type="radio" name="${name}" value="${String(at)}"${kind !== undefined && markup` class="${kind}"`}${!isOptional && ' required'}${isChecked && ' checked'}${at === 0 && problemAttributes(view, index)}><span>${says}</span></label>`;
}

function textArea(
	name: string,
	label: string,
	view: PageView,
	attributes?: Part,
	hint?: Part,
): Html {
	return markup`<label for="${name}">${label}</label>
<textarea id="${name}" name="${name}"${attributes}${hint !== undefined && markup` aria-describedby="${name}-hint"`}>
${sentText(view, name)}</textarea>${
		hint !== undefined &&
		markup`
<small id="${name}-hint">${hint}</small>`
	}`;
}

const MAX_LENGTH = markup` maxlength="${String(MAX_COMMENT_LENGTH)}"`;

function optionWords({ serviceSays, description }: PageChoice, scope: string | undefined): Part {
	return [
		markup` The service’s words: “${agentText(serviceSays)}”`,
		description !== undefined && markup`, “${agentText(description)}”`,
		scope !== undefined && markup`, scope “${agentText(scope)}”`,
	];
}

function choiceRadio(
	placed: PlacedRequest,
	choice: PageChoice,
	at: number,
	view: PageView,
	scope?: string,
): Html {
	const { name, shownAs, decision } = choice;
	const hint = CHOICE_HINTS[name];
	const said = name !== FROM_NOW_ON && optionWords(choice, scope);
	const words = hint && markup`<small>${hint}${said}</small>`;
	const around = hint === undefined ? undefined : 'always';
	const kind = decision === 'deny' ? 'denies' : undefined;
	const label = shownAs === name ? name : agentText(shownAs);
	return radio({ placed, at, kind, around }, [label, words], view);
}

/** Renders the field for a reason, which appears once Deny is chosen. */
function reasonText(index: number, view: PageView): Html {
	const hint = view.sendsReasons
		? 'What should the agent do instead? The agent gets it.'
		: 'It’s saved with the decision. The agent doesn’t get it.';
	return markup`<div class="reason">${textArea(reasonField(index), 'Reason', view, MAX_LENGTH, hint)}</div>`;
}

const approverList = (names: ReadonlyArray<{ name: string; isReader: boolean }>): Part =>
	names.map(({ name, isReader }, index) => [
		index > 0 && ', ',
		isReader ? 'you' : agentText(name, MAX_NAME_SHOWN),
	]);

const VOTED: Record<Vote['decision'], string> = {
	approve: 'approved',
	deny: 'denied',
	answer: 'answered',
};

function voteStatus(
	{ needed, approvals, answered, missing }: VoteStatus,
	{ question }: RequestRecord,
	view: PageView,
): Html {
	const counted =
		question === undefined
			? `${approvals} of ${pluralize(needed, 'approval')}`
			: 'The first answer counts';
	const said = answered.map(
		({ name, isReader, decision, at }) =>
			markup`<li>${isReader ? 'You' : agentText(name, MAX_NAME_SHOWN)} ${VOTED[decision]} this, ${timeTag(at, view)}</li>`,
	);
	return markup`<ul class="votes"><li>${counted}</li>
${said}
${missing.length > 0 && markup`<li>Not answered yet: ${approverList(missing)}</li>`}</ul>`;
}

function requestVotes({ record, status, voided }: PageRequest, view: PageView): Part {
	const names = voided.map((name) => ({ name, isReader: false }));
	return [
		voided.length > 0 &&
			markup`<p class="hint">The request has changed. Earlier answers to it don’t count: ${approverList(names)}.</p>`,
		status && voteStatus(status, record, view),
	];
}

function questionOptions(
	{ options, textOption }: AgentQuestion,
	placed: PlacedRequest,
	view: PageView,
): Html {
	const { index, isOptional } = placed;
	const attributes = [!isOptional && ' required', problemAttributes(view, index)];
	if (options.length === 0) return textArea(answerField(index), 'Your answer', view, attributes);
	// Only the node's own request has an option with a text.
	const toWords = (words: string, limit?: number): Part =>
		textOption === undefined ? agentText(words, limit) : words;
	const radios = options.map(({ label, description }, at) => {
		const words =
			description !== undefined && markup`<small>${toWords(description, Infinity)}</small>`;
		const kind = at === textOption ? 'writes' : undefined;
		return radio({ placed, at, kind }, [toWords(label), words], view);
	});
	const text = textArea(answerField(index), 'Message', view, undefined, 'The agent gets it.');
	return markup`<div class="choices">${radios}</div>${textOption !== undefined && markup`<div class="message">${text}</div>`}`;
}

function quietFacts(quiet: Quiet, view: PageView): Part {
	const { since, latest } = quiet;
	const words = latest && codeBlock([latest.text]);
	return [
		markup`<p class="folder">No activity since ${timeTag(since, view)}.${latest && ` ${latest.label}:`}</p>`,
		words,
		mixedHint(words),
	];
}

/** Renders the node's own request about a quiet session. */
const quietCard = (question: AgentQuestion, quiet: Quiet, placed: PlacedRequest, view: PageView) =>
	markup`<fieldset class="card${findProblem(view, placed.index) !== undefined && ' wrong'}">
<legend>What should happen to the quiet session?</legend>
${quietFacts(quiet, view)}
${requestVotes(placed.request, view)}
${problemNote(view, placed.index)}
${changeable(placed, questionOptions(question, placed, view), view)}
</fieldset>`;

function questionCard(
	question: AgentQuestion,
	count: string,
	placed: PlacedRequest,
	view: PageView,
): Html {
	const { request } = placed;
	const { interaction, because } = request;
	const { text, others } = question;
	const facts = describeFields(others);
	const id = { label: 'Request ID', text: toText(interaction.id) };
	const type = { label: 'Type', text: interaction.type };
	const words =
		text === ''
			? markup`<p class="folder">The question has no text.</p>`
			: codeBlock([text], Infinity);
	return markup`<fieldset class="card${findProblem(view, placed.index) !== undefined && ' wrong'}">
<legend>${count}Answer this question</legend>
${words}
${mixedHint(words)}
${text === '' && facts.length > 0 && factList(facts, Infinity)}
${requestVotes(request, view)}
${problemNote(view, placed.index)}
${because === undefined && changeable(placed, questionOptions(question, placed, view), view)}
${because !== undefined && markup`<p class="hint">You can’t answer this here: ${because}. Answer it in the dashboard.</p>`}
<details><summary>Details</summary>${factList([...(text === '' ? [] : facts), type, id], Infinity)}</details>
</fieldset>`;
}

/** A request at its position on the page */
interface PlacedRequest {
	request: PageRequest;
	index: number;
	/** Number of requests on the page */
	total: number;
	/** Number of later requests that look the same */
	likeCount: number;
	/** True if it's another session's, an earlier one looks the same, or it has an answer */
	isOptional: boolean;
}

const sameBox = ({ index, likeCount }: PlacedRequest, view: PageView): Html =>
	markup`<label class="same"><input type="checkbox" name="${sameField(index)}"${sentText(view, sameField(index)) !== '' && ' checked'}><span>Approve all that look the same (${pluralize(likeCount, 'more request')})</span></label>`;

/** Folds the fields of a request that has the reader's answer, below what it is. */
function changeable({ request, index }: PlacedRequest, fields: Part, view: PageView): Part {
	const { given, record } = request;
	if (!given) return fields;
	const { choice, at, comment } = given;
	const { answer } = repeatAnswer(record, given);
	const isUnfolded =
		findProblem(view, index) !== undefined || sentText(view, choiceField(index)) !== '';
	const state = describeState(record, given);
	return markup`<p class="mine"><b>${SENT_NAMES[choice][0]}</b>${state}${answer !== undefined && markup`: “${agentText(answer, Infinity)}”`}, ${timeTag(at, view)}.</p>
${commentLine(comment)}
<details class="change-answer"${isUnfolded && ' open'}><summary>Change the answer</summary>${fields}</details>`;
}

function requestCard(placed: PlacedRequest, view: PageView): Html {
	const { request, index, total, likeCount } = placed;
	const { record, interaction, choices, because, question } = request;
	const count = total > 1 ? `${index + 1} of ${total} · ` : '';
	if (question && record.quiet) return quietCard(question, record.quiet, placed, view);
	if (question) return questionCard(question, count, placed, view);
	const change = readChange(interaction);
	const details = describeRequest(interaction);
	const scope = details.more.find(({ label }) => label === 'Scope')?.text;
	const radios = choices.map((choice, at) => choiceRadio(placed, choice, at, view, scope));
	const canDeny = choices.some(({ decision }) => decision === 'deny');
	const fields = [
		markup`<div class="choices">${radios}</div>`,
		likeCount > 0 && sameBox(placed, view),
		canDeny && reasonText(index, view),
	];
	return markup`<fieldset class="card${findProblem(view, index) !== undefined && ' wrong'}">
<legend>${count}${requestTitle(details)}</legend>
${requestTargets(details)}
${change.length > 0 && changeView(change)}
${change.length === 0 && details.kind === 'edit' && markup`<p class="hint">The change isn’t shown here, because the service didn’t send it.</p>`}
${requestVotes(request, view)}
${problemNote(view, index)}
${radios.length > 0 && changeable(placed, fields, view)}
${because !== undefined && markup`<p class="hint">You can’t decide this here: ${because}. Decide it in the dashboard.</p>`}
${requestMore(details, interaction)}
</fieldset>`;
}

const STATES: Record<DecisionState, string> = {
	confirmed: '',
	sent: ' (sent, waiting for confirmation)',
	unconfirmed: ' (not confirmed by the service)',
	gone: ' (the request was gone by then)',
	refused: ' (refused by the service)',
};

/** Says what came of an answer. */
function describeState(record: RequestRecord, vote: Pick<Vote, 'at'>): string {
	if (record.decision === undefined) return '';
	if (!isLate(record, vote)) return STATES[record.decision.state];
	return isOpen(record)
		? ' (an earlier answer may have been sent)'
		: ' (not sent, because an earlier answer was)';
}

const timeTag = (at: number, view: PageView): Html => {
	const { time, zone } = formatMoment(at, view.timeZone, view.now);
	const iso = Number.isFinite(at) ? new Date(at).toISOString() : '';
	return markup`<time datetime="${iso}">${time}</time> (${zone})`;
};

const DECIDERS: Record<string, string> = { page: 'on this page', policy: 'by the node’s policy' };

const DECIDED: Record<Vote['decision'], string> = {
	approve: 'Approved',
	deny: 'Denied',
	answer: 'Answered',
};

function decidedLine(summary: DecisionSummary, view: PageView): Html {
	const { decision = 'deny', decidedBy = '', permission, patterns, at, approvers, state } = summary;
	const { question, answer } = summary;
	const names = approvers?.map(({ name }) => ({ name, isReader: false }));
	const by = names ? ['by ', approverList(names)] : (DECIDERS[decidedBy] ?? `by ${decidedBy}`);
	const what = agentText(question ?? [permission, ...patterns].join(' '), 300);
	const said = answer !== undefined && markup` “${agentText(String(answer), 300)}”`;
	return markup`<li>${DECIDED[decision]} ${by}: ${what}${said}, ${timeTag(Date.parse(at), view)}${STATES[state]}</li>`;
}

const decidedList = (decisions: readonly DecisionSummary[], view: PageView): Html =>
	markup`<ul class="decided">${decisions.map((each) => decidedLine(each, view))}</ul>`;

/** Says until when to answer the requests of a session. */
function deadlineLine(
	{ deadline, timeZone }: SessionFacts,
	{ requests }: PageForm,
	now: number,
): Part {
	if (!deadline) return undefined;
	const open = requests.filter(isUnanswered);
	const questions = open.filter(({ question }) => question !== undefined).length;
	const { time, zone } = formatMoment(deadline.at, timeZone, now);
	return markup`<p>Answer until <b>${time}</b> (${zone}). After that, ${describeAfter(deadline, open.length, questions)}.</p>`;
}

/** Renders why the agent asks, in its own words, and folds the rest of them and the task. Without words, the task says what it's about. */
function whyLines({ words, prompt }: SessionFacts): Part {
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
const formNotes = ({ more, decided }: PageForm, view: PageView): Part => [
	more > 0 &&
		markup`<p class="soft">${pluralize(more, 'more request')}: you get another message.</p>`,
	decided.length > 0 &&
		markup`<details><summary>Already decided</summary>${decidedList(decided, view)}</details>`,
];

function otherSession(session: OtherSession, cards: Part, view: PageView): Html {
	const { pending } = session;
	return markup`<section>
<h2>${agentText(sessionName(session), MAX_NAME_SHOWN)}</h2>
${whyLines(session)}
${previewLine(session)}
${pending.requests.some(isUnanswered) && deadlineLine(session, pending, view.now)}
${cards}
${formNotes(pending, { ...view, ...session })}</section>`;
}

function form(view: PageView, pending: PageForm): Html {
	const { others = [], moreSessions = 0 } = view;
	const sections: PageSection[] = [{ projectId: view.projectId, pending }, ...others];
	const same = findSame(sections);
	const likes = [...same.values()].flat();
	const total = sections.reduce((sum, each) => sum + each.pending.requests.length, 0);
	let next = 0;
	const toCards = (form: PageForm, about: PageView): Html[] =>
		form.requests.map((request) => {
			const index = next++;
			const likeCount = same.get(index)?.length ?? 0;
			const isOptional = form !== pending || likes.includes(index) || request.given !== undefined;
			return requestCard({ request, index, total, likeCount, isOptional }, about);
		});
	const cards = toCards(pending, view);
	const rest = [
		formNotes(pending, view),
		others.map((each) => otherSession(each, toCards(each.pending, { ...view, ...each }), view)),
		moreSessions > 0 &&
			markup`<p class="soft">${pluralize(moreSessions, 'more session')} of this workflow ${moreSessions === 1 ? 'waits' : 'wait'} too. Answer them with the links in their messages.</p>`,
	];
	const takesAnswers = sections.some((each) => each.pending.requests.some(isAnswerable));
	if (!takesAnswers) return markup`<div>${cards}${rest}</div>`;
	const isOwnOpen = pending.requests.some(isUnanswered);
	const isAnswered = !sections.some((each) => each.pending.requests.some(isUnanswered));
	return markup`<form method="post"${isAnswered && markup` class="answered"`}>
${cards}
${rest}
<details class="comment"><summary>Add a comment</summary>
${textArea('comment', 'Comment', view, MAX_LENGTH, view.commentHint)}</details>
<p class="soft"><small>Anyone with this link can answer.</small></p>
<input type="hidden" name="shown" value="${pending.shown}">
${others.length > 0 && markup`<input type="hidden" name="together" value="${shownTogether(sections)}">`}
<div class="send">
${isOwnOpen && deadlineLine(view, pending, view.now)}
<p role="status"></p>
<button type="submit">Send</button>
</div>
</form>
<script>${{ html: PAGE_SCRIPT }}</script>`;
}

const SENT_NAMES: Record<VoteName, [own: string, others: string]> = {
	'Approve once': ['You approved this once', 'Approved once'],
	Deny: ['You denied this', 'Denied'],
	[FROM_NOW_ON]: ['You approved this from now on', 'Approved from now on'],
	'Always approve': ['You always approve this', 'Always approved'],
	'Always deny': ['You always deny this', 'Always denied'],
	Answer: ['You answered this', 'Answered'],
};

const commentLine = (comment: string | undefined): Part =>
	comment !== undefined &&
	markup`<p class="soft">Comment: “${agentText(comment, 2 * MAX_COMMENT_LENGTH)}”</p>`;

function givenCard(
	{ record, vote, answer, status, targets }: GivenAnswer,
	view: PageView,
	hasComment: boolean,
): Html {
	const { choice, decision, comment } = vote;
	const state = describeState(record, vote);
	return markup`<section class="card done ${decision}"><span aria-hidden="true">${decision === 'deny' ? '✕' : '✓'}</span><div>
<h2>${SENT_NAMES[choice][view.isSender ? 0 : 1]}${state}</h2>
${codeBlock(targets)}
${answer !== undefined && markup`<p>“${agentText(answer, Infinity)}”</p>`}
${hasComment && commentLine(comment)}
${status && voteStatus(status, record, view)}</div></section>`;
}

function givenAnswers(view: PageView, given: readonly GivenAnswer[]): Html {
	const { at, comment } = given[0].vote;
	const isShared = given.every(({ vote }) => vote.comment === comment);
	const isDecided = given.every(({ status }) => status?.isDecided ?? true);
	const next = isDecided ? '' : 'The agent waits for more approvals. ';
	return markup`<p class="soft">Answered at ${timeTag(at, view)}.${view.isSender && ` ${next}You can close this page.`}</p>
${given.map((each) => givenCard(each, view, !isShared))}
${isShared && commentLine(comment)}`;
}

/** Shows what was typed into a form that can't be sent anymore, to copy it. */
const typedTexts = (typed: readonly string[]): Html =>
	markup`<p class="soft">You typed:</p>${codeBlock(typed, 2 * MAX_COMMENT_LENGTH)}`;

const earlierAnswers = (view: PageView, given: readonly GivenAnswer[]): Html =>
	markup`<details><summary>Your earlier answers</summary>${givenAnswers(view, given)}</details>`;

const MAX_PROMPT_SHOWN = 200;
const MAX_WORDS_SHOWN = 300;
const MAX_NAME_SHOWN = 80;
const MAX_URL_SHOWN = 2_000;

function dashboardLink(url: string | undefined): Html | undefined {
	if (url === undefined || url.length > MAX_URL_SHOWN || !/^https?:\/\/[!-~]+$/i.test(url))
		return undefined;
	return markup`<a href="${url}" rel="noreferrer noopener">Open in dashboard</a>`;
}

function sessionName({ projectName, projectId, sessionId }: SessionFacts): string {
	return projectName ?? projectId ?? (sessionId === undefined ? '' : `Session ${sessionId}`);
}

function pageHeader(view: PageView): Html {
	const name = sessionName(view);
	return markup`<header>${name !== '' && markup`<b>${agentText(name, MAX_NAME_SHOWN)}</b>`}${dashboardLink(view.dashboardUrl)}</header>`;
}

const greeting = ({ name, needed }: NonNullable<PageView['reader']>): Html =>
	markup`<p>Hello ${agentText(name, MAX_NAME_SHOWN)}. ${needed === 1 ? 'One approval is enough.' : `Each request needs ${needed} approvals.`}</p>`;

export function renderPage(view: PageView): string {
	const { title, says, pending, decisions = [], given = [], typed = [], reader } = view;
	return markup`${{ html: FIRST_LINE }}
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${CONTENT_SECURITY_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="format-detection" content="telephone=no, date=no, email=no, address=no">
<title>${title}</title>
<style>${{ html: STYLE }}</style>
</head>
<body>
${pageHeader(view)}
<main>
<h1>${title}</h1>
${reader && greeting(reader)}
${says.map((sentence) => markup`<p>${sentence}</p>`)}
${typed.length > 0 && typedTexts(typed)}
${pending && whyLines(view)}
${previewLine(view)}
${given.length > 0 && (pending ? earlierAnswers(view, given) : givenAnswers(view, given))}
${pending && form(view, pending)}
${decisions.length > 0 && !pending && decidedList(decisions, view)}
</main>
</body>
</html>
`.html;
}
