import { quoteVisible } from '../../shared/approvals/visibleText';
import { WorkspaceAutomationError } from '../../shared/errors';
import { fingerprint, isRecord, isTooDeep, sortedJson, toText } from '../../shared/values';
import { checkQuestionAnswer, isQuestion, readQuestion } from '../../shared/approvals/interaction';
import type { OptionPreferences } from '../../shared/approvals/options';
import type { Interaction } from '../../shared/client/session';
import { askVerdict, type AskVerdict } from '../policy/rules';
import type { RequestOrigin } from './ballots';
import { LEFT_QUESTION, chooseVerdict } from './decisions';
import type { RequestVerdict } from './votes';

// Reads an approver's answer: a boolean, a word, or the output of n8n's own nodes (n8n-nodes-base in 1.123 and 2.41: Send and Wait
// for Response, Form, Chat). The list of forms is closed, and an answer is never guessed.

type DecisionAnswer = { answer: 'approve' | 'deny' };
/** To a question of the agent */
type TextAnswer = { answer: 'text'; text: string };
type NoAnswer = { answer: 'none'; because: string };
export type Answer = DecisionAnswer | TextAnswer | NoAnswer;

type Side = 'approve' | 'deny';
type Reading = Side | 'both' | 'empty' | 'unreadable';

const WORDS = new Map<string, Side>([
	...['approve', 'approved', 'yes', 'allow', 'ok', 'true'].map((word): [string, Side] => [
		word,
		'approve',
	]),
	...['deny', 'denied', 'no', 'reject', 'disapprove', 'false'].map((word): [string, Side] => [
		word,
		'deny',
	]),
]);
const MAX_WORD = 200;

/** Fields that say who answered, when and where */
const ABOUT_ANSWER = new Set(
	'respondedAt responder channel chatId messageId submittedAt formMode formQueryParameters sessionId files'.split(
		' ',
	),
);
/** Names that another field of a form can't have, in any case */
const ANSWER_NAMES = new Set([...WORDS.keys(), 'decision', 'answer', 'text', 'chatinput', 'data']);
/** Fields of a request, or of the item that asks. Nodes pass the item on when their time limit is over. */
const QUESTION_FIELDS = ['pendingInteractions', 'undecided', 'permission', 'patterns'];

function readWord(value: unknown): Reading {
	if (value === undefined || value === null) return 'empty';
	if (typeof value === 'boolean') return value ? 'approve' : 'deny';
	if (typeof value !== 'string') return 'unreadable';
	if (value.trim() === '') return 'empty';
	if (value.length > MAX_WORD) return 'unreadable';
	const [word = ''] = /^[a-z]+(?=[.!]?$)/i.exec(value.trim()) ?? [];
	return WORDS.get(word.toLowerCase()) ?? 'unreadable';
}

function join(readings: readonly Reading[]): Reading {
	const has = (reading: Reading) => readings.includes(reading);
	if (has('both') || (has('approve') && has('deny'))) return 'both';
	return (['unreadable', 'approve', 'deny'] as const).find(has) ?? 'empty';
}

const isSent = (item: object): boolean => 'respondedAt' in item || 'submittedAt' in item;

/** Reads a field that none of the forms has. What it says can also contradict the answer. */
const readUnknown = (value: unknown): Reading[] => ['unreadable', readWord(value)];

/** Reads another field of a form. Its text can be a comment, but not the opposite of the decision. */
function readOther(name: string, value: unknown): Reading[] {
	if (ANSWER_NAMES.has(name.trim().toLowerCase())) return readUnknown(value);
	if (Array.isArray(value)) return value.flatMap((each) => readOther(name, each));
	if (!['string', 'number', 'undefined'].includes(typeof (value ?? undefined)))
		return ['unreadable'];
	const reading = readWord(value);
	return reading === 'unreadable' ? [] : [reading];
}

/** Reads `{Decision, ...}`. A dropdown gives a text, and checkboxes a list. Other fields say nothing by themselves. */
function readForm({ Decision, ...others }: Record<string, unknown>): Reading[] {
	const chosen = Array.isArray(Decision) ? Decision.map(readWord) : [readWord(Decision)];
	const said = Object.entries(others).flatMap(([name, value]) =>
		ABOUT_ANSWER.has(name) ? [] : readOther(name, value),
	);
	const isEmpty = join(chosen) === 'empty' && !said.includes('unreadable');
	return isEmpty ? [] : [...chosen, ...said, ...(chosen.length > 1 ? ['unreadable' as const] : [])];
}

