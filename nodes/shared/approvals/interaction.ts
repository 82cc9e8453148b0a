import { MAX_REQUEST_BYTES } from '../limits';
import { canBeId, isRecord, isString, quote, toText, nonEmptyText, omit } from '../values';
import { quoteVisible } from './visibleText';

// The one table of permissions: how rules read their texts, and what the page and `changes` call them. docs/rules.md shows it.

/** How an approval reads a text. `policy/rules.ts` has the matchers of each. */
export type Kind = 'commands' | 'paths' | 'searches' | 'addresses';

export interface RequestWords {
	/** Of each of its texts */
	label: string;
	/** What the agent wants to do with one and with several. Missing if only the permission says it */
	verbs?: readonly [one: string, several: string];
}

/** What people read a request as */
export const REQUEST_WORDS = {
	command: { label: 'Command', verbs: ['run this command', 'run these commands'] },
	edit: { label: 'File', verbs: ['edit this file', 'edit these files'] },
	read: { label: 'File', verbs: ['read this file', 'read these files'] },
	other: { label: 'Pattern' },
} satisfies Record<string, RequestWords>;
export type ShownAs = keyof typeof REQUEST_WORDS;

/** @param isEdit true if its paths are files that change */
const row = (permissions: string, kind: Kind, shownAs: ShownAs, isEdit = false) => {
	return { permissions: permissions.split(' '), kind, shownAs, isEdit };
};
export const PERMISSIONS = [
	row('bash sh shell exec execute run terminal command', 'commands', 'command'),
	row('edit multiedit patch apply_patch notebookedit write', 'paths', 'edit', true),
	row('create delete move', 'paths', 'other', true),
	row('read', 'paths', 'read'),
	row('list', 'paths', 'other'),
	row('glob grep', 'searches', 'other'),
	row('webfetch fetch http browse url', 'addresses', 'other'),
];

/** Returns what a permission is about. Undefined if the table doesn't have it. */
export const readPermission = (permission: string) =>
	PERMISSIONS.find(({ permissions }) => permissions.includes(permission.trim().toLowerCase()));

// A pending request that differs from the API document, or is too large, can only be decided in the dashboard.

/** Key of this package's mark on what is left of a request that is too large */
const TOO_LARGE = 'n8nTooLarge';
const MAX_PERMISSION_CHARACTERS = 200;

type AnyFields = Record<string, unknown>;

/** Returns a request as it is. Of one that is too large, only what it is called is left. */
export function limitRequest<T extends AnyFields & { id: string; type: string }>(
	request: T,
): AnyFields & { id: string; type: string } {
	const bytes = Buffer.byteLength(JSON.stringify(request));
	if (bytes <= MAX_REQUEST_BYTES) return request;
	const { id, type, permission } = request;
	const isNamed = typeof permission === 'string';
	return {
		id,
		type: type.slice(0, MAX_PERMISSION_CHARACTERS),
		...(isNamed && { permission: permission.slice(0, MAX_PERMISSION_CHARACTERS) }),
		[TOO_LARGE]: bytes,
	};
}

const isListedOption = (value: unknown): boolean =>
	isRecord(value) && isString(value.value) && isString(value.label);
const isListOf = (value: unknown, isRight: (each: unknown) => boolean): boolean =>
	Array.isArray(value) && value.every(isRight);

const optionsOf = ({ response }: AnyFields): unknown =>
	isRecord(response) ? response.options : undefined;

/** What the API document shows of a permission */
const PERMISSION_SHAPE: ReadonlyArray<
	[
		field: string,
		read: (request: AnyFields) => unknown,
		isRight: (value: unknown) => boolean,
		is: string,
	]
> = [
	[
		'permission',
		({ permission }) => permission,
		(value) => isString(value) && value.length <= MAX_PERMISSION_CHARACTERS,
		`a text of at most ${MAX_PERMISSION_CHARACTERS} characters`,
	],
	['patterns', ({ patterns }) => patterns, (value) => isListOf(value, isString), 'a list of texts'],
	[
		'response.options',
		optionsOf,
		(value) => isListOf(value, isListedOption),
		'a list of options with a value and a label',
	],
	[
		'metadata',
		({ metadata }) => metadata,
		(value) => value === undefined || isRecord(value),
		'an object',
	],
];

/** Returns what keeps everybody from deciding a request here, or undefined. */
export function findShapeProblem(request: AnyFields): string | undefined {
	if (TOO_LARGE in request) return 'it is too large';
	if (request.type !== 'permission') return undefined;
	const wrong = PERMISSION_SHAPE.find(([, readField, isRight]) => !isRight(readField(request)));
	if (!wrong) return undefined;
	const [field, readField, , is] = wrong;
	const verb = field.endsWith('s') ? "aren't" : "isn't";
	return `its ${field} ${verb} ${is}: ${quote(readField(request), 100)}`;
}

/** Returns why a pending request can't be answered, or undefined. */
export const findUnanswerable = ({ id }: Record<string, unknown>): string | undefined =>
	typeof id === 'string' && canBeId(id) ? undefined : 'it has no ID to answer to';

