import {
	defuseLinks,
	isMixed,
	quoteFirstLine,
	quoteVisible,
	visibleText,
} from '../../shared/approvals/visibleText';
import { pluralize, readSafeLink } from '../../shared/values';
import { describeCounts, summarizeChange } from '../changes/change';
import type { Choice } from '../requests/choices';
import { explainObstacle, type Fact, type Sheet } from '../requests/sheet';
import type { AnswerDeadline, RequestOrigin } from '../requests/ballots';
import { describeAfter, formatMoment } from '../requests/sheet';

// Two texts for approvers: `question` has everything that a button in a channel approves, and `message` tells in a few lines what waits.

export interface MessageDetails {
	sheets: readonly Sheet[];
	origin: Partial<RequestOrigin>;
	dashboardUrl?: string;
	/** To the approval page, if there is one */
	approvalUrl?: string;
	/** Number of requests left for other messages */
	more: number;
	deadline?: AnswerDeadline;
	/** The reader, and the approvals per request, if there are other approvers */
	reader?: { name: string; needed: number };
	isReminder: boolean;
	/** True if earlier answers don't count, because a request has changed */
	hasChanged: boolean;
}

/** Slack's limit for a section, with room for a sentence of the node's. Telegram and WhatsApp take 4,096 characters. */
const MAX_QUESTION_LENGTH = 2_750;
/** Quotation marks, line end, and count of omitted characters */
const LINE_OVERHEAD = 45;
const MAX_LINES = 20;
/** Lines per request beside its permission and what it wants. Further facts share the last line. */
const MIN_DETAIL_LINES = 2;
const MAX_NAME_LENGTH = 80;
const MAX_PROMPT_LENGTH = 150;
/** Characters of each of these, for all requests together */
const MAX_CHANGES_LENGTH = 400;
const MAX_OBSTACLES_LENGTH = 200;
const MAX_CHOICES_LENGTH = 300;
const MAX_QUESTION_LINK_LENGTH = 300;
/** Of the agent's text in a message */
const MAX_QUOTED_LENGTH = 200;
/** Two spaces make a line break in Markdown, which n8n's chat shows. They are invisible elsewhere. */
const LINE_END = '  \n';

const MIXED_REMARK = 'Careful: a word or sign may not be what it looks like';

/**
 * Returns a text for an approver that any node can send. The agent chose the words of a request. In no channel can they hide the action
 * or imitate the package's own lines:
 * - Foreign text is between « and », which it can't contain. Some channels, such as Teams, drop line breaks.
 * - It never has a backslash, because n8n's Send and Wait turns a written `\n` back into a line break.
 * - No part of it is markup, a link or a mention (`visibleText`). Some channels show or undo escaping. Telegram refuses unclosed markup.
 * - Omitted text is counted.
 */
export function formatQuestion(details: MessageDetails): string {
	const { sheets, deadline, origin, reader, more, isReminder, hasChanged } = details;
	const requests = sheets.map((sheet) => chooseLines(sheet, sheets.length));
	const isOne = requests.length === 1;
	const number = (index: number): string => (isOne ? '' : `${index + 1}. `);
	const facts = requests.flatMap((each, at) => each.facts.map((fact) => ({ fact, at })));
	const write = (toLine: (fact: Fact) => string, factLines: readonly string[]): string =>
		[
			...(isReminder ? ['Reminder: you haven’t answered yet.'] : []),
			...(isOne ? [] : [formatCount(sheets)]),
			...requests.flatMap(({ sheet, wants, remarks }, index) => [
				isOne ? `The ${subjectOf(sheet)} ${sheet.says}` : `${number(index)}${sheet.heading}`,
				...formatSilence(sheet, origin.timeZone),
				...wants.map(toLine),
				...remarks,
			]),
			...(deadline ? [formatDeadline(deadline, details)] : []),
			...formatChoices(details, number),
			...(reader ? formatReader(reader, hasChanged) : []),
			...formatOrigin(origin),
			...factLines,
			...(more > 0 ? [`${pluralize(more, 'more request')}: you get another message`] : []),
			...formatLinks(origin.previewUrl, details.dashboardUrl),
		].join(LINE_END);
	const texts = requests.flatMap((each) => [...each.wants, ...each.facts]);
	const limit = shareLength(texts, MAX_QUESTION_LENGTH - write(() => '', []).length);
	const toLine = ({ label, text }: Fact) => `${label}: ${quoteVisible(text, limit)}`;
	return write(
		toLine,
		limit > 0
			? facts.map(({ fact, at }) => number(at) + toLine(fact))
			: [formatHidden(facts.length)],
	);
}

const formatHidden = (lines: number): string =>
	`${pluralize(lines, 'more line')} not shown: see the dashboard`;

const subjectOf = ({ kind }: Sheet): string => (kind === 'quiet' ? 'session' : 'agent');

