// The agent's questions: the API document doesn't show their fields, so all of them are shown.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
	checkQuestionAnswer,
	isQuestion,
	readQuestion,
	type AgentQuestion,
} from '../../nodes/shared/approvals/interaction.ts';

const read = (fields: object) => readQuestion({ type: 'question', id: 'i1', ...fields });

test.each<[unknown, boolean]>([
	[{ type: 'permission', id: 'i1' }, false],
	[{ type: 'question', id: 'i1' }, true],
	[{ type: 'input', id: 'i1', permission: 'bash', patterns: ['ls'] }, true],
	[null, false],
])('%j is a question: %s', (interaction, is) => expect(isQuestion(interaction)).toBe(is));

test.each<[string, object, string]>([
	['in question', { question: 'Q', text: 'no' }, 'Q'],
	['otherwise in text', { question: ' ', text: 'Q', title: 'no' }, ' '],
	['in text', { text: 'Q', title: 'no' }, 'Q'],
	['nowhere else', { title: 'no', response: { question: 'no' } }, ''],
	['no number', { question: 7, text: 'Q' }, 'Q'],
])('the text of a question is %s', (_, fields, text) => expect(read(fields).text).toBe(text));

describe('the options of a question', () => {
	const COLORS = [
		{ value: 'a', label: 'A' },
		{ value: 'b', label: 'B', description: 'D' },
	];
	test.each<[string, object, unknown[]]>([
		['are in response.options', { response: { options: COLORS } }, COLORS],
		['are nowhere else', { options: COLORS }, []],
		['are none if they are texts', { response: { options: ['a', 'b'] } }, []],
		['are none if one has no label', { response: { options: [...COLORS, { value: 'c' }] } }, []],
		['are none if they are no list', { response: { options: { a: 1 } } }, []],
	])('%s', (_, fields, expected) => expect(read(fields).options).toEqual(expected));

	test('that cannot be read are shown, and a text is the answer', () => {
		const question = read({ question: 'Q', response: { options: [1, 2] } });
		expect(question.others).toEqual([{ name: 'response', value: { options: [1, 2] } }]);
		expect(checkQuestionAnswer(question, '1')).toEqual({ value: '1', isOption: false });
	});

	test('with more fields are shown whole', () => {
		const options = [{ value: 'a', label: 'A', price: 7 }];
		expect(read({ response: { type: 'choice', options } }).others).toEqual([
			{ name: 'response', value: { options } },
		]);
	});
});

test('all other fields are shown, whatever they are', () => {
	fc.assert(
		fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (fields) => {
			const { others, text } = read({ ...fields, type: 'question', id: 'i1' });
			const isShown = ([name, value]: [string, unknown]) =>
				['type', 'id'].includes(name) ||
				value === null ||
				value === '' ||
				value === text ||
				others.some((each) => each.name === name);
			expect(Object.entries(fields).filter((field) => !isShown(field))).toEqual([]);
		}),
	);
});

describe('an answer', () => {
	const free = read({ question: 'Q' });
	const withOptions = (...options: object[]) => read({ question: 'Q', response: { options } });
	const choice = withOptions(
		{ value: '1', label: 'One' },
		{ value: 'two', label: 'Two' },
		{ value: 'x', label: 'two ' },
	);
	const same = withOptions({ value: '1', label: 'Same' }, { value: '2', label: 'Same' });

	test.each<[string, AgentQuestion, string, unknown]>([
		['a text', free, ' blue\r\ngreen\r\n', 'blue\ngreen'],
		['the longest text', free, 'x'.repeat(10_000), 'x'.repeat(10_000)],
		['an option by its value', choice, '1', '1'],
		['an option by its label', choice, 'One', '1'],
		['an option whose value is another one’s label', choice, 'two', 'two'],
	])('can be %s', (_, question, answer, value) => {
		expect(checkQuestionAnswer(question, answer)).toEqual({ value, isOption: question !== free });
	});

	test.each<[string, AgentQuestion, string, string]>([
		[
			'too long',
			free,
			'x'.repeat(10_000 + 1),
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
