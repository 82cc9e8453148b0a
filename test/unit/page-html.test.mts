// The approval page's cards, lists and links, each for one view. Pure.
import { describe, expect, test } from '@jest/globals';
import { renderPage, type PageView } from '../../nodes/RunAgentSession/approval/page/html.ts';
import type { PageChoice, PageRequest } from '../../nodes/RunAgentSession/approval/page/view.ts';
import type { SentChoice } from '../../nodes/RunAgentSession/approval/sent.ts';
import type { LedgerLine } from '../../nodes/RunAgentSession/session/ledger.ts';

const NOW = Date.parse('2026-10-05T15:12:00.000Z');
const page = (view: Partial<PageView>) => {
	const html = renderPage({ title: 'T', says: [], now: NOW, ...view });
	return html.slice(html.indexOf('<body>'));
};
const bdo = (text: string) => `<bdo dir="ltr">${text}</bdo>`;

const DENY: PageChoice = {
	name: 'Deny',
	decision: 'deny',
	option: 'reject',
	serviceSays: 'Reject',
};
const request = (fields: object = {}, more: Partial<PageRequest> = {}): PageRequest => ({
	interaction: {
		type: 'permission',
		id: 'i1',
		permission: 'bash',
		patterns: ['git push'],
		...fields,
	},
	content: 'c1',
	isWhole: true,
	choices: [DENY],
	isNew: false,
	...more,
});
const withForm = (requests: PageRequest[], more: object = {}, view: Partial<PageView> = {}) =>
	page({ pending: { requests, more: 0, shown: 'digest', decided: [], ...more }, ...view });
const card = (fields: object, more: Partial<PageRequest> = {}) => withForm([request(fields, more)]);

const count = (html: string, text: string) => html.split(text).length - 1;
const MIXED = 'A marked word mixes letters';
/** Of which none is like another */
const lines = (number: number) => Array.from({ length: number }, (_, at) => `line ${at + 1}`);

describe('a card', () => {
	test.each<[object, string]>([
		[{ permission: 'read', patterns: ['a', 'b'] }, 'Read these files'],
		[{ permission: 'deploy' }, `Use ${bdo('deploy')}`],
		[{ type: 'question' }, `Not a permission but ${bdo('question')}`],
	])('says what the agent wants to do: %j', (fields, title) => {
		expect(card(fields)).toContain(`<legend>${title}</legend>`);
	});

	test('has its number only if there are several', () => {
		expect(card({})).toContain('<legend>Run this command</legend>');
		const both = withForm([request(), request({ id: 'i2' })]);
		expect(both).toContain('<legend>1 of 2 · Run this command</legend>');
		expect(both).toContain('<legend>2 of 2 · Run this command</legend>');
	});

	test('counts the lines of a long request that it leaves out', () => {
		const long = card({ patterns: lines(52) }, { isWhole: false });
		expect(long).toContain(bdo('line 50'));
		expect(long).not.toContain(bdo('line 51'));
		expect(long).toContain('2 more lines not shown.');
	});

	test.each([
		[50, false],
		[52, true],
	])('shows %i lines without leaving one out (whole: %p)', (number, isWhole) => {
		const html = card({ patterns: lines(number) }, { isWhole });
		expect(html).toContain(bdo(`line ${number}`));
		expect(html).not.toContain('not shown');
		expect(html).not.toContain('class="hint"');
	});

	test('says what else a request covers if its command is not one of its patterns', () => {
		const html = card({ command: 'rm x', patterns: ['ls', 'pwd'] });
		expect(html).toMatch(/rm x.*<p class="folder">The request covers:<\/p>.*ls.*pwd.*Details/s);
		expect(card({})).not.toContain('The request covers');
	});

	test.each<[string, object]>([
		['command', { patterns: ['ls', 'cat /srv/Αpp'] }],
		['folder', { cwd: '/srv/Αpp' }],
		['command, beside a plain folder', { patterns: ['cat /srv/Αpp'], cwd: '/srv' }],
		['pattern', { command: 'ls', patterns: ['cat /srv/Αpp'] }],
	])('explains a marked word of a %s', (_, fields) => {
		expect(card(fields)).toContain(MIXED);
	});

	test.each<[string, object]>([
		['the command is plain', { patterns: ['ls'], cwd: '/srv' }],
		['its command is left out', { patterns: [...lines(50), 'cat /srv/Αpp'] }],
		['its pattern is left out', { command: 'x', patterns: [...lines(50), 'cat /srv/Αpp'] }],
	])('explains no marked word if %s', (_, fields) => {
		expect(card(fields, { isWhole: false })).not.toContain(MIXED);
	});

	test('ends with the ID of the request', () => {
		expect(card({ id: 'request-7' })).toContain(`<dt>Request ID</dt><dd>${bdo('request-7')}</dd>`);
	});

	test.each([
		[true, 63],
		[false, 50],
	])('limits the details of a long request only (whole: %p)', (isWhole, facts) => {
		const options = lines(60).map((value) => ({ value }));
		const html = card({ response: { options, scope: 's' } }, { isWhole });
		expect(count(html, '<dt>')).toBe(facts);
	});

	test.each<[string, Partial<PageRequest>, boolean]>([
		['a rule may decide it', { choices: [] }, true],
		['it can be decided here', {}, false],
		['it can only be decided elsewhere', { choices: [], because: 'it is unclear' }, false],
	])('announces another message for a new request if %s', (_, more, isAnnounced) => {
		const html = card({}, { isNew: true, ...more });
		expect(html).toContain('The agent has asked for this since the link was sent.');
		expect(html.includes('If no rule decides it, you get another message.')).toBe(isAnnounced);
	});

	test("says why a request can't be decided here", () => {
		const html = card({}, { choices: [], because: 'it is nested too deeply' });
		expect(html).toContain('You can’t decide this here: it is nested too deeply.');
		expect(html).not.toContain('class="choices"');
		expect(card({})).not.toContain('You can’t decide this here');
	});
});

