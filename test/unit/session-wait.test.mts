// The steps of one session's run, without the local mock service: its beginning, messages, timeouts, and questions for approvers.
import { describe, expect, test } from '@jest/globals';
import type { Team, TeamSettings, Vote } from '../../nodes/RunAgentSession/approval/approvers.ts';
import type { PageLink, PageRecord } from '../../nodes/RunAgentSession/approval/page/view.ts';
import type { Policy } from '../../nodes/RunAgentSession/policy/rules.ts';
import { askApprovers, dropStaleVotes } from '../../nodes/RunAgentSession/session/ask.ts';
import { begin, fingerprintMessage } from '../../nodes/RunAgentSession/session/begin.ts';
import type { SessionRecord } from '../../nodes/RunAgentSession/session/journal.ts';
import { sendComment, sendMessage } from '../../nodes/RunAgentSession/session/message.ts';
import { applyReading, pollOnce } from '../../nodes/RunAgentSession/session/poll.ts';
import type { Timeouts } from '../../nodes/RunAgentSession/session/schedule.ts';
import type {
	ItemSettings,
	RunDependencies,
	RunResult,
} from '../../nodes/RunAgentSession/session/types.ts';
import {
	createWake,
	runInDatabase,
	runInMemory,
	type Wake,
} from '../../nodes/RunAgentSession/session/wait.ts';
import {
	fingerprintContent,
	requestKey,
	type Interaction,
	type Session,
} from '../../nodes/shared/client/session.ts';
import type { WorkspaceAutomationError } from '../../nodes/shared/errors.ts';
import type { Answer, SentRequest } from '../apiWith.mts';
import { getPurpose, type Purpose } from '../rules/simulation.mts';
import { request as requestWith, session } from './interactions.mts';
import { ASK, createSteps } from './sessionSteps.mts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const URL = 'https://app.example.com/s1';
const TIMEOUTS: Timeouts = {
	giveUpAfterMs: 24 * HOUR,
	onGiveUp: 'abort',
	ifNobodyAnswers: 'wait',
	unansweredAfterMs: HOUR,
	waitsForApprovers: true,
};
/** Approves `npm test`, and asks about anything else */
const RULES: Policy = {
	...ASK,
	mode: 'rules',
	rules: [{ permission: 'bash', pattern: 'npm test', decision: 'approve' }],
};
const TEAM: TeamSettings = {
	approvers: ['Anna', 'Ben', 'Carla'].map((name) => ({ name, contact: name })),
	needed: 2,
	maxReminders: 1,
	remindAfterMs: HOUR,
};

const request = (id: string, command = 'npm test', changes: object = {}) =>
	requestWith({ id, patterns: [command], ...changes });
const reading = (changes: Partial<Session> = {}): Answer => ({ body: session(changes) });
const pending = (...requests: Interaction[]): Answer => reading({ pendingInteractions: requests });
const ENDED = reading({ status: 'completed', latestMessage: { role: 'assistant', text: 'Done' } });
const DOWN: Answer = { status: 503, body: {} };
const UNSENT: Answer = { code: 'ECONNREFUSED' };

/** A result, or an error */
type Outcome = RunResult & Omit<WorkspaceAutomationError, 'kind'>;

type Known = Purpose | 'project';
type Answers = Partial<Record<Known, Answer | Answer[]>>;
const findPurpose = (sent: SentRequest): Known =>
	sent.path.startsWith('/projects') ? 'project' : getPurpose(sent);

/** An item's settings, its journal, and what the service answers to each kind of request, in order */
async function createItem(
	answers: Answers = {},
	settings: Partial<ItemSettings> = {},
	record?: Partial<SessionRecord>,
	format?: RunDependencies['format'],
) {
	const usual: Answers = {
		poll: reading(),
		start: { body: { sessionId: 's1' } },
		project: { body: { data: [] } },
	};
	const seen: Partial<Record<Known, number>> = {};
	const answer = (asked: SentRequest) => {
		const purpose = findPurpose(asked);
		const list = [answers[purpose] ?? usual[purpose] ?? { body: {} }].flat();
		const at = seen[purpose] ?? 0;
		seen[purpose] = at + 1;
		return list[Math.min(at, list.length - 1)];
	};
	const marked: string[][] = [];
	const mark: RunDependencies['mark'] = async (...each) => void marked.push(each);
	const steps = await createSteps(answer, { settings, record, dependencies: { format, mark } });
	const { settings: all, dependencies, sent, clock, wait } = steps;
	return {
		...steps,
		marked,
		purposes: () => sent.map(findPurpose),
		memory: async (isReturning = false): Promise<Outcome> =>
			await wait(runInMemory(all, dependencies, isReturning)),
		wake: async (
			wake: Wake = createWake(clock.monotonicMs(), false),
			changes: Partial<ItemSettings> = {},
		): Promise<Outcome> => await wait(runInDatabase({ ...all, ...changes }, dependencies, wake)),
	};
}