/** Reads fields of which each is the answer or about it. */
const readFields = (item: Record<string, unknown>, answers: readonly string[]): Reading[] =>
	Object.entries(item).flatMap(([name, value]) => {
		if (answers.includes(name)) return [readWord(value)];
		const isAbout = ABOUT_ANSWER.has(name) || (name === 'action' && value === 'sendMessage');
		return isAbout || readWord(value) === 'empty' ? [] : readUnknown(value);
	});

function readData(data: unknown): Reading[] {
	if (!isRecord(data)) return readWord(data) === 'empty' ? [] : ['unreadable'];
	return 'Decision' in data ? readForm(data) : readFields(data, ['approved', 'text', 'chatInput']);
}

/** A text beside `data` may be the agent's, and so may a form's field that nobody has sent. */
function readItem({ data, ...top }: Record<string, unknown>): Reading {
	const isForm = 'Decision' in top && isSent(top);
	const said = isForm ? readForm(top) : readFields(top, ['approved', 'chatInput']);
	return join([...readData(data), ...said]);
}

/** Returns whether a value is the item that asked, or a request. The agent may have added any field. */
const isAskedItem = (value: unknown): boolean =>
	isRecord(value) &&
	(QUESTION_FIELDS.some((name) => name in value) ||
		('id' in value && 'type' in value) ||
		('question' in value && !isSent(value)));

const ANSWER_HELP =
	'Use true or false, one of the words approve, approved, yes, allow, ok, deny, denied, no, reject, disapprove, or the item of the node that asked: {"data": {"approved": true}}, {"data": {"text": "yes"}}, {"approved": true}, {"chatInput": "yes"}, or a form with one field Decision that has such a word.';

const EMPTY: NoAnswer = { answer: 'none', because: 'the answer is empty' };
const ASKED_AGAIN: NoAnswer = {
	answer: 'none',
	because: 'the node before returned the question itself, because nobody answered in time',
};

const isAskedAgain = (value: unknown): boolean =>
	isAskedItem(value) || (isRecord(value) && isAskedItem(value.data));

/**
 * Returns an approver's answer. Returns `none` for an empty value, and for the item that asked.
 * @throws WorkspaceAutomationError that quotes an answer that is none of the forms, or contradicts itself
 */
export function readAnswer(value: unknown): DecisionAnswer | NoAnswer {
	if (isAskedAgain(value)) return ASKED_AGAIN;
	const read = () => (isRecord(value) ? readItem(value) : readWord(value));
	const reading = isTooDeep(value) ? 'unreadable' : read();
	if (reading === 'approve' || reading === 'deny') return { answer: reading };
	if (reading === 'empty') return EMPTY;
	throw new WorkspaceAutomationError(
		reading === 'both'
			? "'Answer' says both approve and deny"
			: "'Answer' can't be read as approve or deny",
		`It is ${quoteVisible(toText(value), 200)}. ${ANSWER_HELP}`,
	);
}

const FORM_FIELDS = ['Answer', 'Decision'];

function listTexts(value: unknown): unknown[] {
	if (!isRecord(value)) return [value];
	const { data, chatInput, ...top } = value;
	const inData = isRecord(data)
		? ['text', 'chatInput', ...FORM_FIELDS].map((name) => data[name])
		: [data];
	return [chatInput, ...inData, ...(isSent(top) ? FORM_FIELDS.map((name) => top[name]) : [])];
}

/**
 * Returns an approver's answer to a question of the agent: a text, or the item of the node that asked.
 * @throws WorkspaceAutomationError that quotes an answer without a text, or with several
 */
export function readAnswerText(value: unknown): TextAnswer | NoAnswer {
	if (isAskedAgain(value)) return ASKED_AGAIN;
	const found = isTooDeep(value) ? [] : listTexts(value);
	const texts = found.filter((each) => typeof each === 'string' || typeof each === 'number');
	const [text, ...others] = [...new Set(texts.map(String))].filter((each) => each.trim() !== '');
	if (text !== undefined && others.length === 0) return { answer: 'text', text };
	const isEmpty = value === undefined || value === null || texts.length > 0;
	if (text === undefined && isEmpty) return EMPTY;
	throw new WorkspaceAutomationError(
		others.length > 0 ? "'Answer' has several texts" : "'Answer' has no text for the question",
		`It is ${quoteVisible(toText(value), 200)}. Use a text, or the item of the node that asked: {"data": {"text": "Blue"}}, {"chatInput": "Blue"}, or a form with one field Answer.`,
	);
}

// Each request shown says what it was, so that an answer counts only for exactly that one.

