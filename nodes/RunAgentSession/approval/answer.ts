import { WorkspaceAutomationError } from '../../shared/errors';
import { toText, isRecord } from '../../shared/values';
import { quoteVisible } from '../../shared/approvals/visibleText';

// What a person answered, read from whatever n8n's nodes hand on. The shapes are those of n8n-nodes-base (utils/sendAndWait,
// Slack, Telegram, Form) and of the Chat node, in 1.123 and 2.41. Nothing unreadable is guessed.

export type Answer = { answer: 'approve' | 'deny' } | { answer: 'none'; because: string };

type AnswerSide = 'approve' | 'deny';

const answerWords = (side: AnswerSide, words: string): Array<[string, AnswerSide]> =>
	words.split(' ').map((word) => [word, side]);

/** The words of an answer. n8n's own buttons and forms say "Decline". */
const ANSWER_WORDS = new Map([
	...answerWords('approve', 'approve approved yes allow allowed ok okay'),
	...answerWords('deny', 'deny denied no reject rejected disapprove disapproved decline declined'),
]);
/** Read only where nothing but an answer is expected: a form may have fields of its own that are true or false. */
const DIRECT_ANSWER_WORDS = new Map([
	...ANSWER_WORDS,
	...answerWords('approve', 'true'),
	...answerWords('deny', 'false'),
]);

/** Characters, or entries of a list; most people need a word. */
const MAX_ANSWER_LENGTH = 200;

type AnswerReading = AnswerSide | 'both' | 'empty' | 'unreadable';

/** A text all of whose words are answers: `Approve`, `yes.`, `OK, approved!` */
function readAnswerText(text: string, isAnswer: boolean): AnswerReading {
	if (text.trim() === '') return 'empty';
	if (text.length > MAX_ANSWER_LENGTH) return 'unreadable';
	const words = isAnswer ? DIRECT_ANSWER_WORDS : ANSWER_WORDS;
	const said = text.toLowerCase().match(/[^\s.,;:!]+/g);
	return said ? combineReadings(said.map((word) => words.get(word) ?? 'unreadable')) : 'unreadable';
}

/** Somebody who chose "Approve" and "Only tests" approved something else than what was asked. */
function combineReadings(readings: AnswerReading[]): AnswerReading {
	const has = (reading: AnswerReading) => readings.includes(reading);
	if (has('unreadable')) return 'unreadable';
	if (has('both') || (has('approve') && has('deny'))) return 'both';
	return (['approve', 'deny'] as const).find(has) ?? 'empty';
}

/**
 * A field, or all that was handed on: true or false and their words only where nothing but an answer is expected, and the list of
 * texts that a form's field with several choices gives only in a form.
 */
function readAnswerValue(value: unknown, isAnswer: boolean): AnswerReading {
	if (value === undefined || value === null) return 'empty';
	if (typeof value === 'boolean' && isAnswer) return value ? 'approve' : 'deny';
	if (typeof value === 'string') return readAnswerText(value, isAnswer);
	if (isAnswer || !Array.isArray(value) || value.length > MAX_ANSWER_LENGTH) return 'unreadable';
	return combineReadings(
		value.map((each) => (typeof each === 'string' ? readAnswerText(each, false) : 'unreadable')),
	);
}

const fieldNames = (list: string) => new Set(list.split(' '));

/** Fields in which n8n's nodes hand on an answer, and nothing else: a button, a text, what was typed. */
const ANSWER_FIELDS = fieldNames('approved text chatInput data');
/** Who answered, when and where; and what an agent writes into a request */
const IGNORED_FIELDS = fieldNames(
	'respondedAt responder channel chatId messageId submittedAt formMode formQueryParameters sessionId action files permission patterns response metadata',
);
/** Fields that only what a person sent has. */
const SUBMITTED_FIELDS = fieldNames('respondedAt submittedAt');
/** Fields of a Needs Approval item that no answer has. */
const APPROVAL_ITEM_FIELDS = fieldNames('pendingInteractions question undecided latestMessage');

const hasAny = (value: object, fields: Set<string>) =>
	Object.keys(value).some((key) => fields.has(key));

/**
 * Whether this is the question itself, or one of its requests, as a node passes it on when its time limit is over. The agent wrote
 * parts of it, and may have given a request any field.
 */
const isApprovalRequest = (value: unknown): boolean =>
	isRecord(value) &&
	((hasAny(value, APPROVAL_ITEM_FIELDS) && !hasAny(value, SUBMITTED_FIELDS)) ||
		(Object.hasOwn(value, 'id') && Object.hasOwn(value, 'type')));

/** The fields of an object as one reading: what has to be an answer has to be readable, and nothing may contradict it. */
function readAnswerFields({ data, ...top }: Record<string, unknown>): AnswerReading {
	const below = isRecord(data) ? data : { data };
	// A form's fields and a text come below `data`, or beside the time of sending; any other may be the agent's.
	const isSent = hasAny(top, SUBMITTED_FIELDS);
	const isForeign = (name: string) => !isSent && (name === 'text' || !ANSWER_FIELDS.has(name));
	const read = (fields: object, foreign: (name: string) => boolean) =>
		Object.entries(fields).flatMap(([name, content]) => {
			const isAnswer = ANSWER_FIELDS.has(name);
			const reading = IGNORED_FIELDS.has(name) ? 'empty' : readAnswerValue(content, isAnswer);
			if (reading === 'empty') return [];
			return foreign(name)
				? { isAnswer: false, reading: 'unreadable' as const }
				: { isAnswer, reading };
		});
	const filled = [...read(top, isForeign), ...read(below, () => false)];
	const readings = filled.map(({ reading }) => reading);
	const said = combineReadings(readings.filter((reading) => reading !== 'unreadable'));
	const mustBeReadable = said === 'empty' ? filled : filled.filter(({ isAnswer }) => isAnswer);
	const isReadable = mustBeReadable.every(({ reading }) => reading !== 'unreadable');
	return said === 'both' || isReadable ? said : 'unreadable';
}

const ANSWER_HELP =
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
	if (isApprovalRequest(value) || (isRecord(value) && isApprovalRequest(value.data))) {
		return {
			answer: 'none',
			because: 'what came back is the question itself, as when the time limit is over',
		};
	}
	const reading = isRecord(value) ? readAnswerFields(value) : readAnswerValue(value, true);
	if (reading === 'approve' || reading === 'deny') return { answer: reading };
	if (reading === 'empty') return { answer: 'none', because: 'the answer is empty' };
	throw new WorkspaceAutomationError(
		reading === 'both' ? "'Answer' says both yes and no" : "'Answer' cannot be read as yes or no",
		`It is ${quoteVisible(toText(value), 200)}. ${ANSWER_HELP}`,
	);
}
