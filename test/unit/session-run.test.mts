// One session's run, without the local mock service: what a poll records, which decisions are sent, and how a run ends.
import { describe, expect, test } from '@jest/globals';
import { decidePending } from '../../nodes/RunAgentSession/session/decide.ts';
import {
	abandon,
	abortAfterStop,
	addSessionToError,
	endedResult,
	lastRequests,
	toResult,
	withSessionErrors,
} from '../../nodes/RunAgentSession/session/finish.ts';
import type { SessionRecord } from '../../nodes/RunAgentSession/session/journal.ts';
import {
	applyReading,
	pollOnce,
	sleepUntilNextPoll,
} from '../../nodes/RunAgentSession/session/poll.ts';
import { SessionRun } from '../../nodes/RunAgentSession/session/run.ts';
import type { ItemSettings, RunDependencies } from '../../nodes/RunAgentSession/session/types.ts';
import { CanceledError, WorkspaceAutomationError } from '../../nodes/shared/errors.ts';
import { requestKey, type Session } from '../../nodes/shared/client/session.ts';
import type { Answer } from '../apiWith.mts';
import { request as requestWith, session } from './interactions.mts';
import { ASK, createSteps } from './sessionSteps.mts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const URL = 'https://app.example.com/s1';
const TIMEOUTS = {
	giveUpAfterMs: 60 * MINUTE,
	onGiveUp: 'abort',
	ifNobodyAnswers: 'wait',
	unansweredAfterMs: 60 * MINUTE,
} as const;

const request = (id: string, changes: object = {}) =>
	requestWith({ id, patterns: ['npm test'], ...changes });

/** A run of a session, with the responses that the service gives in order. */
async function createRun(
	answers: Answer | Answer[] = {},
	settings: Partial<ItemSettings> = {},
	record: Partial<SessionRecord> = { sessionId: 's1' },
	overrides: object = {},
) {
	const about: object[] = [];
	const progress: Session[] = [];
	const logged: string[] = [];
	const dependencies: Partial<RunDependencies> = {
		log: (message, more) => (logged.push(message), about.push(more)),
		onProgress: (each) => progress.push(each),
	};
	const steps = await createSteps(answers, { settings, record, dependencies, overrides });
	return { ...steps, logged, about, progress };
}

const sentLine = {
	record: {
		interactionId: 'i1',
		permission: 'bash',
		patterns: ['npm test'],
		decision: 'approve',
		option: 'once',
		decidedBy: 'policy',
		at: '2026-10-05T09:00:00.000Z',
	},
	content: 'x',
	state: 'sent',
	polls: 0,
} as unknown as SessionRecord['ledger'][number];

describe('the state of a run', () => {
	test('has deadlines from its budget: 30 s more for decisions, and for polls while one settles', async () => {
		const { run } = await createRun();
		expect([run.startedAt, run.pollDeadline, run.decisionDeadline]).toEqual([0, 600_000, 630_000]);
		expect([run.isSettling, run.lastPollAt]).toEqual([false, 600_000]);
		run.save({ ledger: [sentLine] });
		expect([run.isSettling, run.lastPollAt]).toEqual([true, 630_000]);
	});

	test.each([
		[1, true],
		[630_000, true],
		[630_001, false],
		[0, false],
	])('settles while decisions are held until %d ms: %s', async (until, isSettling) => {
		const { run } = await createRun();
		run.hold = { until, because: 'x' };
		expect(run.isSettling).toBe(isSettling);
	});

	test('keeps what the journal has, and adds to it', async () => {
		const { run, clock, journal } = await createRun({}, {}, { sessionId: 's1', pollCount: 2 });
		clock.advance(MINUTE);
		expect([run.now, run.wallTime, run.wait]).toEqual([MINUTE, MINUTE, { since: MINUTE }]);
		run.saveWait({ since: 1 });
		run.saveWait({ asked: ['a'] });
		run.warn('One');
		run.warn('Two');
		run.warn('One');
		expect(journal.read()).toEqual({
			ledger: [],
			sessionId: 's1',
			pollCount: 2,
			wait: { since: 1, asked: ['a'] },
			warnings: ['One', 'Two'],
		});
		journal.clear();
		expect(run.record).toEqual({ ledger: [] });
	});

	test('notes a change only where the execution may pause', async () => {
		const [memory, database] = [await createRun(), await createRun({}, { timeouts: TIMEOUTS })];
		memory.run.noteChange();
		database.run.noteChange();
		expect(memory.run.record.wait).toBeUndefined();
		expect(database.run.record.wait).toEqual({ since: 0, changedAt: 0 });
	});

	test('logs with the session, and only errors after which a request may have taken effect', async () => {
		const { run, logged, about } = await createRun();
		run.log('One', { a: 1 });
		run.logIfUnknown('message', new WorkspaceAutomationError('Refused', ''));
		run.logIfUnknown('message', new CanceledError(true));
		expect(logged).toEqual([
			'One',
			'The message may have taken effect: The execution was canceled',
		]);
		expect(about).toEqual([{ sessionId: 's1', a: 1 }, { sessionId: 's1' }]);
	});

	test('keeps the dashboard URL that a later reading leaves out, and names it once', async () => {
		const { run, named, progress } = await createRun();
		run.update(session({ dashboardUrl: URL }));
		run.update(session({ dashboardUrl: URL }));
		run.update(session());
		expect(named).toEqual([{ sessionId: 's1', dashboardUrl: URL }]);
		expect(run.session?.dashboardUrl).toBe(URL);
		expect(progress).toHaveLength(3);
		expect(run.listWarnings()).toEqual([]);
	});

	test('warns of an unknown status once', async () => {
		const { run } = await createRun();
		run.update(session({ status: 'napping' }));
		run.update(session({ status: 'napping' }));
		expect(run.listWarnings()).toEqual([
			'The service returned an unknown status, "napping". The node treated it as running.',
		]);
	});
});

