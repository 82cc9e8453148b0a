// The approval page in its states: one request, two, one that hides something, one that nobody can decide there, an answer, and a problem.
import {
	createForm,
	listGiven,
	type AnsweredPage,
	type OpenPage,
	type PageForm,
	type PageSection,
	type PageSession,
	type PageView,
} from '../../nodes/RunAgentSession/page/view.ts';
import { createBallot, type TeamSettings } from '../../nodes/RunAgentSession/requests/ballots.ts';
import { showQuiet } from '../../nodes/RunAgentSession/requests/quietRequest.ts';
import {
	applyPoll,
	type Quiet,
	type RequestRecord,
} from '../../nodes/RunAgentSession/requests/requestRecord.ts';
import type { Interaction } from '../../nodes/shared/client/session.ts';
import { answerTo } from '../unit/forms.mts';

const WORDS =
	'The new headline is in place. I build the site now, so that you can look at it before it is published.';
/** When the pages are opened */
export const NOW = Date.parse('2026-11-23T16:12:00Z');

const options = [
	{ value: 'once', label: 'Allow once' },
	{ value: 'always', label: 'Always allow' },
	{ value: 'reject', label: 'Reject' },
];

const request = (more: object = {}): Interaction => ({
	type: 'permission',
	id: '8d3f2c10-0b1e-4a52-9d0e-3f4b5c6d7e8f',
	permission: 'bash',
	patterns: ['npm run build'],
	metadata: { tool: 'bash' },
	response: { type: 'choice', options, instruction: 'Approve the build?' },
	...more,
});
const edit = request({
	id: 'i2',
	permission: 'edit',
	patterns: ['pages/index.html', 'about.html'],
});
/** A request that hides something, in a long line */
const hostile = request({
	id: 'i3',
	command: `npm run dерloy \u202Egnp.sj\u200B\n\trm -rf "/home" ${'x'.repeat(300)}`,
	cwd: `/srv/${'long/'.repeat(30)}`,
	patterns: ['npm run *', 'rm *'],
	surprise: { deep: 'x'.repeat(300) },
	response: {
		scope: 'workspace',
		options: [...options, { value: 'session', label: 'Allow for this session', description: 'x' }],
	},
});
const undecidable = request({ id: 'i4', permission: 'y'.repeat(200), response: { options: [] } });

const question = (fields: object): Interaction => ({ type: 'question', id: 'i5', ...fields });
const COLORS = [
	{ value: 'warm', label: 'Warm', description: 'Like the photos of the shop' },
	{ value: 'cool', label: 'Cool' },
];
/** An edit with two files, one of which is long */
const change = request({
	id: 'i6',
	permission: 'edit',
	patterns: ['pages/index.html', 'pages/menu.html'],
	metadata: {
		edits: [
			{
				path: 'pages/index.html',
				before: '<h1>Coffee</h1>\n<p>Open daily</p>\n',
				after: `<h1>Fresh coffee</h1>\n<p>${'Open daily. '.repeat(20)}</p>\n`,
			},
			{
				path: 'pages/menu.html',
				content: Array.from({ length: 500 }, (_, at) => `<li>Coffee ${at}</li>`).join('\n'),
			},
		],
	},
});

const team: TeamSettings = {
	approvers: ['Anna', 'Ben', `Carla ${'x'.repeat(90)}`].map((name) => ({ name, contact: name })),
	needed: 2,
	maxReminders: 0,
};

/** A session that asked approvers for these requests with one question */
function asked(pendingInteractions: Interaction[], approvers?: TeamSettings): PageSession {
	const session = { sessionId: 's1', status: 'running', pendingInteractions };
	return askedFor(applyPoll([], session, 1), approvers);
}

function askedFor(records: RequestRecord[], approvers?: TeamSettings): PageSession {
	const own = createBallot(records, approvers, 2, {});
	for (const approver of own.approvers) approver.askedAt = 2;
	return {
		...{ sessionId: 's1', state: 'running', requests: records, ballots: [own], answers: [] },
		page: { preferences: { approveWith: 'once' } },
	};
}

const formFor = (own: PageSession): PageForm => createForm(own, own.ballots[0], 0);
const form = (...requests: Interaction[]): PageForm => formFor(asked(requests));

const QUIET_MS = 30 * 60_000;
/** A session that has shown no activity for half an hour */
const quiet = (changes: Partial<Quiet> = {}): PageSession =>
	askedFor(
		showQuiet(
			[],
			{
				...{ since: NOW - QUIET_MS, afterMs: QUIET_MS },
				latest: { label: 'Latest tool', text: 'npm run build' },
				...changes,
			},
			1,
		),
	);

/** Answers each request of a session in turn. */
const answer = (
	own: PageSession,
	...votes: Array<Parameters<typeof answerTo>[2]>
): PageSession => ({
	...own,
	answers: votes.map((vote, index) =>
		answerTo(own.ballots[0], own.requests[index], { at: NOW, ...vote }),
	),
});

