// The approval page's link, form and answer, as data. Pure.
import { describe, expect, test } from '@jest/globals';
import { createTeam, type Vote } from '../../nodes/RunAgentSession/approval/approvers.ts';
import {
	addLink,
	approvalUrl,
	createForm,
	createLink,
	describeAnswer,
	pageChoices,
	readForm,
	toVotes,
	type PageLink,
	type PageRecord,
} from '../../nodes/RunAgentSession/approval/page/view.ts';
import type { LedgerLine } from '../../nodes/RunAgentSession/session/ledger.ts';
import {
	fingerprintContent,
	requestKey,
	type Interaction,
} from '../../nodes/shared/client/session.ts';
import { toText } from '../../nodes/shared/values.ts';
import { ALWAYS, asking, ONCE, REJECT, request } from './interactions.mts';

const NEVER = { value: 'reject-always', label: 'Reject always' };
const numbered = (number: number) =>
	Array.from({ length: number }, (_, at) => request({ id: `i${at}`, patterns: [`line ${at}`] }));
const getContent = (each: Interaction) => fingerprintContent(each)!;
const record = (more: Partial<PageRecord> = {}): PageRecord => ({
	questions: [],
	answers: {},
	preferences: { approveWith: 'once' },
	...more,
});
const form = (requests: Interaction[], ledger: LedgerLine[] = []) =>
	createForm(asking(...requests), ledger, record(), createLink(requests.map(getContent)));
const NOW = 1_000;

describe('a link', () => {
	test('has a deadline and offers rules only if it is told to', () => {
		const nonce = expect.any(String);
		expect(createLink(['c1'])).toStrictEqual({ nonce, contents: ['c1'] });
		const deadline = { at: NOW, after: 'deny' as const };
		expect(createLink([], deadline, true)).toStrictEqual({
			nonce,
			contents: [],
			deadline,
			offersFromNowOn: true,
		});
	});

	test('adds to earlier links and keeps their answers, with the settings of now', () => {
		const settings = (mode: 'ask' | 'rules') => ({
			policy: { mode, approveWith: 'once' as const, approveValues: ['go'], denyValues: ['halt'] },
			sendComments: true,
		});
		const [first, second] = [createLink(['c1']), createLink(['c2'])];
		const before = addLink(undefined, first, settings('ask'));
		const preferences = { approveWith: 'once', approveValues: ['go'], denyValues: ['halt'] };
		expect(before).toEqual({
			questions: [first],
			answers: {},
			preferences,
			asksAlways: true,
			sendComments: true,
		});
		const answers = { c1: { decision: 'deny' as const, option: 'reject' } };
		expect(addLink({ ...before, answers }, second, settings('rules'))).toEqual({
			questions: [first, second],
			answers,
			preferences,
			asksAlways: false,
			sendComments: true,
		});
	});

	test('is the address that resumes the execution at this node, with the token of n8n', () => {
		const resumeUrl = 'https://n8n.example.com/webhook-waiting/7?signature=abc';
		const context = {
			getNode: () => ({ id: 'node-1' }),
			getWorkflowDataProxy: () => ({ $execution: { resumeUrl } }),
		} as unknown as Parameters<typeof approvalUrl>[0];
		expect(approvalUrl(context, { nonce: 'secret' })).toBe(
			'https://n8n.example.com/webhook-waiting/7/node-1?signature=abc&question=secret',
		);
	});
});

