import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readAnswer } from '../../nodes/RunAgentSession/requests/answer.ts';
import { toText } from '../../nodes/shared/values.ts';
import { channelAnswers, getName } from '../channelAnswers.mts';

const respondedAt = '2026-03-01T10:00:00.000Z';

/** A Needs Approval item as Run Agent Session returns it, with the agent trying its best. */
const needsApproval = {
	sessionId: '2c3d0f6e-7a1b-4a52-9d0e-3f4b5c6d7e8f',
	dashboardUrl: 'https://example.com/sessions/1',
	status: 'running',
	text: 'approve',
	pendingInteractions: [{ id: 'i1', type: 'permission', permission: 'approve', patterns: ['yes'] }],
	undecided: [{ interactionId: 'i1', because: 'policy' }],
	question: 'yes',
	decisions: [],
	latestMessage: { role: 'assistant', text: 'approve' },
};

/** One of its requests, as Split Out makes an item of it. */
const request = { ...needsApproval.pendingInteractions[0], patterns: ['yes'], response: 'yes' };

/** Fields of a Chat node's output besides the typed text. */
const chat = { sessionId: 'f3b1c6', action: 'sendMessage' };

type Said = 'approve' | 'deny' | 'none' | 'unreadable' | 'both';

/** From the node and what was done there, to its result and its texts. */
const SHAPES: Array<[from: string, value: unknown, said: Said]> = [
	['a boolean', true, 'approve'],
	['a boolean', false, 'deny'],
	['a boolean as a text', 'true', 'approve'],
	['a boolean as a text', 'False', 'deny'],
	...['approve', 'approved', 'yes', 'allow', 'ok', ' Approve ', 'YES!', 'ok.', 'Yes, approved'].map(
		(word): [string, unknown, Said] => ['a word', word, 'approve'],
	),
	...['deny', 'denied', 'no', 'reject', 'disapprove', 'NO', 'Declined.', 'no, no', '\nreject;'].map(
		(word): [string, unknown, Said] => ['a word', word, 'deny'],
	),

	['Send and Wait, approval, 1.123', { data: { approved: true } }, 'approve'],
	['Send and Wait, approval, 1.123', { data: { approved: false } }, 'deny'],
	['Send and Wait, approval, 2.41', { data: { approved: true, respondedAt } }, 'approve'],
	['Send and Wait, approval, 2.41', { data: { approved: false, respondedAt } }, 'deny'],
	['its data, dragged', { approved: true, respondedAt }, 'approve'],
	['its data, dragged', { approved: false }, 'deny'],
	[
		'Slack, with who answered',
		{
			data: {
				approved: false,
				responder: { id: 'U1', name: 'yes', username: 'ok', source: 'slack' },
				respondedAt,
				channel: 'yes',
				messageId: '1.2',
			},
		},
		'deny',
	],
	[
		'Telegram, with who answered',
		{
			data: {
				approved: true,
				responder: { id: '7', name: 'No', source: 'telegram' },
				chatId: 7,
				messageId: 12,
				respondedAt,
			},
		},
		'approve',
	],
	['Send and Wait, free text, 1.123', { data: { text: 'Yes' } }, 'approve'],
	['Send and Wait, free text, 2.41', { data: { text: 'no.', respondedAt } }, 'deny'],
	['its data, dragged', { text: 'yes', respondedAt }, 'approve'],
	['Send and Wait, free text that says nothing', { data: { text: ' ', respondedAt } }, 'none'],
	['Send and Wait, free text that is no answer', { data: { text: 'later' } }, 'unreadable'],
	[
		'Send and Wait, custom form',
		{ data: { Decision: 'Approve', Comment: 'Looks good to me', respondedAt } },
		'approve',
	],
	['Send and Wait, custom form, 1.123', { data: { Decision: 'Decline', Comment: null } }, 'deny'],
	['its data, dragged', { Decision: 'Deny', Comment: '', respondedAt }, 'deny'],
	['fields of nobody', { Decision: 'Deny', Comment: '' }, 'unreadable'],
	['a form with a choice of several', { data: { Decision: ['Approve'] } }, 'approve'],
	['a form with both chosen', { data: { Decision: ['Approve', 'Deny'] } }, 'both'],
	['a form with more chosen', { data: { Decision: ['Approve', 'Only tests'] } }, 'unreadable'],
	['a form with nothing chosen', { data: { Decision: [], Comment: null, respondedAt } }, 'none'],
	['a form with two answers', { data: { Decision: 'Approve', Really: 'No' } }, 'both'],
	[
		'a form with the same answer twice',
		{ data: { Decision: 'Approve', Really: 'Yes' } },
		'approve',
	],
	['a form without an answer', { data: { Comment: 'Looks good', respondedAt } }, 'unreadable'],
	['a form with a field that is true', { data: { Urgent: true } }, 'unreadable'],
	['a form with a field that is true', { data: { Urgent: 'true', Decision: 'No' } }, 'deny'],
	[
		'a Form node',
		{ Decision: 'Approve', submittedAt: respondedAt, formMode: 'production' },
		'approve',
	],
	['a Form node with a question in it', { question: 'Why?', Ok: 'No', submittedAt: 'x' }, 'deny'],

	['Chat', { ...chat, chatInput: 'approve' }, 'approve'],
	['Chat', { ...chat, chatInput: 'No!', data: undefined }, 'deny'],
	['Chat 1.1', { data: { ...chat, chatInput: 'yes', approved: undefined } }, 'approve'],
	['Chat, with nothing typed', { ...chat, chatInput: '', files: [{}] }, 'none'],
	['Chat, with something else typed', { ...chat, chatInput: 'What is that?' }, 'unreadable'],
	['Chat with buttons', { data: { approved: true, respondedAt } }, 'approve'],
	[
		'Chat with buttons, and no typed',
		{ ...chat, chatInput: 'no', data: { approved: false } },
		'deny',
	],
	[
		'Chat with buttons, and yes typed',
		{ ...chat, chatInput: 'yes', data: { approved: false } },
		'both',
	],
	[
		'Chat with buttons, and a question typed',
		{ ...chat, chatInput: 'What is that?', data: { approved: false } },
		'unreadable',
	],

	['contradictions', { approved: true, Decision: 'Deny' }, 'both'],
	['contradictions', { approved: true, data: { Decision: 'Deny' } }, 'both'],
	['contradictions', { data: { approve: 'yes', deny: 'yes' } }, 'both'],
	['contradictions', { approve: 'yes', deny: 'yes', submittedAt: 'x' }, 'both'],
	['contradictions', { approved: true, action: 'deny' }, 'both'],
	['contradictions', { data: { approved: true, response: 'Deny' } }, 'both'],
	...['declined', 'rejected', 'denied', 'Denied', 'deny', 'No'].flatMap(
		(name): Array<[string, unknown, Said]> => [
			['contradictions', { approved: true, [name]: true }, 'both'],
			['contradictions', { data: { approved: true, [name]: true } }, 'both'],
			['contradictions', { approved: false, [name]: false }, 'both'],
			['a field and its opposite', { approved: true, [name]: false }, 'approve'],
			['a field and its opposite', { approved: false, [name]: true }, 'deny'],
			['the opposite alone', { data: { [name]: true } }, 'deny'],
			['the opposite alone', { data: { [name]: false } }, 'unreadable'],
			['the opposite alone', { data: { [name]: 'yes' } }, 'deny'],
			['the opposite alone', { data: { [name]: 'no' } }, 'unreadable'],
			['the opposite alone', { data: { [name]: 'Approve' } }, 'both'],
		],
	),
	...[
		...[{ denied: 1 }, { denied: 'on' }, { denied: 'true' }, { allow: 0 }, { ok: 'false' }],
		...[{ Approved: 'False' }, { isApproved: false }, { isDenied: true }, { notApproved: true }],
		...[{ unapproved: true }, { 'Deny this request': true }, { "Don't approve": 'yes' }],
		...[
			{ Decision: false },
			{ Decision: 'De\u200bny' },
			{ Decision: 'ＤＥＮＹ' },
			{ cancel: true },
		],
		...[{ more: { denied: 1 } }, { more: '{"approved": false}' }, { more: '[{"denied": true}]' }],
	].flatMap((field): Array<[string, unknown, Said]> => [
		['contradictions', { approved: true, ...field }, 'both'],
		['contradictions', { data: { approved: true, ...field } }, 'both'],
	]),
	...['dеny', 'Denied by Bob', 'nein', 'false', 0].map((Decision): [string, unknown, Said] => [
		'a decision that is no word of the list',
		{ approved: true, Decision },
		'unreadable',
	]),
	...['Reject the request', 'I do not approve', "Don't approve", 'Block', 'Stop?'].map(
		(name): [string, unknown, Said] => [
			'a form that asks for a denial',
			{ submittedAt: 'x', [name]: 'Yes' },
			'deny',
		],
	),
	['contradictions', { approved: true, text: 'no' }, 'both'],
	['contradictions', { approved: false, text: 'yes' }, 'both'],
	['contradictions', { approved: true, details: { Decision: 'Deny' } }, 'both'],
	['contradictions', { data: { approved: true, details: { Decision: 'Deny' } } }, 'both'],
	['contradictions', { data: { approved: true, details: [['x', { a: ['no'] }]] } }, 'both'],
	['contradictions', { approved: true, details: { approved: false } }, 'both'],
	['contradictions', { Decision: 'Approve', more: { denied: true }, submittedAt: 'x' }, 'both'],
	['no contradiction', { approved: true, text: 'yes', details: { a: 'Approve' } }, 'approve'],
	['no contradiction', { approved: true, text: 'No problem', details: { a: false } }, 'approve'],
	['no contradiction', { approved: true, responder: { name: 'No' }, metadata: 'no' }, 'approve'],
	[
		'what is nested too deeply',
		JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)),
		'unreadable',
	],
	[
		'what is nested too deeply',
		JSON.parse(`${'{"data":'.repeat(100_000)}1${'}'.repeat(100_000)}`),
		'unreadable',
	],

	['nothing', undefined, 'none'],
	['nothing', null, 'none'],
	['nothing', '', 'none'],
	['nothing', ' \n', 'none'],
	['nothing', {}, 'none'],
	['nothing', { data: {} }, 'none'],
	['nothing', { data: { approved: null, respondedAt } }, 'none'],

	['the time limit, over', needsApproval, 'none'],
	['the time limit, over, and only the question kept', { question: 'x', text: 'yes' }, 'none'],
	[
		'the time limit, over, and the requests kept',
		{ sessionId: 'x', pendingInteractions: [], text: 'yes', Decision: 'Approve' },
		'none',
	],
	[
		'the time limit, over, with an earlier answer beside it',
		{ ...needsApproval, data: { approved: true } },
		'none',
	],
	['the time limit, over, and one request kept', request, 'none'],
	[
		'the time limit, over, and one request kept that plays a form',
		{ ...request, Decision: 'Approve', approved: true, data: { approved: true }, submittedAt: 'x' },
		'none',
	],
	['the same below data', { data: { ...request, approved: true, respondedAt } }, 'none'],
	[
		'the request itself, in part',
		{ permission: 'yes', patterns: ['yes'], metadata: 'yes' },
		'none',
	],
	['the same beside a form', { permission: 'yes', response: 'yes', submittedAt: 'x' }, 'none'],
	['the same beside an answer', { permission: 'yes', Decision: 'No', submittedAt: 'x' }, 'deny'],
	['a text that may be the agent’s', { sessionId: 'x', text: 'approve' }, 'unreadable'],

	['both words', 'yes no', 'both'],
	['both words', { data: { text: 'Approve, deny' } }, 'both'],
	['a word that is turned round', "don't approve", 'unreadable'],
	['a word that is turned round', 'not ok', 'unreadable'],
	['a question', 'approve?', 'unreadable'],
	['a sentence', 'No problem, go on', 'unreadable'],
	['punctuation', '...', 'unreadable'],
	['a number', 1, 'unreadable'],
	['a number', { approved: 1 }, 'unreadable'],
	['a list', [true], 'unreadable'],
	['a list', { data: ['yes'] }, 'unreadable'],
	['an object where a word belongs', { data: { text: { approved: true } } }, 'unreadable'],
	['an object in an object', { data: { data: { approved: true } } }, 'unreadable'],
	['an error item', { error: 'yes and no', message: 'x' }, 'unreadable'],
	['an object in a text', '[object Object]', 'unreadable'],
	['a prototype', JSON.parse('{"__proto__": {"approved": true}}'), 'unreadable'],
];

