import { isMixed } from '../../shared/approvals/visibleText';
import { isObject, pluralize, toText } from '../../shared/values';
import type { Choice } from '../requests/choices';
import { isLate, isOpen, type DecisionState, type RequestRecord } from '../requests/requestRecord';
import { explainObstacle, formatMoment, type Fact, type Sheet } from '../requests/sheet';
import { FROM_NOW_ON, type Vote, type VoteName } from '../requests/votes';
import { changeView } from './changeView';
import { agentText, markup, MIXED_HINT, type Html, type Part } from './markup';
import {
	answerField,
	choiceField,
	MAX_COMMENT_LENGTH,
	reasonField,
	repeatAnswer,
	sameField,
	type OpenPage,
	type PageRequest,
	type VoteStatus,
} from './view';

// Renders a request with the fields for an answer.

/** How times are shown */
export interface ShownTimes {
	timeZone?: string;
	/** Milliseconds since 1970 */
	now: number;
}

/** A request at its position on the page */
interface PlacedRequest extends ShownTimes {
	request: PageRequest;
	index: number;
	/** Number of requests on the page */
	total: number;
	/** Number of later requests that look the same */
	likeCount: number;
	/** True if it's another session's, an earlier one looks the same, or it has an answer */
	isOptional: boolean;
	sendsReasons: boolean;
	refused: OpenPage['refused'];
}

const MAX_PERMISSION_LENGTH = 100;
export const MAX_NAME_SHOWN = 80;

/** An object or list with more fields, or a longer one inside it, is shown as JSON. */
const MAX_FIELDS_LISTED = 50;
const MAX_INNER_LENGTH = 300;

/** Renders an object or list of the agent's as the lines that people read, and what is inside it below its name. */
function valueLines(value: unknown, longest: number = MAX_INNER_LENGTH): Html {
	const text = toText(value);
	const fields = isObject(value) && text.length <= longest ? Object.entries(value) : [];
	if (fields.length === 0 || fields.length > MAX_FIELDS_LISTED) return agentText(text, Infinity);
	if (Array.isArray(value))
		return markup`<ol>${value.map((each) => markup`<li>${valueLines(each)}</li>`)}</ol>`;
	return markup`<ul>${fields.map(([name, each]) => markup`<li>${agentText(name, Infinity)}: ${valueLines(each)}</li>`)}</ul>`;
}

const factText = ({ text, value }: Fact): Html =>
	value ? valueLines(value, Infinity) : agentText(text, Infinity);

const factList = (facts: readonly Fact[]): Part =>
	facts.length > 0 &&
	markup`<dl>${facts.map((fact) => markup`<dt>${fact.label}</dt><dd>${factText(fact)}</dd>`)}</dl>`;

export const codeBlock = (texts: readonly string[], limit?: number): Html =>
	markup`<ul class="code">${texts.map((text) => markup`<li>${agentText(text, limit)}</li>`)}</ul>`;

const targetList = (facts: readonly Fact[]): Part =>
	facts.length > 0 &&
	codeBlock(
		facts.map(({ text }) => text),
		Infinity,
	);

export const timeTag = (at: number, { timeZone, now }: ShownTimes): Html => {
	const { time, zone } = formatMoment(at, timeZone, now);
	const iso = Number.isFinite(at) ? new Date(at).toISOString() : '';
	return markup`<time datetime="${iso}">${time}</time> (${zone})`;
};

/** Renders what an approver decides about. Without it, the facts aren't folded. */
function sheetView(sheet: Sheet, times: ShownTimes): Part {
	const { wants, covers, folder, quietSince, remarks, change, facts } = sheet;
	const isBare = wants.length === 0;
	const texts = [...wants, ...covers].map(({ text }) => text);
	return [
		quietSince !== undefined &&
			markup`<p class="folder">No activity since ${timeTag(quietSince, times)}.${wants.map(({ label }) => ` ${label}:`)}</p>`,
		targetList(wants),
		folder !== undefined &&
			markup`<p class="folder">In the folder ${agentText(folder, Infinity)}</p>`,
		covers.length > 0 && [markup`<p class="folder">The request covers:</p>`, targetList(covers)],
		isMixed([...texts, folder ?? '']) && MIXED_HINT,
		change.length > 0 && changeView(change),
		remarks.map((remark) => markup`<p class="hint">${remark}.</p>`),
		isBare && factList(facts.filter(({ isMinor }) => !isMinor)),
	];
}

