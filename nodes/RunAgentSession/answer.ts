import { WorkspaceAutomationError } from '../shared/base/errors';
import { asText, isRecord } from '../shared/base/values';
import { quoted } from '../shared/session/visibleText';

// What a person answered, read from whatever n8n's nodes hand on. The shapes are those of n8n-nodes-base (utils/sendAndWait,
// Slack, Telegram, Form) and of the Chat node, in 1.123 and 2.41. Nothing unreadable is guessed.

export type Answer = { answer: 'approve' | 'deny' } | { answer: 'none'; because: string };

type Side = 'approve' | 'deny';

const wordsOf = (side: Side, words: string): Array<[string, Side]> =>
	words.split(' ').map((word) => [word, side]);

/** The words of an answer. n8n's own buttons and forms say "Decline". */
const WORDS = new Map([
	...wordsOf('approve', 'approve approved yes allow allowed ok okay'),
	...wordsOf('deny', 'deny denied no reject rejected disapprove disapproved decline declined'),
]);
/** Read only where nothing but an answer is expected: a form may have fields of its own that are true or false. */
const WORDS_OF_AN_ANSWER = new Map([
	...WORDS,
	...wordsOf('approve', 'true'),
	...wordsOf('deny', 'false'),
]);

/** Characters, or entries of a list; most people need a word. */
const LONGEST_ANSWER = 200;

type Reading = Side | 'both' | 'empty' | 'unreadable';

/** A text all of whose words are answers: `Approve`, `yes.`, `OK, approved!` */
function readText(text: string, isAnswer: boolean): Reading {
	if (text.trim() === '') return 'empty';
	if (text.length > LONGEST_ANSWER) return 'unreadable';
	const words = isAnswer ? WORDS_OF_AN_ANSWER : WORDS;
	const said = text.toLowerCase().match(/[^\s.,;:!]+/g);
	return said ? combine(said.map((word) => words.get(word) ?? 'unreadable')) : 'unreadable';
}

/** Somebody who chose "Approve" and "Only tests" approved something else than what was asked. */
function combine(readings: Reading[]): Reading {
	const has = (reading: Reading) => readings.includes(reading);
	if (has('unreadable')) return 'unreadable';
	if (has('both') || (has('approve') && has('deny'))) return 'both';
	return (['approve', 'deny'] as const).find(has) ?? 'empty';
}

/**
 * A field, or all that was handed on: true or false and their words only where nothing but an answer is expected, and the list of
 * texts that a form's field with several choices gives only in a form.
 */
function readValue(value: unknown, isAnswer: boolean): Reading {
	if (value === undefined || value === null) return 'empty';
	if (typeof value === 'boolean' && isAnswer) return value ? 'approve' : 'deny';
	if (typeof value === 'string') return readText(value, isAnswer);
	if (isAnswer || !Array.isArray(value) || value.length > LONGEST_ANSWER) return 'unreadable';
	return combine(
		value.map((each) => (typeof each === 'string' ? readText(each, false) : 'unreadable')),
	);
}

const names = (list: string) => new Set(list.split(' '));

/** Fields in which n8n's nodes hand on an answer, and nothing else: a button, a text, what was typed. */
const ANSWERS = names('approved text chatInput data');
/** Who answered, when and where; and what an agent writes into a request */
const NO_ANSWERS = names(
	'respondedAt responder channel chatId messageId submittedAt formMode formQueryParameters sessionId action files permission patterns response metadata',
);
/** Fields that only what a person sent has. */
const SENT = names('respondedAt submittedAt');
/** Fields of a Needs Approval item that no answer has. */
const ASKED = names('pendingInteractions question undecided latestMessage');

const hasAny = (value: object, fields: Set<string>) =>
	Object.keys(value).some((key) => fields.has(key));

/**
 * Whether this is the question itself, or one of its requests, as a node passes it on when its time limit is over. The agent wrote
 * parts of it, and may have given a request any field.
 */
const isQuestion = (value: unknown): boolean =>
	isRecord(value) &&
	((hasAny(value, ASKED) && !hasAny(value, SENT)) ||
		(Object.hasOwn(value, 'id') && Object.hasOwn(value, 'type')));

/** The fields of an object as one reading: what has to be an answer has to be readable, and nothing may contradict it. */
function readFields({ data, ...top }: Record<string, unknown>): Reading {
	const below = isRecord(data) ? data : { data };
	// A form's fields and a text come below `data`, or beside the time of sending; any other may be the agent's.
	const isSent = hasAny(top, SENT);
	const isForeign = (name: string) => !isSent && (name === 'text' || !ANSWERS.has(name));
	const read = (fields: object, foreign: (name: string) => boolean) =>
		Object.entries(fields).flatMap(([name, content]) => {
			const isAnswer = ANSWERS.has(name);
			const reading = NO_ANSWERS.has(name) ? 'empty' : readValue(content, isAnswer);
			if (reading === 'empty') return [];
			return foreign(name)
				? { isAnswer: false, reading: 'unreadable' as const }
				: { isAnswer, reading };
		});
	const filled = [...read(top, isForeign), ...read(below, () => false)];
	const readings = filled.map(({ reading }) => reading);
	const said = combine(readings.filter((reading) => reading !== 'unreadable'));
	const mustBeReadable = said === 'empty' ? filled : filled.filter(({ isAnswer }) => isAnswer);
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
	if (isQuestion(value) || (isRecord(value) && isQuestion(value.data))) {
		return {
			answer: 'none',
			because: 'what came back is the question itself, as when the time limit is over',
		};
	}
	const reading = isRecord(value) ? readFields(value) : readValue(value, true);
	if (reading === 'approve' || reading === 'deny') return { answer: reading };
	if (reading === 'empty') return { answer: 'none', because: 'the answer is empty' };
	throw new WorkspaceAutomationError(
		reading === 'both' ? "'Answer' says both yes and no" : "'Answer' cannot be read as yes or no",
		`It is ${quoted(asText(value), 200)}. ${WAY_OUT}`,
	);
}
