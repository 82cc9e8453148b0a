// What is due when, as a table: each row is a moment of an entry's sessions.
import { describe, expect, test } from '@jest/globals';
import {
	NEVER,
	NO_OTHERS,
	pauseUntil,
	plan,
	type PlannedSession,
	type Limits,
	type Others,
} from '../../nodes/RunAgentSession/plan/plan.ts';

const S = 1_000;
const MIN = 60 * S;
const HOUR = 60 * MIN;
const NOW = 10 * HOUR;

const session = (changes: Partial<PlannedSession> = {}): PlannedSession => ({
	mode: 'paused',
	since: NOW - HOUR,
	isGiven: false,
	triedAt: NOW,
	failures: 0,
	retryAfterMs: 0,
	isUrgent: false,
	timeoutAt: NEVER,
	isUnsaved: false,
	isBusy: false,
	random: 0,
	project: '',
	...changes,
});
const running = (changes: Partial<PlannedSession> = {}) => session({ mode: 'running', ...changes });
const toStart = (changes: Partial<PlannedSession> = {}) =>
	session({ startAt: NOW, since: NOW, triedAt: undefined, ...changes });
const planned = (
	sessions: PlannedSession[],
	{ others, ...limits }: Partial<Limits> & { others?: Partial<Others> } = {},
) =>
	plan(
		sessions,
		NOW,
		{ ...NO_OTHERS, ...others },
		{
			sessions: { total: 20, perProject: Infinity },
			waiting: 1,
			watchedUntil: 0,
			isQuick: false,
			...limits,
		},
	);