const reading = (value: unknown): Said => {
	try {
		return readAnswer(value).answer;
	} catch (error) {
		return /both approve and deny/.test((error as Error).message) ? 'both' : 'unreadable';
	}
};

describe('an answer', () => {
	test.each(
		SHAPES.map(([from, value, said]) => [from, toText(value).slice(0, 200), said, value] as const),
	)('of %s: %s is %s', (_, __, said, value) => expect(reading(value)).toBe(said));

	// Real outputs of the nodes. test/e2e/channels.test.mts holds the table against them.
	test.each(
		channelAnswers.flatMap((row) =>
			Object.entries(row.gives).map(([version, item]) => [getName(row), version, row.means, item]),
		),
	)('of %s, in n8n %s, is %s', (_, __, means, item) => expect(reading(item)).toBe(means));

	test("that's missing says why", () => {
		expect(readAnswer(needsApproval)).toMatchObject({
			because: expect.stringMatching(/nobody answered in time/),
		});
		expect(readAnswer('')).toMatchObject({ because: 'the answer is empty' });
	});

	test.each<[unknown, RegExp, RegExp]>([
		['maybe', /^'Answer' can't be read as approve or deny$/, /^It is «maybe»\. /],
		['yes no', /^'Answer' says both approve and deny$/, /^It is «yes no»\. /],
		[{ data: { text: 'hm' } }, /can't be read/, /^It is «{"data"∶{"text"∶"hm"}}»\. /],
		['a\n\u202Eb<!--', /can't be read/, /^It is «a⏎⟨U\+202E⟩b＜!--»\. /],
		['x'.repeat(5_000), /can't be read/, /^It is «x{200}» \(cut off, 4800 more characters\)\. /],
	])(
		"that can't be read is quoted, shortened and without control characters: %j",
		(value, message, description) => {
			expect(() => readAnswer(value)).toThrow(
				expect.objectContaining({
					message: expect.stringMatching(message),
					description: expect.stringMatching(description),
				}),
			);
		},
	);

	test("is never read from the item that asked, even if the agent's text looks like an answer", () => {
		const word = fc.constantFrom('approve', 'yes', 'deny', 'true', 'x');
		const agents = fc.oneof(
			word,
			fc.jsonValue(),
			fc.record({ approved: fc.boolean(), text: word }),
		);
		fc.assert(
			fc.property(agents, agents, agents, agents, (text, question, latestMessage, pending) => {
				for (const item of [
					{ ...needsApproval, text, question, latestMessage, pendingInteractions: [pending] },
					{ sessionId: 'x', text, question },
					{ pendingInteractions: pending, text },
					{ ...Object(pending), id: 'i1', type: 'permission', submittedAt: text },
				]) {
					expect(readAnswer(item).answer).toBe('none');
				}
			}),
		);
	});

	test('of any kind is read, unreadable or missing, and throws no other error', () => {
		fc.assert(
			fc.property(fc.anything(), (value) => {
				try {
					readAnswer(value);
				} catch (error) {
					expect(error).toMatchObject({ message: expect.stringMatching(/^'Answer' /) });
				}
			}),
			{ numRuns: 1_000 },
		);
	});

	test('is found in linear time in a megabyte of the worst text', () => {
		for (const piece of [' ', '.', 'yes ', 'yes,', '\n', 'a']) {
			const long = piece.repeat(1_000_000 / piece.length);
			expect(['none', 'unreadable']).toContain(reading(long));
			expect(['none', 'unreadable']).toContain(reading({ data: { Comment: long } }));
		}
	});
});

describe('an answer at its limits', () => {
	const choices = (first: string, count: number) => ({
		data: { Choice: [first, ...Array.from({ length: count - 1 }, () => 'yes')] },
	});
	test.each<[string, unknown, string]>([
		['a text of 200 characters', 'yes'.padEnd(200), 'approve'],
		['several spaces', 'yes,  approved', 'approve'],
		['200 choices', choices('yes', 200), 'approve'],
		['an ID alone', { data: { Decision: 'Approve', id: 'x' } }, 'approve'],
		['a type alone', { data: { Decision: 'Deny', type: 'x' } }, 'deny'],
	])('%s is read', (_, value, answer) => expect(readAnswer(value)).toEqual({ answer }));

	test.each<[string, unknown]>([
		['a text of 201 characters', 'yes'.padEnd(201)],
		['201 choices', choices('yes', 201)],
		['a choice that is no text', { data: { Choice: ['yes', 7] } }],
		['a choice of other words', { data: { Choice: ['yes', 'Only tests'] } }],
		['an object', { data: { Choice: { a: 'yes' } } }],
	])('%s is not read', (_, value) => {
		expect(() => readAnswer(value)).toThrow(
			expect.objectContaining({
				message: "'Answer' can't be read as approve or deny",
				description: expect.stringContaining('A form needs one field with such a word.'),
			}),
		);
	});

	test('selects nothing if all choices are empty', () => {
		expect(readAnswer({ data: { Choice: ['', ' '] } })).toMatchObject({ answer: 'none' });
	});
});
