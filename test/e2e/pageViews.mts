// The approval page in its states: one request, two, one that hides something, one that nobody can decide there, an answer, and a problem.
import type { PageView } from '../../nodes/RunAgentSession/approval/page/html.ts';
import {
	createForm,
	createLink,
	describeAnswer,
	type PageForm,
} from '../../nodes/RunAgentSession/approval/page/view.ts';
import { fingerprintContent, type Interaction } from '../../nodes/shared/client/session.ts';

const NOW = Date.parse('2026-11-23T16:12:00Z');

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

function form(...pendingInteractions: Interaction[]): PageForm {
	const contents = pendingInteractions.map((each) => fingerprintContent(each)!);
	const session = { sessionId: 's1', status: 'running', pendingInteractions };
	const page = { questions: [], answers: {}, preferences: { approveWith: 'once' as const } };
	return createForm(session, [], page, createLink(contents));
}

/** The views, by name */
export function pageViews() {
	const common = {
		projectName: 'Juniper Coffee',
		job: 'Give the landing page a new headline, and build the site.',
		dashboardUrl: 'https://app.example.com/sessions/1',
		sessionId: 's1',
		now: NOW,
		timeZone: 'Europe/Berlin',
		says: [],
		deadline: { at: NOW + 48 * 60_000, after: 'deny' },
		commentHint: 'The agent gets your comment, too.',
	} satisfies Partial<PageView>;
	const asks = (pending: PageForm): PageView => ({
		...common,
		title: 'The agent needs your approval',
		pending,
	});
	const two = form(request(), edit);
	const [first, second] = two.requests.map(({ content }) => content);
	const sent = describeAnswer(
		two,
		{
			[first]: { decision: 'approve', option: 'once', comment: 'Not that page.' },
			[second]: { decision: 'deny', option: 'reject', comment: 'Not that page.' },
		},
		NOW,
	);
	const status = {
		needed: 2,
		approvals: 1,
		answered: [{ name: 'Ben', isReader: false, decision: 'approve' as const, at: NOW }],
		missing: [
			{ name: 'Anna', isReader: true },
			{ name: `Carla ${'x'.repeat(90)}`, isReader: false },
		],
		isDecided: false,
	};
	const one = form(request());
	const [shared] = one.requests.map((each) => ({ ...each, status, voided: ['Ben'] }));
	const reader = { name: 'Anna', needed: 2 };
	return {
		one: asks(one),
		team: { ...asks({ ...one, requests: [shared] }), reader },
		teamSent: {
			...common,
			title: 'Your answer was sent',
			sent,
			isSender: true,
			reader,
			statuses: { [first]: status },
		},
		two: asks(two),
		hostile: asks(form(hostile, undecidable)),
		undecidable: asks(form(undecidable)),
		sent: { ...common, title: 'Your answer was sent', sent, isSender: true },
		problem: { now: NOW, title: 'This link isn’t valid', says: ['Nothing was decided.'] },
	} satisfies Record<string, PageView>;
}