interface RequestLines {
	sheet: Sheet;
	wants: Fact[];
	remarks: string[];
	facts: Fact[];
}

/** Chooses the lines of one of several requests. */
function chooseLines(sheet: Sheet, requests: number): RequestLines {
	const { named, wants, covers, folder, change, remarks, obstacle } = sheet;
	const lines = Math.floor(MAX_LINES / requests) - 1;
	const allWants = [...wants, ...covers];
	const options = sheet.choices.flatMap(({ name, words }) =>
		name === undefined && words !== undefined ? [{ label: 'Option', text: words }] : [],
	);
	const offered = mergeFacts(options, lines - allWants.length);
	const [permission, ...others] = sheet.facts.filter(({ isMinor }) => !isMinor);
	const merged = mergeFacts(others, lines - allWants.length - offered.length);
	const facts = permission && permission !== named ? [permission, ...merged] : merged;
	const shownWants = allWants.slice(0, Math.max(1, lines - facts.length));
	const hidden = allWants.length - shownWants.length;
	const place = folder === undefined ? [] : [{ label: 'Folder', text: folder }];
	const wantLines = [...(named ? [named] : []), ...shownWants, ...place, ...offered];
	const isUnclear = isMixed(
		[...wantLines, ...facts].map(({ text }) => text),
		MAX_QUESTION_LENGTH,
	);
	const because =
		obstacle === undefined ? '' : visibleText(obstacle, MAX_OBSTACLES_LENGTH / requests).shown;
	return {
		sheet,
		wants: wantLines,
		facts,
		remarks: [
			...(change.length > 0
				? [`Change: ${summarizeChange(change, MAX_CHANGES_LENGTH / requests)}`]
				: []),
			...remarks,
			...(hidden > 0 ? [formatHidden(hidden)] : []),
			...(because !== '' ? [explainObstacle(sheet, because)] : isUnclear ? [MIXED_REMARK] : []),
		],
	};
}

/** Keeps at most `count` facts: the last one contains the rest. */
function mergeFacts(facts: readonly Fact[], count: number): Fact[] {
	const kept = Math.max(MIN_DETAIL_LINES, count);
	if (facts.length <= kept) return [...facts];
	const rest = facts.slice(kept - 1).map(({ label, text }) => ({ [label]: text }));
	return [...facts.slice(0, kept - 1), { label: 'Other details', text: JSON.stringify(rest) }];
}

/** Returns the length per text at which all fit. Long texts share the room that short ones leave. */
function shareLength(facts: readonly Fact[], all: number): number {
	let left = facts.reduce((rest, { label }) => rest - label.length - LINE_OVERHEAD, all);
	const lengths = facts.map(({ text }) => visibleText(text, MAX_QUESTION_LENGTH).shown.length);
	lengths.sort((a, b) => a - b);
	for (const [index, length] of lengths.entries()) {
		const share = Math.max(0, Math.floor(left / (lengths.length - index)));
		if (length > share) return share;
		left -= length;
	}
	return MAX_QUESTION_LENGTH;
}

function formatCount(sheets: readonly Sheet[]): string {
	const questions = sheets.filter(({ kind }) => kind === 'question').length;
	if (questions === sheets.length) return `The agent asks ${questions} questions`;
	const needs = questions === 0 ? 'approval for' : 'answer to';
	return `The agent needs your ${needs} ${sheets.length} requests`;
}

const formatChoice = ({ name = '', words }: Choice): string =>
	words === undefined ? name : `${name}: ${quoteVisible(words, MAX_NAME_LENGTH)}`;

function countNames(choices: readonly Choice[]): string[] {
	const names = choices.map(({ name = '' }) => name);
	return [...new Set(names)].map((name) => {
		const count = names.filter((each) => each === name).length;
		return count === 1 ? name : `${name} (${count} options)`;
	});
}

/** Names the choices once if all requests have the same ones. The options of a question are among its texts. */
function formatChoices(
	{ sheets, approvalUrl }: MessageDetails,
	number: (index: number) => string,
): string[] {
	if (sheets.some(({ kind }) => kind === 'quiet') && approvalUrl === undefined)
		return ['There’s no approval page while the execution runs. Timeouts or the dashboard decide.'];
	const each = sheets.map(({ kind, choices }) => {
		const named = choices.filter(({ name }) => name !== undefined);
		const whole = named.map(formatChoice).join(', ');
		const short = countNames(named).join(', ');
		const names = whole.length > MAX_CHOICES_LENGTH / sheets.length ? short : whole;
		return names && `Choices${kind === 'quiet' ? ' on the approval page' : ''}: ${names}`;
	});
	const [first] = each;
	if (first && each.every((choices) => choices === first)) return [first];
	return each.flatMap((choices, index) => (choices ? [number(index) + choices] : []));
}

