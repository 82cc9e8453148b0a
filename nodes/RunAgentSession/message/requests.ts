import type { RequestOrigin } from '../requests/request';
import {
	describeFields,
	describeRequest,
	type Fact,
	type RequestDetails,
} from '../requests/details';
import { describeAfter, formatMoment, type AnswerDeadline } from '../requests/times';
import { isQuestion, readQuestion } from '../../shared/approvals/agentQuestion';
import { readChange, summarizeChange } from '../changes/change';
import { pageChoices } from '../requests/choices';
import { capitalize, pluralize, isRecord } from '../../shared/values';
import { quoteVisible, splitVisible, visibleText } from '../../shared/approvals/visibleText';
import type { OptionPreferences } from '../../shared/approvals/options';
import type { Interaction } from '../../shared/client/session';

export interface Reader {
	name: string;
	/** Approvals per request */
	needed: number;
	isReminder: boolean;
	/** True if earlier answers don't count, because a request has changed */
	hasChanged: boolean;
}

interface RequestsDetails extends RequestOrigin {
	dashboardUrl?: string;
	interactions: readonly unknown[];
	/** For each, why it can't be decided here */
	obstacles?: ReadonlyArray<string | undefined>;
	/** Number of requests left for other messages */
	more?: number;
	deadline?: AnswerDeadline;
	preferences?: OptionPreferences;
	offersFromNowOn?: boolean;
	reader?: Reader;
}

/** Characters for all requests. The message's other lines need the rest of its 3,000 characters. */
const MAX_REQUESTS_LENGTH = 1_600;
/** Quotation marks, line end, and count of omitted characters */
const LINE_OVERHEAD = 45;
const MAX_LINES = 20;
/** Lines per request beside permission and targets. Further facts share the last line. */
const MIN_DETAIL_LINES = 2;
const MAX_NAME_LENGTH = 80;
const MAX_OBSTACLE_LENGTH = 200;
const MAX_PROMPT_LENGTH = 150;
const MAX_MESSAGE_LINK_LENGTH = 300;
/** Two spaces make a line break in Markdown, which n8n's chat shows. They are invisible elsewhere. */
export const LINE_END = '  \n';

/**
 * Returns a message to an approver that any node can send. The agent chose the words of a request. In no channel can they hide the action
 * or imitate the package's own lines:
 * - Foreign text is between « and », which it can't contain. Some channels, such as Teams, drop line breaks.
 * - It never has a backslash, because n8n's Send and Wait turns a written `\n` back into a line break.
 * - No part of it is markup, a link or a mention (`visibleText`). Some channels show or undo escaping. Telegram refuses unclosed markup.
 * - Omitted text is counted. The whole has at most 3,000 characters, Slack's limit for a section (Telegram and WhatsApp: 4,096).
 */
export function formatRequests({
	dashboardUrl,
	interactions,
	obstacles = [],
	more = 0,
	deadline,
	timeZone,
	preferences = { approveWith: 'once' },
	offersFromNowOn,
	reader,
	previewUrl,
	...origin
}: RequestsDetails): string {
	const lines = Math.floor(MAX_LINES / Math.max(1, interactions.length));
	const requests = interactions.map((interaction): AskedRequest => {
		if (isQuestion(interaction)) return askedQuestion(interaction, lines);
		const choices = isRecord(interaction)
			? pageChoices(interaction as Interaction, preferences, offersFromNowOn)
			: [];
		const names = choices.map(({ shownAs }) => shownAs);
		const change = describeChange(interaction, interactions.length);
		return askedRequest(describeRequest(interaction), lines, names, change);
	});
	const questions = requests.filter(({ says }) => says === ASKS).length;
	const limit = shareLength(
		requests.flatMap(({ wants, details }) => [...wants, ...details]),
		requests.flatMap(({ changes }) => changes).join().length,
	);
	const toLine = ({ label, text }: Fact) => `${label}: ${quoteVisible(text, limit)}`;
	const isOne = requests.length === 1;
	const wanted = requests.flatMap(({ says: [alone, numbered], wants, changes, remarks }, index) => [
		isOne ? `The agent ${alone}` : `${index + 1}. ${numbered}`,
		...wants.map(toLine),
		...changes,
		...remarks,
		...formatObstacle(obstacles[index]),
	]);
	return [
		...(reader?.isReminder ? ['Reminder: you haven’t answered yet.'] : []),
		...(isOne ? [] : [formatCount(requests.length, questions)]),
		...wanted,
		...(deadline ? [formatDeadline(deadline, timeZone, [requests.length, questions])] : []),
		...formatChoices(requests),
		...(reader ? formatReader(reader) : []),
		...originLines(origin),
		...requests.flatMap(({ details }, index) =>
			details.map((fact) => (isOne ? toLine(fact) : `${index + 1}. ${toLine(fact)}`)),
		),
		...(more > 0 ? [`${pluralize(more, 'more request')}: you get another message`] : []),
		...linkLines({ previewUrl, dashboardUrl }),
	].join(LINE_END);
}

