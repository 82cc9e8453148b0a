import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { formatMessage } from '../../nodes/RunAgentSession/message/approverText.ts';
import type { Interaction } from '../../nodes/shared/client/session.ts';
import type { RequestOrigin } from '../../nodes/RunAgentSession/requests/ballots.ts';
import { anyText } from '../support/anyText.mts';
import { ONCE } from './interactions.mts';
import { toSheets } from './sheets.mts';

const LINK = 'https://n8n.example.com/webhook-waiting/17/approval?question=abc_def';
const bash = (...patterns: string[]) => ({
	type: 'permission',
	id: 'i1',
	permission: 'bash',
	patterns,
	cwd: '/site',
	metadata: { askedAt: '2026-10-05T09:01:00.000Z' },
	response: { type: 'choice', options: [ONCE], instruction: 'Run?' },
});
const edit = (path: string) => ({
	...bash(path),
	permission: 'edit',
	metadata: { path, diff: `--- a/${path}\n+++ b/${path}\n@@ -1 +1,2 @@\n-old\n+new\n+more` },
});
const question = { type: 'question', id: 'q1', question: 'Which headline do you want?' };
const format = (
	interactions: Interaction[],
	changes: object = {},
	origin: Partial<RequestOrigin> = {},
) =>
	formatMessage({
		sheets: toSheets(interactions.map((each, at) => ({ ...each, id: `i${at}` }))),
		origin,
		more: 0,
		isReminder: false,
		hasChanged: false,
		approvalUrl: LINK,
		...changes,
	});
/** As someone reads it, who doesn't see that lines end in two spaces */
const read = (...args: Parameters<typeof format>) => format(...args).split('  \n');

test('a message says what the agent wants, for which project and until when, and ends with the link', () => {
	const deadline = { at: Date.parse('2026-11-23T17:00:00Z'), after: 'deny' as const };
	const origin = {
		projectName: 'Juniper Coffee',
		timeZone: 'Europe/Berlin',
		previewUrl: 'https://preview.example.com/p/1',
	};
	expect(read([bash('npm run build')], { deadline }, origin)).toEqual([
		'The agent wants to run this command: «npm run build»',
		'Project: «Juniper Coffee»',
		'Answer until Nov 23, 2026, 6:00 PM (Europe/Berlin). After that, the request is denied.',
		'Preview: https://preview.example.com/p/1',
		LINK,
	]);
});

test.each([
	['https://preview.example/a_b*c~(d)', 'https://preview.example/a%5Fb%2Ac%7E%28d%29'],
	[`https://preview.example/${'a'.repeat(2_024)}`, `https://preview.example/${'a'.repeat(2_024)}`],
])(
	'a message has no markup in the link to the preview, which opens the same page: %s',
	(previewUrl, shown) => {
		const text = format([bash('npm ci')], {}, { previewUrl });
		expect(text.split('  \n')).toContain(`Preview: ${shown}`);
		expect(text.length).toBeLessThanOrEqual(3_000);
	},
);

describe('the first line of a message', () => {
	test.each<[string, Interaction[], object, string]>([
		[
			'a file with its lines',
			[edit('src/index.html')],
			{},
			'wants to edit this file: «src/index.html» (+2 −1)',
		],
		['a question', [question], {}, 'asks: «Which headline do you want?»'],
		['a question without text', [{ type: 'question', id: 'q' }], {}, 'asks a question'],
		[
			'any other permission, with its name',
			[{ ...bash('https://a.example/x'), permission: 'webfetch' }],
			{},
			'wants to do this: «webfetch https∶//a․example/x»',
		],
		[
			'the first line of a command',
			[bash('npm run build\nrm -rf dist')],
			{},
			'wants to run this command: «npm run build» (cut off, 12 more characters)',
		],
		[
			'several commands',
			[bash('npm ci', 'npm test')],
			{},
			'wants to run these commands: «npm ci» and 1 more',
		],
		[
			'how many other requests there are',
			[bash('npm ci'), question],
			{ more: 1 },
			'wants to run this command: «npm ci», and 2 more requests',
		],
		[
			'a look-alike',
			[bash('cat сору')],
			{},
			'wants to run this command: «cat сору» (Careful: a word or sign may not be what it looks like)',
		],
		[
			'one character that is cut off',
			[bash('x'.repeat(201))],
			{},
			`wants to run this command: «${'x'.repeat(200)}» (cut off, 1 more character)`,
		],
	])('names %s', (_, interactions, changes, said) => {
		expect(read(interactions, changes)[0]).toBe(`The agent ${said}`);
	});

	test.each([
		[{ isReminder: true }, 'Reminder: the agent wants'],
		[{ hasChanged: true }, 'A request has changed. The agent wants'],
	])('says why it comes again: %j', (changes, said) => {
		expect(read([bash('npm ci')], changes)[0]).toContain(said);
	});
});

describe("the agent's text in a message", () => {
	test.each([
		'cp src/pages/about.html docs/base.css && node --test "x{1,2}" | tee out.log; echo 1:2',
		'curl -o v1.2.3.json & echo $HOME > ~/x #1',
	])('keeps its letters, dots and slashes: %s', (command) => {
		expect(read([bash(command)])[0]).toContain(`«${command}»`);
	});

	test.each([
		['<!channel>', '＜!channel>'],
		['https://evil.com/x', 'https∶//evil․com/x'],
		['evil.com.html', 'evil․com.html'],
		['mailto:a@evil.com', 'mailto:a＠evil․com'],
		['[here](/x)', '［here](/x)'],
		['https&#58;//x', 'https＆#58;//x'],
	])('is no link, mention or markup: %s', (pattern, shown) => {
		expect(read([bash(pattern)])[0]).toContain(`«${shown}`);
	});

	test('never adds a line, and never makes more than five', () => {
		fc.assert(
			fc.property(anyText(300), anyText(300), (text, name) => {
				const deadline = { at: 0, after: 'abort' as const };
				const lines = format([bash(text), bash(name)], { deadline }, { projectName: name }).split(
					/[\r\n\v\f\u0085\u2028\u2029]/,
				);
				expect(lines.length).toBeLessThanOrEqual(5);
				expect(lines.at(-1)).toBe(LINK);
			}),
		);
	});
});
