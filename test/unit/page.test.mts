// The page on which a person answers: what it shows, what can be chosen, and whose answer is taken. Pure.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { IWebhookFunctions } from 'n8n-workflow';
import { PAGE_HEADERS, renderPage } from '../../nodes/RunAgentSession/approval/page/html.ts';
import {
	MAX_COMMENT_LENGTH,
	createLink,
	pageChoices,
	createForm,
	findLink,
	readForm,
} from '../../nodes/RunAgentSession/approval/page/view.ts';
import { handleWebhook } from '../../nodes/RunAgentSession/approval/page/webhook.ts';
import { decide, type PageAnswers, type Policy } from '../../nodes/RunAgentSession/policy/rules.ts';
import {
	fingerprintContent,
	type Interaction,
	type Session,
} from '../../nodes/shared/client/session.ts';

const options = [
	{ value: 'once', label: 'Allow once' },
	{ value: 'always', label: 'Allow always' },
	{ value: 'reject', label: 'Reject' },
];
const request = (more: object = {}): Interaction => ({
	type: 'permission',
	id: 'i1',
	permission: 'bash',
	patterns: ['git push'],
	response: { type: 'choice', options },
	...more,
});
const session = (...pendingInteractions: Interaction[]): Session => ({
	sessionId: 's1',
	status: 'running',
	pendingInteractions,
});
const nothing = { approveWith: 'once' as const };
const pending = (...requests: Interaction[]) => createForm(session(...requests), [], nothing);

const NASTY = [
	'<script>alert(1)</script>',
	'</style><img src=x onerror=alert(1)>',
	'"><a href="javascript:alert(1)">',
	"' autofocus onfocus=alert(1) x='",
	'</textarea></form><form action=https://evil.example>',
	'&lt;b&gt;&#60;i&#62;',
	'<!--',
	']]>',
	'\u202E\u2066\u200B\u0000',
	'javascript:alert(1)',
	'https://evil.example/x',
	'«Nothing is decided» ⟨U+0041⟩',
];
const hostile = fc
	.array(fc.oneof(fc.constantFrom(...NASTY), fc.string({ unit: 'binary', maxLength: 20 })), {
		minLength: 1,
		maxLength: 6,
	})
	.map((parts) => parts.join(''))
	.filter((text) => text !== '');

/** All tags of a page with their attributes; what stands for a content is different by nature */
const tagsOf = (html: string) =>
	(html.match(/<[^>]*>/g) ?? []).map((tag) => tag.replace(/value="[\w-]{22}"/, 'value=""'));

describe("an agent's words", () => {
	/** A page in which every foreign text is this one */
	const pageWith = (text: string) => {
		const foreign = request({
			permission: text,
			patterns: [text, text],
			metadata: { [text]: text },
			response: {
				options: options.map(({ value }) => ({ value, label: value })),
				instruction: text,
			},
		});
		const record = {
			interactionId: text,
			permission: text,
			patterns: [text],
			decision: 'deny' as const,
			option: 'reject',
			decidedBy: 'page',
			at: '2026-10-05T10:00:00.000Z',
		};
		return renderPage({
			title: 'An agent asks for permission',
			says: [],
			projectName: text,
			job: text,
			sessionId: 's1',
			pending: pending(foreign),
			lines: [{ record, content: 'c', state: 'confirmed', polls: 0 }],
		});
	};

	test('never become a tag, an attribute or anything that acts', () => {
		const tags = tagsOf(pageWith('harmless'));
		fc.assert(
			fc.property(hostile, (text) => {
				expect(tagsOf(pageWith(text))).toEqual(tags);
			}),
			{ numRuns: 300 },
		);
	});

	test('cannot be taken for ours, and hide nothing', () => {
		const html = pageWith('a\u202Eb\u200Bc»d');
		expect(html).toContain('a⟨U+202E⟩b⟨U+200B⟩c⟨U+BB⟩d'.replace('U+BB', 'U+00BB'));
		for (const invisible of ['\u202E', '\u200B']) expect(html).not.toContain(invisible);
	});
});

