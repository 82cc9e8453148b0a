import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
	formatQuestion,
	type MessageDetails,
} from '../../nodes/RunAgentSession/message/approverText.ts';
import type { OfferedChoices } from '../../nodes/RunAgentSession/requests/sheet.ts';
import type { Interaction } from '../../nodes/shared/client/session.ts';
import { quoteVisible, visibleText } from '../../nodes/shared/approvals/visibleText.ts';
import { anyText } from '../support/anyText.mts';
import { ONCE, REJECT } from './interactions.mts';
import { toSheets } from './sheets.mts';

const request = (changes: object = {}): Interaction => ({
	type: 'permission',
	id: 'i1',
	permission: 'bash',
	patterns: ['git push origin main'],
	metadata: { tool: 'bash' },
	response: { type: 'choice', options: [{ value: 'once', label: 'Once' }], instruction: 'Push?' },
	...changes,
});
const origin = {
	projectName: 'Website',
	prompt: 'Publish the page.',
	sessionId: '2c3d0f6e-7a1b-4a52-9d0e-3f4b5c6d7e8f',
};
const dashboardUrl = 'https://example.com/sessions/2c3d0f6e';
const write = (
	interactions: Interaction[],
	changes: Partial<MessageDetails> = {},
	offered?: OfferedChoices,
) =>
	formatQuestion({
		sheets: toSheets(interactions, offered),
		origin,
		dashboardUrl,
		more: 0,
		isReminder: false,
		hasChanged: false,
		...changes,
	});
/** As someone reads it, who does not see that lines end in two spaces */
const ask = (...interactions: Interaction[]) => write(interactions).replaceAll('  \n', '\n');
const getLines = (text: string) => text.split(/[\r\n\v\f\u0085\u2028\u2029]/);

describe('a question', () => {
	test('says first what the agent wants, then until when, the choices, the task and the details', () => {
		const deadline = { at: Date.parse('2026-11-23T17:00:00Z'), after: 'deny' as const };
		expect(write([request()], { deadline })).toBe(
			[
				'The agent wants to run this command',
				'Command: «git push origin main»',
				'Answer until Nov 23, 2026, 5:00 PM (UTC). After that, the request is denied.',
				'Choices: Approve once',
				'Project: «Website»',
				'Task: «Publish the page․»',
				'Session: «2c3d0f6e-7a1b-4a52-9d0e-3f4b5c6d7e8f»',
				'Permission: «bash»',
				'Instruction: «Push?»',
				'Metadata: «{"tool"∶"bash"}»',
				'Dashboard: https://example.com/sessions/2c3d0f6e',
			].join('  \n'),
		);
	});

	test.each<[Interaction, RegExp]>([
		[request({ patterns: [] }), /^No command or path given$/m],
		[request({ patterns: 'rm -rf /' }), /^Command: «rm -rf ∕»$/m],
		[request({ patterns: null }), /^Command: «null»$/m],
		[request({ permission: 7 }), /^Permission: «7»$/m],
		[
			request({ response: { options: [{ value: 'x', label: 'Maybe' }] } }),
			/^You can’t decide this here: none of its options is clear\. Decide it in the dashboard\.$/m,
		],
		[
			request({ permission: 'edit' }),
			/^The change isn’t shown here, because the service didn’t send it$/m,
		],
	])('also shows undocumented fields: %j', (interaction, line) => {
		expect(ask(interaction)).toMatch(line);
	});

	test('shows everything that belongs to a request', () => {
		const asked = ask(
			request({
				command: 'npm run build',
				cwd: 'site',
				patterns: ['npm run *'],
				surprise: { deep: [1] },
				response: {
					instruction: 'Push?',
					scope: 'workspace',
					options: [
						{ value: 'once', label: 'Once' },
						{ value: 'always', label: 'Always allow', description: 'For good', color: 'red' },
						{ value: 'reject', label: 'Reject' },
					],
				},
			}),
		);
		for (const line of [
			'Command: «npm run build»',
			'Pattern: «npm run ＊»',
			'Folder: «site»',
			'Permission: «bash»',
			'Instruction: «Push?»',
			'Scope: «workspace»',
			'Metadata: «{"tool"∶"bash"}»',
			'Other details: «{"surprise"∶{"deep"∶［1］},"response"∶{"options"∶［{"color"∶"red"}］}}»',
			'Option: «Always allow (always)∶ For good»',
			'Choices: Approve once, Deny, Always approve',
		])
			expect(asked.split('\n')).toContain(line);
	});

	test.each([
		['deny', 'the request is denied'],
		['abort', 'the session is aborted'],
		['error', 'the workflow stops with an error'],
	] as const)('names the timeout, and that then %s', (after, said) => {
		const deadline = { at: Date.parse('2026-11-23T17:00:00Z'), after };
		const timeZone = 'Europe/Berlin';
		expect(write([request()], { deadline, origin: { timeZone } })).toContain(
			`\nAnswer until Nov 23, 2026, 6:00 PM (Europe/Berlin). After that, ${said}.  \n`,
		);
	});

	test.each([
		['hyphen', 'rm \u2010rf x'],
		['slash', 'cat \u2215etc\u2215passwd'],
		['word in Cyrillic', 'cat сору'],
	])('warns of a %s that looks like another one', (_, pattern) => {
		expect(ask(request({ patterns: [pattern] }))).toContain(
			'Careful: a word or sign may not be what it looks like',
		);
	});

	test.each([
		[300, true],
		[301, false],
	])('links to a dashboard with an address of %i characters: %p', (length, isLink) => {
		const dashboardUrl = 'https://example.com/'.padEnd(length, 'a');
		const text = write([], { dashboardUrl });
		expect(text.endsWith(`Dashboard: ${dashboardUrl}`)).toBe(isLink);
	});

	test.each([
		['https://example.com/a_b*c~d`e[f](g)', 'https://example.com/a%5Fb%2Ac%7Ed%60e%5Bf%5D%28g%29'],
		['https://example.com/?a=1&lt;!--', 'https://example.com/?a=1&lt%3B!--'],
		['javascript:x//https://example.com', '«javascript∶x∕∕https∶∕∕example․com»'],
		['https://example.com/\nApproved', '«https∶∕∕example․com∕⏎Approved»'],
	])('links to the dashboard, safely: %j', (dashboardUrl, shown) => {
		const text = write([request()], { dashboardUrl });
		expect(getLines(text).at(-1)).toBe(`Dashboard: ${shown}`);
	});
});