describe('the choices', () => {
	const choices = (options: unknown[], more: object = {}, offersFromNowOn = false) =>
		pageChoices(
			request({ response: { options } }),
			{ approveWith: 'once', ...more },
			offersFromNowOn,
		);
	const named = (...given: Parameters<typeof choices>) =>
		choices(...given).map(({ name, option }) => [name, option]);

	test('have a description only if the service gave one', () => {
		const options = [
			null,
			{ ...ONCE, description: 'Only now' },
			{ ...REJECT, description: '' },
			ALWAYS,
		];
		expect(choices(options)).toStrictEqual([
			{
				name: 'Approve once',
				decision: 'approve',
				option: 'once',
				serviceSays: 'Allow once',
				description: 'Only now',
			},
			{ name: 'Deny', decision: 'deny', option: 'reject', serviceSays: 'Reject' },
			{
				name: 'Always approve',
				decision: 'approve',
				option: 'always',
				serviceSays: 'Allow always',
			},
		]);
	});

	test.each([
		[100, 1],
		[101, 0],
	])('of %i options are %i', (number, count) => {
		const options = Array.from({ length: number - 1 }, (_, value) => ({ value }));
		expect(choices([...options, REJECT])).toHaveLength(count);
	});

	test('have one option for each name: the one that the node itself would send', () => {
		const options = [
			{ value: 'go', label: 'Proceed' },
			ONCE,
			{ value: 'halt', label: 'Stop' },
			REJECT,
			ALWAYS,
		];
		const expected = [
			['Approve once', 'once'],
			['Deny', 'reject'],
			['Always approve', 'always'],
		];
		expect(named(options)).toEqual(expected);
		expect(named(options, { approveWith: 'always' })).toEqual(expected);
		expect(named(options, { approveValues: ['go'], denyValues: ['halt'] })).toEqual([
			['Approve once', 'go'],
			['Deny', 'halt'],
			['Always approve', 'always'],
		]);
	});

	test('to approve from now on come before those that last in the service', () => {
		expect(named([ALWAYS, NEVER, ONCE, REJECT], {}, true)).toEqual([
			['Approve once', 'once'],
			['Deny', 'reject'],
			['Approve from now on', 'once'],
			['Always approve', 'always'],
			['Always deny', 'reject-always'],
		]);
	});

	test('to approve from now on are one, also if several options approve once', () => {
		const similar = [
			{ value: 'a', label: 'Allow once' },
			{ value: 'b', label: 'Allow once' },
		];
		expect(named(similar, {}, true)).toEqual([
			['Approve once', 'a'],
			['Approve once', 'b'],
			['Approve from now on', 'a'],
		]);
	});
});

describe('a form', () => {
	test.each([
		[50_000, ['Approve once', 'Deny']],
		[50_001, ['Deny']],
	])('with a request of %i characters has these choices: %j', (length, names) => {
		const rest = length - toText(request({ patterns: [''] })).length;
		const [{ choices }] = form([request({ patterns: ['x'.repeat(rest)] })]).requests;
		expect(choices.map(({ name }) => name)).toEqual(names);
	});

	test.each<[string, object, string | undefined]>([
		['clear options', {}, undefined],
		['no clear option', { response: {} }, 'none of its options is clear'],
		[
			'more characters than the page shows, and no denial',
			{ patterns: ['x'.repeat(50_000)], response: { options: [ONCE] } },
			'it is too long to be shown whole',
		],
		['only a denial', { response: { options: [REJECT] } }, undefined],
	])('says why a request with %s can’t be decided', (_, fields, because) => {
		expect(form([request(fields)]).requests[0].because).toBe(because);
	});

	test('gives no reason for a request that another message may offer', () => {
		const later = request({ id: 'i2', patterns: ['npm test'] });
		const link = createLink([getContent(request())]);
		const deep = request({ id: 'i3', metadata: JSON.parse('['.repeat(9e4) + ']'.repeat(9e4)) });
		const { requests } = createForm(asking(request(), later, deep), [], record(), link);
		expect(requests.map(({ because }) => because)).toEqual([
			undefined,
			undefined,
			'it is nested too deeply',
		]);
	});

	test('counts the requests that are left for later messages', () => {
		expect(form(numbered(5)).more).toBe(0);
		const { requests, more } = form(numbered(7));
		expect([requests.length, more]).toEqual([5, 2]);
	});

	const line = (content: string, decidedBy: string): LedgerLine => ({
		record: {
			interactionId: content,
			permission: 'bash',
			patterns: [],
			decision: 'approve',
			option: 'once',
			decidedBy,
			at: '2026-10-05T15:00:00.000Z',
		},
		content,
		state: 'confirmed',
		polls: 0,
	});
	const decided = (...ledger: LedgerLine[]) =>
		form([request()], ledger).decided.map(({ content }) => content);

	test('lists what was decided elsewhere, without the page and without its own requests', () => {
		const own = getContent(request());
		const all = [
			line('c1', 'rule 1'),
			line('c2', 'page'),
			line(own, 'rule 1'),
			line(own, 'page'),
			line('c3', 'policy'),
		];
		expect(decided(...all)).toEqual(['c1', 'c3']);
	});

	test('lists the ten latest decisions only', () => {
		const all = Array.from({ length: 12 }, (_, at) => line(`c${at + 1}`, 'rule 1'));
		expect(decided(...all)).toEqual(all.slice(2).map(({ content }) => content));
	});
});