describe('a reading', () => {
	const at = (ms: number) => new Date(ms).toISOString();

	test.each([
		['as old as the latest', 0, 0, true],
		['older', -1, 0, false],
		['older, for almost a minute', -1, MINUTE - 1, false],
		['older, for a minute', -1, MINUTE, true],
		['newer', 1, 0, true],
	])('that is %s counts: %s', async (_, olderMs, laterMs, counts) => {
		const { run, clock } = await createRun();
		clock.advance(MINUTE);
		applyReading(run, session({ lastActivityAt: at(MINUTE) }));
		clock.advance(laterMs);
		const applied = applyReading(
			run,
			session({ lastActivityAt: at(MINUTE + olderMs), status: 'x' }),
		);
		expect([applied, run.session?.status]).toEqual([counts, counts ? 'x' : 'running']);
		expect(run.record.lastReadAt).toBe(counts ? MINUTE + laterMs : MINUTE);
	});

	test.each([
		[5 * MINUTE, true],
		[5 * MINUTE + 1, false],
	])('with a time %d ms ahead is compared with later ones: %s', async (ahead, isKept) => {
		const { run } = await createRun();
		applyReading(run, session({ lastActivityAt: at(0) }));
		applyReading(run, session({ lastActivityAt: at(ahead) }));
		expect(run.record.lastActivityAt).toBe(at(isKept ? ahead : 0));
		applyReading(run, session());
		expect(run.record.lastActivityAt).toBe(at(isKept ? ahead : 0));
	});

	test('ends the turn of a message when it proves the turn, and counts for the ledger', async () => {
		const turn = { messageKey: 'x', hadEnded: true, sentAt: 0, polls: 0 };
		const { run } = await createRun({}, {}, { sessionId: 's1', turn, ledger: [sentLine] });
		applyReading(run, session({ status: 'completed', latestMessage: { role: 'user' } }));
		expect(run.record.turn).toEqual({ ...turn, polls: 1 });
		expect(run.record.ledger).toMatchObject([{ state: 'inferred', polls: 0 }]);
		applyReading(run, session());
		expect(run.record.turn).toBeUndefined();
	});
});