export const formatObstacle = (because: string | undefined): string[] =>
	because === undefined
		? []
		: [
				`This can't be decided here: ${visibleText(because, MAX_OBSTACLE_LENGTH).shown}. Use the dashboard`,
			];

function formatCount(requests: number, questions: number): string {
	if (questions === requests) return `The agent asks ${requests} questions`;
	const needs = questions === 0 ? 'approval for' : 'answer to';
	return `The agent needs your ${needs} ${requests} requests`;
}

/** Names the choices once if all requests have the same ones. */
function formatChoices(requests: readonly AskedRequest[]): string[] {
	const each = requests.map(({ choices }) => choices.join(', '));
	const [first] = each;
	if (first !== '' && each.every((choices) => choices === first)) return [`Choices: ${first}`];
	return each.flatMap((choices, index) =>
		choices === '' ? [] : [`${index + 1}. Choices: ${choices}`],
	);
}

export const formatReader = ({ name, needed, hasChanged }: Reader): string[] => [
	`For: ${quoteVisible(name, MAX_NAME_LENGTH)}`,
	...(hasChanged ? ['A request has changed, so earlier answers to it don’t count'] : []),
	...(needed > 1 ? [`Each request needs ${needed} approvals`] : []),
];

const originFacts = ({
	projectName,
	projectId,
	prompt,
	sessionId,
}: Partial<RequestOrigin>): Fact[] => {
	const known = { Project: projectName ?? projectId, Task: prompt, Session: sessionId };
	return Object.entries(known).flatMap(([label, text]) =>
		text === undefined ? [] : [{ label, text }],
	);
};

export const originLines = (origin: Partial<RequestOrigin>): string[] =>
	originFacts(origin).map(
		({ label, text }) =>
			`${label}: ${quoteVisible(text, label === 'Task' ? MAX_PROMPT_LENGTH : MAX_NAME_LENGTH)}`,
	);

export const linkLines = ({
	previewUrl,
	dashboardUrl,
}: {
	previewUrl?: string;
	dashboardUrl?: string;
}): string[] => [
	...(previewUrl === undefined ? [] : [`Preview: ${formatLink(previewUrl)}`]),
	...(dashboardUrl === undefined ? [] : [`Dashboard: ${formatLink(dashboardUrl)}`]),
];

export function formatDeadline(
	deadline: AnswerDeadline,
	timeZone: string | undefined,
	[requests, questions]: [requests: number, questions: number],
): string {
	const { time, zone } = formatMoment(deadline.at, timeZone);
	return `Answer until ${time} (${zone}). After that, ${describeAfter(deadline, requests, questions)}.`;
}

/** Keeps at most `count` facts: the last one contains the rest. */
function mergeFacts(facts: readonly Fact[], count: number): Fact[] {
	if (facts.length <= count) return [...facts];
	const rest = facts.slice(count - 1).map(({ label, text }) => ({ [label]: text }));
	return [...facts.slice(0, count - 1), { label: 'Other details', text: JSON.stringify(rest) }];
}

/** Returns what the agent wants if only its permission says it. */
export const describeOther = (kind: RequestDetails['kind']): string =>
	kind === 'other' ? 'do this' : 'ask something that this message can’t show well';

const ASKS: [string, string] = ['asks a question', 'Answer this question'];

interface AskedRequest {
	/** What the agent does: for "The agent …", and below a number */
	says: [alone: string, numbered: string];
	/** What an approver decides about */
	wants: Fact[];
	details: Fact[];
	changes: string[];
	remarks: string[];
	choices: string[];
}

