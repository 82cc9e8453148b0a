// What answers a link: a page for each kind of request, and what is saved. Pure.
import { describe, expect, test } from '@jest/globals';
import { respond, type PageCall } from '../../nodes/RunAgentSession/page/respond.ts';
import { NONCE_PARAMETER } from '../../nodes/RunAgentSession/page/links.ts';
import {
	choiceField,
	createForm,
	sameField,
	shownTogether,
	type PageSession,
} from '../../nodes/RunAgentSession/page/view.ts';
import {
	createBallot,
	mergeAnswers,
	type Approver,
} from '../../nodes/RunAgentSession/requests/ballots.ts';
import { applyPoll, requestKey } from '../../nodes/RunAgentSession/requests/requestRecord.ts';
import { request, session } from '../unit/interactions.mts';

const FORM = 'application/x-www-form-urlencoded';
const ANNA = { name: 'Anna', contact: 'anna@x.example' };
const NOW = Date.parse('2026-10-05T15:12:00.000Z');

interface Asked {
	id?: string;
	projectId?: string;
	approvers?: Approver[];
	/** False for an approver who hasn't been asked, as a backup */
	isAsked?: boolean;
	state?: PageSession['state'];
	command?: string;
}

function asked({
	id = 'one',
	projectId = 'shop',
	approvers,
	isAsked = true,
	state = 'running',
	command = 'git push',
}: Asked = {}): PageSession {
	const pendingInteractions = [request({ id: `request of ${id}`, patterns: [command] })];
	const requests = applyPoll([], session({ pendingInteractions }), 1);
	const team = approvers && { approvers, needed: 1, maxReminders: 0 };
	const ballot = createBallot(requests, team, 2, {});
	if (isAsked) for (const each of ballot.approvers) each.askedAt = 2;
	const withAsked = requests.map((each) => ({ ...each, askedAt: 2 }));
	return {
		state,
		sessionId: id,
		origin: { projectId },
		requests: withAsked,
		ballots: [ballot],
		answers: [],
	};
}

/** Calls the link of the first session. */
const call = (records: PageSession[], changes: Partial<PageCall> = {}) =>
	respond(
		{
			method: 'GET',
			contentType: undefined,
			query: { [NONCE_PARAMETER]: records[0].ballots[0].approvers[0].nonce },
			body: undefined,
			...changes,
		},
		records,
		NOW,
	);

test('only the page of an interrupted workflow says when to send the form again, which the script does', () => {
	const headersOf = (changes: Partial<PageCall>) => call([asked()], changes).headers;
	expect(headersOf({ isOverdue: true })).toEqual({ 'Retry-After': '5' });
	expect(headersOf({})).toBeUndefined();
});

const shownOf = (record: PageSession) => createForm(record, record.ballots[0], 0).shown;

test.each<[string, Partial<PageCall>, number, string]>([
	['opens it', {}, 200, 'The agent needs your approval'],
	['opens it without a body', { method: 'HEAD' }, 200, 'The agent needs your approval'],
	['has another nonce', { query: { [NONCE_PARAMETER]: 'x' } }, 404, 'This link isn’t valid'],
	['has no query', { query: undefined }, 404, 'This link isn’t valid'],
	[
		'comes after the wake of its execution',
		{ isOverdue: true },
		503,
		'The workflow was interrupted',
	],
	['has another method', { method: 'PUT' }, 405, 'Nothing was decided'],
	[
		'sends JSON',
		{ method: 'POST', contentType: 'application/json', body: { request0: '0' } },
		415,
		'Your answer couldn’t be read',
	],
	[
		'sends a form without a type',
		{ method: 'POST', body: {} },
		415,
		'Your answer couldn’t be read',
	],
	[
		'sends a form of another page',
		{ method: 'POST', contentType: FORM, body: { shown: 'x', request0: '0' } },
		409,
		'The request has changed',
	],
])('a request that %s', (_, changes, status, title) => {
	const { answers, ...response } = call([asked()], changes);
	expect(response).toMatchObject({ status, view: { title } });
	expect(answers).toBeUndefined();
});

test('a form with a choice is saved, and the page repeats it', () => {
	const record = asked();
	const body = { shown: shownOf(record), [choiceField(0)]: '0' };
	const response = call([record], { method: 'POST', contentType: `${FORM}; charset=utf-8`, body });
	expect(response).toMatchObject({
		status: 200,
		view: { title: 'Your answer was saved', given: [{ vote: { decision: 'approve' } }] },
		answers: [{ request: requestKey(record.requests[0]), at: NOW }],
	});
});

/** What the service took of an answer */
const decision = {
	verdict: { decision: 'approve' as const, option: 'once', decidedBy: 'page' },
	at: NOW + 1,
	state: 'sent' as const,
	isTaken: true as const,
	pollsShown: 0,
};

describe('a form that is sent again', () => {
	const post = (record: PageSession, choice = '0') =>
		call([record], {
			method: 'POST',
			contentType: FORM,
			body: { shown: shownOf(asked()), [choiceField(0)]: choice },
		});
	const answered = (record: PageSession, choice?: string): PageSession => {
		const { answers = [] } = post(record, choice);
		return { ...record, answers: mergeAnswers(record.answers, answers) };
	};
	const decided = ({ requests, ...record }: PageSession): PageSession => ({
		...record,
		requests: requests.map((each) => ({ ...each, decision })),
	});

	test.each<[string, (record: PageSession) => PageSession, string]>([
		['while its answer waits', (record) => record, 'Your answer is saved and will be sent'],
		['after its answer was sent', decided, 'Your answer was saved'],
	])('%s is not saved twice, and the page says what came of it', (_, later, title) => {
		const { answers, ...response } = post(later(answered(asked())));
		expect(response).toMatchObject({ status: 200, view: { title } });
		expect(answers).toBeUndefined();
	});

	test('after another one is another answer', () => {
		const { answers } = post(answered(answered(asked()), '1'));
		expect(answers).toMatchObject([{ vote: { decision: 'approve' }, at: NOW + 2 }]);
	});
});

