// The agent's questions, reasons and changes on the approval page: what it shows, and which answer counts. Pure.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { renderPage } from '../../nodes/RunAgentSession/page/html.ts';
import { createForm, type OpenPage, type PageForm } from '../../nodes/RunAgentSession/page/view.ts';
import { formatQuestion } from '../../nodes/RunAgentSession/message/approverText.ts';
import { omit } from '../../nodes/shared/values.ts';
import { readForm } from '../unit/forms.mts';
import { toSheets } from '../unit/sheets.mts';
import { createBallot } from '../../nodes/RunAgentSession/requests/ballots.ts';
import { applyPoll } from '../../nodes/RunAgentSession/requests/requestRecord.ts';
import type { Interaction } from '../../nodes/shared/client/session.ts';
import { anyText } from '../support/anyText.mts';
import { request, session } from '../unit/interactions.mts';

const NOW = Date.parse('2026-10-05T15:12:00.000Z');
const question = (fields: object): Interaction => ({ type: 'question', id: 'i1', ...fields });
const options = (...values: string[]) => ({
	response: { options: values.map((value) => ({ value, label: value })) },
});

function formFor(...pendingInteractions: Interaction[]): PageForm {
	const requests = applyPoll([], session({ pendingInteractions }), 1);
	const own = createBallot(requests, undefined, 2, {});
	const asked = {
		sessionId: 's1',
		state: 'running' as const,
		requests,
		ballots: [own],
		answers: [],
	};
	return createForm(asked, own, 0);
}
const render = (pending: PageForm, refused?: OpenPage['refused']) =>
	renderPage(
		{
			...{ kind: 'open', title: 'T', says: [], given: [], moreSessions: 0, commentHint: '' },
			sections: [{ pending }],
			refused,
		},
		NOW,
	);
const pageFor = (fields: object) => render(formFor(question(fields)));
const read = (form: PageForm, fields: object) => readForm(form, { shown: form.shown, ...fields });

describe('a question', () => {
	test.each<[string, object, RegExp]>([
		['in question', { question: 'Which color?' }, /Which color\?.*<textarea id="answer0"/s],
		['without any text', {}, /The question has no text\..*<textarea id="answer0"/s],
		[
			'with nested fields',
			{ a: { b: ['c'] } },
			/has no text\..*<dt>Field<\/dt><dd>.*a.*b.*c.*answer0/s,
		],
		[
			'with 100 options',
			options(...Array.from({ length: 100 }, (_, at) => `option ${at}`)),
			/option 99/,
		],
		['with a long text', { question: 'x'.repeat(60_000) }, /x{60000}/],
	])('%s is shown and can be answered', (_, fields, shown) => {
		const html = pageFor(fields);
		expect(html).toMatch(shown);
		expect(html).toContain('Send</button>');
	});

	test.each<[object, object, string]>([
		[{}, { answer0: ' \r\n ' }, 'Enter an answer.'],
		[{}, { answer0: ['x'] }, 'Enter an answer.'],
		[options('a'), {}, 'Choose an option.'],
		[options('a'), { request0: '7' }, 'Choose an option.'],
		[options('a'), { answer0: 'a' }, 'Choose an option.'],
	])('%j has no answer in %j: %s', (fields, sent, reason) =>
		expect(read(formFor(question(fields)), sent)).toEqual({ problems: [{ at: 0, reason }] }),
	);

	test('that has changed since the page was opened takes no answer', () => {
		const { shown } = formFor(question(options('a', 'b')));
		expect(read(formFor(question(options('b', 'a'))), { shown, request0: '0' })).toBe('changed');
	});

	test("has names of fields that are the agent's words, as their values are", () => {
		const named = { question: 'Go on?', 'Approved by \u202eAnn': 'yes', Metadata: '{"a": 1}' };
		for (const html of [pageFor(named), pageFor(omit(named, 'question'))]) {
			const labels = [...html.matchAll(/<dt>(.*?)<\/dt>/gs)].map(([, label]) => label);
			expect(new Set(labels)).toEqual(new Set(['Field', 'Type', 'Request ID']));
			expect(html).toContain('Approved by');
			expect(html).not.toContain('\u202e');
		}
		const common = { origin: {}, more: 0, isReminder: false, hasChanged: false };
		const asked = formatQuestion({ ...common, sheets: toSheets([question(named)]) });
		expect(asked).toMatch(/Field: .*Approved by/);
		expect(asked).not.toMatch(/^Approved by|\u202e/m);
	});

	test('cannot imitate the page, whatever its texts are', () => {
		const parts = [
			'<script>',
			'</textarea><button>',
			'"><a href=x>',
			"' onfocus=x",
			'\u202E',
			'\u0007',
		];
		const hostile = fc
			.array(fc.oneof(fc.constantFrom(...parts), anyText(20)), { minLength: 1, maxLength: 6 })
			.map((texts) => `x${texts.join('')}`);
		const tags = (text: string) => {
			const fields = { type: text, question: text, [text]: text };
			const option = { value: text, label: text, description: text };
			const requests = [
				question(fields),
				question({ ...fields, id: 'i2', response: { options: [option] } }),
			];
			const html = render(formFor(...requests), {
				fields: { answer0: text, reason0: text },
				problems: [],
			});
			const ours = html.replaceAll(/<\/?mark[^>]*>|<span class="(?:line|tab)">[\n\t]<\/span>/g, '');
			return (ours.match(/<[^>]*>/g) ?? [])
				.filter((tag) => tag !== '<p class="hint">' && tag !== '</p>')
				.map((tag) => tag.replace(/value="[\w-]{22}"/, ''));
		};
		const harmless = tags('x');
		fc.assert(
			fc.property(hostile, (text) => expect(tags(text)).toEqual(harmless)),
			{ numRuns: 200 },
		);
	});
});

describe('an edit', () => {
	const edit = (content: string) =>
		request({ permission: 'edit', patterns: ['a.txt'], metadata: { content } });
	test.each<[string, string, RegExp]>([
		['a change', 'a\nb', /<table class="change">/],
		['a long change', 'x\n'.repeat(10_000), /9600 more lines of the change/],
	])('with %s can be decided', (_, content, shown) => {
		const form = formFor(edit(content));
		expect(form.requests[0].sheet.choices.map(({ name }) => name)).toEqual([
			'Approve once',
			'Deny',
		]);
		expect(render(form)).toMatch(shown);
	});

	test('without a change shows none', () => {
		expect(render(formFor(request({ permission: 'edit' })))).not.toContain('<table');
	});
});

test.each<[object, Array<string | undefined>]>([
	[{ reason0: 'No', reason1: 'Why' }, [undefined, 'Why']],
	[{ reason1: 'Why', comment: 'All' }, ['All', 'Why\nAll']],
	[{ reason1: 'x'.repeat(3_000) }, [undefined, 'x'.repeat(2_000)]],
])('a reason belongs to its denial only: %j', (fields, comments) => {
	const two = formFor(request(), request({ id: 'i2', patterns: ['rm -rf dist'] }));
	const answers = read(two, { request0: '0', request1: '1', ...fields });
	expect(
		(answers as Array<{ vote: { comment?: string } }>).map(({ vote }) => vote.comment),
	).toEqual(comments);
});