const STARTED: Partial<SessionRecord> = {
	intent: 'started',
	sessionId: 's1',
	wait: { since: 0 },
};
const continued = (message?: string) =>
	({ operation: 'continue', sessionId: 's1', message }) as const;

describe('the beginning', () => {
	test('of a session is marked, and its session is named and recorded', async () => {
		const origin = { projectId: 'p1' };
		const { run, wait, marked, named, logged } = await createItem({}, { origin });
		expect(await wait(begin(run))).toBe(true);
		expect(marked).toEqual([['createAgentSession', 'start']]);
		expect(named).toEqual([{ sessionId: 's1' }]);
		expect(logged).toEqual(['Agent session s1 started']);
		expect(run.record).toMatchObject({ ...STARTED, origin });
	});

	test.each<[string, Partial<ItemSettings>, number, boolean]>([
		['half a minute, even if Max Wait is shorter', { maxWaitMs: 0 }, 20, true],
		['no longer than half a minute then', { maxWaitMs: 0 }, 40, false],
		['as long as Max Wait', { maxWaitMs: MINUTE }, 50, true],
		['two minutes in the database', { maxWaitMs: 0, timeouts: TIMEOUTS }, 110, true],
		['no longer than that', { maxWaitMs: 0, timeouts: TIMEOUTS }, 130, false],
	])('that the service has no time for is tried for %s', async (_, settings, seconds, isSent) => {
		const busy = { status: 429, headers: { 'retry-after': String(seconds) }, body: {} };
		const start = [busy, { body: { sessionId: 's1' } }];
		const { run, wait, clock } = await createItem({ start }, settings);
		const result = await wait(begin(run));
		expect(result === true).toBe(isSent);
		expect(run.record.intent).toBe(isSent ? 'started' : undefined);
		if (!isSent) expect(clock.now()).toBeLessThan(seconds * SECOND);
	});

	test('of a retry starts nothing, and names the session with its dashboard', async () => {
		const { run, wait, sent, named } = await createItem({}, {}, { ...STARTED, dashboardUrl: URL });
		expect(await wait(begin(run))).toBe(false);
		expect([sent, named]).toEqual([[], [{ sessionId: 's1', dashboardUrl: URL }]]);
	});

	test('of a session to continue names it, and keeps what an earlier run knew', async () => {
		const settings = { target: continued('Go on'), origin: { projectId: 'p1' } };
		const first = await createItem({}, settings);
		await first.wait(begin(first.run));
		expect(first.named).toEqual([{ sessionId: 's1' }]);
		const messageFingerprint = fingerprintMessage('Go on');
		expect(first.run.record).toMatchObject({ origin: { projectId: 'p1' }, messageFingerprint });
		const earlier = { origin: { projectId: 'p0' }, messageFingerprint: 'before' };
		const again = await createItem({}, settings, earlier);
		await again.wait(begin(again.run));
		expect(again.run.record).toMatchObject(earlier);
	});

	test('of a session to continue without a message sends nothing', async () => {
		expect(fingerprintMessage(undefined)).toBe('');
		expect(fingerprintMessage('Go on')).not.toBe('');
		const { run, wait, sent } = await createItem({}, { target: continued() });
		expect(await wait(begin(run))).toBe(false);
		expect(sent).toEqual([]);
	});
});