describe('the page', () => {
	test('has no script, no source of anything, and a style that its policy names', () => {
		const html = renderPage({ title: 'T', says: [], pending: pending(request()) });
		expect(html).not.toMatch(/<script|\son\w+=|\ssrc=|\shref=|javascript:|url\(/i);
		const policy = PAGE_HEADERS['Content-Security-Policy'];
		expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'/);
		expect(policy).toContain("frame-ancestors 'none'");
		expect(PAGE_HEADERS).toMatchObject({
			'Referrer-Policy': 'no-referrer',
			'Cache-Control': 'no-store',
			'X-Content-Type-Options': 'nosniff',
			'X-Frame-Options': 'DENY',
		});
	});

	test('shows of a request that is too long a part, and lets nobody allow it', () => {
		const [long] = pending(request({ patterns: ['x'.repeat(60_000)] })).requests;
		expect(long.choices.map(({ label }) => label)).toEqual(['Deny']);
		const html = renderPage({ title: 'T', says: [], pending: pending(long.interaction) });
		expect(html).toContain('(cut off, 50000 more characters)');
	});
});

describe('what can be chosen', () => {
	const labels = (list: object[], preferences = {}) =>
		pageChoices(request({ response: { options: list } }), {
			approveWith: 'once',
			...preferences,
		}).map(({ label, option }) => [label, option]);

	test('in our words, what lasts set apart at the end', () => {
		expect(labels(options)).toEqual([
			['Allow once', 'once'],
			['Deny', 'reject'],
			['Allow from now on', 'always'],
		]);
	});

	test('with the type of the value as the service gave it', () => {
		const numbered = [
			{ value: 1, label: 'Allow once' },
			{ value: 2, label: 'Reject' },
		];
		expect(labels(numbered)).toEqual([
			['Allow once', 1],
			['Deny', 2],
		]);
	});

	test('whatever the value, a lasting 0 too', () => {
		const numbered = [
			{ value: 0, label: 'Always allow' },
			{ value: 1, label: 'Reject' },
		];
		expect(labels(numbered)).toEqual([
			['Deny', 1],
			['Allow from now on', 0],
		]);
	});

	test('of a hundred thousand options in a moment', () => {
		const many = Array.from({ length: 100_000 }, (_, value) => ({ value }));
		const since = performance.now();
		expect(labels(many)).toEqual([]);
		expect(performance.now() - since).toBeLessThan(10_000);
	});

	test('nothing of a request that is nested too deeply, and that is no error', () => {
		const deep = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)) as unknown;
		const [request0] = pending(request({ metadata: deep })).requests;
		expect(request0).toMatchObject({ choices: [], because: 'it is nested too deeply' });
	});

	test('not what nobody can tell the meaning of, nor a value with two meanings', () => {
		expect(labels([{ value: 'maybe', label: 'Perhaps' }])).toEqual([]);
		expect(
			labels([
				{ value: 'ok', label: 'Allow once' },
				{ value: 'ok', label: 'Reject' },
			]),
		).toEqual([]);
	});

	test('an option that the node names is allowed, not called once', () => {
		const words = { approveValues: ['go'], denyValues: ['halt'] };
		expect(labels([{ value: 'go' }, { value: 'halt' }], words)).toEqual([
			['Allow', 'go'],
			['Deny', 'halt'],
		]);
	});
});