describe('a choice', () => {
	const choice = (name: PageChoice['name']): PageChoice => ({ ...DENY, name });
	const labels = (...names: Array<PageChoice['name']>) => {
		const response = { instruction: 'Say yes', scope: 'workspace' };
		const html = card({ response }, { choices: names.map(choice) });
		const found = html.match(/<label[ >](?!for).*?<\/label>/gs);
		expect(found).toHaveLength(names.length);
		return found!;
	};

	test('that lasts stands out, and has the service’s words with the scope', () => {
		for (const label of labels('Always approve', 'Always deny')) {
			expect(label).toMatch(/^<label class="always">/);
			expect(label).toContain(`“${bdo('Reject')}”, scope “${bdo('workspace')}”</small>`);
		}
	});

	test('that does not last has no more words', () => {
		for (const label of labels('Approve once', 'Deny')) {
			expect(label).toMatch(/^<label>/);
			expect(label).not.toContain('<small>');
		}
	});

	test('to approve from now on has none of the service’s words, because the service gets no rule', () => {
		const [label] = labels('Approve from now on');
		expect(label).toContain('The workflow can keep a rule for exactly this request.</small>');
	});
});

describe('approvers', () => {
	const [anna, ben] = ['Anna', 'Ben'].map((name) => ({ name, isReader: false }));
	const reader = { name: 'Carla', isReader: true };
	const status = {
		needed: 2,
		approvals: 1,
		answered: [
			{ ...anna, decision: 'approve' as const, at: NOW },
			{ ...reader, decision: 'deny' as const, at: NOW },
		],
		missing: [ben],
		isDecided: false,
	};

	test('are listed with their answers, and the reader is not named', () => {
		const html = card({}, { status });
		expect(html).toContain('1 of 2 approvals');
		expect(html).toContain(`<li>${bdo('Anna')} approved this, <time`);
		expect(html).toContain('<li>You denied this, <time');
		expect(html).toContain(`Not answered yet: ${bdo('Ben')}</li>`);
		expect(html).not.toContain('Carla');
	});

	test('who have all answered are not missing', () => {
		expect(card({}, { status: { ...status, missing: [] } })).not.toContain('Not answered yet');
	});

	test('whose answers do not count anymore are named', () => {
		expect(card({}, { status, voided: ['Anna', 'Ben'] })).toContain(
			`The request has changed. Earlier answers to it don’t count: ${bdo('Anna')}, ${bdo('Ben')}.`,
		);
		for (const voided of [undefined, []])
			expect(card({}, { status, voided })).not.toContain('Earlier answers');
	});

	test.each([
		[1, 'One approval is enough.'],
		[3, 'Each request needs 3 approvals.'],
	])('read how many approvals a request needs: %i', (needed, said) => {
		expect(page({ reader: { name: 'Anna', needed } })).toContain(
			`<p>Hello ${bdo('Anna')}. ${said}</p>`,
		);
	});
});

const line = (record: Partial<LedgerLine['record']>, content = 'c1'): LedgerLine => ({
	record: {
		interactionId: 'i1',
		permission: 'bash',
		patterns: ['npm test'],
		decision: 'approve',
		option: 'once',
		decidedBy: 'page',
		at: '2026-10-05T15:00:00.000Z',
		...record,
	},
	content,
	state: 'confirmed',
	polls: 0,
});

describe('a decision', () => {
	const approvers = ['Anna', 'Ben'].map((name) => ({
		name,
		decision: 'deny' as const,
		at: '2026-10-05T15:00:00.000Z',
	}));

	test.each<[Partial<LedgerLine['record']>, string]>([
		[{}, 'Approved on this page: '],
		[{ decision: 'deny', decidedBy: 'policy' }, 'Denied by the node’s policy: '],
		[{ decision: 'deny', decidedBy: 'rule 1' }, 'Denied by rule 1: '],
		[{ decision: 'deny', approvers }, `Denied by ${bdo('Anna')}, ${bdo('Ben')}: `],
	])('names who decided: %j', (record, said) => {
		expect(page({ lines: [line(record)] })).toContain(`<li>${said}${bdo('bash npm test')}`);
	});

	test('at a time that can’t be read has no time', () => {
		expect(page({ lines: [line({ at: 'yesterday' })] })).toContain(
			'<time datetime="">an unknown time</time>',
		);
	});
});