function foldedFacts({ wants, facts }: Sheet): Part {
	const folded = wants.length === 0 ? facts.filter(({ isMinor }) => isMinor) : facts;
	return (
		folded.length > 0 && markup`<details><summary>Details</summary>${factList(folded)}</details>`
	);
}

const sentText = ({ refused }: PlacedRequest, name: string): string => {
	const value = refused?.fields[name];
	return typeof value === 'string' ? value : '';
};

const findProblem = ({ refused, index }: PlacedRequest): string | undefined =>
	refused?.problems.find(({ at }) => at === index)?.reason;

const problemId = (index: number): string => `problem${index}`;

/** Returns the attributes of a request's first field: it says what's wrong, and the page jumps to the first one. */
function problemAttributes(placed: PlacedRequest): Part {
	const { index, refused } = placed;
	if (findProblem(placed) === undefined) return undefined;
	const isFirst = refused?.problems[0]?.at === index;
	return markup` aria-describedby="${problemId(index)}"${isFirst && ' autofocus'}`;
}

export function textArea(
	name: string,
	label: string,
	text: string,
	attributes?: Part,
	hint?: Part,
): Html {
	return markup`<label for="${name}">${label}</label>
<textarea id="${name}" name="${name}"${attributes}${hint !== undefined && markup` aria-describedby="${name}-hint"`}>
${text}</textarea>${
		hint !== undefined &&
		markup`
<small id="${name}-hint">${hint}</small>`
	}`;
}

export const MAX_LENGTH = markup` maxlength="${String(MAX_COMMENT_LENGTH)}"`;

function serviceWords({ serviceSays }: Choice): Part {
	if (!serviceSays) return undefined;
	const { label, description, scope } = serviceSays;
	return [
		markup` The service’s words: “${agentText(label)}”`,
		description !== undefined && markup`, “${agentText(description)}”`,
		scope !== undefined && markup`, scope “${agentText(scope)}”`,
	];
}

function choiceRadio(placed: PlacedRequest, choice: Choice, at: number): Html {
	const { index, isOptional } = placed;
	const { name, words, description, hint, vote, takesText } = choice;
	const field = choiceField(index);
	const isWide = hint !== undefined && vote.decision !== 'answer';
	const kind = takesText ? 'writes' : vote.decision === 'deny' ? 'denies' : undefined;
	const isChecked = sentText(placed, field) === String(at);
	const label = [name, name && words && ': ', words !== undefined && agentText(words)];
	const more = [
		hint,
		serviceWords(choice),
		description !== undefined && agentText(description, Infinity),
	];
	const hasMore = (hint ?? description) !== undefined;
	return markup`<label${isWide && markup` class="always"`}><input type="radio" name="${field}" value="${String(at)}"${kind && markup` class="${kind}"`}${!isOptional && ' required'}${isChecked && ' checked'}${at === 0 && problemAttributes(placed)}><span>${label}${hasMore && markup`<small>${more}</small>`}</span></label>`;
}

/** Renders the field for a reason, which appears once Deny is chosen. */
function reasonText(placed: PlacedRequest): Html {
	const hint = placed.sendsReasons
		? 'What should the agent do instead? The agent gets it.'
		: 'It’s saved with the decision. The agent doesn’t get it.';
	const name = reasonField(placed.index);
	return markup`<div class="reason">${textArea(name, 'Reason', sentText(placed, name), MAX_LENGTH, hint)}</div>`;
}

function answerText(placed: PlacedRequest): Part {
	const { index, isOptional, request } = placed;
	const { field, choices } = request.sheet;
	if (!field) return undefined;
	const name = answerField(index);
	const isOnly = choices.length === 0;
	const attributes = isOnly && [!isOptional && ' required', problemAttributes(placed)];
	const text = textArea(name, field.label, sentText(placed, name), attributes, field.hint);
	return isOnly ? text : markup`<div class="message">${text}</div>`;
}

function answerFields(placed: PlacedRequest): Part {
	const { index, likeCount, request } = placed;
	const { choices } = request.sheet;
	const same = sameField(index);
	const isChecked = sentText(placed, same) !== '';
	return [
		choices.length > 0 &&
			markup`<div class="choices">${choices.map((choice, at) => choiceRadio(placed, choice, at))}</div>`,
		likeCount > 0 &&
			markup`<label class="same"><input type="checkbox" name="${same}"${isChecked && ' checked'}><span>Approve all that look the same (${pluralize(likeCount, 'more request')})</span></label>`,
		choices.some(({ vote }) => vote.decision === 'deny') && reasonText(placed),
		answerText(placed),
	];
}