/** Returns the reason why a pending request can't be decided, or undefined. */
export function findObstacle(interaction: unknown): string | undefined {
	if (!isRecord(interaction)) return "it isn't an object";
	const { type } = interaction;
	return (
		findUnanswerable(interaction) ??
		(type === 'permission'
			? undefined
			: `its type ${quoteVisible(toText(type), 60)} isn't a permission request`)
	);
}

// A question of the agent: a pending interaction that isn't a permission. The API document doesn't show its fields.

interface AgentOption {
	value: string;
	label: string;
	description?: string;
}

export interface AgentQuestion {
	/** Empty if the agent gives none */
	text: string;
	/** All other fields, by the agent's own names */
	others: Array<{ name: string; value: unknown }>;
	/** Without any, a text is the answer. */
	options: AgentOption[];
}

/** In characters */
const MAX_QUESTION_ANSWER_LENGTH = 10_000;

export const isQuestion = (
	interaction: unknown,
): interaction is Record<string, unknown> & { type: string } =>
	isRecord(interaction) &&
	typeof interaction.type === 'string' &&
	interaction.type !== 'permission';

/** Returns the text of a question, and the field that has it. */
function findText(question: Record<string, unknown>): { name?: string; text: string } {
	const name = ['question', 'text'].find((each) => nonEmptyText(question[each]) !== undefined);
	return { name, text: name === undefined ? '' : (question[name] as string) };
}

export const readQuestionText = (question: unknown): string =>
	isRecord(question) ? findText(question).text : '';

const isOption = (option: unknown): option is AgentOption =>
	isRecord(option) &&
	[option.value, option.label].every((text) => nonEmptyText(text) !== undefined) &&
	['string', 'undefined'].includes(typeof option.description);

/** Returns the options, or none if they aren't all texts with labels. */
function readAgentOptions(response: unknown): AgentOption[] {
	const { options } = isRecord(response) ? response : {};
	return Array.isArray(options) && options.every(isOption) ? options : [];
}

/** Returns what no choice shows of a response. */
function restOf(response: unknown, options: readonly AgentOption[]): unknown {
	if (!isRecord(response) || options.length === 0) return response;
	const isShown = options.every(
		(option) => Object.keys(omit(option, 'value', 'label', 'description')).length === 0,
	);
	const rest = isShown ? omit(response, 'type', 'options') : omit(response, 'type');
	return Object.keys(rest).length > 0 ? rest : undefined;
}

/** Reads a question. Leaves no field out. */
export function readQuestion(question: Record<string, unknown>): AgentQuestion {
	const { name, text } = findText(question);
	const options = readAgentOptions(question.response);
	const others: AgentQuestion['others'] = [];
	for (const [field, fieldValue] of Object.entries(question)) {
		const value = field === 'response' ? restOf(fieldValue, options) : fieldValue;
		const isEmpty = value === undefined || value === null || value === '';
		if (!isEmpty && !['type', 'id', name].includes(field)) others.push({ name: field, value });
	}
	return {
		text,
		others,
		options: options.map(({ value, label, description }) => ({
			value,
			label,
			...(description && { description }),
		})),
	};
}

type CheckedAnswer = { value: string; isOption: boolean } | { reason: string };

const formatNumber = (number: number): string => number.toLocaleString('en-US');

/** Returns the option with this value or, if only one has it, with this label. */
function matchOption(options: readonly AgentOption[], text: string): AgentOption | undefined {
	const labeled = options.filter(({ label }) => label.trim() === text);
	const [first, ...others] = labeled;
	const isClear = others.every(({ value }) => value === first.value);
	return options.find(({ value }) => value.trim() === text) ?? (isClear ? first : undefined);
}

/** Returns what to send as the answer to a question, or the reason why a text is none. */
export function checkQuestionAnswer(
	{ options }: Pick<AgentQuestion, 'options'>,
	answer: string,
): CheckedAnswer {
	// Forms send line breaks as `\r\n`.
	const text = answer.replace(/\r\n/g, '\n').trim();
	const isFree = options.length === 0;
	if (text === '') return { reason: isFree ? 'Enter an answer.' : 'Choose an option.' };
	if (isFree && text.length <= MAX_QUESTION_ANSWER_LENGTH) return { value: text, isOption: false };
	if (isFree) {
		const [length, most] = [text.length, MAX_QUESTION_ANSWER_LENGTH].map(formatNumber);
		return { reason: `Shorten the answer to ${most} characters. It has ${length}.` };
	}
	const option = matchOption(options, text);
	return option
		? { value: option.value, isOption: true }
		: { reason: 'The answer isn’t one of the agent’s options. Choose one of them.' };
}

/** Returns the values of the operation `answerQuestion`. `option` is only there if one was chosen. */
export const answerValues = (
	{ type }: { type: unknown },
	{ value, isOption }: Exclude<CheckedAnswer, { reason: string }>,
): { type: unknown; option?: string; answer: string } => ({
	type,
	...(isOption && { option: value }),
	answer: value,
});