const ROWS: Array<[string, ReturnType<typeof planned>, Partial<ReturnType<typeof planned>>]> = [
	[
		'a running session is read 5 s after its start',
		planned([running({ since: NOW, triedAt: undefined })]),
		{ due: [], dueAt: NOW + 5 * S, keeps: 'running' },
	],
	[
		'a running session is read after 5% of its age, from 5 to 10 s',
		planned([running({ since: NOW - 2 * MIN })]),
		{ dueAt: NOW + 6 * S, keeps: 'running' },
	],
	[
		'a failed poll is repeated after a second',
		planned([running({ failures: 1 })]),
		{ dueAt: NOW + S },
	],
	[
		'Retry-After of a poll is honored, and cut to the time that is left',
		planned([running({ failures: 1, retryAfterMs: HOUR, timeoutAt: NOW + MIN })]),
		{ dueAt: NOW + MIN },
	],
	[
		'a paused session is read at least 70 s after its last reading',
		planned([session({ since: NOW - MIN })]),
		{ due: [], dueAt: NOW + 70 * S, keeps: undefined },
	],
	[
		'a paused session is read after 5% of the time since its last change, at most 10 minutes',
		planned([session({ since: NOW - 9 * HOUR, changedAt: NOW - HOUR })]),
		{ dueAt: NOW + 3 * MIN },
	],
	[
		'a timeout wins over the 70 s',
		planned([session({ timeoutAt: NOW + 50 * S })]),
		{ dueAt: NOW + 50 * S },
	],
	[
		'a timeout that a try came after is due no more',
		planned([session({ since: NOW - MIN, timeoutAt: NOW - S })]),
		{ due: [], dueAt: NOW + 70 * S },
	],
	[
		"another session's wake never delays a session",
		planned([session({ since: NOW - MIN }), session({ triedAt: NOW - 9 * MIN, since: 0 })]),
		{ due: [], dueAt: NOW + MIN },
	],
	[
		'what is due within 35 s is read before a pause',
		planned([session({ since: NOW - 3 * MIN, triedAt: NOW - 40 * S })]),
		{ due: [0] },
	],
	[
		'the longest unread is first',
		planned([
			session({ triedAt: NOW - 70 * S, since: NOW - 2 * MIN }),
			session({ triedAt: NOW - 9 * MIN - 55 * S, since: 0 }),
		]),
		{ due: [1, 0] },
	],
	[
		'a session that was never read is read before a pause',
		planned([session({ triedAt: undefined, since: NOW - S })]),
		{ due: [0] },
	],
	[
		'after a change, a session is read every few seconds for 75 s',
		planned([session({ changedAt: NOW - 60 * S, activeSince: NOW - 5 * MIN, since: NOW - MIN })]),
		{ dueAt: NOW + 5 * S, keeps: 'active' },
	],
	[
		'after half an hour of changes, it is no more',
		planned([session({ changedAt: NOW - S, activeSince: NOW - 31 * MIN })]),
		{ dueAt: NOW + 70 * S, keeps: undefined },
	],
	[
		'an open link, or the wake of an answer, ends the reading every few seconds',
		planned([session({ changedAt: NOW, activeSince: NOW })], { isQuick: true }),
		{ dueAt: NOW + 70 * S, keeps: undefined },
	],
	['an answer is due at once', planned([session({ isUrgent: true })]), { due: [0] }],
	[
		'a new session is saved by a pause before it is read',
		planned([
			session({ isUnsaved: true, triedAt: undefined, since: NOW - MIN }),
			session({ triedAt: 0 }),
		]),
		{ due: [], dueAt: NOW + 5 * S, keeps: undefined },
	],
	[
		'beside a node that keeps the execution running nothing can be saved, so it is read',
		planned([session({ isUnsaved: true, triedAt: undefined, since: NOW - MIN })], {
			others: { keeps: 'running', dueAt: NOW + S },
		}),
		{ due: [0] },
	],
	[
		'sessions start in slices',
		planned(Array.from({ length: 25 }, () => toStart())),
		{ due: Array.from({ length: 10 }, (_, index) => index) },
	],
	[
		'the next slice waits until the IDs of the last are saved',
		planned([...Array.from({ length: 10 }, () => session({ isUnsaved: true })), toStart()]),
		{ due: [], dueAt: NOW + 5 * S },
	],
	[
		'while the execution keeps running, sessions start as others end',
		planned([running(), toStart({ mode: 'running' })], {
			sessions: { total: 1, perProject: Infinity },
		}),
		{ due: [], dueAt: NOW + (10 * S) / 1.2 },
	],
	[
		'while it pauses, too, and a start that waits for a session keeps nothing running',
		planned([session(), toStart()], { sessions: { total: 1, perProject: Infinity } }),
		{ due: [], dueAt: NOW + 3 * MIN, keeps: undefined, begun: { '': 1 } },
	],
	[
		'sessions of one project start as others of it end',
		planned(
			[
				session({ project: 'A' }),
				...['A', 'B', 'B', '', ''].map((project) => toStart({ project })),
			],
			{ sessions: { total: 20, perProject: 1 } },
		),
		{ due: [2, 4, 5], begun: { A: 1 } },
	],
	[
		'a session that the node only waits for counts for no limit, and waits for none',
		planned([session({ project: undefined }), toStart(), toStart({ project: undefined })], {
			sessions: { total: 1, perProject: 1 },
		}),
		{ due: [1, 2] },
	],
	[
		'a start that waits for a session of another entry is due when that entry is',
		planned([toStart({ project: 'A' })], {
			sessions: { total: 20, perProject: 1 },
			others: { begun: { A: 1 }, dueAt: NOW + MIN },
		}),
		{ due: [], dueAt: NOW + MIN, keeps: undefined },
	],
	[
		'a start that was not taken waits for its time',
		planned([toStart({ startAt: NOW + MIN })]),
		{ due: [], dueAt: NOW + MIN, keeps: undefined },
	],
	[
		'a refused start holds up the others until its Retry-After',
		planned([toStart({ startAt: NOW + 5 * MIN, retryAfterMs: 6 * MIN }), toStart()]),
		{ due: [], dueAt: NOW + 5 * MIN, keeps: undefined },
	],
	[
		'for 10 minutes at most, because it may concern one project, and then one tries',
		planned([
			toStart({ startAt: NOW + HOUR, retryAfterMs: HOUR + 10 * MIN }),
			toStart({ startAt: NOW - 1 }),
			toStart({ startAt: 0 }),
			toStart(),
		]),
		{ due: [2], dueAt: NOW + HOUR },
	],
	[
		'and no longer once the service has taken one since',
		planned([toStart({ retryAfterMs: MIN }), toStart(), session({ since: NOW })]),
		{ due: [0, 1] },
	],
	[
		'a refused start holds up no reading, and no Max Wait',
		planned([
			toStart({ startAt: NOW + MIN, retryAfterMs: MIN }),
			toStart({ timeoutAt: NOW }),
			running({ since: NOW - 2 * MIN, triedAt: NOW - MIN }),
		]),
		{ due: [2, 1] },
	],
	[
		'a start that is due within 35 s keeps the execution running',
		planned([toStart({ startAt: NOW + 5 * S })]),
		{ dueAt: NOW + 5 * S, keeps: 'active' },
	],
	[
		'a request in flight keeps the execution running',
		planned([session({ isBusy: true })]),
		{ due: [], dueAt: NEVER, keeps: 'active' },
	],
	[
		'a person who watches sees news within seconds',
		planned([session()], { watchedUntil: NOW + MIN }),
		{ keeps: 'active' },
	],
];

describe('the plan', () => {
	test.each(ROWS)('%s', (_, actual, expected) => {
		expect({ keeps: undefined, ...actual }).toMatchObject(expected);
	});

	test('a pause is no shorter than 35 s, except after a start', () => {
		const soon = { due: [], dueAt: NOW + 20 * S, begun: {} };
		expect(pauseUntil(soon, NO_OTHERS, NOW)).toBe(NOW + 35 * S);
		expect(pauseUntil({ ...soon, dueAt: NOW + MIN }, NO_OTHERS, NOW)).toBe(NOW + MIN);
		expect(pauseUntil({ ...soon, dueAt: NOW + 5 * S }, NO_OTHERS, NOW)).toBe(NOW + 5 * S);
		expect(pauseUntil({ ...soon, dueAt: NEVER }, { ...NO_OTHERS, dueAt: NOW + MIN }, NOW)).toBe(
			NOW + MIN,
		);
	});
});