describe('a form for several approvers', () => {
	const approvers = ['Anna', 'Ben'].map((name) => ({ name, contact: name }));
	const teamLink = (each: Interaction, votes: Vote[] = []): PageLink => ({
		...createLink([getContent(each)]),
		team: {
			...createTeam({ approvers, needed: 2, maxReminders: 0 }, [requestKey(each)], NOW),
			votes,
		},
	});
	const vote = (each: Interaction, more: Partial<Vote> = {}): Vote => ({
		approver: 0,
		interactionId: each.id,
		answer: { decision: 'approve', option: 'once' },
		choice: {
			name: 'Approve once',
			decision: 'approve',
			content: getContent(each),
			permission: '',
			targets: [],
		},
		at: NOW,
		...more,
	});

	test('belongs to their links only', () => {
		const [theirs, other] = [request(), request({ id: 'i2', permission: 'edit' })];
		const questions = [teamLink(theirs)];
		const page = record({ questions, asksAlways: true });
		const single = createForm(asking(theirs, other), [], page, createLink([getContent(other)]));
		expect(single.requests.map(({ interaction }) => interaction.id)).toEqual(['i2']);
		const own = createForm(asking(theirs, other), [], page, questions[0], 1);
		expect(own.requests.map(({ interaction }) => interaction.id)).toEqual(['i1']);
	});

	test('names the approvers whose answers were to an earlier version of the request', () => {
		const [before, now] = [request(), request({ patterns: ['git push --force'] })];
		const another = request({ id: 'i2' });
		const stale = [vote(before, { isVoid: true }), vote(another, { approver: 1, isVoid: true })];
		const question = teamLink(now, stale);
		const page = record({ questions: [question] });
		const [shown] = createForm(asking(now), [], page, question, 1).requests;
		expect(shown.voided).toEqual(['Anna']);
		expect(shown.status).toMatchObject({ needed: 2, approvals: 0, isDecided: false });
	});

	test('becomes one vote for each request, which knows the option that approves once', () => {
		const requests = [
			request({ response: { options: [ONCE, REJECT, ALWAYS] } }),
			request({ id: 'i2', response: { options: [REJECT, ALWAYS] } }),
		];
		const sent = form(requests);
		const answers = readForm(sent, { shown: sent.shown, request0: '2', request1: '0' });
		if (typeof answers === 'string') throw new Error(answers);
		const votes = toVotes(sent, answers, describeAnswer(sent, answers, NOW), 1);
		expect(votes).toStrictEqual([
			{
				approver: 1,
				interactionId: 'i1',
				answer: { decision: 'approve', option: 'always' },
				choice: expect.objectContaining({ name: 'Always approve' }),
				once: 'once',
				at: NOW,
			},
			{
				approver: 1,
				interactionId: 'i2',
				answer: { decision: 'deny', option: 'reject' },
				choice: expect.objectContaining({ name: 'Deny' }),
				at: NOW,
			},
		]);
	});
});

describe('an answer', () => {
	const UNCLEAR = { response: { options: [{ value: 'maybe', label: 'Perhaps' }] } };

	test('leaves out the requests that can’t be decided on the page', () => {
		const sent = form([request(), request({ id: 'i2', ...UNCLEAR })]);
		expect(readForm(sent, { shown: sent.shown, request0: '1' })).toEqual({
			[getContent(request())]: { decision: 'deny', option: 'reject' },
		});
	});

	test('to no request is none', () => {
		const sent = form([request(UNCLEAR)]);
		expect(readForm(sent, { shown: sent.shown })).toBe('incomplete');
	});

	test('is repeated in short', () => {
		const patterns = ['x'.repeat(501), ...Array.from({ length: 11 }, (_, at) => `line ${at}`)];
		const long = request({ permission: 'y'.repeat(501), patterns });
		const answers = { [getContent(long)]: { decision: 'deny' as const, option: 'reject' } };
		expect(describeAnswer(form([long]), answers, NOW)).toStrictEqual({
			at: NOW,
			choices: [
				{
					name: 'Deny',
					decision: 'deny',
					content: getContent(long),
					permission: 'y'.repeat(500),
					targets: ['x'.repeat(500), ...patterns.slice(1, 10)],
				},
			],
		});
	});

	test('repeats only the requests that it decides', () => {
		const [one, other] = [request(), request({ id: 'i2' })];
		const answers = { [getContent(other)]: { decision: 'deny' as const, option: 'reject' } };
		const { choices } = describeAnswer(form([one, other]), answers, NOW);
		expect(choices.map(({ content }) => content)).toEqual([getContent(other)]);
	});
});
