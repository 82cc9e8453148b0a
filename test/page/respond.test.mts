// What answers a link: a page for each kind of request, and what is saved. Pure, apart from the memory of recent answers.
import { describe, expect, test } from '@jest/globals';
import { respond, type PageCall } from '../../nodes/RunAgentSession/page/respond.ts';
import {
	NONCE_PARAMETER,
	saveWithRecent,
	takeAnswers,
	type NodeSessions,
} from '../../nodes/RunAgentSession/page/links.ts';
import {
	choiceField,
	createForm,
	sameField,
	shownTogether,
	type PageSession,
} from '../../nodes/RunAgentSession/page/view.ts';
import { createBallot, type Approver } from '../../nodes/RunAgentSession/requests/ballots.ts';
import { applyPoll, requestKey } from '../../nodes/RunAgentSession/requests/record.ts';
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
	};
}

const node = (...records: PageSession[]): NodeSessions[] => [
	{ contextName: 'node:A', nodeContext: {}, records },
];

let executions = 0;
/** Calls the link of the first session. */
const call = (records: PageSession[], changes: Partial<PageCall> = {}, now = NOW) =>
	respond(
		{
			executionId: `execution ${++executions}`,
			method: 'GET',
			contentType: undefined,
			query: { [NONCE_PARAMETER]: records[0].ballots[0].approvers[0].nonce },
			body: undefined,
			...changes,
		},
		node(...records),
		now,
	);

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
	const { saves, ...response } = call([asked()], changes);
	expect(response).toMatchObject({ status, view: { title } });
	expect(saves).toBeUndefined();
});

test('a form with a choice is saved, and the page repeats it', () => {
	const record = asked();
	const body = { shown: shownOf(record), [choiceField(0)]: '0' };
	const response = call([record], { method: 'POST', contentType: `${FORM}; charset=utf-8`, body });
	expect(response).toMatchObject({
		status: 200,
		view: { title: 'Your answer was saved', given: [{ vote: { decision: 'approve' } }] },
		saves: [
			{ contextName: 'node:A', answer: { answers: [{ request: requestKey(record.requests[0]) }] } },
		],
	});
});

test.each([
	['while a run has just taken its answer', 5_000, 'Your answer is saved and will be sent'],
	['while a slow run has taken its answer', 60_000, 'Your answer was saved'],
])('a form that is sent again %s is confirmed, and not saved twice', (_, later, title) => {
	const record = asked();
	const body = { shown: shownOf(record), [choiceField(0)]: '0' };
	const sent = { method: 'POST', contentType: FORM, body, executionId: `again ${later}` };
	const [{ contextName, answer, form }] = call([record], sent).saves!;
	saveWithRecent(sent.executionId, {}, { contextName, answer, form }, NOW);
	takeAnswers(sent.executionId, contextName, {}, () => [], NOW);
	const { saves, ...response } = call([record], sent, NOW + later);
	expect(response).toMatchObject({ status: 200, view: { title } });
	expect(saves).toBeUndefined();
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
		const { saves, ...response } = send(more);
		expect(response).toMatchObject({
			status: 413,
			view: {
				title: 'Your answer is too long',
				says: ['Nothing was decided. Go back, and shorten it.'],
			},
		});
		expect(saves).toBeUndefined();
	});

	test('of 200 fields and almost 64 KiB is saved', () => {
		const { status, saves } = send({ ...others(197), comment: 'x'.repeat(61_000) });
		expect([status, saves?.length]).toEqual([200, 1]);
	});
});

test('a form of a session that has ended keeps what was typed', () => {
	const record = asked({ state: 'ended' });
	const body = { shown: shownOf(record), [choiceField(0)]: '0', comment: 'Go on' };
	const response = call([record], { method: 'POST', contentType: FORM, body });
	expect(response).toMatchObject({
		status: 409,
		view: { title: 'The session has ended', typed: ['Go on'] },
	});
	expect(response.saves).toBeUndefined();
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
	const { saves } = call(records, { method: 'POST', contentType: FORM, body });
	const sent = saves?.map(
		({
			answer: {
				answers: [{ request: key, vote }],
			},
		}) => [key, vote.decision],
	);
	expect(sent).toEqual(
		decisions.map((decision, at) => [requestKey(records[at].requests[0]), decision]),
	);
});