describe('an answer', () => {
	const two = [request(), request({ id: 'i2', patterns: ['rm -rf /'] })];
	const filled = { request0: '0', request1: '1', comment: ' Go on. ' };

	test('says for each request what was chosen, with the comment', () => {
		const { shown } = pending(...two);
		expect(readForm(pending(...two), { shown, ...filled })).toEqual({
			[fingerprintContent(two[0])!]: { decision: 'approve', option: 'once', comment: 'Go on.' },
			[fingerprintContent(two[1])!]: { decision: 'deny', option: 'reject', comment: 'Go on.' },
		});
	});

	test.each([
		['an instruction', [request({ response: { options, instruction: 'x' } }), two[1]]],
		['a pattern', [two[0], request({ id: 'i2', patterns: ['rm -rf ~'] })]],
		['another request', [two[0]]],
		['another order', [two[1], two[0]]],
	])('to a page that showed something else is none: %s', (_, now) => {
		expect(readForm(pending(...now), { shown: pending(...two).shown, ...filled })).toBe('changed');
	});

	test("to another session's page is none", () => {
		const other = createForm({ ...session(...two), sessionId: 's2' }, [], nothing);
		expect(readForm(other, { shown: pending(...two).shown, ...filled })).toBe('changed');
	});

	test.each([{ request1: '' }, { request1: '7' }, { request1: ['1'] }, { request1: '1 ' }])(
		'that leaves a choice out is none: %j',
		(part) => {
			const now = pending(...two);
			const body = { shown: now.shown, ...filled, ...part };
			expect(readForm(now, body)).toBe('incomplete');
		},
	);

	test('is bounded', () => {
		const now = pending(request());
		const body = { shown: now.shown, request0: '0', comment: 'x'.repeat(9_999) };
		const [answer] = Object.values(readForm(now, body) as PageAnswers);
		expect(answer.comment).toHaveLength(MAX_COMMENT_LENGTH);
	});

	test('decides the very request that was shown, whatever the policy says', () => {
		const answers = readForm(pending(request()), {
			shown: pending(request()).shown,
			request0: '0',
		}) as PageAnswers;
		const policy: Policy = {
			mode: 'ask',
			rules: [],
			defaultDecision: 'ask',
			approveWith: 'once',
			page: answers,
		};
		expect(decide(request(), policy)).toMatchObject({ decision: 'approve', decidedBy: 'page' });
		expect(decide(request({ metadata: { new: 1 } }), policy).decision).toBe('ask');
		expect(decide(request(), { ...policy, mode: 'deny' })).toMatchObject({
			decision: 'approve',
			decidedBy: 'page',
		});
	});
});

describe('a link', () => {
	const [old, latest, other] = [createLink(['a']), createLink(['b']), createLink(['c'])];
	const records = [{ page: { questions: [old, latest] } }, {}, { page: { questions: [other] } }];

	test('belongs to one question of one session', () => {
		expect(findLink(records, latest.nonce)).toMatchObject({ question: latest, isOpen: true });
		expect(findLink(records, old.nonce)).toMatchObject({ question: old, isOpen: false });
		expect(findLink(records, other.nonce)?.record).toBe(records[2]);
		const answered = [{ page: { questions: [{ ...latest, answered: true }] } }];
		expect(findLink(answered, latest.nonce)).toMatchObject({ isOpen: false });
	});

	test.each([undefined, '', 'x', ['x'], {}, latest.nonce.slice(1), [latest.nonce]])(
		'with %j belongs to none',
		(nonce) => {
			expect(findLink(records, nonce)).toBeUndefined();
		},
	);

	test.each(['GET', 'POST'])(
		'decides nothing and shows nothing old by %s while an answer is on its way to the node',
		async (method) => {
			const sent: Array<number | string> = [];
			const response = {
				set: () => response,
				status: (code: number) => (sent.push(code), response),
				send: (html: string) => sent.push(html),
			};
			const node = { name: 'Agent' };
			const sessions = { '0.0': { fingerprint: '', value: { page: { questions: [latest] } } } };
			const contextData = { 'node:Agent': { answered: 's2', sessions } };
			const context = {
				runExecutionData: { executionData: { contextData } },
				getNode: () => node,
				getQueryData: () => ({ question: latest.nonce }),
				getRequestObject: () => ({ method }),
				getResponseObject: () => response,
			} as unknown as IWebhookFunctions;
			expect(await handleWebhook(context)).toEqual({ noWebhookResponse: true });
			expect(sent).toEqual([409, expect.stringContaining('n8n looks at the session')]);
		},
	);

	test('has 128 bits that are never the same', () => {
		const nonces = Array.from({ length: 1_000 }, () => createLink([]).nonce);
		expect(new Set(nonces).size).toBe(1_000);
		for (const nonce of nonces) expect(Buffer.from(nonce, 'base64url')).toHaveLength(16);
	});
});
