import { isRecord, omit, toText } from '../values';

// A question of the agent: an interaction that isn't about a permission. The API document doesn't show its fields.

export interface AgentOption {
	/** Sent with its type: a service that offers 1 may not understand "1" */
	value: string | number;
	label: string;
	description?: string;
}

export interface AgentQuestion {
	/** Empty if the agent gives none */
	text: string;
	/** All fields that nothing else here shows, by the agent's own name */
	others: Array<{ name: string; text: string }>;
	options: AgentOption[];
	/** Position of the option that takes a text, which no question of the agent has */
	textOption?: number;
	/** True if any text is an answer */
	isFree: boolean;
	/** True if texts are cut, or fields or options are left out */
	isCut: boolean;
}

/** In characters */
export const MAX_QUESTION_ANSWER_LENGTH = 10_000;
const MAX_FIELD_LENGTH = 10_000;
const MAX_LABEL_LENGTH = 1_000;
const MAX_AGENT_OPTIONS = 100;
const MAX_FIELDS = 50;
/** Groups of options in groups */
const MAX_GROUP_DEPTH = 3;

const TEXT_NAMES = ['question', 'text', 'title', 'prompt', 'message', 'instruction'];
const LABEL_NAMES = ['label', 'name', 'text', 'title'];
const VALUE_NAMES = ['value', 'id', 'key', ...LABEL_NAMES];
const GROUP_NAMES = ['options', 'choices', 'items', 'children'];
/** Fields of an option that its choice shows */
const SHOWN_NAMES = ['value', 'label', 'description'];

type AnyFields = Record<string, unknown>;

/** Returns whether an interaction is a question. One with a permission or patterns asks for something, even if its type is another one. */
export const isQuestion = (interaction: unknown): boolean =>
	isRecord(interaction) &&
	interaction.type !== 'permission' &&
	interaction.permission === undefined &&
	interaction.patterns === undefined &&
	typeof interaction.id === 'string' &&
	interaction.id !== '';

const isWord = (value: unknown): value is string | number =>
	typeof value === 'string' ? value.trim() !== '' : Number.isFinite(value);

const findName = (fields: AnyFields, names: readonly string[]): string | undefined =>
	names.find((name) => isWord(fields[name]));

function toAgentOptions(option: unknown, depth: number): AgentOption[] {
	if (isWord(option)) return [{ value: option, label: String(option) }];
	if (!isRecord(option)) return [];
	const inside = GROUP_NAMES.flatMap((name) => listAgentOptions(option[name], depth + 1));
	// A group is no answer itself.
	if (inside.length > 0) return inside;
	const valueName = findName(option, VALUE_NAMES);
	if (valueName === undefined) return [];
	const value = option[valueName] as AgentOption['value'];
	const label = String(option[findName(option, LABEL_NAMES) ?? valueName]);
	const { description } = option;
	return [{ value, label, ...(isWord(description) && { description: String(description) }) }];
}

/** Returns one option more than are shown if there are too many. */
function listAgentOptions(list: unknown, depth = 0): AgentOption[] {
	const options: AgentOption[] = [];
	if (!Array.isArray(list) || depth >= MAX_GROUP_DEPTH) return options;
	for (const each of list as unknown[]) {
		if (options.length > MAX_AGENT_OPTIONS) break;
		options.push(...toAgentOptions(each, depth));
	}
	return options;
}

/** Returns whether an option's choice shows all of it. */
const isShown = (option: unknown): boolean =>
	isWord(option) ||
	(isRecord(option) &&
		Object.entries(option).every(([name, value]) => SHOWN_NAMES.includes(name) && isWord(value)));

interface Cut {
	isCut: boolean;
}

function cutText(text: string, limit: number, cut: Cut): string {
	cut.isCut ||= text.length > limit;
	return text.slice(0, limit);
}

const cutOption = ({ value, label, description }: AgentOption, cut: Cut): AgentOption => ({
	value,
	label: cutText(label, MAX_LABEL_LENGTH, cut),
	...(description !== undefined && { description: cutText(description, MAX_LABEL_LENGTH, cut) }),
});

const fieldsOf = (value: unknown): AnyFields => (isRecord(value) ? value : {});

