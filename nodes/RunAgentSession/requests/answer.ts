import { WorkspaceAutomationError } from '../../shared/errors';
import { toText, isRecord, isTooDeep, tryParseJson } from '../../shared/values';
import { quoteVisible } from '../../shared/approvals/visibleText';

// Reads an approver's answer from the output of any n8n node. The shapes are those of n8n-nodes-base (utils/sendAndWait, Slack, Telegram,
// Form) and of the Chat node, in 1.123 and 2.41. An unreadable answer is never guessed.

export type Answer = { answer: 'approve' | 'deny' } | { answer: 'none'; because: string };

type AnswerSide = 'approve' | 'deny';

const answerWords = (side: AnswerSide, words: string): Array<[string, AnswerSide]> =>
	words.split(' ').map((word) => [word, side]);

/** n8n's own buttons and forms say "Decline". */
const ANSWER_WORDS = new Map([
	...answerWords('approve', 'approve approved yes allow allowed ok okay'),
	...answerWords('deny', 'deny denied no reject rejected disapprove disapproved decline declined'),
]);
/** Read only where nothing but an answer is expected, because forms may have other booleans */
const DIRECT_ANSWER_WORDS = new Map([
	...ANSWER_WORDS,
	...answerWords('approve', 'true'),
	...answerWords('deny', 'false'),
]);

/** Values of a field that is named after an answer, such as `denied: 'on'` */
const NAMED_VALUES = new Map([
	...DIRECT_ANSWER_WORDS,
	...answerWords('approve', '1 on checked'),
	...answerWords('deny', '0 off unchecked'),
]);
const NAME_WORDS = new Map([
	...ANSWER_WORDS,
	...answerWords(
		'deny',
		'unapproved disallow disallowed refuse refused forbid forbidden veto vetoed block blocked stop cancel canceled abort',
	),
]);
/** Ignored in a field's name: `isDenied`, `Deny this request` */
const FILLERS = new Set(
	'is was be been has the this that a an it i we you do please request'.split(' '),
);
const ANSWER_NAMES = new Set('decision answer verdict approval'.split(' '));

/** Characters, or entries of a list */
const MAX_ANSWER_LENGTH = 200;

type AnswerReading = AnswerSide | 'both' | 'empty' | 'unreadable';

const plainText = (text: string): string =>
	text
		.normalize('NFKC')
		.replace(/\p{Cf}/gu, '')
		.toLowerCase();

/** Reads a text whose words are all answers: `yes.`, `OK, approved!` */
function readAnswerText(text: string, isAnswer: boolean): AnswerReading {
	if (text.trim() === '') return 'empty';
	if (text.length > MAX_ANSWER_LENGTH) return 'unreadable';
	const words = isAnswer ? DIRECT_ANSWER_WORDS : ANSWER_WORDS;
	const said = plainText(text).match(/[^\s.,;:!]+/g);
	return said ? combineReadings(said.map((word) => words.get(word) ?? 'unreadable')) : 'unreadable';
}

/** Combines readings. "Approve" with "Only tests" approves something other than the request. */
function combineReadings(readings: AnswerReading[]): AnswerReading {
	const has = (reading: AnswerReading) => readings.includes(reading);
	if (has('unreadable')) return 'unreadable';
	if (has('both') || (has('approve') && has('deny'))) return 'both';
	return (['approve', 'deny'] as const).find(has) ?? 'empty';
}

/** Reads a value. Booleans count only where nothing but an answer is expected, and lists only as a form's field with choices. */
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

/** Fields that n8n's nodes use only for an answer */
const ANSWER_FIELDS = fieldNames('approved text chatInput data');
/** Sender, place and time of an answer, and fields that an agent writes into a request */
const IGNORED_FIELDS = fieldNames(
	'respondedAt responder channel chatId messageId submittedAt formMode formQueryParameters sessionId action files permission patterns response metadata',
);
/** Ignored fields whose text can contradict an answer. A request and n8n have other values there. */
const OBJECTING_FIELDS = fieldNames('action response');
/** Fields that only an approver's message has */
const SUBMITTED_FIELDS = fieldNames('respondedAt submittedAt');
const APPROVAL_ITEM_FIELDS = fieldNames('pendingInteractions question undecided latestMessage');

const hasAny = (value: object, fields: Set<string>) =>
	Object.keys(value).some((key) => fields.has(key));

/** Returns whether a value is the question or a request, passed on after a timeout. The agent may have added any field. */
const isApprovalRequest = (value: unknown): boolean =>
	isRecord(value) &&
	((hasAny(value, APPROVAL_ITEM_FIELDS) && !hasAny(value, SUBMITTED_FIELDS)) ||
		(Object.hasOwn(value, 'id') && Object.hasOwn(value, 'type')));

