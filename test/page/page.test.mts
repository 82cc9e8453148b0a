// The approval page: what it shows, what can be chosen, and which answer counts. Pure.
import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FIRST_LINE } from '../../nodes/RunAgentSession/page/assets.ts';
import { PAGE_HEADERS, renderPage } from '../../nodes/RunAgentSession/page/html.ts';
import {
	createForm,
	type AnsweredPage,
	type OpenPage,
	type PageSection,
	type PageSession,
} from '../../nodes/RunAgentSession/page/view.ts';
import { findLink } from '../../nodes/RunAgentSession/page/links.ts';
import { readForm } from '../unit/forms.mts';
import { createBallot, type TeamSettings } from '../../nodes/RunAgentSession/requests/ballots.ts';
import { applyPoll, requestKey } from '../../nodes/RunAgentSession/requests/requestRecord.ts';
import type { Interaction } from '../../nodes/shared/client/session.ts';
import { omit } from '../../nodes/shared/values.ts';
import { anyText } from '../support/anyText.mts';
import { ALWAYS, lastingRequest as request, ONCE, REJECT, session } from '../unit/interactions.mts';

const options = [ONCE, ALWAYS, REJECT];
/** A session in which approvers were asked for these requests with one ballot */
function asked(
	requests: Interaction[],
	more: { offersFromNowOn?: true } = {},
	team?: TeamSettings,
): PageSession {
	const records = applyPoll([], session({ pendingInteractions: requests }), 1);
	const ballot = createBallot(records, team, 2, more);
	for (const approver of ballot.approvers) approver.askedAt = 2;
	return { sessionId: 's1', state: 'running', requests: records, ballots: [ballot], answers: [] };
}
const formOf = (own: PageSession, approver = 0) => createForm(own, own.ballots[0], approver);
const pending = (...requests: Interaction[]) => formOf(asked(requests));
const NOW = Date.parse('2026-10-05T15:12:00.000Z');
const HEAD = { title: 'T', says: [] };
/** A page with a form */
const page = (own: PageSection, ...others: PageSection[]) => pageOf({}, own, ...others);
const pageOf = (view: Partial<OpenPage>, ...sections: [PageSection, ...PageSection[]]) =>
	renderPage(
		{ ...HEAD, kind: 'open', sections, moreSessions: 0, commentHint: 'Hint.', given: [], ...view },
		NOW,
	);
