// The agent's questions: the API document doesn't show their fields, so any form has to be readable and answerable.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
	checkQuestionAnswer,
	isQuestion,
	MAX_QUESTION_ANSWER_LENGTH,
	readQuestion,
	type AgentQuestion,
} from '../../nodes/shared/approvals/agentQuestion.ts';

const read = (fields: object) => readQuestion({ type: 'question', id: 'i1', ...fields });
const options = (fields: object) => read(fields).options.map(({ value, label }) => [value, label]);

test.each<[unknown, boolean]>([
	[{ type: 'permission', id: 'i1' }, false],
	[{ type: 'question', id: 'i1' }, true],
	[{ type: 'input', id: 'i1', permission: 'bash' }, false],
	[{ type: 'question', id: '' }, false],
	[{ id: 'i1' }, true],
	[null, false],
])('%j is a question: %s', (interaction, is) => expect(isQuestion(interaction)).toBe(is));

describe('the text of a question', () => {
	test.each<[string, object]>([
		['question', { question: 'Q', text: 'no', title: 'no' }],
		['text', { text: 'Q', title: 'no', prompt: 'no' }],
		['instruction', { instruction: 'Q', response: { question: 'no' } }],
		['response.instruction', { response: { type: 'text', instruction: 'Q' } }],
		['the first that is no empty text', { question: ' ', text: { a: 1 }, title: 'Q' }],
		['a number', { question: 7, text: 'no' }],
	])('is %s', (_, fields) => expect(read(fields).text).toMatch(/^[Q7]$/));

	test.each<[unknown]>([[{}], [{ question: null }], [{ title: ['Q'] }]])(
		'is empty if there is none: %j',
		(fields) => expect(read(fields as object).text).toBe(''),
	);
});

describe('the options of a question', () => {
	test.each<[string, object, unknown[]]>([
		[
			'in response.options',
			{ response: { options: [{ value: 'a', label: 'A' }] }, options: ['no'] },
			[['a', 'A']],
		],
		[
			'as numbers',
			{ options: [1, { value: 2, label: 'Two' }] },
			[
				[1, '1'],
				[2, 'Two'],
			],
		],
		['with an id and a name', { options: [{ id: 'x', name: 'X' }] }, [['x', 'X']]],
		[
			'in groups',
			{ options: [{ label: 'G', options: ['a', { value: 'b' }] }] },
			[
				['a', 'a'],
				['b', 'b'],
			],
		],
		['that cannot be read', { options: [{}, null, [], ''] }, []],
		['that are no list', { options: { a: 1 } }, []],
	])('%s', (_, fields, expected) => expect(options(fields)).toEqual(expected));
});

test('any interaction is read without an error, and can be answered', () => {
	const names = ['question', 'text', 'options', 'response', 'label', 'value', 'items'];
	const { value } = fc.letrec<{ value: unknown }>((tie) => ({
		value: fc.oneof(
			{ depthSize: 'medium' },
			fc.jsonValue({ maxDepth: 1 }),
			fc.array(tie('value'), { maxLength: 5 }),
			fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 4 }),
		),
	}));
	fc.assert(
		fc.property(value, (interaction) => {
			const question = readQuestion(interaction);
			const answer = question.isFree ? 'an answer' : question.options.length - 1;
			expect(checkQuestionAnswer(question, answer)).toEqual({
				value: question.options.at(-1)?.value ?? 'an answer',
				isOption: !question.isFree,
			});
		}),
	);
});

describe('an answer', () => {
	const free = read({ question: 'Q' });
	const choice = read({
		options: [{ value: 1, label: 'One' }, 'two', { value: 'x', label: 'two ' }],
	});
	const same = read({
		options: [
			{ value: 1, label: 'Same' },
			{ value: 2, label: 'Same' },
		],
	});

	test.each<[string, AgentQuestion, string | number, unknown]>([
		['a text', free, ' blue\r\ngreen\r\n', 'blue\ngreen'],
		[
			'the longest text',
			free,
			'x'.repeat(MAX_QUESTION_ANSWER_LENGTH),
			'x'.repeat(MAX_QUESTION_ANSWER_LENGTH),
		],
		['an option by its number', choice, 0, 1],
		['an option by its value', choice, '1', 1],
		['an option by its label', choice, 'One', 1],
		['an option whose value is another one’s label', choice, 'two', 'two'],
	])('can be %s', (_, question, answer, value) => {
		expect(checkQuestionAnswer(question, answer)).toEqual({ value, isOption: question !== free });
	});

	test.each<[string, AgentQuestion, string | number, string]>([
		[
			'too long',
			free,
			'x'.repeat(MAX_QUESTION_ANSWER_LENGTH + 1),
			'Shorten the answer to 10,000 characters. It has 10,001.',
		],
		[
			'a label of two options',
			same,
			'Same',
			'The answer isn’t one of the agent’s options. Choose one of them.',
		],
	])('is refused if it is %s', (_, question, answer, reason) => {
		expect(checkQuestionAnswer(question, answer)).toEqual({ reason });
	});
});