describe('a poll', () => {
	const ended: Answer = { body: session({ status: 'completed' }) };
	const unusable: Answer = { body: '{"object":"list"}' };
	const down: Answer = { status: 503, headers: { 'retry-after': '7' }, body: {} };

	test('returns the outcome of a session that has ended, and nothing of one that runs', async () => {
		const { run, wait } = await createRun([{ body: session() }, ended]);
		expect(await wait(pollOnce(run))).toBeUndefined();
		expect(await wait(pollOnce(run))).toMatchObject({ kind: 'completed', pollCount: 2 });
	});

	test('returns the requests that an approver has to decide', async () => {
		const { run, wait } = await createRun(
			{ body: session({ pendingInteractions: [request('i1')] }) },
			{ policy: ASK },
		);
		expect(await wait(pollOnce(run))).toMatchObject({
			kind: 'needsApproval',
			undecided: [{ interaction: { id: 'i1' } }],
		});
		expect(run.record.wait).toBeUndefined();
		run.hold = { until: 1, because: 'x' };
		expect(await wait(pollOnce(run))).toBeUndefined();
	});

	test('that fails is one attempt, and leaves its Retry-After', async () => {
		const { run, sent, wait } = await createRun([down, down, ended]);
		await wait(pollOnce(run));
		expect([sent.length, run.failedPolls, run.retryAfterMs]).toEqual([1, 1, 7_000]);
		await wait(pollOnce(run));
		expect([run.pollCount, run.failedPolls]).toEqual([2, 2]);
		expect(run.lastFailure).toBeInstanceOf(WorkspaceAutomationError);
		expect(run.record.wait).toBeUndefined();
		await wait(pollOnce(run));
		expect(run.failedPolls).toBe(0);
	});

	test.each([
		[404, /^There may be no such session, or the API key lacks a scope/],
		[403, /./],
	])('that the service refuses with %d is an error', async (status, description) => {
		const { run, wait } = await createRun({ status, body: {} });
		const error = await wait(pollOnce(run));
		expect(error.description).toMatch(description);
		expect(error.message === "The session wasn't found").toBe(status === 404);
		expect(error.context.httpStatus).toBe(status);
	});

	test.each<[string, Answer]>([
		['a web page', { body: '<html>' }],
		['too much', { body: `"${'x'.repeat(2 ** 20)}"` }],
	])('with %s is unusable', async (_, answer) => {
		const { run, wait } = await createRun(answer);
		await wait(pollOnce(run));
		expect(run.record.wait?.unusable).toEqual({ since: 0, wakes: 1 });
	});

	test('of a session that has ended returns nothing until its decisions are confirmed', async () => {
		const listed = session({ status: 'completed', pendingInteractions: [request('i1')] });
		const { run, wait } = await createRun([{ body: listed }, { code: 'ECONNRESET' }, ended]);
		expect(await wait(pollOnce(run))).toBeUndefined();
		expect(await wait(pollOnce(run))).toMatchObject({ kind: 'completed' });
	});

	test('with unusable responses is an error after three minutes in memory', async () => {
		const { run, clock, wait } = await createRun(unusable);
		clock.advance(MINUTE);
		expect(await wait(pollOnce(run))).toBeUndefined();
		expect(run.record.wait?.unusable).toEqual({ since: MINUTE, wakes: 1 });
		clock.advance(3 * MINUTE - 1);
		expect(await wait(pollOnce(run))).toBeUndefined();
		clock.advance(1);
		expect(await wait(pollOnce(run))).toMatchObject({
			description: expect.stringMatching(
				/^The responses to polls were unusable for 180 seconds\. .*"object":"list"/,
			),
		});
	});

	test('in the database takes three wakes, too, and a usable response starts anew', async () => {
		const { run, clock, wait } = await createRun(
			[unusable, unusable, unusable, { body: session() }, unusable],
			{ timeouts: TIMEOUTS },
		);
		for (const wakes of [1, 2]) {
			expect(await wait(pollOnce(run))).toBeUndefined();
			expect(run.record.wait?.unusable?.wakes).toBe(wakes);
			clock.advance(3 * MINUTE);
			run.failedPolls = 0;
		}
		expect(await wait(pollOnce(run))).toBeInstanceOf(Error);
		await wait(pollOnce(run));
		expect(run.record.wait?.unusable).toBeUndefined();
		expect(await wait(pollOnce(run))).toBeUndefined();
	});

	test.each([
		['after a good one, by the age', 0, 0, Infinity, 5_000],
		['after a failed one', 1, 0, Infinity, 1_000],
		['after more', 4, 0, Infinity, 5_000],
		['with Retry-After', 1, 7_000, Infinity, 7_000],
		['at the end', 0, 0, 5_000, 5_000],
		['if there is no time', 0, 0, 4_999, undefined],
	])('comes %s', async (_, failedPolls, retryAfterMs, leftMs, delay) => {
		const { run, clock, wait } = await createRun();
		Object.assign(run, { failedPolls, retryAfterMs });
		expect(await wait(sleepUntilNextPoll(run, leftMs))).toBe(delay !== undefined);
		expect(clock.sleeps).toEqual(delay === undefined ? [] : [delay]);
	});
});