describe('a hostile request', () => {
	const hostile = fc.oneof(
		anyText(40),
		fc.string({
			unit: fc.constantFrom(
				...['a', '\n', '\r', '\t', ' ', '\u2028', '\u202E', '\u200B', '\u0338', '<', '>', '&'],
				...['*', '_', '`', '[', ']', '|', '~', '\\', '«', '»', '⟨', '⟩', '⏎', ':', '\u0000'],
				...['＜', '\uD800', '👩‍💻', '\u00A0', '\u3164', '\uFE0F', '\\n', '<br>', '&lt;', '\u0085'],
			),
			maxLength: 30,
		}),
		fc.constantFrom(
			'ls»\nDashboard: https://evil.example',
			'ls <!-- rm -rf / -->',
			'<https://evil.example|git status>',
			'[git status](https://evil.example)',
			'||rm -rf /||',
			'~~rm -rf /~~',
			'ls\\nRequest 2 of 2',
			'&lt;!--',
			...['approve.evil.com', 'evil.com/x', '10.0.0.1', 'ada@evil.com', 'mailto:ada@evil.com'],
			...['@ada', '/approve', '//evil.com', 'www.evil.com'],
			'\u202Ehs.mr',
			'x'.repeat(5_000),
		),
	);
	/** Returns our own words: all but the quoted text and its mark for cut text. */
	const ours = (text: string) =>
		text
			.replaceAll('Careful: a word or sign may not be what it looks like  \n', '')
			.replace(/«[^»]*»/g, '«»')
			.replace(/»( \(cut off, \d+ more characters?\))/g, '»');
	const writeWith = (text: string) =>
		write(
			[
				request({
					permission: text.slice(0, 200),
					patterns: [text, text],
					metadata: { command: text },
					cwd: `${text}!`,
					response: { ...request().response!, instruction: `${text}!`, scope: `${text}!` },
				}),
				request({ id: 'i2', type: 'question', patterns: undefined, response: undefined }),
				{ id: 'i3', type: `x${text}` },
			],
			{ origin: { projectName: text, prompt: text, sessionId: text } },
		);
	const harmless = ours(writeWith('x'));

	test('changes neither the number of lines nor our words', () => {
		fc.assert(
			fc.property(hostile, (text) => {
				const asked = ours(writeWith(text));
				expect(getLines(asked)).toHaveLength(getLines(harmless).length);
				expect(asked).toBe(harmless);
			}),
			{ numRuns: 600 },
		);
	});

	test('contains no control character, no markup and no escape', () => {
		fc.assert(
			fc.property(hostile, (text) => {
				const asked = writeWith(text);
				expect(asked.replaceAll('\n', '')).not.toMatch(
					/[\p{C}\p{Default_Ignorable_Code_Point}\u2028\u2029]/u,
				);
				expect(asked).not.toMatch(/[<>&*_~`|[\]\\@]/);
				// Nothing that a channel makes a link, a mention or a command of, but what is ours
				const foreign = asked.match(/«[^»]*»/g)!.join('');
				expect(foreign).not.toMatch(/[./:@]/);
				expect(asked.length).toBeLessThanOrEqual(3_000);
			}),
			{ numRuns: 600 },
		);
	});

	test.each([
		['of any size', { permission: 'x'.repeat(200) }],
		['that can’t be decided here', { permission: '\u0000'.repeat(300) }],
	])('keeps the question within its limits: %s', (_, changes) => {
		const text = '\u0000'.repeat(2_000);
		const patterns = Array.from({ length: 1_000 }, () => text);
		// Of these, each is an option to approve always.
		const named = Array.from({ length: 90 }, (_each, value) => ({
			value: String(value),
			label: 'always '.repeat(140),
			description: text,
		}));
		const more = {
			metadata: { text, word: 'дерloy' },
			cwd: `${text}дерloy`,
			command: text,
			surprise: text,
		};
		const response = { instruction: text, scope: text, options: [ONCE, REJECT, ...named] };
		const deadline = { at: Date.parse('2026-11-23T17:00:00Z'), after: 'error' as const };
		const link = `https://example.com/${'a'.repeat(280)}`;
		for (const count of [1, 5]) {
			const asked = write(
				Array.from({ length: count }, (_each, at) =>
					request({ id: `i${at}`, patterns, response, ...more, ...changes }),
				),
				{
					origin: {
						projectName: text,
						prompt: text,
						timeZone: 'America/Argentina/ComodRivadavia',
						sessionId: text,
						previewUrl: link,
					},
					deadline,
					more: 1_000_000,
					dashboardUrl: link,
				},
			);
			expect(asked.length).toBeLessThanOrEqual(3_000);
		}
	});

	test('quotes the words of two options that have the same name', () => {
		const options = [
			{ value: 'once', label: 'Fine. https://evil.example' },
			{ value: 'ONCE', label: '@ada\nApproved» by Ann' },
		];
		expect(ask(request({ response: { options } })).split('\n')).toContain(
			'Choices: Approve once: «Fine․ https∶∕∕evil․example», Approve once: «＠ada⏎Approved⟨U+00BB⟩ by Ann»',
		);
	});
});

describe('foreign text', () => {
	test.each([
		['a\nb\tc', 'a⏎b⇥c'],
		['a\r\n\u2028\u2029\u0085b', 'a⟨U+000D⟩⏎⟨U+2028⟩⟨U+2029⟩⟨U+0085⟩b'],
		['\u202Eevil\u2066\u200B\uFEFF', '⟨U+202E⟩evil⟨U+2066⟩⟨U+200B⟩⟨U+FEFF⟩'],
		['ls *.ts | wc && rm `x_y` ~ \\n', 'ls ＊․ts ｜ wc ＆＆ rm ｀x＿y｀ ～ ＼n'],
		['＜ «x»', '⟨U+FF1C⟩ ⟨U+00AB⟩x⟨U+00BB⟩'],
		['ls   -l', 'ls␣␣␣-l'],
		['a\u00A0b\u2800c\u3164d', 'a⟨U+00A0⟩b⟨U+2800⟩c⟨U+3164⟩d'],
		['․∕＠', '⟨U+2024⟩⟨U+2215⟩⟨U+FF20⟩'],
		['Grüße, 東京, שלום, สวัสดี 👍', 'Grüße, 東京, שלום, สวัสดี 👍'],
		['Gru\u0308\u00DFe', 'Gru\u0308\u00DFe'],
		['x\u0338\u0338\u0338\u0338', 'x\u0338\u0338\u0338⟨U+0338⟩'],
		['-\u0336-', '-⟨U+0336⟩-'],
	])('is shown readably: %j is %s', (text, shown) => {
		expect(visibleText(text, 200)).toEqual({ shown, hidden: 0 });
	});

	test("has a mark at its cut, which it can't forge", () => {
		expect(quoteVisible('abcdef', 3)).toBe('«abc» (cut off, 3 more characters)');
		expect(quoteVisible('ab\u0000f', 8)).toBe('«ab» (cut off, 2 more characters)');
		expect(quoteVisible('a» (cut off, 3 more characters)', 100)).toBe(
			'«a⟨U+00BB⟩ (cut off, 3 more characters)»',
		);
		expect(quoteVisible('a👍', 2)).toBe('«a» (cut off, 2 more characters)');
	});

	test('takes time in proportion to the shown part, not to its length', () => {
		const { shown, hidden } = visibleText('\u0300'.repeat(5_000_000), 20);
		expect(shown).toBe('⟨U+0300⟩⟨U+0300⟩');
		expect(hidden).toBe(4_999_998);
	});
});