function listNameWords(name: string): string[] {
	if (name.length > MAX_ANSWER_LENGTH) return [];
	const words = plainText(name.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2'))
		.replace(/n['’]t\b/g, ' not')
		.match(/[\p{L}\p{N}]+/gu);
	return (words ?? []).filter((word) => !FILLERS.has(word));
}

/** Returns the side of a name such as `declined` or `notApproved`. A name with any other word has none. */
function readNamedAnswer(name: string): AnswerSide | undefined {
	const words = listNameWords(name);
	const sides = new Set(words.filter((word) => word !== 'not').map((word) => NAME_WORDS.get(word)));
	const [side] = sides;
	if (sides.size !== 1 || !words.includes('not')) return sides.size === 1 ? side : undefined;
	return side === 'approve' ? 'deny' : undefined;
}

const isAnswerName = (name: string): boolean => {
	const [word, ...others] = listNameWords(name);
	return others.length === 0 && ANSWER_NAMES.has(word);
};

interface FieldReading {
	reading: AnswerReading;
	/** Side with which a field contradicts others, although it answers nothing by itself */
	objection?: AnswerSide;
}

/** Reads a field such as `{deny: 'yes'}`. The opposite of a denial approves nothing, but it contradicts a denial. */
function readAnswerField(name: string, value: unknown): FieldReading {
	const side = readNamedAnswer(name);
	const isAnswer = ANSWER_FIELDS.has(name) || (side !== undefined && typeof value === 'boolean');
	const word = typeof value === 'string' || typeof value === 'number' ? plainText(`${value}`) : '';
	const named = side && !ANSWER_FIELDS.has(name) ? NAMED_VALUES.get(word.trim()) : undefined;
	const reading = named ?? readAnswerValue(value, isAnswer);
	if (value === false && isAnswerName(name)) return { reading, objection: 'deny' };
	if (side !== 'deny') return { reading };
	// "Deny: Deny" and "Deny: Approve" name the choice, "Deny: yes" and "Deny: no" answer the name.
	const namesChoice = /\b(?:approve|allow|den(?:y|ied)|reject|decline|disapprove)/.test(word);
	if (reading === 'approve') return { reading: namesChoice ? 'both' : 'deny' };
	return reading === 'deny' && !namesChoice
		? { reading: 'unreadable', objection: 'approve' }
		: { reading };
}

function listInnerReadings(given: unknown): AnswerReading[] {
	const isJson = typeof given === 'string' && /^\s*[[{]/.test(given);
	const value = isJson ? tryParseJson(given) : given;
	if (typeof value !== 'object' || value === null || isTooDeep(value)) return [];
	return Object.entries(value).flatMap(([name, content]) => {
		const isObjecting = OBJECTING_FIELDS.has(name) && typeof content === 'string';
		if (IGNORED_FIELDS.has(name) && !isObjecting) return [];
		const { reading, objection } = readAnswerField(name, content);
		return [objection ?? reading, ...listInnerReadings(content)];
	});
}

/** Reads all fields as one. An answer must be readable, and no field may contradict it. */
function readAnswerFields({ data, ...top }: Record<string, unknown>): AnswerReading {
	const below = isRecord(data) ? data : { data };
	// A form's fields and a text are below `data`, or beside the time of sending. Any other may be the agent's.
	const isSent = hasAny(top, SUBMITTED_FIELDS);
	const isForeign = (name: string) => !isSent && (name === 'text' || !ANSWER_FIELDS.has(name));
	const read = (fields: object, foreign: (name: string) => boolean) =>
		Object.entries(fields).flatMap(([name, content]) => {
			if (IGNORED_FIELDS.has(name)) return [];
			const { reading } = readAnswerField(name, content);
			if (reading === 'empty') return [];
			const isAnswer = (ANSWER_FIELDS.has(name) && !foreign(name)) || isAnswerName(name);
			return { isAnswer, reading: foreign(name) ? ('unreadable' as const) : reading };
		});
	const filled = [...read(top, isForeign), ...read(below, () => false)];
	const isSaid = (reading: AnswerReading) => reading !== 'unreadable' && reading !== 'empty';
	const said = combineReadings(filled.map(({ reading }) => reading).filter(isSaid));
	const all = [...listInnerReadings(top), ...listInnerReadings(below)].filter(isSaid);
	if (said !== 'empty' && combineReadings([said, ...all]) === 'both') return 'both';
	const mustBeReadable = said === 'empty' ? filled : filled.filter(({ isAnswer }) => isAnswer);
	return mustBeReadable.every(({ reading }) => reading !== 'unreadable') ? said : 'unreadable';
}

const ANSWER_HELP =
	'Use the output of the node that asked, such as {"data": {"approved": true}}, or one of the words approve, yes, ok, deny, no, reject. A form needs one field with such a word.';

/**
 * Returns an approver's answer: a boolean, a word, or a node's output. Returns `none` for an empty value, and for the question itself.
 * - Send and Wait for Response: `{data: {approved}}`, `{data: {text}}`, or `{data: {Decision: 'Approve'}}` with a custom form
 * - Form node: `{Decision: 'Approve', submittedAt}`
 * - Chat node: `{chatInput}`, `{data: {chatInput}}`, with `data.approved: false` where a button was expected
 * @throws WorkspaceAutomationError that quotes an answer that is unreadable or contradicts itself
 */
export function readAnswer(value: unknown): Answer {
	if (isApprovalRequest(value) || (isRecord(value) && isApprovalRequest(value.data))) {
		return {
			answer: 'none',
			because: 'the node before returned the question itself, because nobody answered in time',
		};
	}
	const read = () => (isRecord(value) ? readAnswerFields(value) : readAnswerValue(value, true));
	const reading = isTooDeep(value) ? 'unreadable' : read();
	if (reading === 'approve' || reading === 'deny') return { answer: reading };
	if (reading === 'empty') return { answer: 'none', because: 'the answer is empty' };
	throw new WorkspaceAutomationError(
		reading === 'both'
			? "'Answer' says both approve and deny"
			: "'Answer' can't be read as approve or deny",
		`It is ${quoteVisible(toText(value), 200)}. ${ANSWER_HELP}`,
	);
}
