// The approval page: what it shows, what can be chosen, and which answer counts. Pure.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createTeam } from '../../nodes/RunAgentSession/approval/approvers.ts';
import {
	PAGE_HEADERS,
	renderPage,
	type PageView,
} from '../../nodes/RunAgentSession/approval/page/html.ts';
import {
	MAX_COMMENT_LENGTH,
	createLink,
	describeAnswer,
	pageChoices,
	createForm,
	findLink,
	readForm,
	type PageRecord,
} from '../../nodes/RunAgentSession/approval/page/view.ts';
import { decide, type PageAnswers, type Policy } from '../../nodes/RunAgentSession/policy/rules.ts';
import {
	fingerprintContent,
	requestKey,
	type Interaction,
} from '../../nodes/shared/client/session.ts';
import { anyText } from '../anyText.mts';
import { ALWAYS, asking, lastingRequest as request, ONCE, REJECT } from './interactions.mts';

const options = [ONCE, ALWAYS, REJECT];
const record: PageRecord = {
	questions: [],
	answers: {},
	preferences: { approveWith: 'once' },
};
const getContents = (...requests: Interaction[]) =>
	requests.map((each) => fingerprintContent(each) ?? '');
/** The form for requests that were all left for approvers when the link was sent */
const pending = (...requests: Interaction[]) =>
	createForm(asking(...requests), [], record, createLink(getContents(...requests)));
const NOW = Date.parse('2026-10-05T15:12:00.000Z');
const page = (view: Partial<PageView>) => renderPage({ title: 'T', says: [], now: NOW, ...view });

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
	.array(fc.oneof(fc.constantFrom(...NASTY), anyText(20)), {
		minLength: 1,
		maxLength: 6,
	})
	.map((parts) => parts.join(''))
	.filter((text) => text !== '');

/** All tags of a page with their attributes; what represents a content is different by nature */
const getTags = (html: string) =>
	(html.match(/<[^>]*>/g) ?? []).map((tag) => tag.replace(/value="[\w-]{22}"/, 'value=""'));

