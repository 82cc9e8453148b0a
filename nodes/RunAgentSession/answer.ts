import { WorkspaceAutomationError } from '../shared/base/errors';
import { LIMITS } from '../shared/base/limits';
import { asText, isRecord } from '../shared/base/values';
import { hasOwn } from './json';
import { quoted } from '../shared/session/visibleText';

// What a person answered, read from whatever n8n's nodes hand on. The shapes are those of n8n-nodes-base (utils/sendAndWait,
// Slack, Telegram, Form) and of the Chat node, in 1.123 and 2.41. Nothing unreadable is guessed.

export type Answer = { answer: 'approve' | 'deny' } | { answer: 'none'; because: string };

type Side = 'approve' | 'deny';

const sides = (approve: string, deny: string): ReadonlyMap<string, Side> =>
	new Map([
		...approve.split(' ').map((word): [string, Side] => [word, 'approve']),
		...deny.split(' ').map((word): [string, Side] => [word, 'deny']),
	]);

/** The words of an answer. n8n's own buttons and forms say "Decline". */
const WORDS = sides(
	'approve approved yes allow allowed ok okay',
	'deny denied no reject rejected disapprove disapproved decline declined',
);
/** Read only where nothing but an answer is expected: a form may have fields of its own that are true or false. */
const TRUTHS = sides('true', 'false');

type Reading = Side | 'both' | 'empty' | 'unreadable';

/** A text all of whose words are answers: `Approve`, `yes.`, `OK, approved!` */
function readText(text: string, truthsToo: boolean): Reading {
	if (text.trim() === '') return 'empty';
	if (text.length > LIMITS.answer) return 'unreadable';
	const said = text
		.toLowerCase()
		.split(/[\s.,;:!]+/)
		.filter(Boolean)
		.map((word) => WORDS.get(word) ?? (truthsToo ? TRUTHS.get(word) : undefined));
	return said.includes(undefined) || said.length === 0 ? 'unreadable' : combine(said);
}

function combine(readings: Array<Reading | undefined>): Reading {
	const has = (reading: Reading) => readings.includes(reading);
	if (has('both') || (has('approve') && has('deny'))) return 'both';
	if (has('approve')) return 'approve';
	if (has('deny')) return 'deny';
	return readings.every((reading) => reading === 'empty') ? 'empty' : 'unreadable';
}

/** A value that is an answer or nothing. */
function readPlain(value: unknown): Reading {
	if (value === undefined || value === null) return 'empty';
	if (typeof value === 'boolean') return value ? 'approve' : 'deny';
	return typeof value === 'string' ? readText(value, true) : 'unreadable';
}

/** A form's field: a text, or the list of texts that a field with several choices gives. */
function readField(value: unknown): Reading {
	if (value === undefined || value === null) return 'empty';
	if (typeof value === 'string') return readText(value, false);
	if (!Array.isArray(value) || value.length > LIMITS.answer) return 'unreadable';
	const readings = value.map((each) =>
		typeof each === 'string' ? readText(each, false) : 'unreadable',
	);
	// Somebody who chose "Approve" and "Only tests" approved something else than what was asked.
	return readings.includes('unreadable') ? 'unreadable' : combine(readings);
}

/** What a field means to the reader: it has to be an answer (or empty), may be one, or tells something else. */
type Role = 'answer' | 'perhaps' | 'about';

/** Fields that n8n's nodes set, and those that are no answer; every other is a form's. */
const ROLES: ReadonlyMap<string, Role> = new Map([
	// Send and Wait: a button, free text; the Chat node: what was typed
	['approved', 'answer'],
	['text', 'answer'],
	['chatInput', 'answer'],
	['data', 'answer'],
	// Who answered, when and where
	['respondedAt', 'about'],
	['responder', 'about'],
	['channel', 'about'],
	['chatId', 'about'],
	['messageId', 'about'],
	['submittedAt', 'about'],
	['formMode', 'about'],
	['formQueryParameters', 'about'],
	['sessionId', 'about'],
	['action', 'about'],
	['files', 'about'],
	// What an agent writes into a request
	['permission', 'about'],
	['patterns', 'about'],
	['response', 'about'],
	['metadata', 'about'],
]);