describe('a message', () => {
	const send = async (answers: Answers, settings: Partial<ItemSettings> = {}, record = {}) => {
		const all = { target: continued('Go on'), ...settings };
		const item = await createItem(answers, all, record);
		return { ...item, result: await item.wait(begin(item.run)) };
	};

	test('is sent after a reading of the session, which counts as a poll', async () => {
		const lastActivityAt = '1970-01-01T00:00:00.000Z';
		const { run, purposes, marked, logged, result } = await send(
			{ poll: reading({ status: 'completed', lastActivityAt }) },
			{ timeouts: TIMEOUTS },
		);
		expect([result, purposes(), run.pollCount]).toEqual([true, ['poll', 'message'], 1]);
		expect(marked).toEqual([['sendAgentMessage', 'message 0']]);
		expect(logged).toEqual(['Message sent to agent session s1']);
		expect(run.session?.status).toBe('completed');
		expect(run.record).toMatchObject({
			lastActivityAt,
			messages: { message: 'sent' },
			turn: { hadEnded: true, sentAt: 0 },
			wait: { changedAt: 0 },
		});
	});

	test('that was being sent when n8n died is not sent again, and nothing else is', async () => {
		const { sent, result } = await send({}, {}, { messages: { message: 'sending' } });
		expect(result.message).toBe('The message may have been sent');
		expect(sent).toEqual([]);
	});

	test('that was sent is not sent again', async () => {
		const { sent, result } = await send({}, {}, { messages: { message: 'sent' } });
		expect([result, sent]).toEqual([false, []]);
	});

	test.each([
		[404, "The session wasn't found", /^There may be no such session/],
		[403, /./, /./],
		[200, /^The message wasn't sent: ./, /^The session couldn't be read\. ./],
	])(
		'is not sent to a session whose reading gets status %d',
		async (status, message, description) => {
			const { result, purposes } = await send({ poll: { status, body: {} } });
			expect(result.message).toMatch(message);
			expect(result.description).toMatch(description);
			expect(result.message.startsWith("The message wasn't sent")).toBe(status === 200);
			expect(purposes()).not.toContain('message');
		},
	);

	test.each([
		['even if Max Wait is over', 0, 20, true],
		['for no longer than half a minute then', 0, 40, false],
		['during Max Wait', 10 * MINUTE, 40, true],
	])('waits for a reading %s', async (_, maxWaitMs, seconds, isSent) => {
		const busy = { status: 429, headers: { 'retry-after': String(seconds) }, body: {} };
		const { result, purposes, clock } = await send({ poll: [busy, reading()] }, { maxWaitMs });
		expect(result === true).toBe(isSent);
		expect(purposes().includes('message')).toBe(isSent);
		if (!isSent) expect(clock.now()).toBeLessThanOrEqual(30 * SECOND);
	});

	test.each([
		['a minute at least', 0, 50, true],
		['no longer than a minute', 0, 70, false],
		['as long as decisions', 10 * MINUTE, 70, true],
	])('that the service has no time for is tried for %s', async (_, maxWaitMs, seconds, isSent) => {
		const busy = { status: 429, headers: { 'retry-after': String(seconds) }, body: {} };
		const { run, result, clock } = await send({ message: [busy, { body: {} }] }, { maxWaitMs });
		expect(result === true).toBe(isSent);
		expect(run.record.unsentMessages).toBe(isSent ? undefined : 1);
		if (!isSent) expect(clock.now()).toBeLessThanOrEqual(MINUTE);
	});

	test('whose response is lost is looked for until its time is over, and not counted as unsent', async () => {
		const busy = { status: 429, headers: { 'retry-after': '50' }, body: {} };
		const { run, result, clock, logged } = await send(
			{ message: [busy, { code: 'ECONNRESET' }] },
			{ maxWaitMs: 0 },
		);
		expect(result.message).toBe('The message may have been sent');
		expect(clock.now()).toBeGreaterThan(50 * SECOND);
		// A wait of 50 s has up to 1 s of jitter, and a check has 10 s at least.
		expect(clock.now()).toBeLessThanOrEqual(61 * SECOND);
		expect(logged).toEqual(['The message may have taken effect: The message may have been sent']);
		expect(run.record).toMatchObject({ messages: { message: 'sending' } });
		expect(run.record.unsentMessages).toBeUndefined();
	});

	test('is one of several that do not replace each other', async () => {
		const { run, wait } = await createItem({}, {}, { ...STARTED, messages: { message: 'sent' } });
		await wait(sendMessage(run, 'repair', 'Again', session()));
		expect(run.record.messages).toEqual({ message: 'sent', repair: 'sent' });
	});
});