/** Key of this package's data in a request. No service has it by accident, and its request would still be answered. */
const ORIGIN_KEY = 'n8nOrigin';

interface StoredOrigin extends RequestOrigin {
	/** Fingerprint of all fields that the service sent */
	contentHash?: string;
}

/** Returns a fingerprint that ignores the order of keys, or undefined if the value is nested too deeply. */
function fingerprintContent(value: unknown): string | undefined {
	const json = sortedJson(value);
	return json === undefined ? undefined : fingerprint(json);
}

export const addOrigin = (requests: readonly Interaction[], origin: RequestOrigin): Interaction[] =>
	requests.map((request): Interaction => {
		const stored: StoredOrigin = { ...origin, contentHash: fingerprintContent(request) };
		return { ...request, [ORIGIN_KEY]: stored };
	});

const readStoredOrigin = ({ [ORIGIN_KEY]: origin }: Interaction): Partial<StoredOrigin> =>
	isRecord(origin) ? origin : {};

/** Compares contents. Returns false for JSON that is nested too deeply. */
function isSameContent(one: unknown, other: unknown): boolean {
	const content = fingerprintContent([one]);
	return content !== undefined && content === fingerprintContent([other]);
}

/** Returns the fields that changed since a request was shown. The order of lists counts, because the request may look different. */
export function differences(asked: Interaction, pending: Record<string, unknown>): string[] {
	const [before, now] = [asked, pending].map((request): Record<string, unknown> => ({
		...request,
		[ORIGIN_KEY]: undefined,
	}));
	const { contentHash } = readStoredOrigin(asked);
	const isSame = isSameContent(before, now);
	if (isSame && (contentHash === undefined || contentHash === fingerprintContent(pending)))
		return [];
	const named = ['permission', 'patterns', 'response', 'metadata'];
	const changed = named.filter((name) => !isSameContent(before[name], now[name]));
	return changed.length > 0 ? changed : ['content'];
}

/** Returns the reason why an answer to the requests shown doesn't count for a pending one, or undefined. */
export function findMismatch(
	{ asked, sessionId }: { asked: readonly Interaction[]; sessionId: string },
	pending: Record<string, unknown>,
): string | undefined {
	const [first, ...others] = asked.filter(({ id }) => id === pending.id);
	if (!first) return "it wasn't among the requests shown";
	// The answer is sent with the ID, which doesn't distinguish the two requests.
	if (others.some((other) => !isSameContent(first, other)))
		return 'two of the requests shown have its ID';
	const origin = readStoredOrigin(first);
	if (origin.contentHash === undefined) return "the request shown doesn't say for which session";
	if (origin.sessionId !== sessionId) return 'the request shown was for another session';
	const changed = differences(first, pending);
	return changed.length > 0
		? `it isn't the request shown: its ${changed.join(' and ')} changed`
		: undefined;
}

/** An approver's answer to the requests that they saw */
export type AppliedAnswer = Answer & {
	asked: readonly Interaction[];
	sessionId: string;
	comment?: string;
};

export type SettledAnswer = Exclude<AppliedAnswer, { answer: 'none' }>;

/** Returns what an answer says about a pending request that the approver saw. @throws WorkspaceAutomationError if a question doesn't take it */
export function decideByAnswer(
	pending: Interaction,
	answer: SettledAnswer,
	preferences: OptionPreferences,
): RequestVerdict | AskVerdict {
	const isAsked = isQuestion(pending);
	if (isAsked !== (answer.answer === 'text'))
		return isAsked ? LEFT_QUESTION : askVerdict('a text only answers questions');
	const mismatch = findMismatch(answer, pending);
	if (mismatch !== undefined) return askVerdict(mismatch);
	const comment = answer.comment === undefined ? {} : { comment: answer.comment };
	if (answer.answer !== 'text') {
		const ruling = { decision: answer.answer, decidedBy: 'answer', ...comment };
		return chooseVerdict(pending, ruling, preferences);
	}
	const verdict = answerQuestion(pending, answer.text, 'answer');
	if ('reason' in verdict)
		throw new WorkspaceAutomationError("'Answer' can't be sent", verdict.reason);
	return { ...verdict, ...comment };
}

export function answerQuestion(
	interaction: Interaction,
	text: string,
	decidedBy: string,
): RequestVerdict | { reason: string } {
	const answer = checkQuestionAnswer(readQuestion(interaction), text);
	if ('reason' in answer) return answer;
	const { value, isOption } = answer;
	return { decision: 'answer', option: value, ...(!isOption && { isText: true }), decidedBy };
}