/** Returns where the question's text is, and the text. Reads nothing else. */
function findText(interaction: unknown): { text: string; textName?: string; insideName?: string } {
	const fields = fieldsOf(interaction);
	const inside = fieldsOf(fields.response);
	const textName = findName(fields, TEXT_NAMES);
	const insideName = textName === undefined ? findName(inside, TEXT_NAMES) : undefined;
	const text = fields[textName ?? ''] ?? inside[insideName ?? ''] ?? '';
	return { text: String(text as AgentOption['value']), textName, insideName };
}

/** Returns the text of a question, which can be long. */
export const readQuestionText = (interaction: unknown): string => findText(interaction).text;

/** Returns the first fields that say something. */
function listFields(fields: AnyFields, left: ReadonlyArray<string | undefined>, cut: Cut) {
	const named: Array<[name: string, value: unknown]> = [];
	for (const name of Object.keys(fields)) {
		const value = fields[name];
		if (left.includes(name) || value === undefined || value === null || value === '') continue;
		cut.isCut ||= named.length === MAX_FIELDS;
		if (cut.isCut && named.length === MAX_FIELDS) break;
		named.push([name, value]);
	}
	return named;
}

/** Reads a question in any form. Leaves no field out that it doesn't name in `isCut`. Never throws. */
export function readQuestion(interaction: unknown): AgentQuestion {
	const cut: Cut = { isCut: false };
	const fields: AnyFields = isRecord(interaction) ? interaction : { interaction };
	const { response } = fields;
	const inside = fieldsOf(response);
	const { text, textName, insideName } = findText(fields);

	const places = [inside, fields];
	const found = places.map((place) => listAgentOptions(place.options));
	const at = found.findIndex((each) => each.length > 0);
	const options = found[at] ?? [];
	const shown = options.slice(0, MAX_AGENT_OPTIONS).map((option) => cutOption(option, cut));
	cut.isCut ||= options.length > MAX_AGENT_OPTIONS;
	const isComplete = at >= 0 && (places[at].options as unknown[]).every(isShown);
	const optionsName = (place: AnyFields) =>
		isComplete && places[at] === place ? 'options' : undefined;

	const rest = isRecord(response)
		? omit(response, 'type', insideName ?? 'type', optionsName(inside) ?? 'type')
		: response;
	const isEmpty = isRecord(rest) && Object.keys(rest).length === 0;
	const named = listFields(
		fields,
		['type', 'id', textName, optionsName(fields), isEmpty ? 'response' : undefined],
		cut,
	);
	const others = named.map(([name, value]) => ({
		name: cutText(name, MAX_LABEL_LENGTH, cut),
		text: cutText(toText(name === 'response' ? rest : value), MAX_FIELD_LENGTH, cut),
	}));
	return {
		text: cutText(text, MAX_FIELD_LENGTH, cut),
		others,
		options: shown,
		isFree: options.length === 0,
		isCut: cut.isCut,
	};
}

type CheckedAnswer = { value: AgentOption['value']; isOption: boolean } | { reason: string };

const formatNumber = (number: number): string => number.toLocaleString('en-US');

/** Returns the option with this value or, if only one has it, with this label. */
function matchOption(options: readonly AgentOption[], text: string): AgentOption | undefined {
	const labeled = options.filter(({ label }) => label.trim() === text);
	const [first, ...others] = labeled;
	const isClear = others.every(({ value }) => value === first.value);
	return (
		options.find(({ value }) => String(value).trim() === text) ?? (isClear ? first : undefined)
	);
}

/**
 * Checks an answer to a question.
 * @param answer a text, or the number of an option from 0
 * @returns what to send, or the reason why it's no answer
 */
export function checkQuestionAnswer(
	{ options, isFree, textOption }: AgentQuestion,
	answer: string | number,
): CheckedAnswer {
	if (typeof answer === 'number') {
		const value = options[answer]?.value;
		return value === undefined
			? { reason: 'The agent doesn’t offer this option anymore. Choose another one.' }
			: { value, isOption: true };
	}
	// Forms send line breaks as `\r\n`.
	const text = answer.replace(/\r\n/g, '\n').trim();
	const takesText = isFree || textOption !== undefined;
	if (text === '') return { reason: isFree ? 'Enter an answer.' : 'Choose an option.' };
	if (takesText && text.length <= MAX_QUESTION_ANSWER_LENGTH)
		return { value: text, isOption: false };
	if (takesText) {
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
): { type: unknown; option?: AgentOption['value']; answer: AgentOption['value'] } => ({
	// The node gives a question without a type an empty one.
	type: type === '' ? undefined : type,
	...(isOption && { option: value }),
	answer: value,
});