describe('a decision', () => {
	const pending = (...ids: string[]) =>
		session({ pendingInteractions: ids.map((id) => request(id)) });
	const decide = async (answers: Answer | Answer[], settings: Partial<ItemSettings> = {}) => {
		const world = await createRun(answers, settings);
		applyReading(world.run, pending('i1', 'i2'));
		const result = await world.wait(decidePending(world.run));
		return { ...world, result };
	};
	const states = (run: SessionRun) =>
		run.record.ledger.map(({ record, state }) => [record.interactionId, state]);

	test('is sent for each request, and recorded before and after', async () => {
		const { run, sent, result, logged } = await decide(
			{ body: {} },
			{ decisionBody: { by: 'n8n' } },
		);
		expect(result).toBe(true);
		expect(sent.map(({ path, body }) => [path, body])).toEqual([
			['/agent/sessions/s1/interactions/i1/resolve', expect.objectContaining({ by: 'n8n' })],
			['/agent/sessions/s1/interactions/i2/resolve', expect.objectContaining({ by: 'n8n' })],
		]);
		expect(states(run)).toEqual([
			['i1', 'confirmed'],
			['i2', 'confirmed'],
		]);
		expect(run.record.ledger[0].record.at).toBe('1970-01-01T00:00:00.000Z');
		expect(logged[0]).toMatch(
			/^Approval request decided by .*: approve \["bash",\["npm test"\]\]$/,
		);
	});

	test.each<[string, Answer, string, boolean]>([
		['a lost response', { code: 'ECONNRESET' }, 'sent', false],
		['a 404', { status: 404, body: {} }, 'sent', true],
		['a 409', { status: 409, body: {} }, 'sent', true],
		['a 400', { status: 400, body: {} }, 'refused', true],
	])('with %s waits for the next poll', async (_, answer, state, isRejected) => {
		const { run, sent, result } = await decide(answer);
		expect([result, sent.length]).toEqual([false, 1]);
		expect(states(run)).toEqual([['i1', state]]);
		expect(run.rejected?.interaction.id).toBe(isRejected ? 'i1' : undefined);
		expect(run.hold).toBeUndefined();
	});

	test('that was refused is an error only if the next poll still lists the request', async () => {
		const { run, wait } = await decide({ status: 400, body: {} });
		const error = await wait(decidePending(run));
		expect(error.context.httpStatus).toBe(400);
		expect(run.rejected).toBeUndefined();
		const other = await decide([{ status: 400, body: {} }, { body: {} }]);
		applyReading(other.run, pending('i2'));
		expect(await other.wait(decidePending(other.run))).toBe(true);
	});

	test('that the service has no time for is held, and then sent', async () => {
		const { run, sent, clock, wait } = await decide([
			{ status: 429, headers: { 'retry-after': '9' }, body: {} },
			{ body: {} },
		]);
		expect([sent.length, run.hold?.until, states(run)]).toEqual([1, 9_000, []]);
		expect(await wait(decidePending(run))).toBe(false);
		expect(sent).toHaveLength(1);
		clock.advance(9_000);
		expect(await wait(decidePending(run))).toBe(true);
		expect([sent.length, run.hold]).toEqual([3, undefined]);
	});

	test('fills the placeholders of an override', async () => {
		const overrides = { resolveInteraction: { body: { ok: '{approved}', answer: '{decision}' } } };
		for (const [mode, ok] of [
			['approve', true],
			['deny', false],
		] as const) {
			const policy = { ...ASK, mode };
			const { run, sent, wait } = await createRun({ body: {} }, { policy }, undefined, overrides);
			applyReading(run, pending('i1'));
			await wait(decidePending(run));
			expect(sent[0].body).toEqual({ ok, answer: mode });
		}
	});

	test('is a change of the session', async () => {
		const { run, clock, wait } = await createRun({ body: {} }, { timeouts: TIMEOUTS });
		applyReading(run, pending('i1'));
		clock.advance(SECOND);
		await wait(decidePending(run));
		expect(run.record.wait?.changedAt).toBe(SECOND);
	});

	test('that is refused after one with a lost response is no error', async () => {
		const { run, wait } = await createRun([{ code: 'ECONNRESET' }, { status: 400, body: {} }]);
		for (let polls = 0; polls < 2; polls++) {
			applyReading(run, pending('i1'));
			expect(await wait(decidePending(run))).toBe(false);
		}
		expect(run.rejected).toBeUndefined();
	});

	test('is not sent after its deadline, nor to a session that has failed', async () => {
		const { run, sent, clock, wait } = await createRun({ body: {} });
		applyReading(run, pending('i1'));
		clock.advance(630_001);
		expect(await wait(decidePending(run))).toBe(false);
		applyReading(run, { ...pending('i1'), status: 'failed' });
		expect(await wait(decidePending(run))).toBe(true);
		expect(sent).toEqual([]);
	});

	test('denies the requests that nobody answered, and leaves the others', async () => {
		const { run, sent, clock, wait } = await createRun(
			{ body: {} },
			{ policy: ASK, timeouts: TIMEOUTS },
		);
		applyReading(run, pending('i1', 'i2'));
		await wait(decidePending(run));
		const keys = ['i1', 'i2'].map((id) => requestKey(request(id)));
		expect(run.record.wait).toEqual({
			since: 0,
			changedAt: 0,
			firstSeen: { [keys[0]]: 0, [keys[1]]: 0 },
		});
		clock.advance(SECOND);
		await wait(decidePending(run));
		expect(run.record.wait?.changedAt).toBe(0);
		const vague = request('i3', { response: { options: [] } });
		applyReading(run, session({ pendingInteractions: [request('i1'), request('i2'), vague] }));
		run.keysToDeny = [keys[1], requestKey(vague)];
		expect(await wait(decidePending(run))).toBe(true);
		expect(run.record.wait).toMatchObject({
			changedAt: SECOND,
			firstSeen: { [keys[0]]: 0, [requestKey(vague)]: SECOND },
		});
		expect(run.undecided.map(({ interaction }) => interaction.id)).toEqual(['i1', 'i3']);
		expect(sent.map(({ path }) => path)).toEqual(['/agent/sessions/s1/interactions/i2/resolve']);
		expect(run.record.ledger).toMatchObject([{ record: { decision: 'deny', option: 'reject' } }]);
	});
});

