import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readAnswer } from '../../nodes/RunAgentSession/requests/answer.ts';
import { toText } from '../../nodes/shared/values.ts';
import { channelAnswers, getName } from '../support/channelAnswers.mts';

const respondedAt = '2026-03-01T10:00:00.000Z';

/** An item on To Approve as Run Agent Session returns it, with the agent trying its best. */
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
	...['approve', 'approved', 'yes', 'allow', 'ok', ' Approve ', 'YES!', 'ok.'].map(
		(word): [string, unknown, Said] => ['a word', word, 'approve'],
	),
	...['deny', 'denied', 'no', 'reject', 'disapprove', 'NO', 'No!', 'Denied.'].map(
		(word): [string, unknown, Said] => ['a word', word, 'deny'],
	),
	...['okay', 'y', 'decline', 'later', 'yes, approved', 'yes no', "don't approve", 'not ok'].map(
		(word): [string, unknown, Said] => ['any other text', word, 'unreadable'],
	),
	['any other text', 'ＤＥＮＹ', 'unreadable'],
	['any other text', 'De\u200bny', 'unreadable'],

	['its data, dragged', { approved: true, respondedAt }, 'approve'],
	['its data, dragged', { approved: false }, 'deny'],
	['Send and Wait, free text that says nothing', { data: { text: ' ', respondedAt } }, 'none'],
	['Send and Wait, free text that is no answer', { data: { text: 'later' } }, 'unreadable'],
	[
		'Slack, with who answered',
		{ data: { approved: false, responder: { name: 'yes' }, respondedAt, channel: 'yes' } },
		'deny',
	],
	['its data, dragged', { Decision: 'Deny', Comment: '', respondedAt }, 'deny'],
	[
		'a Form node with a question in it',
		{ question: 'Why?', Decision: 'No', submittedAt: 'x' },
		'deny',
	],
	['a form with a choice of several', { data: { Decision: ['Approve'] } }, 'approve'],
	['a form with more chosen', { data: { Decision: ['Approve', 'Only tests'] } }, 'unreadable'],
	['a form with both chosen', { data: { Decision: ['Approve', 'Deny'] } }, 'both'],
	['a form with nothing chosen', { data: { Decision: [], Comment: null, respondedAt } }, 'none'],
	['a form with a comment only', { data: { Decision: '', Comment: 'No' } }, 'none'],
	['Chat 1.1', { data: { ...chat, chatInput: 'yes', approved: undefined } }, 'approve'],
	['Chat, with nothing typed', { ...chat, chatInput: '', files: [{}] }, 'none'],
	['Chat, with something else typed', { ...chat, chatInput: 'What is that?' }, 'unreadable'],
	[
		'Chat with buttons, and yes typed',
		{ ...chat, chatInput: 'yes', data: { approved: false } },
		'both',
	],
	[
		'Chat with buttons, and a question typed',
		{ ...chat, chatInput: 'What?', data: { approved: false } },
		'unreadable',
	],

	// Anything else
	['fields of nobody', { Decision: 'Deny', Comment: '' }, 'unreadable'],
	['a text that may be the agent’s', { sessionId: 'x', text: 'approve' }, 'unreadable'],
	['a text that may be the agent’s', { text: 'yes', respondedAt }, 'unreadable'],
	['a form without Decision', { data: { Verdict: 'Approve' } }, 'unreadable'],
	['a form without Decision', { data: { Urgent: true } }, 'unreadable'],
	['a form with another name', { data: { decision: 'Approve' } }, 'unreadable'],
	['a form with a switch', { data: { Decision: 'Approve', Urgent: true } }, 'unreadable'],
	['a form with a second answer', { data: { Decision: 'Approve', Answer: 'later' } }, 'unreadable'],
	['another field', { approved: true, details: { a: 'x' } }, 'unreadable'],
	['another field', { data: { approved: true, denied: 0 } }, 'unreadable'],
	['another action', { chatInput: 'yes', action: 'loadPreviousSession' }, 'unreadable'],
	['a number', 1, 'unreadable'],
	['a number', { approved: 1 }, 'unreadable'],
	['a list', [true], 'unreadable'],
	['data that is a word', { data: 'yes' }, 'unreadable'],
	['an object in an object', { data: { data: { approved: true } } }, 'unreadable'],
	['an error item', { error: 'yes and no', message: 'x' }, 'unreadable'],
	['a prototype', JSON.parse('{"__proto__": {"approved": true}}'), 'unreadable'],
	['deep nesting', JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)), 'unreadable'],

	// Contradictions at any level
	...[
		{ Decision: 'Deny' },
		{ decision: 'no' },
		{ text: 'no' },
		{ denied: 'no' },
		{ more: 'Reject' },
	].flatMap((field): Array<[string, unknown, Said]> => [
		['a contradiction', { approved: true, ...field }, 'both'],
		['a contradiction', { data: { approved: true, ...field } }, 'both'],
		['a contradiction', { data: { approved: true }, ...field }, 'both'],
	]),
	...[
		...[{ denied: true }, { Deny: 'x' }, { isApproved: false }, { more: { denied: 1 } }],
		...[{ more: [['x', { a: ['no'] }]] }, { cancel: true }, { details: { Decision: 'Deny' } }],
	].flatMap((field): Array<[string, unknown, Said]> => [
		['a contradiction', { data: { Decision: 'Approve', ...field } }, 'unreadable'],
		['a contradiction', { Decision: 'Approve', submittedAt: 'x', ...field }, 'unreadable'],
	]),
	['a contradiction', { approved: true, data: { Decision: 'Deny' } }, 'both'],
	['a contradiction', { data: { Decision: 'Approve', Sure: ['x', 'no'] } }, 'both'],

	['nothing', null, 'none'],
	['nothing', ' \n', 'none'],
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
		'the time limit, over, and one request kept that plays a form',
		{ ...request, Decision: 'Approve', approved: true, data: { approved: true }, submittedAt: 'x' },
		'none',
	],
	['the request itself, in part', { permission: 'yes', patterns: ['yes'] }, 'none'],
];

const reading = (value: unknown): Said => {
	try {
		return readAnswer(value).answer as Said;
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
		[{ approved: true, text: 'no' }, /^'Answer' says both approve and deny$/, /^It is «/],
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
});

test('a word can have spaces around it, up to a limit', () => {
	expect(readAnswer('yes'.padEnd(200))).toEqual({ answer: 'approve' });
	expect(() => readAnswer('yes'.padEnd(201))).toThrow(
		expect.objectContaining({
			message: "'Answer' can't be read as approve or deny",
			description: expect.stringContaining('Use true or false, one of the words approve'),
		}),
	);
});