export const SENT_NAMES: Record<VoteName, [own: string, others: string]> = {
	'Approve once': ['You approved this once', 'Approved once'],
	Deny: ['You denied this', 'Denied'],
	[FROM_NOW_ON]: ['You approved this from now on', 'Approved from now on'],
	'Always approve': ['You always approve this', 'Always approved'],
	'Always deny': ['You always deny this', 'Always denied'],
	Answer: ['You answered this', 'Answered'],
};

export const STATE_REMARKS: Record<DecisionState, string> = {
	confirmed: '',
	sent: ' (sent, waiting for confirmation)',
	unconfirmed: ' (not confirmed by the service)',
	gone: ' (the request was gone by then)',
	refused: ' (refused by the service)',
};

/** Says what came of an answer. */
export function describeState(record: RequestRecord, vote: Pick<Vote, 'at'>): string {
	if (record.decision === undefined) return '';
	if (!isLate(record, vote)) return STATE_REMARKS[record.decision.state];
	return isOpen(record)
		? ' (an earlier answer may have been sent)'
		: ' (not sent, because an earlier answer was)';
}

export const commentLine = (comment: string | undefined): Part =>
	comment !== undefined &&
	markup`<p class="soft">Comment: “${agentText(comment, 2 * MAX_COMMENT_LENGTH)}”</p>`;

/** Folds the fields of a request that has the reader's answer, below what it is. */
function changeable(placed: PlacedRequest): Part {
	const { index, request } = placed;
	const { given, record } = request;
	const fields = answerFields(placed);
	if (!given) return fields;
	const { choice, at, comment } = given;
	const { answer } = repeatAnswer(record, given);
	const isUnfolded =
		findProblem(placed) !== undefined || sentText(placed, choiceField(index)) !== '';
	const state = describeState(record, given);
	return markup`<p class="mine"><b>${SENT_NAMES[choice][0]}</b>${state}${answer !== undefined && markup`: “${agentText(answer, Infinity)}”`}, ${timeTag(at, placed)}.</p>
${commentLine(comment)}
<details class="change-answer"${isUnfolded && ' open'}><summary>Change the answer</summary>${fields}</details>`;
}

export const approverList = (names: ReadonlyArray<{ name: string; isReader?: boolean }>): Part =>
	names.map(({ name, isReader }, index) => [
		index > 0 && ', ',
		isReader ? 'you' : agentText(name, MAX_NAME_SHOWN),
	]);

const VOTED: Record<Vote['decision'], string> = {
	approve: 'approved',
	deny: 'denied',
	answer: 'answered',
};

export function voteStatus(
	{ needed, approvals, answered, missing }: VoteStatus,
	{ question }: RequestRecord,
	times: ShownTimes,
): Html {
	const counted =
		question === undefined
			? `${approvals} of ${pluralize(needed, 'approval')}`
			: 'The first answer counts';
	const said = answered.map(
		({ name, isReader, decision, at }) =>
			markup`<li>${isReader ? 'You' : agentText(name, MAX_NAME_SHOWN)} ${VOTED[decision]} this, ${timeTag(at, times)}</li>`,
	);
	return markup`<ul class="votes"><li>${counted}</li>
${said}
${missing.length > 0 && markup`<li>Not answered yet: ${approverList(missing)}</li>`}</ul>`;
}

function requestVotes({ record, status, voided }: PageRequest, times: ShownTimes): Part {
	return [
		voided.length > 0 &&
			markup`<p class="hint">The request has changed. Earlier answers to it don’t count: ${approverList(voided.map((name) => ({ name })))}.</p>`,
		status && voteStatus(status, record, times),
	];
}

export function requestCard(placed: PlacedRequest): Html {
	const { request, index, total } = placed;
	const { sheet } = request;
	const { named, heading, obstacle } = sheet;
	const count = total > 1 ? `${index + 1} of ${total} · ` : '';
	const title = named ? markup`Use ${agentText(named.text, MAX_PERMISSION_LENGTH)}` : heading;
	const problem = findProblem(placed);
	return markup`<fieldset class="card${problem !== undefined && ' wrong'}">
<legend>${count}${title}</legend>
${sheetView(sheet, placed)}
${requestVotes(request, placed)}
${problem !== undefined && markup`<p class="problem" id="${problemId(index)}">${problem}</p>`}
${obstacle === undefined ? changeable(placed) : markup`<p class="hint">${explainObstacle(sheet, obstacle)}</p>`}
${foldedFacts(sheet)}
</fieldset>`;
}