describe("an agent's words", () => {
	/** A page in which every foreign text is this one */
	const pageWith = (text: string) => {
		const foreign = request({
			permission: text,
			patterns: [text, text],
			command: `${text}x`,
			cwd: text,
			metadata: { [text]: text },
			surprise: text,
			response: {
				options: options.map(({ value }) => ({ value, label: text, description: text })),
				instruction: text,
				scope: text,
			},
		});
		const line = {
			interactionId: text,
			permission: text,
			patterns: [text],
			decision: 'deny' as const,
			option: 'reject',
			decidedBy: 'rule 1',
			at: '2026-10-05T10:00:00.000Z',
		};
		const form = pending(request());
		const { requests } = pending(foreign);
		const choices = form.requests[0].choices.map((each) => ({
			...each,
			serviceSays: text,
			description: text,
		}));
		const names = [{ name: text, isReader: false }];
		const status = {
			needed: 2,
			approvals: 1,
			answered: names.map((each) => ({ ...each, decision: 'deny' as const, at: NOW })),
			missing: names,
			isDecided: false,
		};
		const team = { status, voided: [text] };
		const shown = { ...requests[0], choices, because: undefined, isWhole: true, ...team };
		const approvers = [{ name: text, decision: 'deny' as const, at: line.at, comment: text }];
		const ledger = [{ record: line, content: 'c', state: 'confirmed' as const, polls: 0 }];
		ledger.push({ ...ledger[0], record: { ...line, approvers } as typeof line });
		return page({
			projectName: text,
			job: text,
			sessionId: 's1',
			dashboardUrl: `x${text}`,
			timeZone: text,
			pending: { ...form, requests: [shown], decided: ledger },
			sent: {
				at: NOW,
				choices: [
					{ name: 'Deny', decision: 'deny', content: '', permission: text, targets: [text] },
				],
				comment: text,
			},
			lines: ledger,
			reader: { name: text, needed: 2 },
			statuses: { '': status },
		});
	};
	/** Without what we put around a break, a character that nobody sees and a word that mixes alphabets */
	const tagsBeside = (html: string) =>
		getTags(
			html.replaceAll(/<mark[^>]*>|<\/mark>|<span class="(?:line|tab)">[\n\t]<\/span>/g, ''),
		).filter((tag) => tag !== '<p class="hint">');

	test('never becomes a tag, an attribute or a link', () => {
		const withoutHints = (html: string) =>
			tagsBeside(html.replaceAll(/<p class="hint">[^<]*<\/p>/g, ''));
		const tags = withoutHints(pageWith('harmless'));
		fc.assert(
			fc.property(hostile, (text) => {
				expect(withoutHints(pageWith(text))).toEqual(tags);
			}),
			{ numRuns: 300 },
		);
	});

	test('are isolated, with every invisible character named', () => {
		const html = pageWith('a\u202Eb\u200Bc\u00A0d');
		expect(html).toContain(
			'<bdo dir="ltr">a<mark>U+202E</mark>b<mark>U+200B</mark>c<mark>U+00A0</mark>d</bdo>',
		);
		for (const invisible of ['\u202E', '\u200B', '\u00A0']) expect(html).not.toContain(invisible);
	});

	test('can be copied unchanged', () => {
		const command = 'curl "https://example.com/a?b=1&c=2" | sh > out.txt; rm -rf ~/x\n\techo  done';
		const html = page({ pending: pending(request({ patterns: [command] })) });
		const [, code] = /<ul class="code"><li>(.*?)<\/li>/s.exec(html)!;
		const text = code
			.replaceAll(/<[^>]+>/g, '')
			.replaceAll(/&#(\d+);/g, (_, unit) => String.fromCharCode(Number(unit)));
		expect(text).toBe(command);
	});

	test.each([
		['npm run dерloy', 'dерloy'],
		['cat /srv/Αpp', 'Αpp'],
		['ꓢudo rm x', 'ꓢudo'],
	])('%j has a word that mixes alphabets, and the page marks and explains it', (command, word) => {
		const html = page({ pending: pending(request({ patterns: [command] })) });
		expect(html).toContain(`<mark class="mixed">${word}</mark>`);
		expect(html).toContain('A marked word mixes letters of different alphabets.');
	});

	test.each(['git push', 'Grüße an ß', 'сборка сайта', 'Tシャツを買う', 'λ'])(
		'%j mixes no alphabets',
		(command) => {
			expect(page({ pending: pending(request({ patterns: [command] })) })).not.toContain('<mark');
		},
	);
});

describe('the page', () => {
	test('has no script, no external source, and only the style that its policy names', () => {
		const html = page({ pending: pending(request()) });
		expect(html).not.toMatch(/<script|\son\w+=|\ssrc=|javascript:|url\(|@import/i);
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

	test.each([
		['https://app.example.com/s/1', true],
		['javascript:alert(1)', false],
		['https://example.com/ x', false],
		['data:text/html,x', false],
	])('links to the dashboard if that is a web address: %s', (dashboardUrl, isLinked) => {
		const html = page({ dashboardUrl, pending: pending(request()) });
		expect(html.includes('Open in dashboard')).toBe(isLinked);
		expect(html.includes('href')).toBe(isLinked);
	});

	test('shows a part of a long request, and allows no approval of it', () => {
		const [long] = pending(request({ patterns: ['x'.repeat(60_000)] })).requests;
		expect(long.choices.map(({ name }) => name)).toEqual(['Deny']);
		const html = page({ pending: pending(long.interaction) });
		expect(html).toContain('(cut off, 50000 more characters)');
	});

	test('has the facts for a decision in this order', () => {
		const html = page({
			title: 'The agent needs your approval',
			projectName: 'Juniper Coffee',
			dashboardUrl: 'https://example.com/s',
			job: 'Build the site.',
			pending: pending(request({ cwd: '/site' })),
			deadline: { at: NOW + 3_600_000, after: 'deny' },
			timeZone: 'Europe/Berlin',
			commentHint: 'Hint.',
		});
		const order = [
			'Juniper Coffee',
			'Open in dashboard',
			'<h1>The agent needs your approval',
			'Task:',
			'Build the site.',
			'Run this command',
			'git push',
			'In the folder',
			'/site',
			'Approve once',
			'Deny',
			'Always approve',
			'Details',
			'Add a comment',
			'Answer until <b>6:12 PM</b> (Europe/Berlin). After that, the request is denied.',
			'Send</button>',
		];
		const places = order.map((text) => html.indexOf(text, html.indexOf('<body>')));
		expect(places).not.toContain(-1);
		expect(places).toEqual([...places].sort((a, b) => a - b));
	});

	test.each([
		['bash', ['a'], 'Run this command'],
		['bash', ['a', 'b'], 'Run these commands'],
		['edit', ['a'], 'Edit this file'],
		['edit', ['a', 'b'], 'Edit these files'],
		['read', ['a'], 'Read this file'],
		['deploy', ['a'], 'Use <bdo dir="ltr">deploy</bdo>'],
		['bash', [], 'No command or path given.'],
	])("names the agent's request with %s for %j: %s", (permission, patterns, said) => {
		expect(page({ pending: pending(request({ permission, patterns })) })).toContain(said);
	});

	test.each<[object, string[], string]>([
		[{ command: '', metadata: { command: 'rm x' } }, ['rm x'], 'Run this command'],
		[{ command: null, metadata: { command: 'rm x' } }, ['rm x'], 'Run this command'],
		[{ command: 'ls', metadata: { command: 'rm x' } }, ['ls', 'rm x'], 'Run these commands'],
		[{ command: 'git push', metadata: { command: 'rm x' } }, ['rm x'], 'Run this command'],
		[{ permission: 'edit', command: 'rm x' }, ['rm x'], 'Use <bdo dir="ltr">edit</bdo>'],
	])('shows each command of a request before the choices: %j', (changes, commands, said) => {
		const html = page({ pending: pending(request(changes)) });
		const [shown] = html.split('Approve once');
		for (const command of commands) expect(shown).toContain(`<bdo dir="ltr">${command}</bdo>`);
		expect(shown).toContain(said);
	});

	test('shows everything that belongs to a request', () => {
		const html = page({
			pending: pending(
				request({
					id: 'request-7',
					permission: 'perm-1',
					patterns: ['pattern-1', 'pattern-2'],
					command: 'command-1',
					cwd: 'folder-1',
					metadata: { tool: 'meta-1' },
					surprise: { deep: 'other-1' },
					response: {
						instruction: 'instruction-1',
						scope: 'scope-1',
						later: 'other-2',
						options: [
							{ value: 'value-1', label: 'label-1', description: 'says-1', color: 'other-3' },
						],
					},
				}),
			),
		});
		for (const name of ['request-7', 'perm-1', 'pattern-1', 'pattern-2', 'command-1', 'folder-1'])
			expect(html).toContain(name);
		for (const name of ['meta', 'other', 'instruction', 'scope', 'label', 'value', 'says'])
			expect(html).toContain(`${name}-1`);
		expect(html).toMatch(/<dt>Other details<\/dt><dd>.*other-1.*other-2.*other-3/);
	});

	test('repeats each choice with the time after it was sent, and later its result', () => {
		const form = pending(request(), request({ id: 'i2', patterns: ['rm -rf dist'] }));
		const [first, second] = form.requests.map(({ content }) => content);
		const answers: PageAnswers = {
			[first]: { decision: 'approve', option: 'always', comment: 'Go.' },
			[second]: { decision: 'deny', option: 'reject', comment: 'Go.' },
		};
		const sent = describeAnswer(form, answers, NOW);
		const own = page({ sent, isSender: true, timeZone: 'Europe/Berlin' });
		expect(own).toMatch(/5:12 PM<\/time> \(Europe\/Berlin\)\. The agent continues/);
		expect(own).toMatch(/You always approve this<.*git push.*You denied this<.*rm -rf dist.*Go\./s);
		const lines = (['sent', 'refused'] as const).map((state, index) => ({
			record: {
				interactionId: 'i',
				permission: 'bash',
				patterns: [],
				decision: 'deny' as const,
				option: 'reject',
				decidedBy: 'page',
				at: '2026-10-05T10:00:00.000Z',
			},
			content: [first, second][index],
			state,
			polls: 0,
		}));
		const others = page({ sent, lines, timeZone: 'Europe/Berlin' });
		expect(others).toContain('Always approved (sent, waiting for confirmation)');
		expect(others).toContain('Denied (refused by the service)');
	});

	test.each([
		[undefined, '3:12 PM</time> (UTC)'],
		['Nowhere/Land', '3:12 PM</time> (UTC)'],
		['Asia/Tokyo', '12:12 AM</time> (Asia/Tokyo)'],
	])('names the time zone %s', (timeZone, said) => {
		expect(page({ timeZone, sent: { at: NOW, choices: [] } })).toContain(said);
	});
});

describe('the choices', () => {
	const labels = (list: object[], preferences = {}) =>
		pageChoices(request({ response: { options: list } }), {
			approveWith: 'once',
			...preferences,
		}).map(({ name, option }) => [name, option]);

	test('are in our words, with lasting ones last', () => {
		expect(labels(options)).toEqual([
			['Approve once', 'once'],
			['Deny', 'reject'],
			['Always approve', 'always'],
		]);
	});

	test('name an approval that lasts, and hide no other, also if Approve Values name it', () => {
		expect(labels(options, { approveValues: ['always'] })).toEqual([
			['Approve once', 'once'],
			['Deny', 'reject'],
			['Always approve', 'always'],
		]);
	});

	test('have the words, the description and the scope of the service if an effect could last', () => {
		const described = [
			options[0],
			{ value: 'always', label: 'Always allow', description: 'For good' },
		];
		const response = { options: described, scope: 'workspace' };
		const html = page({ pending: pending(request({ response })) });
		const [, words] = /Always approve<small>(.*?)<\/small>/s.exec(html)!;
		expect(words.replaceAll(/<[^>]+>/g, '')).toBe(
			'Also applies to later requests. The service’s words: “Always allow”, “For good”, scope “workspace”',
		);
	});

	test('are never a value that Deny Values name for the other side', () => {
		expect(labels(options, { denyValues: ['once'] })).toEqual([
			['Deny', 'once'],
			['Always approve', 'always'],
		]);
	});

	test('have the type of the value that the service gave', () => {
		const numbered = [
			{ value: 1, label: 'Allow once' },
			{ value: 2, label: 'Reject' },
		];
		expect(labels(numbered)).toEqual([
			['Approve once', 1],
			['Deny', 2],
		]);
	});

	test('have any value, even a lasting 0', () => {
		const numbered = [
			{ value: 0, label: 'Always allow' },
			{ value: 1, label: 'Reject' },
		];
		expect(labels(numbered)).toEqual([
			['Deny', 1],
			['Always approve', 0],
		]);
	});

	test('have none of a hundred thousand options without a meaning', () => {
		const many = Array.from({ length: 100_000 }, (_, value) => ({ value }));
		expect(labels(many)).toEqual([]);
	});

	test('have nothing of a request that is nested too deeply, without an error', () => {
		const deep = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)) as unknown;
		const [request0] = pending(request({ metadata: deep })).requests;
		const unreadable = { choices: [], because: 'it is nested too deeply' };
		expect(request0).toMatchObject(unreadable);
		const { interaction } = request0;
		const approvers = ['Anna', 'Ben'].map((name) => ({ name, contact: name }));
		const limits = { approvers, needed: 2, maxReminders: 0 };
		const question = {
			...createLink([]),
			team: createTeam(limits, [requestKey(interaction)], NOW),
		};
		const forTeam = { ...record, questions: [question] };
		const { requests } = createForm(asking(interaction), [], forTeam, question, 0);
		expect(requests).toMatchObject([{ ...unreadable, status: { isDecided: false } }]);
	});

	test('have no value without a clear meaning, and none with two meanings', () => {
		expect(labels([{ value: 'maybe', label: 'Perhaps' }])).toEqual([]);
		expect(
			labels([
				{ value: 'ok', label: 'Allow once' },
				{ value: 'ok', label: 'Reject' },
			]),
		).toEqual([]);
	});

	test("have the node's own words for an option without a label", () => {
		const words = { approveValues: ['go'], denyValues: ['halt'] };
		expect(labels([{ value: 'go' }, { value: 'halt' }], words)).toEqual([
			['Approve once', 'go'],
			['Deny', 'halt'],
		]);
	});
});

describe('an answer', () => {
	const two = [request(), request({ id: 'i2', patterns: ['rm -rf /'] })];
	const filled = { request0: '0', request1: '1', comment: ' Go on. ' };

	test('has the choice for each request, with the comment', () => {
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
	])('to a page that showed other requests is none: %s', (_, now) => {
		expect(readForm(pending(...now), { shown: pending(...two).shown, ...filled })).toBe('changed');
	});

	test('to a page that showed other choices is none, although the request is the same', () => {
		const link = createLink(getContents(...two));
		const by = (preferences: typeof record.preferences) =>
			createForm(asking(...two), [], { ...record, preferences }, link);
		const before = by({ approveWith: 'once' });
		const after = by({ approveWith: 'once', denyValues: ['once'], approveValues: ['reject'] });
		expect(readForm(after, { shown: before.shown, ...filled })).toBe('changed');
		expect(readForm(after, { shown: after.shown, ...filled })).not.toBe('changed');
	});

	test("to another session's page is none", () => {
		const elsewhere = { ...asking(...two), sessionId: 's2' };
		const other = createForm(elsewhere, [], record, createLink(getContents(...two)));
		expect(readForm(other, { shown: pending(...two).shown, ...filled })).toBe('changed');
	});

	test.each([{ request1: '' }, { request1: '7' }, { request1: ['1'] }, { request1: '1 ' }])(
		'without a choice is none: %j',
		(part) => {
			const now = pending(...two);
			const body = { shown: now.shown, ...filled, ...part };
			expect(readForm(now, body)).toBe('incomplete');
		},
	);

	test.each([undefined, null, [], [1], 'shown', 7, Buffer.from('x'), { shown: ['x'] }])(
		'that is not a form is none: %p',
		(body) => {
			expect(readForm(pending(...two), body)).toBe('changed');
		},
	);

	test('is limited in size', () => {
		const now = pending(request());
		const body = { shown: now.shown, request0: '0', comment: 'x'.repeat(9_999) };
		const [answer] = Object.values(readForm(now, body) as PageAnswers);
		expect(answer.comment).toHaveLength(MAX_COMMENT_LENGTH);
	});

	test('decides exactly the request that was shown, for any policy', () => {
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

describe('a request that was not left for approvers', () => {
	const asked = request();
	const later = request({ id: 'i2', patterns: ['npm test'] });
	const link = createLink(getContents(asked));

	test('has no choices if the rules decide it, or if it is in another message', () => {
		const { requests } = createForm(asking(asked, later), [], record, link);
		expect(requests.map(({ choices }) => choices.length)).toEqual([3, 0]);
		const html = page({ pending: createForm(asking(asked, later), [], record, link) });
		expect(html).toMatch(
			/The agent has asked for this since the link was sent\. If no rule decides it, you get another message/,
		);
		expect(html.match(/type="radio"/g)).toHaveLength(3);
	});

	test('has choices if every request is left for approvers, and is marked as new', () => {
		const all = createForm(asking(asked, later), [], { ...record, asksAlways: true }, link);
		expect(all.requests.map(({ choices, isNew }) => [choices.length, isNew])).toEqual([
			[3, false],
			[3, true],
		]);
	});

	test("doesn't void an answer to the other requests", () => {
		const before = createForm(asking(asked), [], record, link);
		const after = createForm(asking(asked, later), [], record, link);
		expect(after.shown).toBe(before.shown);
	});

	test('is listed as decided, with the rule that decided it', () => {
		const line = {
			record: {
				interactionId: 'i2',
				permission: 'bash',
				patterns: ['npm test'],
				decision: 'approve' as const,
				option: 'once',
				decidedBy: 'rule 2',
				at: '2026-10-05T15:00:00.000Z',
			},
			content: getContents(later)[0],
			state: 'sent' as const,
			polls: 0,
		};
		const form = createForm(asking(asked, later), [line], record, link);
		expect(form.requests).toHaveLength(1);
		expect(page({ pending: form })).toMatch(
			/Already decided.*Approved by rule 2:.*bash npm test.*3:00 PM/s,
		);
	});
});

describe('a link', () => {
	const [old, latest, other] = [createLink(['a']), createLink(['b']), createLink(['c'])];
	const records = [{ page: { questions: [old, latest] } }, {}, { page: { questions: [other] } }];

	test('opens one question of one session', () => {
		expect(findLink(records, latest.nonce)).toMatchObject({ question: latest, isOpen: true });
		expect(findLink(records, old.nonce)).toMatchObject({ question: old, isOpen: false });
		expect(findLink(records, other.nonce)?.record).toBe(records[2]);
		const sent = { at: 0, choices: [] };
		const answered = [{ page: { questions: [{ ...latest, sent }] } }];
		expect(findLink(answered, latest.nonce)).toMatchObject({ isOpen: false });
	});

	test.each([undefined, '', 'x', ['x'], {}, latest.nonce.slice(1), [latest.nonce]])(
		'with %j opens none',
		(nonce) => {
			expect(findLink(records, nonce)).toBeUndefined();
		},
	);

	test('has 128 bits that are never the same', () => {
		const nonces = Array.from({ length: 1_000 }, () => createLink([]).nonce);
		expect(new Set(nonces).size).toBe(1_000);
		for (const nonce of nonces) expect(Buffer.from(nonce, 'base64url')).toHaveLength(16);
	});
});

describe('Approve from now on', () => {
	const offered = (each: Interaction, offers = true) => {
		const link = createLink(getContents(each), undefined, offers);
		return createForm(asking(each), [], { ...record, questions: [link] }, link);
	};
	const names = (form: ReturnType<typeof offered>) =>
		form.requests[0].choices.map(({ name }) => name);

	test('is offered only with More Rules, apart from Approve once and Always approve', () => {
		expect(names(offered(request(), false))).not.toContain('Approve from now on');
		expect(names(offered(request()))).toEqual([
			'Approve once',
			'Deny',
			'Approve from now on',
			'Always approve',
		]);
	});

	test.each<[string, object]>([
		['patterns', { patterns: [] }],
		['a permission', { permission: '' }],
		['an option that approves once', { response: { options: options.slice(1) } }],
		['a pattern for its command', { command: 'rm x' }],
	])('is not offered for a request without %s', (_, changes) => {
		expect(names(offered(request(changes)))).not.toContain('Approve from now on');
	});

	test('approves once, and the decision says that the approver chose it', () => {
		const form = offered(request());
		const answers = readForm(form, { shown: form.shown, request0: '2' }) as PageAnswers;
		const [content] = getContents(request());
		expect(answers).toEqual({
			[content]: { decision: 'approve', option: 'once', fromNowOn: true },
		});
		const policy: Policy = { mode: 'ask', rules: [], defaultDecision: 'ask', approveWith: 'once' };
		expect(decide(request(), { ...policy, page: answers })).toEqual({
			decision: 'approve',
			decidedBy: 'page',
			option: 'once',
			fromNowOn: true,
		});
		const sent = describeAnswer(form, answers, NOW);
		expect(sent.choices).toMatchObject([{ name: 'Approve from now on', decision: 'approve' }]);
		expect(page({ sent, isSender: true })).toContain('You approved this from now on');
	});
});