/** The views, by name */
export function pageViews() {
	const session = {
		projectName: 'Juniper Coffee',
		prompt: 'Give the landing page a new headline, and build the site.',
		dashboardUrl: 'https://app.example.com/sessions/1',
		sessionId: 's1',
		timeZone: 'Europe/Berlin',
	};
	const deadline = { at: NOW + 48 * 60_000, after: 'deny' as const };
	const asks = (
		pending: PageForm,
		changes: Partial<OpenPage> = {},
		section: Partial<PageSection> = {},
	): OpenPage => ({
		kind: 'open',
		title: 'The agent needs your approval',
		says: [],
		sections: [{ ...session, deadline, pending, ...section }],
		moreSessions: 0,
		commentHint: 'The agent gets your comment, too.',
		given: [],
		...changes,
	});
	const asksFor = (pending: PageForm) => asks(pending, { title: 'The agent has a question' });
	const comment = 'Not that page.';
	const sent = answer(
		asked([request(), edit, question({ question: 'Which color?' })]),
		{ comment },
		{ decision: 'deny', option: 'reject', choice: 'Deny', comment },
		{ decision: 'answer', option: 'A warm one', choice: 'Answer' },
	);
	const unanswered = asked([request()], team);
	const shared = formFor(answer(unanswered, { approver: 1 }));
	shared.requests[0].voided = ['Ben'];
	const sharedSent = answer(unanswered, {});
	const reader = { name: 'Anna', needed: 2 };
	const kept = answer(quiet(), { decision: 'answer', option: 'Keep waiting', choice: 'Answer' });
	const asksQuiet = (changes: Partial<OpenPage> = {}, section: Partial<PageSection> = {}) =>
		asks(
			formFor(quiet()),
			{ title: 'The session has been quiet for 30 minutes', ...changes },
			{ deadline: { ...deadline, after: 'abort' }, ...section },
		);
	const saved = (own: PageSession, changes: Partial<AnsweredPage> = {}): AnsweredPage => ({
		kind: 'answered',
		title: 'Your answer was saved',
		says: [],
		session,
		given: listGiven(own, own.ballots[0], 0),
		isSender: true,
		decisions: [],
		...changes,
	});
	const previewUrl = 'https://preview.example.com/p/1';
	const several = asks(form(request(), edit), { moreSessions: 3 });
	const others = [request(), question({ question: 'Which color?' })].map((each, index) => ({
		...{ ...session, deadline, sessionId: `s${index + 2}` },
		pending: form(each),
	}));
	return {
		one: asks(form(request()), {}, { words: WORDS }),
		longWords: asks(form(edit), {}, { words: `${WORDS} `.repeat(10) }),
		preview: asks(form(edit), {}, { previewUrl }),
		team: asks(shared, { reader }),
		teamSent: saved(sharedSent, { reader }),
		two: asks(form(request(), edit)),
		several: { ...several, sections: [several.sections[0], ...others] },
		hostile: asks(form(hostile, undecidable)),
		undecidable: asks(form(undecidable)),
		sent: saved(sent),
		change: asks(form(change)),
		question: asksFor(form(question({ question: 'Which color?', why: 'The shop has none.' }))),
		options: asksFor(form(question({ question: 'Which color?', response: { options: COLORS } }))),
		wordless: asksFor(form(question({ surprise: { deep: ['x'.repeat(300)] } }))),
		tooLong: asksFor(form(question({ question: 'x'.repeat(60_000) }))),
		filled: asks(form(request(), question({ question: 'Which color?' })), {
			refused: {
				fields: { request0: '1', reason0: 'Use the staging site.', answer1: 'x'.repeat(500) },
				problems: [],
			},
		}),
		answered: asks(formFor(sent), {
			title: 'Your answer is saved and will be sent',
			says: ['Until it’s sent, you can change it here. The last answer counts.'],
		}),
		missing: asks(form(request(), edit), {
			title: 'A choice is missing',
			says: ['Nothing was saved. Choose for each marked request, then select Send.'],
			refused: {
				fields: { request0: '0' },
				problems: [{ at: 1, reason: 'Choose for this request.', isMissing: true }],
			},
		}),
		quiet: asksQuiet(),
		quietMessage: asksQuiet({
			refused: { fields: { request0: '1', answer0: 'Skip the build.' }, problems: [] },
		}),
		quietPreview: asksQuiet({}, { previewUrl }),
		quietSent: saved(kept, { says: ['It will be applied, usually within a minute.'] }),
		late: saved(sent, {
			isSender: false,
			title: 'Already answered',
			says: ['Your new answer wasn’t saved.'],
			typed: ['Use the staging site.'],
		}),
		problem: { kind: 'notice', title: 'This link isn’t valid', says: ['Nothing was decided.'] },
	} satisfies Record<string, PageView>;
}