/** Fields of a Needs Approval item that no answer has. */
const QUESTION_FIELDS = ['pendingInteractions', 'question', 'undecided', 'latestMessage'];
/** Fields that only what a person sent has. */
const ANSWER_FIELDS = ['respondedAt', 'submittedAt'];

const hasAny = (value: object, fields: string[]) => fields.some((field) => hasOwn(value, field));

/**
 * Whether this is the question itself, or one of its requests, as a node passes it on when its time limit is over. The agent wrote
 * parts of it, and may have given a request any field.
 */
const isQuestion = (value: Record<string, unknown>) =>
	(hasAny(value, QUESTION_FIELDS) && !hasAny(value, ANSWER_FIELDS)) ||
	(hasOwn(value, 'id') && hasOwn(value, 'type'));

type Field = { role: Role; reading: Reading };

function readNamed(name: string, content: unknown): Field {
	const role = ROLES.get(name) ?? 'perhaps';
	return { role, reading: role === 'answer' ? readPlain(content) : readField(content) };
}

/** The fields of an answer and, where it has them, those below `data`. */
function fieldsOf(value: Record<string, unknown>): Field[] {
	const { data, ...top } = value;
	const below = isRecord(data) ? data : { data };
	// A form's fields and a typed text come below `data`, or beside the time of sending; any other may be the agent's.
	const isOwn = (name: string) => name !== 'text' && ROLES.has(name);
	const isSent = hasAny(top, ANSWER_FIELDS);
	return [
		...Object.entries(top).map(([name, content]): Field => {
			const field = readNamed(name, content);
			const isAnyones = !isSent && !isOwn(name) && field.reading !== 'empty';
			return isAnyones ? { role: 'perhaps', reading: 'unreadable' } : field;
		}),
		...Object.entries(below).map(([name, content]) => readNamed(name, content)),
	];
}

/** The fields of an object as one reading: what has to be an answer has to be readable, and nothing may contradict it. */
function readFields(value: Record<string, unknown>): Reading {
	const filled = fieldsOf(value).filter(
		({ role, reading }) => role !== 'about' && reading !== 'empty',
	);
	const readable = filled.filter(({ reading }) => reading !== 'unreadable');
	const said = combine(readable.map(({ reading }) => reading));
	const mustBeReadable = said === 'empty' ? filled : filled.filter(({ role }) => role === 'answer');
	const isReadable = mustBeReadable.every(({ reading }) => reading !== 'unreadable');
	return said === 'both' || isReadable ? said : 'unreadable';
}

const WAY_OUT =
	'Hand on what the node returned that asked, such as {"data": {"approved": true}}, or one of the words approve, yes, ok, deny, no, reject. A form needs one field with such a word.';

/**
 * What a person answered: true or false, a word, or what n8n's nodes hand on.
 *
 * | given | from |
 * | --- | --- |
 * | `{data: {approved}}` | Send and Wait for Response, approval |
 * | `{data: {text}}` | the same, free text |
 * | `{data: {Decision: 'Approve'}}`, `{Decision: 'Approve', submittedAt}` | the same with a custom form; a Form node |
 * | `{chatInput}`, `{data: {chatInput}}`, with `data.approved: false` where a button was expected | the Chat node |
 *
 * `none` where nothing was said: empty, or the question itself, which nodes pass on when their time limit is over.
 * @throws WorkspaceAutomationError that quotes an answer that cannot be read or that says both
 */
export function readAnswer(value: unknown): Answer {
	if (isRecord(value) && [value, value.data].some((each) => isRecord(each) && isQuestion(each))) {
		return {
			answer: 'none',
			because: 'what came back is the question itself, as when the time limit is over',
		};
	}
	const reading = isRecord(value) ? readFields(value) : readPlain(value);
	if (reading === 'approve' || reading === 'deny') return { answer: reading };
	if (reading === 'empty') return { answer: 'none', because: 'the answer is empty' };
	throw new WorkspaceAutomationError(
		reading === 'both' ? "'Answer' says both yes and no" : "'Answer' cannot be read as yes or no",
		`It is ${quoted(asText(value), 200)}. ${WAY_OUT}`,
	);
}