describe('a result', () => {
	test('of a session that was never read has its ID, and a status by its start', async () => {
		const record = { sessionId: 's1', dashboardUrl: URL, origin: { projectId: 'p1' } };
		const { run, clock } = await createRun({}, {}, record);
		clock.advance(SECOND);
		run.pollCount = 3;
		expect(toResult(run, 'stillRunning')).toEqual({
			kind: 'stillRunning',
			session: { sessionId: 's1', status: 'starting', pendingInteractions: [], dashboardUrl: URL },
			origin: { projectId: 'p1' },
			decisions: [],
			undecided: [],
			preferences: run.settings.policy,
			warnings: [],
			pollCount: 3,
			durationMs: SECOND,
		});
		const target = { operation: 'continue', sessionId: 's1' } as const;
		const continued = await createRun({}, { target });
		expect(toResult(continued.run, 'stillRunning').session.status).toBe('unknown');
	});

	test('has the warnings of earlier wakes, then its own, then held decisions and doubts', async () => {
		const { run } = await createRun(
			{},
			{},
			{ sessionId: 's1', warnings: ['Earlier'], ledger: [sentLine] },
		);
		run.warnings.add('Own');
		run.hold = { until: 1, because: 'The service is busy' };
		expect(toResult(run, 'stillRunning').warnings).toEqual([
			'Earlier',
			'Own',
			'Not every request could be decided in time: The service is busy.',
			expect.stringMatching(/^Permission request i1 may have been decided/),
		]);
	});

	test.each([
		['completed', 'completed'],
		['failed', 'failed'],
	])('of a session that is %s is %s', async (status, kind) => {
		const { run } = await createRun();
		run.update(session({ status }));
		expect(endedResult(run)).toMatchObject({ kind, warnings: [] });
	});

	test('waits for the turn of a message, and then warns', async () => {
		const turn = { messageKey: 'x', hadEnded: true, sentAt: 0, polls: 3 };
		const { run, clock } = await createRun({}, {}, { sessionId: 's1', turn });
		run.update(session({ status: 'completed' }));
		expect(endedResult(run)).toBeUndefined();
		clock.advance(10 * MINUTE);
		expect(endedResult(run)?.warnings).toEqual([
			expect.stringMatching(
				/^No new turn was seen within \d+ seconds of the message, so the result may/,
			),
		]);
	});
});