describe('a comment', () => {
	const page: PageRecord = {
		questions: [],
		answers: {},
		preferences: {},
		comment: 'Please hurry',
	} as unknown as PageRecord;
	const commented = async (message: Answer | Answer[], status = 'running') => {
		const item = await createItem(
			{ message },
			{ sendComments: true, maxWaitMs: 0 },
			{ ...STARTED, page, messages: { message: 'sent' } },
		);
		item.run.update(session({ status }));
		return item;
	};

	test('is sent once, and the session is polled again', async () => {
		const { run, wait, sent, marked } = await commented({ body: {} });
		expect(await wait(sendComment(run))).toBe(true);
		expect(sent.map(({ body }) => body)).toEqual([{ text: 'Please hurry' }]);
		expect(marked).toEqual([['sendAgentMessage', 'comment 0']]);
		expect(run.record).toMatchObject({
			page: { ...page, comment: undefined },
			messages: { message: 'sent', comment: undefined },
		});
		expect(await wait(sendComment(run))).toBe(false);
		expect(sent).toHaveLength(1);
		expect(run.listWarnings()).toEqual([]);
	});

	test('that never leaves is tried again at two later polls, and is then a warning', async () => {
		const { run, wait, marked } = await commented(UNSENT);
		for (const attempts of [1, 2]) {
			expect(await wait(sendComment(run))).toBe(true);
			expect(run.record).toMatchObject({ page, commentAttempts: attempts });
			expect(run.listWarnings()).toEqual([]);
		}
		expect(await wait(sendComment(run))).toBe(false);
		expect(marked.map(([, step]) => step)).toEqual(['comment 0', 'comment 1', 'comment 2']);
		expect(run.listWarnings()).toEqual([expect.stringMatching(/^The comment couldn't be sent: ./)]);
		expect(run.record.page?.comment).toBeUndefined();
		expect(run.record.commentAttempts).toBeUndefined();
	});

	test.each<[string, Answer, RegExp]>([
		['is refused', { status: 422, body: {} }, /^The comment couldn't be sent: ./],
		['may have arrived', { code: 'ECONNRESET' }, /^The comment may not have been sent: ./],
	])('that %s is not tried again', async (_, answer, warning) => {
		const { run, wait } = await commented(answer);
		expect(await wait(sendComment(run))).toBe(false);
		expect(run.listWarnings()).toEqual([expect.stringMatching(warning)]);
		expect(run.record.page?.comment).toBeUndefined();
	});

	test('is not sent to a session that has failed', async () => {
		const { run, wait, sent } = await commented({ body: {} }, 'failed');
		expect(await wait(sendComment(run))).toBe(false);
		expect([sent, run.record.page?.comment]).toEqual([[], 'Please hurry']);
	});
});

describe('an answer that does not fit the format', () => {
	const format = { instructions: 'Answer in JSON', parse: async () => ({ misfit: 'No JSON' }) };

	test('for the second time is an error that keeps the session, for a retry', async () => {
		const record: Partial<SessionRecord> = { ...STARTED, messages: { repair: 'sent' } };
		const { run, wait } = await createItem({ poll: ENDED }, {}, record, format);
		const error = await wait(pollOnce(run));
		expect(error.message).toBe("The result doesn't match the required format");
		expect(error.description).toMatch(/Reason: No JSON\. The result starts with: Done\.$/);
		expect(run.record).toMatchObject({ sessionId: 's1', hasMisfit: true });
		run.warn('One.');
		run.warn('Two.');
		expect((await wait(pollOnce(run))).description).toMatch(/Done\. One\. Two\.$/);
	});
});

describe('Max Wait', () => {
	const abort = { onMaxWait: 'abort' } as const;

	test('of 0 routes the item without a poll, or aborts the session', async () => {
		const routed = await createItem({}, { maxWaitMs: 0 }, STARTED);
		expect(await routed.memory()).toMatchObject({ kind: 'stillRunning', pollCount: 0 });
		const aborted = await createItem({}, { maxWaitMs: 0, ...abort }, STARTED);
		expect((await aborted.memory()).message).toMatch(/within 0 minutes and was aborted$/);
	});

	test.each([
		[0, [5]],
		[12 * SECOND, [5, 10]],
	])('of %d ms polls an item that an output returned, after an interval', async (maxWaitMs, at) => {
		const { memory, sent } = await createItem({}, { maxWaitMs }, STARTED);
		expect((await memory(true)).kind).toBe('stillRunning');
		expect(sent.map((each) => each.at / SECOND)).toEqual(at);
	});

	test('ends exactly then with an abort, after a last poll, and a retry starts another session', async () => {
		const { memory, sent, journal } = await createItem({}, { maxWaitMs: 12 * SECOND, ...abort });
		expect((await memory()).message).toBe(
			'The session did not finish within 0.2 minutes and was aborted',
		);
		expect(sent.map((each) => [findPurpose(each), each.at / SECOND])).toEqual([
			['start', 0],
			['poll', 5],
			['poll', 10],
			['poll', 12],
			['abort', 12],
		]);
		expect(journal.read()).toBeUndefined();
	});

	test('keeps the session for a retry if the last poll failed', async () => {
		const { memory, journal } = await createItem(
			{ poll: [reading(), reading(), DOWN] },
			{ maxWaitMs: 12 * SECOND, ...abort },
		);
		expect((await memory()).message).toMatch(/was aborted$/);
		expect(journal.read()?.sessionId).toBe('s1');
	});

	test('tells how to wait longer, with the warnings', async () => {
		const { memory } = await createItem(
			{ poll: reading({ status: 'napping' }) },
			{ maxWaitMs: 10 * SECOND, ...abort },
		);
		expect((await memory()).description).toMatch(
			/^Raise 'Max Wait', or set 'On Max Wait' .+ instead\. The service returned an unknown status/,
		);
	});

	test.each<[string, Answer, string]>([
		['completed', ENDED, 'completed'],
		['failed', reading({ status: 'failed', pendingInteractions: [request('i1')] }), 'failed'],
		[
			'completed with a request that waits',
			reading({ status: 'completed', pendingInteractions: [request('i1')] }),
			'aborted',
		],
	])('has a last poll: a session that has %s', async (_, last, outcome) => {
		const { memory, purposes, journal } = await createItem(
			{ poll: [reading(), last] },
			{ maxWaitMs: 9 * SECOND, ...abort },
		);
		const result = await memory();
		expect(result.kind ?? 'aborted').toBe(outcome);
		expect(purposes().includes('abort')).toBe(outcome === 'aborted');
		expect(journal.read()?.hasFailed).toBe(outcome === 'failed' ? true : undefined);
	});

	test('returns the requests that are left for approvers, even if later polls fail', async () => {
		const { memory } = await createItem(
			{
				poll: [pending(request('i1'), request('i2', 'rm')), DOWN],
				decision: { code: 'ECONNRESET' },
			},
			{ policy: RULES, maxWaitMs: MINUTE },
			STARTED,
		);
		expect(await memory()).toMatchObject({
			kind: 'needsApproval',
			undecided: [{ interaction: { id: 'i2' } }],
		});
	});

	test.each<[string, Answer[], number]>([
		['at the end', [reading(), DOWN], 1],
		['and recovered', [DOWN, reading()], 0],
		['never', [reading()], 0],
	])('warns of polls that failed %s', async (_, poll, warnings) => {
		const { memory } = await createItem({ poll }, { maxWaitMs: 30 * SECOND }, STARTED);
		const result = await memory();
		expect(result.kind).toBe('stillRunning');
		expect(result.warnings).toHaveLength(warnings);
		if (warnings > 0)
			expect(result.warnings[0]).toMatch(/^The session couldn't be read at the end/);
	});
});

describe('a wake', () => {
	test('adds its polls to those of earlier ones, and counts the time since the start', async () => {
		const { wake, clock } = await createItem({}, { timeouts: TIMEOUTS });
		expect(await wake()).toMatchObject({ kind: 'stillRunning', pollCount: 0, durationMs: 0 });
		clock.advance(10 * MINUTE);
		expect(await wake()).toMatchObject({ pollCount: 1, durationMs: 10 * MINUTE });
		clock.advance(10 * MINUTE);
		expect(await wake()).toMatchObject({ pollCount: 2, durationMs: 20 * MINUTE });
	});

	test('polls for 75 s after a change', async () => {
		const record = { ...STARTED, wait: { since: 0, changedAt: 0 } };
		const { wake, sent } = await createItem({}, { timeouts: TIMEOUTS }, record);
		expect((await wake()).kind).toBe('stillRunning');
		expect(sent.map(({ at }) => at / SECOND)).toEqual(
			Array.from({ length: 16 }, (_, at) => 5 * at),
		);
	});

	test.each<[string, Answer, number, number]>([
		['while nothing happens', reading(), 30 * MINUTE, 30 * MINUTE],
		['half a minute after an outcome', ENDED, 30 * MINUTE, 30 * SECOND],
		['half a minute after a question', pending(request('i1')), 30 * MINUTE, 30 * SECOND],
		['no later than it would have', ENDED, 10 * SECOND, 10 * SECOND],
	])('ends for other items %s', async (_, poll, endsAt, expected) => {
		const { wake } = await createItem({ poll }, { timeouts: TIMEOUTS, policy: ASK }, STARTED);
		const shared: Wake = { endsAt, isWatched: false };
		await wake(shared);
		expect(shared.endsAt).toBe(expected);
	});

	test('asks nobody while a decision may still change what is left', async () => {
		const { wake, purposes, journal } = await createItem(
			{
				poll: [pending(request('i1'), request('i2', 'rm')), DOWN],
				decision: { code: 'ECONNRESET' },
			},
			{ policy: RULES, timeouts: TIMEOUTS, origin: { projectId: 'p1' } },
			{ ...STARTED, origin: { projectId: 'p1' } },
		);
		expect((await wake()).kind).toBe('stillRunning');
		expect(purposes()).not.toContain('project');
		expect(journal.read()?.page).toBeUndefined();
		expect(journal.read()?.wait?.asked).toBeUndefined();
	});

	test.each<[string, object, Answer, number]>([
		['once per question, even if it is not found', { projectId: 'p1' }, { status: 403 }, 1],
		['unless its time zone is known', { projectId: 'p1', timeZone: 'UTC' }, { status: 403 }, 0],
		['unless no project is known', {}, { status: 403 }, 0],
	])('looks up the project of a question %s', async (_, origin, project, times) => {
		const { wake, clock, purposes } = await createItem(
			{ poll: pending(request('i1')), project },
			{ timeouts: TIMEOUTS, policy: ASK },
			{ ...STARTED, origin },
		);
		expect((await wake()).kind).toBe('needsApproval');
		clock.advance(10 * MINUTE);
		expect((await wake()).kind).toBe('stillRunning');
		expect(purposes().filter((purpose) => purpose === 'project')).toHaveLength(times);
	});
});

describe('a timeout in the database', () => {
	const asked = (...requests: Interaction[]): Partial<SessionRecord> => {
		const keys = requests.map(requestKey);
		const firstSeen = Object.fromEntries(keys.map((key) => [key, 0]));
		return { ...STARTED, wait: { since: 0, asked: keys, firstSeen } };
	};
	/** A wake when this much time has passed since the start and the question */
	const wakeAfter = async (
		ms: number,
		answers: Answers,
		timeouts: Partial<Timeouts>,
		record: Partial<SessionRecord> = asked(request('i1')),
	) => {
		const settings = { policy: ASK, timeouts: { ...TIMEOUTS, ...timeouts } };
		const item = await createItem(answers, settings, record);
		item.clock.advance(ms);
		return { ...item, result: await item.wake() };
	};
	const waiting = pending(request('i1'));
	const GIVE_UP = { giveUpAfterMs: 2 * HOUR };

	test('Give Up After aborts the session, and a retry starts another one', async () => {
		const { result, purposes, journal } = await wakeAfter(2 * HOUR, {}, GIVE_UP);
		expect(result).toMatchObject({
			message: 'The session did not finish within 2 hours and was aborted',
			description: expect.stringMatching(/^Raise 'Give Up After' in the options\. Session s1/),
		});
		expect(purposes()).toEqual(['poll', 'abort']);
		expect(journal.read()).toBeUndefined();
	});

	test('Give Up After leaves the session running if it is not to be aborted', async () => {
		const limits = { giveUpAfterMs: 1.5 * HOUR, onGiveUp: 'error' } as const;
		const { result, purposes, journal } = await wakeAfter(2 * HOUR, {}, limits);
		expect(result.message).toBe("The session did not finish within 1.5 hours. It's still running");
		expect(purposes()).toEqual(['poll']);
		expect(journal.read()?.sessionId).toBe('s1');
	});

	test('Give Up After comes before If Nobody Answers, and before a question', async () => {
		const limits = { ...GIVE_UP, ifNobodyAnswers: 'deny' } as const;
		for (const record of [asked(request('i1')), STARTED]) {
			const { result, purposes } = await wakeAfter(2 * HOUR, { poll: waiting }, limits, record);
			expect(result.message).toMatch(/^The session did not finish within 2 hours/);
			expect(purposes()).toEqual(['poll', 'abort']);
		}
	});

	test.each<[string, Answer[], Partial<SessionRecord>, Known[]]>([
		['in the wake’s poll', [ENDED], {}, ['poll']],
		['in another poll, if the first one failed', [DOWN, ENDED], {}, ['poll', 'poll']],
		[
			'in another poll, if the first one was old',
			[reading({ lastActivityAt: '1970-01-01T00:00:00Z' }), ENDED],
			{ lastActivityAt: '1970-01-01T00:30:00Z', lastReadAt: 2 * HOUR },
			['poll', 'poll'],
		],
	])('a session that has completed is a result: %s', async (_, poll, record, expected) => {
		const { result, purposes } = await wakeAfter(2 * HOUR, { poll }, GIVE_UP, {
			...STARTED,
			...record,
		});
		expect(result.kind).toBe('completed');
		expect(purposes()).toEqual(expected);
	});

	test('a failed poll after a good one is repeated before an abort', async () => {
		const record = { ...STARTED, wait: { since: 0, changedAt: 2 * HOUR } };
		const answers = { poll: [reading(), ...Array.from({ length: 17 }, () => DOWN), ENDED] };
		const { result, sent } = await wakeAfter(2 * HOUR, answers, GIVE_UP, record);
		expect(result.kind).toBe('completed');
		expect(sent.slice(-2).map(({ method, at }) => [method, at - 2 * HOUR])).toEqual([
			['GET', 75 * SECOND],
			['GET', 75 * SECOND],
		]);
	});

	test('If Nobody Answers denies the requests, and the wake waits for what follows', async () => {
		const { result, purposes } = await wakeAfter(
			HOUR,
			{ poll: [waiting, waiting, reading(), ENDED] },
			{ ifNobodyAnswers: 'deny' },
		);
		expect(result).toMatchObject({
			kind: 'completed',
			decisions: [{ interactionId: 'i1', decision: 'deny', decidedBy: 'policy' }],
		});
		expect(purposes()).toEqual(['poll', 'poll', 'decision', 'poll', 'poll']);
	});

	test('If Nobody Answers pauses again if nothing follows its denials for 75 s', async () => {
		const { result, clock } = await wakeAfter(
			HOUR,
			{ poll: [waiting, waiting, reading()] },
			{ ifNobodyAnswers: 'deny' },
		);
		expect(result).toMatchObject({ kind: 'stillRunning', decisions: [{ decision: 'deny' }] });
		expect(clock.now()).toBe(HOUR + 75 * SECOND);
	});

	test('If Nobody Answers aborts the session, whatever happens after Give Up After', async () => {
		const { result, purposes, journal } = await wakeAfter(
			HOUR,
			{ poll: waiting },
			{ ifNobodyAnswers: 'abort', onGiveUp: 'error' },
		);
		expect(result).toMatchObject({
			message: "The session waited 1 hour for an approver's decision and was aborted",
			description: expect.stringMatching(/^Raise 'If Nobody Answers After' in the options\./),
		});
		expect(purposes()).toEqual(['poll', 'abort']);
		expect(journal.read()).toBeUndefined();
	});

	test.each(['deny', 'abort'] as const)(
		'If Nobody Answers (%s) waits until approvers were asked about a new request',
		async (ifNobodyAnswers) => {
			const both = pending(request('i1'), request('i2', 'rm'));
			const { result, purposes } = await wakeAfter(HOUR, { poll: both }, { ifNobodyAnswers });
			expect(result.kind).toBe('needsApproval');
			expect(purposes()).toEqual(['poll']);
		},
	);

	test('nothing happens before its time', async () => {
		const limits = { ...GIVE_UP, ifNobodyAnswers: 'abort' } as const;
		const { result } = await wakeAfter(HOUR - 1, { poll: waiting }, limits);
		expect(result.kind).toBe('stillRunning');
	});
});

describe('a question', () => {
	const asking = async (settings: Partial<ItemSettings>, ...requests: Interaction[]) => {
		const item = await createItem(
			{ poll: pending(...requests) },
			{ policy: ASK, timeouts: TIMEOUTS, ...settings },
			STARTED,
		);
		return { ...item, result: await item.wake() };
	};

	test('has no link if the node does not wait for approvers', async () => {
		const timeouts = { ...TIMEOUTS, waitsForApprovers: false };
		const { result, journal, wake } = await asking({ timeouts }, request('i1'));
		expect(result).toMatchObject({
			kind: 'needsApproval',
			undecided: [{ interaction: { id: 'i1' } }],
		});
		expect(result.link).toBeUndefined();
		expect(result.wakeAt).toBeUndefined();
		expect(journal.read()?.page).toBeUndefined();
		expect((await wake()).kind).toBe('stillRunning');
	});

	test('has the end of the time for an answer', async () => {
		const { result } = await asking({}, request('i1'));
		expect(result.link?.deadline).toEqual({ at: 24 * HOUR, after: 'abort' });
		const timeouts = { ...TIMEOUTS, ifNobodyAnswers: 'deny' } as const;
		const earlier = await asking({ timeouts }, request('i1'));
		expect(earlier.result.link?.deadline).toEqual({ at: HOUR, after: 'deny' });
	});

	test('offers Approve From Now On only with rules from data', async () => {
		const without = await asking({}, request('i1'));
		expect(without.result.link).not.toHaveProperty('offersFromNowOn');
		const policy: Policy = { ...ASK, mode: 'rules', moreRules: [] };
		const { result } = await asking({ policy }, request('i1'));
		expect(result.link?.offersFromNowOn).toBe(true);
	});

	test('for several approvers is an item each, and lists each request once', async () => {
		const { result, clock, wake } = await asking(
			{ team: TEAM },
			request('i1'),
			request('i2', 'rm'),
		);
		const ids = (requests: RunResult['undecided']) =>
			requests.map(({ interaction }) => interaction.id);
		expect(ids(result.undecided)).toEqual(['i1', 'i2']);
		expect(result.approverItems).toHaveLength(3);
		for (const [approver, item] of result.approverItems!.entries()) {
			expect(item).toMatchObject({ approver, hasChanged: false });
			expect(ids(item.undecided)).toEqual(['i1', 'i2']);
			expect(item).not.toHaveProperty('reminder');
		}
		expect(result.wakeAt).toBe(70 * SECOND);
		clock.advance(HOUR);
		const later = await wake();
		expect(later.kind).toBe('needsApproval');
		expect(later.approverItems?.map(({ approver, reminder }) => [approver, reminder])).toEqual([
			[0, 1],
			[1, 1],
			[2, 1],
		]);
		clock.advance(HOUR);
		expect((await wake()).kind).toBe('stillRunning');
	});
});

describe('a request that changes after an answer', () => {
	const [first, second] = [request('i1'), request('i2', 'rm')];
	const changed = request('i1', 'npm test', { metadata: { cwd: '/other' } });
	const [firstKey, secondKey] = [first, second].map(requestKey);
	const vote = (interaction: Interaction, changes: Partial<Vote> = {}): Vote => ({
		approver: 0,
		interactionId: interaction.id,
		answer: { decision: 'approve', option: 'once' },
		choice: {
			name: 'Approve once',
			decision: 'approve',
			content: fingerprintContent(interaction)!,
			permission: 'bash',
			targets: [],
		},
		at: 1,
		...changes,
	});
	const question = (changes: Partial<Team> = {}): PageLink => ({
		nonce: 'n',
		contents: [],
		deadline: { at: HOUR, after: 'deny' },
		team: {
			needed: 2,
			maxReminders: 0,
			askedAt: 0,
			keys: [firstKey, secondKey],
			approvers: TEAM.approvers.map((each) => ({
				...each,
				nonce: each.name,
				askedAt: 0,
				reminders: 0,
			})),
			votes: [vote(first), vote(second)],
			...changes,
		},
	});
	/** The run at minute 50, with these requests in its latest reading */
	const reread = async (questions: PageLink[], requests: Interaction[]) => {
		const firstSeen = { [firstKey]: 1, [secondKey]: 2 };
		const { run, clock } = await createItem(
			{},
			{ policy: ASK, timeouts: { ...TIMEOUTS, ifNobodyAnswers: 'deny' } },
			{
				...STARTED,
				wait: { since: 0, firstSeen, asked: [firstKey, secondKey] },
				page: { questions, answers: {}, preferences: { approveWith: 'once' } },
			},
		);
		clock.advance(50 * MINUTE);
		applyReading(run, session({ pendingInteractions: requests }));
		dropStaleVotes(run);
		run.undecided = requests.map((interaction) => ({ interaction, because: 'x' }));
		return run;
	};

	test('has the whole time for an answer again, and no other request has', async () => {
		const run = await reread([question()], [changed, second]);
		expect(run.wait.firstSeen).toEqual({ [firstKey]: 50 * MINUTE, [secondKey]: 2 });
		const [{ deadline, team }] = run.record.page!.questions;
		expect(deadline).toEqual({ at: 110 * MINUTE, after: 'deny' });
		expect(team!.votes.map(({ isVoid }) => isVoid)).toEqual([true, undefined]);
	});

	test('is sent to those who answered, and the item says that it has changed', async () => {
		const run = await reread([question()], [changed, second]);
		expect(askApprovers(run)?.approverItems).toMatchObject([{ approver: 0, hasChanged: true }]);
		expect(askApprovers(run)).toBeUndefined();
	});

	test.each<[string, Partial<Team>, Interaction[]]>([
		['nothing changes', {}, [first, second]],
		['the answer was void before', { votes: [vote(first, { isVoid: true })] }, [changed, second]],
	])('has no more time for an answer if %s', async (_, changes, requests) => {
		const run = await reread([question(changes)], requests);
		expect(run.wait.firstSeen).toEqual({ [firstKey]: 1, [secondKey]: 2 });
		expect(run.record.page!.questions[0].deadline).toEqual({ at: HOUR, after: 'deny' });
	});

	test('has no more time for an answer if it belongs to another question by now', async () => {
		const run = await reread([question({ keys: [] })], [changed, second]);
		expect(run.wait.firstSeen).toEqual({ [firstKey]: 1, [secondKey]: 2 });
	});

	test('leaves a link for everyone as it was', async () => {
		const { team, ...everyone } = question();
		const run = await reread([everyone, question()], [changed, second]);
		expect(team).toBeDefined();
		expect(run.record.page!.questions[0]).toEqual(everyone);
	});
});
