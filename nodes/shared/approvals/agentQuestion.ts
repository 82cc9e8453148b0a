import { isRecord, nonEmptyText, omit } from '../values';

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