describe('an error', () => {
	test('gets the session, its decisions and its doubts', async () => {
		const { run } = await createRun(
			{},
			{},
			{ sessionId: 's1', dashboardUrl: URL, ledger: [sentLine] },
		);
		const error = addSessionToError(run, new WorkspaceAutomationError('No', 'Retry.')) as any;
		expect(error).toMatchObject({ message: 'No', context: { sessionId: 's1', dashboardUrl: URL } });
		expect(error.description).toMatch(
			/^Retry\. Session s1, https:.* Permission request i1 may have/,
		);
	});

	test.each([
		['of a bug', new TypeError('x'), { sessionId: 's1' }],
		['before there is a session', new WorkspaceAutomationError('No', ''), {}],
	])('%s stays as it is', async (_, error, record) => {
		const { run } = await createRun({}, {}, record);
		expect(addSessionToError(run, error)).toBe(error);
	});

	test('of Stop gets no session', async () => {
		const { run, wait } = await createRun();
		const fail = (error: Error) => withSessionErrors(run, async () => await Promise.reject(error));
		const stop = new CanceledError();
		expect(await wait(fail(stop))).toBe(stop);
		const named = await wait(fail(new WorkspaceAutomationError('No', '')));
		expect(named.context.sessionId).toBe('s1');
		expect(await withSessionErrors(run, async () => 7)).toBe(7);
	});
});

describe('the end of a wait', () => {
	const about = { tooLong: 'It took a minute', advice: 'Wait longer.', wasRead: true };
	const end = async (answer: Answer, changes: object = {}) => {
		const world = await createRun(answer);
		const { run } = world;
		const options = lastRequests(run.api);
		const error = await world.wait(
			abandon(run, { ...about, isAborted: true, ...changes }, options),
		);
		return { ...world, error, options };
	};

	test('aborts the session, and a retry starts another one', async () => {
		const { error, sent, journal, options } = await end({ body: {} });
		expect(error).toMatchObject({
			message: 'It took a minute and was aborted',
			description: "Wait longer. Session s1 (its dashboard URL isn't known yet).",
		});
		expect(sent.map(({ path }) => path)).toEqual(['/agent/sessions/s1/abort']);
		expect(journal.read()).toBeUndefined();
		expect(options).toEqual({ deadline: 30_000, maxAttempts: 3, urgent: true });
	});

	test('keeps the session if the last poll failed, because it may have completed', async () => {
		const { journal } = await end({ body: {} }, { wasRead: false });
		expect(journal.read()?.sessionId).toBe('s1');
	});

	test('leaves the session running if it is not to be aborted', async () => {
		const { error, sent } = await end({ body: {} }, { isAborted: false });
		expect(error).toMatchObject({
			message: "It took a minute. It's still running",
			description: 'Wait longer.',
		});
		expect(sent).toEqual([]);
	});

	test('says if the session couldn’t be aborted', async () => {
		const { error, journal } = await end({ status: 403, body: {} });
		expect(error.message).toBe("It took a minute and couldn't be aborted");
		expect(error.description).toMatch(/^It may still be running\. .+\. Wait longer\.$/);
		expect(error.context.httpStatus).toBe(403);
		expect(journal.read()?.sessionId).toBe('s1');
	});
});

describe('after Stop', () => {
	const stop = async (
		answer: Answer,
		settings: Partial<ItemSettings> = {},
		record: Partial<SessionRecord> = { sessionId: 's1' },
	) => {
		const world = await createRun(answer, settings, record);
		return { ...world, said: await world.wait(abortAfterStop(world.run)) };
	};

	test('the session is aborted, and the journal forgets it', async () => {
		const { said, sent, journal, logged } = await stop({ body: {} });
		expect([said, sent.length, journal.read()]).toEqual([undefined, 1, undefined]);
		expect(logged).toEqual(['The execution was stopped. Agent session s1 was aborted']);
	});

	test('a session that couldn’t be aborted is named', async () => {
		const { said, journal, logged } = await stop({ status: 403, body: {} });
		expect(said).toBe("Session s1 couldn't be aborted and may still be running.");
		expect(logged[0]).toMatch(
			/^The execution was stopped, but agent session s1 couldn't be aborted and may still be running: ./,
		);
		expect(journal.read()?.sessionId).toBe('s1');
	});

	test('the session keeps running if Abort on Stop is off', async () => {
		const { said, sent, logged } = await stop({ body: {} }, { abortOnStop: false });
		expect([said, sent]).toEqual([undefined, []]);
		expect(logged).toEqual([
			'The execution was stopped. Agent session s1 is still running, because Abort on Stop is off',
		]);
	});

	test('without a session nothing is sent', async () => {
		const { said, sent, logged } = await stop({ body: {} }, {}, {});
		expect([said, sent, logged]).toEqual([undefined, [], []]);
	});
});