const formatReader = (
	{ name, needed }: NonNullable<MessageDetails['reader']>,
	hasChanged: boolean,
): string[] => [
	`For: ${quoteVisible(name, MAX_NAME_LENGTH)}`,
	...(hasChanged ? ['A request has changed, so earlier answers to it don’t count'] : []),
	...(needed > 1 ? [`Each request needs ${needed} approvals`] : []),
];

const formatOrigin = ({
	projectName,
	projectId,
	prompt,
	sessionId,
}: Partial<RequestOrigin>): string[] =>
	[
		{ label: 'Project', text: projectName ?? projectId, limit: MAX_NAME_LENGTH },
		{ label: 'Task', text: prompt, limit: MAX_PROMPT_LENGTH },
		{ label: 'Session', text: sessionId, limit: MAX_NAME_LENGTH },
	].flatMap(({ label, text, limit }) =>
		text === undefined ? [] : [`${label}: ${quoteVisible(text, limit)}`],
	);

const formatLinks = (previewUrl: string | undefined, dashboardUrl: string | undefined): string[] =>
	Object.entries({ Preview: previewUrl, Dashboard: dashboardUrl }).flatMap(([label, url]) =>
		url === undefined ? [] : [`${label}: ${formatLink(url, MAX_QUESTION_LINK_LENGTH)}`],
	);

/** Returns a link for every channel, with the characters of markup percent-encoded. Quotes any other text. */
function formatLink(text: string, longest = Infinity): string {
	const { origin, href } = readSafeLink(text) ?? { origin: '', href: '' };
	const encoded = href
		.slice(origin.length)
		.replace(
			/[<>"'*_~`|[\]\\^{}();]/g,
			(character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
		);
	const link = origin + encoded;
	return link !== '' && link.length <= longest ? link : quoteVisible(text, MAX_NAME_LENGTH);
}

function formatDeadline(
	deadline: AnswerDeadline,
	{ sheets, origin: { timeZone } }: MessageDetails,
): string {
	const { time, zone } = formatMoment(deadline.at, timeZone);
	const questions = sheets.filter(({ kind }) => kind !== 'permission').length;
	return `Answer until ${time} (${zone}). After that, ${describeAfter(deadline, sheets.length, questions)}.`;
}

function formatSilence({ quietSince }: Sheet, timeZone: string | undefined): string[] {
	if (quietSince === undefined) return [];
	const { time, zone } = formatMoment(quietSince, timeZone);
	return [`No activity since ${time} (${zone})`];
}

/**
 * Returns the few lines that tell an approver what waits, with the link to the page, which shows the rest. They're to be read, not to be
 * approved: a button in a channel needs `formatQuestion`.
 */
export function formatMessage(details: MessageDetails): string {
	const { sheets, origin, deadline, approvalUrl } = details;
	const [sheet] = sheets;
	const project = origin.projectName ?? origin.projectId;
	const { previewUrl } = origin;
	return [
		formatWish(details),
		sheet.obstacle !== undefined &&
			explainObstacle(sheet, visibleText(sheet.obstacle, MAX_QUOTED_LENGTH).shown),
		project && `Project: ${quoteVisible(project, MAX_NAME_LENGTH, defuseLinks)}`,
		deadline && formatDeadline(deadline, details),
		previewUrl !== undefined && `Preview: ${formatLink(previewUrl)}`,
		approvalUrl,
	]
		.filter(Boolean)
		.join(LINE_END);
}

/** Returns the sentence about the first request, and the number of the others. */
function formatWish({ sheets, origin, more, isReminder, hasChanged }: MessageDetails): string {
	const [sheet] = sheets;
	const { kind, says, named, wants, change } = sheet;
	const opening = isReminder ? 'Reminder: the' : hasChanged ? 'A request has changed. The' : 'The';
	const texts = wants.map(({ text }) => text);
	const [text = '', ...otherTexts] = named ? [[named.text, ...texts].join(' ')] : texts;
	const quoted = text && quoteFirstLine(text, MAX_QUOTED_LENGTH, defuseLinks);
	const mixed = isMixed([text], MAX_QUESTION_LENGTH) ? ` (${MIXED_REMARK})` : '';
	const start = `${opening} ${subjectOf(sheet)}`;
	if (kind === 'quiet') {
		const did = wants.map(({ label }) => ` ${label}: ${quoted}${mixed}`);
		return `${start} ${says}. ${formatSilence(sheet, origin.timeZone).join('')}.${did.join('')}`;
	}
	const file = change.find(({ path }) => path === text);
	const counts = file && describeCounts(file);
	const others = sheets.length - 1 + more;
	return [
		`${start} ${kind === 'question' && text ? 'asks' : says}`,
		quoted && `: ${quoted}`,
		counts && ` (${counts})`,
		otherTexts.length > 0 && ` and ${otherTexts.length} more`,
		mixed,
		others > 0 && `, and ${pluralize(others, 'more request')}`,
	]
		.filter(Boolean)
		.join('');
}