describe('a form with a choice', () => {
	const others = (count: number, value = '') =>
		Object.fromEntries(Array.from({ length: count }, (_, at) => [`other${at}`, value]));
	const send = (more: object) => {
		const record = asked();
		const body = { shown: shownOf(record), [choiceField(0)]: '0', ...more };
		return call([record], { method: 'POST', contentType: FORM, body });
	};

	test.each([
		['more than 64 KiB', { comment: 'x'.repeat(65_536) }],
		['more than 64 KiB in another alphabet', { comment: 'я'.repeat(32_768) }],
		['2 MB', { comment: 'x'.repeat(2_000_000) }],
		['2 MB in its fields', others(199, 'x'.repeat(10_000))],
		['more than 200 fields', others(199)],
	])('of %s is refused, and nothing is saved', (_, more) => {
		const { answers, ...response } = send(more);
		expect(response).toMatchObject({
			status: 413,
			view: {
				title: 'Your answer is too long',
				says: ['Nothing was decided. Go back, and shorten it.'],
			},
		});
		expect(answers).toBeUndefined();
	});

	test('of 200 fields and almost 64 KiB is saved', () => {
		const { status, answers } = send({ ...others(197), comment: 'x'.repeat(61_000) });
		expect([status, answers?.length]).toEqual([200, 1]);
	});
});

test.each<[string, PageSession, Partial<PageCall>, number, string]>([
	['that has ended', asked({ state: 'ended' }), {}, 409, 'The session has ended'],
	[
		'of an earlier try',
		{ ...asked({ state: 'ended' }), isTried: true },
		{},
		409,
		'Another session took its place',
	],
	[
		'of an execution that crashed',
		asked(),
		{ isOverdue: true },
		503,
		'The workflow was interrupted',
	],
	[
		'of another workflow',
		asked(),
		{ query: { [NONCE_PARAMETER]: asked().ballots[0].approvers[0].nonce } },
		404,
		'This link isn’t valid',
	],
	[
		'that another version asked about',
		asked(),
		{ query: { [NONCE_PARAMETER]: 'of its own' }, isOtherVersion: true },
		409,
		'The node was updated',
	],
])('a form of a session %s decides nothing, and says so', (_, record, changes, status, title) => {
	const body = { shown: shownOf(record), [choiceField(0)]: '0', comment: 'Go on' };
	const response = call([record], { method: 'POST', contentType: FORM, body, ...changes });
	expect(response).toMatchObject({
		status,
		view: { title, ...(status !== 404 && { typed: ['Go on'] }) },
	});
	expect(response.answers).toBeUndefined();
});

describe('a page shows the requests of other sessions', () => {
	test.each<[string, Asked, Asked, boolean]>([
		['of the same project', {}, { id: 'two' }, true],
		['not of another project', {}, { id: 'two', projectId: 'blog' }, false],
		['not of a session that has ended', {}, { id: 'two', state: 'ended' }, false],
		[
			'of any project to an approver by name',
			{ approvers: [ANNA] },
			{ id: 'two', projectId: 'blog', approvers: [ANNA] },
			true,
		],
		[
			'not those of somebody with the same name and another contact',
			{ approvers: [ANNA] },
			{ id: 'two', approvers: [{ ...ANNA, contact: 'anna@y.example' }] },
			false,
		],
		[
			'not those that the approver was not asked',
			{ approvers: [ANNA] },
			{ id: 'two', approvers: [ANNA], isAsked: false },
			false,
		],
		['not those without approvers', { approvers: [ANNA] }, { id: 'two' }, false],
	])('%s', (_, own, other, isShown) => {
		const { view } = call([asked(own), asked(other)]);
		expect(view).toMatchObject({ kind: 'open', sections: { length: isShown ? 2 : 1 } });
	});
});

test.each([
	['ten sessions', 12, 'git push', 10],
	['64 KiB of requests', 5, 'x'.repeat(20_000), 3],
])('a page shows at most %s besides its own, and counts the others', (_, count, command, shown) => {
	const others = Array.from({ length: count }, (_each, n) => asked({ id: String(n), command }));
	expect(call([asked(), ...others]).view).toMatchObject({
		sections: { length: 1 + shown },
		moreSessions: count - shown,
	});
});

test.each([
	['is for sessions of one project', {}, ['approve', 'approve']],
	["leaves the approver's own Deny", { [choiceField(1)]: '1' }, ['approve', 'deny']],
])('"Approve all that look the same" %s', (_, own, decisions) => {
	const records = ['shop', 'shop', 'blog'].map((projectId, n) =>
		asked({ id: String(n), projectId, approvers: [ANNA] }),
	);
	const sections = records.map((each) => ({
		projectId: each.origin!.projectId,
		pending: createForm(each, each.ballots[0], 0),
	}));
	const body = {
		shown: shownOf(records[0]),
		together: shownTogether(sections),
		[choiceField(0)]: '0',
		[sameField(0)]: 'on',
		...own,
	};
	const { answers } = call(records, { method: 'POST', contentType: FORM, body });
	const sent = answers?.map(({ request: key, vote }) => [key, vote.decision]);
	expect(sent).toEqual(
		decisions.map((decision, at) => [requestKey(records[at].requests[0]), decision]),
	);
});