/** A page with answers */
const answered = (view: Partial<AnsweredPage>) =>
	renderPage(
		{ ...HEAD, kind: 'answered', session: {}, given: [], isSender: false, decisions: [], ...view },
		NOW,
	);

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
		const summary = {
			interactionId: text,
			permission: text,
			patterns: [text],
			decision: 'deny' as const,
			option: 'reject',
			decidedBy: 'rule 1',
			state: 'confirmed' as const,
			at: '2026-10-05T10:00:00.000Z',
		};
		const form = pending(request());
		const { requests } = pending(foreign);
		const choices = form.requests[0].sheet.choices.map((each) => ({
			...each,
			words: text,
			description: text,
			serviceSays: { label: text, description: text, scope: text },
		}));
		const names = [{ name: text, isReader: false }];
		const status = {
			needed: 2,
			approvals: 1,
			answered: names.map((each) => ({ ...each, decision: 'deny' as const, at: NOW })),
			missing: names,
			isDecided: false,
		};
		const [{ record }] = requests;
		const sheet = { ...omit(requests[0].sheet, 'obstacle'), choices };
		const shown = { ...requests[0], sheet, status, voided: [text] };
		const approvers = [{ name: text, decision: 'deny' as const, at: summary.at, comment: text }];
		const decisions = [summary, { ...summary, approvers }];
		const vote = { choice: 'Deny' as const, decision: 'deny' as const, at: NOW, comment: text };
		const session = {
			projectName: text,
			prompt: text,
			sessionId: 's1',
			dashboardUrl: `x${text}`,
			previewUrl: `x${text}`,
			timeZone: text,
		};
		const given = [{ vote, record, status, targets: [text] }];
		const section = { ...session, pending: { ...form, requests: [shown], decided: decisions } };
		const reader = { name: text, needed: 2 };
		return pageOf({ given, reader }, section) + answered({ session, given, decisions });
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
	test.each([
		['requests', page({ pending: pending(request()) })],
		['nothing to decide', answered({})],
	])('begins with the line that its script looks for: %s', (_, html) => {
		expect(html.split('\n')[0]).toBe(FIRST_LINE);
	});

	test('has no external source, and only the style and the script that its policy names', () => {
		const html = page({ pending: pending(request()) });
		const scripts = [...html.matchAll(/<script>(.*?)<\/script>/gs)].map(([, script]) => script);
		expect(html.replaceAll(/<script>.*?<\/script>/gs, '')).not.toMatch(
			/<script|\son\w+=|\ssrc=|javascript:|url\(|@import/i,
		);
		const policy = PAGE_HEADERS['Content-Security-Policy'];
		const [, style, script] =
			/^default-src 'none'; style-src '(sha256-[^']+)'; script-src '(sha256-[^']+)'; connect-src 'self'; form-action 'self'; base-uri 'none'/.exec(
				policy,
			)!;
		const hashOf = (text: string) => `sha256-${createHash('sha256').update(text).digest('base64')}`;
		expect(scripts.map(hashOf)).toEqual([script]);
		expect([...html.matchAll(/<style>(.*?)<\/style>/gs)].map(([, text]) => hashOf(text))).toEqual([
			style,
		]);
		expect(html).toContain(
			`content="${policy.replace("; frame-ancestors 'none'", '').replaceAll("'", '&#39;')}"`,
		);
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
	])('links to the dashboard if that is a web address: %s', (dashboardUrl, isLinked) => {
		const html = page({ dashboardUrl, pending: pending(request()) });
		expect(html.includes('Open in dashboard')).toBe(isLinked);
		expect(html.includes('href')).toBe(isLinked);
	});

	test.each([
		['https://preview.example:8443/p?a=1&b=2', 'preview.example:8443'],
		['http://localhost:5678/p', 'localhost:5678'],
		['http://preview.example/p', undefined],
		['https://ada:word@preview.example/p', undefined],
		['"><script>alert(1)</script>', undefined],
		[`https://preview.example/${'a'.repeat(10_000)}`, undefined],
	])("links to the preview as the service's page, in a new tab, if it is safe: %s", (url, host) => {
		const html = page({ previewUrl: url, pending: pending(request()) });
		const links = html.match(/<a [^]*?<\/p>/g) ?? [];
		expect(links).toEqual(
			host === undefined
				? []
				: [
						`<a href="${url.replace('&', '&#38;')}" target="_blank" rel="noopener noreferrer">Open the preview</a> <span class="soft">(the service’s page on ${host}, in a new tab)</span></p>`,
					],
		);
		if (host === undefined) expect(html).not.toMatch(/preview/i);
	});

	test('links to the preview of each session, and keeps the link when the session has ended', () => {
		const urls = ['https://preview.example/1', 'https://preview.example/2'];
		const [previewUrl, other] = urls;
		const section = { pending: pending(request()) };
		const html = page({ ...section, previewUrl }, { ...section, previewUrl: other });
		expect([...html.matchAll(/href="([^"]*)"/g)].map(([, url]) => url)).toEqual(urls);
		expect(answered({ session: { previewUrl } })).toContain(`href="${previewUrl}"`);
	});

	test('shows a long request whole', () => {
		const text = 'x'.repeat(60_000);
		const form = pending(request({ patterns: [text], cwd: text, metadata: { text } }));
		expect(form.requests[0].sheet.choices).toHaveLength(3);
		expect(page({ pending: form }).split(text)).toHaveLength(4);
	});

	test.each([
		[{ patterns: 'ls' }, 'its patterns aren’t a list of texts: ls'],
		[{ n8nTooLarge: 70_000 }, 'it is too large'],
	])('says what keeps a request from being decided here: %j', (changes, because) => {
		const html = page({ pending: pending(request(changes)) });
		expect(html.replaceAll('&#39;', '’')).toContain(
			`You can’t decide this here: ${because}. Decide it in the dashboard.`,
		);
		expect(html).not.toContain('<form');
	});

	test('folds the agent’s words beyond 300 characters, and the task behind them', () => {
		const html = page({
			words: `${'x'.repeat(300)}END`,
			prompt: 'Build.',
			pending: pending(request()),
		});
		const [before, folded] = html.split('<summary>All of its words, and the task</summary>');
		expect(before).not.toContain('END');
		expect(folded).toContain(`${'x'.repeat(300)}END`);
		expect(folded).toContain('Build.');
	});

	test.each([
		['edit', {}, true],
		['edit', { metadata: { before: 'Coffee', after: 'Fresh coffee' } }, false],
		['read', {}, false],
		['bash', {}, false],
	])('says that the change of an edit is not shown: %s %j', (permission, more, isSaid) => {
		const html = page({ pending: pending(request({ permission, ...more })) });
		expect(html.includes('The change isn’t shown here')).toBe(isSaid);
	});

	test('shows what else is known of a request without a command or path, before its choices', () => {
		const html = page({
			pending: pending(request({ patterns: [], surprise: 'Deploys the shop' })),
		});
		const [before] = html.split('Approve once');
		expect(before).toContain('No command or path given.');
		expect(before).toContain('Deploys the shop');
	});

	test('lists the fields of metadata instead of JSON', () => {
		const long = { text: 'x'.repeat(1_000) };
		const metadata = { tool: 'npm', tries: 2, '</ul>': { deep: ['<b>'] }, long };
		const html = page({ pending: pending(request({ metadata, surprise: 'More' })) });
		const isolated = (text: string) => `<bdo dir="ltr">${text}</bdo>`;
		expect(html).toContain(`<li>${isolated('tool')}: ${isolated('npm')}</li>`);
		expect(html).toContain(`<li>${isolated('tries')}: ${isolated('2')}</li>`);
		expect(html).toContain(
			`<li>${isolated('&#60;/ul&#62;')}: <ul><li>${isolated('deep')}: <ol><li>${isolated('&#60;b&#62;')}</li></ol></li></ul></li>`,
		);
		// Longer ones stay JSON, so that a page has a bound.
		expect(html).toContain(`<li>${isolated('long')}: ${isolated('{&#34;text&#34;')}`.slice(0, -6));
		expect(html).toContain(`<li>${isolated('surprise')}: ${isolated('More')}</li>`);
	});

	test.each([
		['the only approver', ['The team'], 1, true],
		['an approver whose backup was not asked', ['Anna', 'Backup'], 1, true],
		['one of two approvers', ['Anna', 'Ben'], 1, false],
	])('counts no approvals for somebody who is alone: %s', (_, names, needed, isAlone) => {
		const approvers = names.map((name) => ({
			name,
			contact: name,
			...(name === 'Backup' && { isBackup: true as const }),
		}));
		const asking = asked([request()], {}, { approvers, needed, maxReminders: 0 });
		for (const each of asking.ballots[0].approvers) if (each.isBackup) delete each.askedAt;
		const html = page({ pending: formOf(asking) });
		expect(html.includes('Not answered yet')).toBe(!isAlone);
		expect(html.includes('of 1 approval')).toBe(!isAlone);
	});

	test('has the facts for a decision in this order', () => {
		const html = pageOf(
			{ title: 'The agent needs your approval', commentHint: 'Hint.' },
			{
				projectName: 'Juniper Coffee',
				dashboardUrl: 'https://example.com/s',
				words: 'The build passed. To publish it, I push it.',
				prompt: 'Build the site.',
				previewUrl: 'https://preview.example/p',
				pending: pending(request({ cwd: '/site' })),
				deadline: { at: NOW + 3_600_000, after: 'deny' },
				timeZone: 'Europe/Berlin',
			},
		);
		const order = [
			'Juniper Coffee',
			'Open in dashboard',
			'<h1>The agent needs your approval',
			'The agent says:',
			'To publish it, I push it.',
			'<summary>The task',
			'Task:',
			'Build the site.',
			'Open the preview',
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
		[undefined, '3:12 PM</time> (UTC)'],
		['Nowhere/Land', '3:12 PM</time> (UTC)'],
		['Asia/Tokyo', '12:12 AM</time> (Asia/Tokyo)'],
	])('names the time zone %s', (timeZone, said) => {
		const [{ record }] = pending(request()).requests;
		const vote = { choice: 'Deny' as const, decision: 'deny' as const, at: NOW };
		const given = [{ record, vote, targets: [] }];
		expect(answered({ session: { timeZone }, given })).toContain(said);
	});
});

describe('the choices', () => {
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

	test.each<[string, object]>([
		[
			'the option’s own',
			{ response: { options: [{ value: 'a', label: 'Allow', scope: 'always' }, REJECT] } },
		],
		[
			'the response’s',
			{ response: { options: [{ value: 'a', label: 'Allow' }, REJECT], scope: 'always' } },
		],
	])('say that an option lasts by %s scope, with the service’s words', (_, changes) => {
		const html = page({ pending: pending(request(changes)) });
		expect(html).toMatch(
			/Always approve<small>Also applies to later requests\. The service’s words: .*Allow/,
		);
		expect(html).toMatch(/<dd>.*always/);
		expect(html).not.toContain('Approve once');
	});

	test.each<[string, object]>([
		['scope', { scope: 'always' }],
		['description', { description: 'For the whole session' }],
	])('call an option that says once a lasting one if its %s may last', (_, changes) => {
		const form = pending(request({ response: { options: [{ ...ONCE, ...changes }, REJECT] } }));
		expect(form.requests[0].sheet.choices.map(({ name }) => name)).toEqual([
			'Deny',
			'Always approve',
		]);
		const text = page({ pending: form }).replaceAll(/<[^>]+>/g, '');
		expect(text).toContain('Also applies to later requests. The service’s words: “Allow once”');
	});
});

describe('an answer', () => {
	const two = [request(), request({ id: 'i2', patterns: ['rm -rf /'] })];
	const filled = { request0: '0', request1: '1', comment: ' Go on. ' };
	const read = (form: ReturnType<typeof formOf>, body: unknown) => readForm(form, body);

	test('has the choice for each request, with the comment', () => {
		const form = pending(...two);
		expect(read(form, { shown: form.shown, ...filled })).toMatchObject([
			{
				request: requestKey(form.requests[0].record),
				vote: { decision: 'approve', option: 'once', comment: 'Go on.' },
			},
			{
				request: requestKey(form.requests[1].record),
				vote: { decision: 'deny', option: 'reject', comment: 'Go on.' },
			},
		]);
	});

	test.each([
		['an instruction', [request({ response: { options, instruction: 'x' } }), two[1]]],
		['a pattern', [two[0], request({ id: 'i2', patterns: ['rm -rf ~'] })]],
		['another request', [two[0]]],
		['another order', [two[1], two[0]]],
	])('to a page that showed other requests is none: %s', (_, now) => {
		expect(read(pending(...now), { shown: pending(...two).shown, ...filled })).toBe('changed');
	});

	test('to a page that showed other choices is none, although the request is the same', () => {
		const [before, after] = [formOf(asked(two)), formOf(asked(two, { offersFromNowOn: true }))];
		expect(read(after, { shown: before.shown, ...filled })).toBe('changed');
	});

	test.each([{ request1: '' }, { request1: '7' }, { request1: ['1'] }, { request1: '1 ' }])(
		'without a choice is none: %j',
		(part) => {
			const now = pending(...two);
			const problem = { at: 1, reason: 'Choose for this request.', isMissing: true };
			expect(read(now, { shown: now.shown, ...filled, ...part })).toEqual({ problems: [problem] });
		},
	);
});

describe('a link', () => {
	const [one, other] = [asked([request()]), asked([request({ patterns: ['x'] })])];
	const [{ nonce }] = one.ballots[0].approvers;

	test('opens one ballot of one session', () => {
		expect(findLink([one, other], nonce)).toMatchObject({ record: one, approver: 0 });
	});

	test.each([undefined, '', 'x', ['x'], {}, nonce.slice(1), [nonce]])(
		'with %j opens none',
		(given) => {
			expect(findLink([one, other], given)).toBeUndefined();
		},
	);

	test('of a later ballot of the same session also offers the earlier requests', () => {
		const later = applyPoll(
			one.requests,
			session({ pendingInteractions: [request(), request({ id: 'i2', patterns: ['npm test'] })] }),
			3,
		);
		const ballot = createBallot([later[1]], undefined, 4, {});
		const form = createForm(
			{ ...one, requests: later, ballots: [...one.ballots, ballot] },
			ballot,
			0,
		);
		expect(form.requests.map(({ record }) => record.patterns)).toEqual([
			['npm test'],
			['git push'],
		]);
	});
});

test('several approvers see who has answered and who has not', () => {
	const approvers = ['Ann', 'Ben'].map((name) => ({ name, contact: name }));
	const asking = asked([request()], {}, { approvers, needed: 2, maxReminders: 0 });
	const vote = { choice: 'Approve once', decision: 'approve', option: 'once' } as const;
	const [{ nonce: link }] = asking.ballots[0].approvers;
	const key = requestKey(asking.requests[0]);
	asking.answers = [{ link, request: key, vote, at: NOW, form: '' }];
	expect(formOf(asking, 0).requests).toMatchObject([{ given: { choice: 'Approve once' } }]);
	expect(formOf(asking, 1).requests[0].status).toMatchObject({
		needed: 2,
		approvals: 1,
		answered: [{ name: 'Ann', isReader: false }],
		missing: [{ name: 'Ben', isReader: true }],
		isDecided: false,
	});
});

describe('Approve from now on', () => {
	const names = (more?: { offersFromNowOn: true }) =>
		formOf(asked([request()], more)).requests[0].sheet.choices.map(({ name }) => name);

	test('is offered only with More Rules, apart from Approve once and Always approve', () => {
		expect(names()).toEqual(['Approve once', 'Deny', 'Always approve']);
		expect(names({ offersFromNowOn: true })).toEqual([
			'Approve once',
			'Deny',
			'Approve from now on',
			'Always approve',
		]);
	});
});