/** Characters for the changes of all requests */
const MAX_CHANGES_LENGTH = 400;

/** Returns which files an edit changes. Empty if it isn't known. */
function describeChange(interaction: unknown, requests: number): string[] {
	const files = readChange(interaction);
	if (files.length === 0) return [];
	const summary = summarizeChange(files);
	const isShort = summary.length <= MAX_CHANGES_LENGTH / requests;
	return [`Change: ${isShort ? summary : pluralize(files.length, 'file')}`];
}

export const MIXED_REMARK = 'Careful: a word or sign may not be what it looks like';

export const isMixed = (texts: readonly string[]): boolean =>
	texts.some((text) =>
		splitVisible(text, MAX_REQUESTS_LENGTH).parts.some((part) => part.kind === 'mixed'),
	);

function askedQuestion(interaction: Record<string, unknown>, lines: number): AskedRequest {
	const { text, others, options } = readQuestion(interaction);
	const wants = text === '' ? [] : [{ label: 'Question', text }];
	const offered = options.map(({ label }) => ({ label: 'Option', text: label }));
	const facts = describeFields(others);
	return {
		says: ASKS,
		changes: [],
		wants: [...wants, ...mergeFacts(offered, Math.max(MIN_DETAIL_LINES, lines - 2))],
		details: mergeFacts(facts, MIN_DETAIL_LINES),
		remarks: [
			...(text === '' ? ['The question has no text'] : []),
			...(isMixed([text]) ? [MIXED_REMARK] : []),
		],
		choices: [],
	};
}

function askedRequest(
	details: RequestDetails,
	lines: number,
	choices: string[],
	changes: string[],
): AskedRequest {
	const { kind, permission, targets, covers, folder, more, options } = details;
	const asked = [...targets, ...covers];
	const merged = mergeFacts(
		[...more, ...options.filter(({ isDescribed }) => isDescribed)],
		Math.max(MIN_DETAIL_LINES, lines - 1 - asked.length),
	);
	const shown = asked.slice(0, Math.max(1, lines - 1 - merged.length));
	const hidden = asked.length - shown.length;
	const place = folder === undefined ? [] : [{ label: 'Folder', text: folder }];
	const texts = [...shown, ...place, ...merged].map(({ text }) => text);
	const { verb = describeOther(kind) } = details;
	const isNamed = details.verb === undefined;
	return {
		says: [`wants to ${verb}`, capitalize(verb)],
		wants: [...(isNamed ? [permission] : []), ...shown, ...place],
		details: [...(isNamed ? [] : [permission]), ...merged],
		changes,
		remarks: [
			...(permission.label === 'Permission' && asked.length === 0
				? ['No command or path given']
				: []),
			...(hidden > 0 ? [`${pluralize(hidden, 'more line')} not shown: see the dashboard`] : []),
			...(isMixed(texts) ? [MIXED_REMARK] : []),
		],
		choices,
	};
}

/** Returns the length per text at which all fit. Long texts share the room that short ones leave. */
function shareLength(facts: readonly Fact[], reserved: number): number {
	let left = facts.reduce(
		(rest, { label }) => rest - label.length - LINE_OVERHEAD,
		MAX_REQUESTS_LENGTH - reserved,
	);
	const lengths = facts.map(({ text }) => visibleText(text, MAX_REQUESTS_LENGTH).shown.length);
	lengths.sort((a, b) => a - b);
	for (const [index, length] of lengths.entries()) {
		const share = Math.floor(left / (lengths.length - index));
		if (length > share) return share;
		left -= length;
	}
	return MAX_REQUESTS_LENGTH;
}

/** Returns a link for every channel, with the characters of markup percent-encoded. Quotes any other text. */
export function formatLink(url: string, longest = MAX_MESSAGE_LINK_LENGTH): string {
	const [, host = '', rest = ''] = /^(https?:\/\/\[[\da-f:]+\])?(.*)$/is.exec(url) ?? [];
	const encoded = rest.replace(
		/[<>"'*_~`|[\]\\^{}();]/g,
		(character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
	);
	const isLink = host.length + encoded.length <= longest && /^https?:\/\/[!-~]+$/i.test(url);
	return isLink ? host + encoded : quoteVisible(url, MAX_NAME_LENGTH);
}