describe('the form', () => {
	test.each([
		[0, undefined],
		[1, '1 more request: you get another message.'],
		[3, '3 more requests: you get another message.'],
	])('counts the requests of other messages: %i', (more, said) => {
		const html = withForm([request()], { more });
		if (said) expect(html).toContain(said);
		else expect(html).not.toContain('you get another message');
	});

	test('lists what others decided, if anything', () => {
		expect(withForm([request()])).not.toContain('Already decided');
		const decided = [line({ decidedBy: 'rule 1' })];
		expect(withForm([request()], { decided })).toMatch(/Already decided.*Approved by rule 1: /s);
	});

	test('asks for no answer if no request can be decided here', () => {
		const html = withForm([request({}, { choices: [] })]);
		expect(html).toContain('git push');
		expect(html).not.toMatch(/<form|<button|<textarea/);
	});

	test('says what happens to the requests that can be decided here', () => {
		const deadline = { at: NOW + 3_600_000, after: 'deny' as const };
		const undecidable = request({ id: 'i2' }, { choices: [] });
		const after = (requests: PageRequest[]) =>
			/After that, ([^.]*)\./.exec(withForm(requests, {}, { deadline }))?.[1];
		expect(after([request(), undecidable])).toBe('the request is denied');
		expect(after([request(), request({ id: 'i2' })])).toBe('open requests are denied');
		expect(after([undecidable])).toBeUndefined();
	});

	test('does not list earlier decisions below', () => {
		const view = { lines: [line({})] };
		expect(page(view)).toContain('<ul class="decided">');
		expect(withForm([request()], {}, view)).not.toContain('<ul class="decided">');
	});
});

describe('a sent answer', () => {
	const choice = (more: Partial<SentChoice> = {}): SentChoice => ({
		name: 'Approve once',
		decision: 'approve',
		content: 'c1',
		permission: 'deploy',
		targets: ['git push'],
		...more,
	});
	const sent = (choices: SentChoice[], view: Partial<PageView> = {}) =>
		page({ sent: { at: NOW, choices }, ...view });

	test.each([
		['approve', '✓'],
		['deny', '✕'],
	] as const)('has a color and a sign: %s', (decision, sign) => {
		expect(sent([choice({ decision })])).toContain(
			`<section class="card done ${decision}"><span aria-hidden="true">${sign}</span>`,
		);
	});

	test('names the permission of a request without a command or path', () => {
		expect(sent([choice()])).not.toContain(bdo('deploy'));
		expect(sent([choice({ targets: [] })])).toContain(bdo('deploy'));
	});

	test('is the only place that shows its decisions', () => {
		const own = line({});
		const other = line({ decidedBy: 'rule 1', patterns: ['npm run build'] }, 'c3');
		const choices = [choice(), choice({ content: 'c2' })];
		expect(sent(choices, { lines: [own] })).not.toContain('<ul class="decided">');
		const html = sent(choices, { lines: [own, other] });
		expect(count(html, '<li>Approved')).toBe(1);
		expect(html).toContain(`Approved by rule 1: ${bdo('bash npm run build')}`);
	});

	test.each<[string, Record<string, boolean> | undefined, boolean]>([
		['nobody else answers', undefined, true],
		['all requests are decided', { c1: true, c2: true }, true],
		['a request waits for others', { c1: true, c2: false }, false],
		['a request has no other approvers', { c1: true }, true],
	])('lets the agent continue if %s', (_, decided, continues) => {
		const statuses =
			decided &&
			Object.fromEntries(
				Object.entries(decided).map(([content, isDecided]) => [
					content,
					{ needed: 2, approvals: 1, answered: [], missing: [], isDecided },
				]),
			);
		const choices = [choice(), choice({ content: 'c2' })];
		const html = sent(choices, { statuses, isSender: true });
		expect(html.includes('The agent continues.')).toBe(continues);
		expect(html.includes('The agent waits for more approvals.')).toBe(!continues);
	});
});

describe('the header', () => {
	test.each<[Partial<PageView>, string | undefined]>([
		[{ projectName: 'Juniper', projectId: 'p1', sessionId: 's1' }, 'Juniper'],
		[{ projectId: 'p1', sessionId: 's1' }, 'p1'],
		[{ sessionId: 's1' }, 'Session s1'],
		[{}, undefined],
	])('names the project, or else the session: %j', (view, name) => {
		expect(page(view)).toContain(
			name === undefined ? '<header></header>' : `<header><b>${bdo(name)}</b></header>`,
		);
	});

	const makeUrl = (length: number) => 'https://example.com/'.padEnd(length, 'x');
	test.each<[string, string, boolean]>([
		['an address without TLS', 'http://localhost:8080/s', true],
		['a long address', makeUrl(2_000), true],
		['an address that is too long', makeUrl(2_001), false],
	])('links to %s, if that is safe', (_, dashboardUrl, isLinked) => {
		expect(page({ dashboardUrl }).includes(`<a href="${dashboardUrl}"`)).toBe(isLinked);
	});
});
