// The record of a request: what each event makes of it, as pure functions.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { planDecisions } from '../../nodes/RunAgentSession/requests/plan.ts';
import type { AskVerdict } from '../../nodes/RunAgentSession/policy/rules.ts';
import {
	createBallot,
	findBallot,
	mustBeAsked,
	type Ballot,
} from '../../nodes/RunAgentSession/requests/ballots.ts';
import {
	applyPoll,
	endRequests,
	isOpen,
	MAX_UNCONFIRMED_MS,
	recordAsked,
	recordRefused,
	recordSending,
	recordTaken,
	recordVotes,
	type RequestRecord,
} from '../../nodes/RunAgentSession/requests/record.ts';
import { summarizeDecisions } from '../../nodes/RunAgentSession/requests/summary.ts';
import {
	castVote,
	tally,
	type Vote,
	type SettledVerdict,
} from '../../nodes/RunAgentSession/requests/votes.ts';
import type { Interaction } from '../../nodes/shared/client/session.ts';
import { request as anyRequest, session } from './interactions.mts';

const request = (changes: object = {}): Interaction => anyRequest({ id: 'r1', ...changes });
const approve: SettledVerdict = { decision: 'approve', option: 'once', decidedBy: 'policy' };
const deny: SettledVerdict = { decision: 'deny', option: 'reject', decidedBy: 'policy' };
const polled = (records: RequestRecord[], at: number, ...pending: Interaction[]) =>
	applyPoll(records, session({ pendingInteractions: pending }), at);
const vote = (changes: Partial<Vote> = {}): Vote => ({
	approver: 0,
	decision: 'approve',
	option: 'once',
	once: 'once',
	choice: 'Approve once',
	at: 1,
	...changes,
});

const START = Date.parse('2026-10-05T09:00:00Z');
const time = (ms: number) => new Date(START + ms).toISOString();
/** The pending records after two polls, 10 s apart. The request counts as the same if its record stays. */
const twice = (one: Interaction, other: Interaction) =>
	polled(polled([], START, one), START + 10_000, other);
const isSame = (one: Interaction, other: Interaction) => twice(one, other).length === 1;

describe('content identifies a request', () => {
	test.each<[string, Interaction, Interaction, boolean]>([
		['another ID', request(), request({ id: 'r2' }), true],
		['another command', request(), request({ patterns: ['npm run x'] }), false],
		['other options', request(), request({ response: { options: [] } }), false],
		[
			'keys in another order',
			request({ metadata: { a: 'x', b: 'y' } }),
			request({ metadata: { b: 'y', a: 'x' } }),
			true,
		],
	])('%s', (_name, one, other, same) => {
		expect(isSame(one, other)).toBe(same);
	});

	test.each<[string, object, object, boolean]>([
		['a time that moved with the clock', { askedAt: time(-5) }, { askedAt: time(9_990) }, true],
		['a time that stands still', { createdAt: time(-90_000) }, { createdAt: time(-90_000) }, true],
		['milliseconds that grew with the clock', { elapsedMs: 5 }, { elapsedMs: 10_005 }, true],
		[
			'seconds that grew with the clock',
			{ waited_ms: 5, uptime: 2 },
			{ waited_ms: 9, uptime: 12 },
			true,
		],
		['a time in seconds since 1970', { now: START / 1_000 }, { now: START / 1_000 + 10 }, true],
		['a time that jumped', { at: time(-90_000) }, { at: time(0) }, false],
		['a time that went back', { at: time(0) }, { at: time(-60_000) }, false],
		['a time in the future that moved', { at: time(9e7) }, { at: time(9e7 + 1_000) }, false],
		['a date', { at: '2026-12-24' }, { at: '2026-11-27' }, false],
		['seconds since 1970 that jumped', { at: START / 1_000 - 9_000 }, { at: START / 1_000 }, false],
		['a number that grew by more than the time', { elapsed: 1 }, { elapsed: 100_000 }, false],
		['a number that fell', { elapsed: 9 }, { elapsed: 1 }, false],
		['a clock that became a text', { elapsed: 1 }, { elapsed: '1 s' }, false],
		['a clock that is gone', { elapsed: 1 }, {}, false],
		['a count', { count: 1 }, { count: 2 }, false],
		['a time under another name', { x: time(0) }, { x: time(1_000) }, false],
		['a clock that is deeper', { tool: { at: time(0) } }, { tool: { at: time(1) } }, false],
		['a text with a number', { note: '3 files' }, { note: '4 files' }, false],
		['an ID', { runId: 'a' }, { runId: 'b' }, false],
	])('only clocks may tick: %s', (_name, one, other, same) => {
		expect(isSame(request({ metadata: one }), request({ metadata: other }))).toBe(same);
	});

	test('a clock outside of the metadata is content', () => {
		expect(isSame(request({ at: time(0) }), request({ at: time(1_000) }))).toBe(false);
	});

	test('what was answered before a clock jumped is not sent', () => {
		const publish = (at: string) => request({ metadata: { at } });
		const seen = polled([], START, publish(time(-90_000)));
		const ballot = createBallot(seen, undefined, START, {});
		const voted = recordVotes(recordAsked(seen, seen, START), seen[0], [vote()]);
		expect(planDecisions(voted, [ballot], () => deny).due).toHaveLength(1);
		const after = polled(voted, START + 10_000, publish(time(0)));
		const plan = planDecisions(after, [ballot], () => ({ decision: 'ask', because: 'x' }));
		expect(plan.due).toEqual([]);
		expect(plan.undecided.map(({ record }) => mustBeAsked(record, [ballot]))).toEqual([true]);
	});

	test('the same content under a new ID keeps its time and its votes', () => {
		const asked = recordAsked(polled([], 1, request()), polled([], 1, request()), 5);
		const voted = recordVotes(asked, asked[0], [vote()]);
		const [record, ...others] = polled(voted, 9, request({ id: 'r9' }));
		expect(others).toEqual([]);
		expect(record).toMatchObject({ id: 'r9', seenAt: 1, askedAt: 5, votes: [vote()] });
	});

	test('an answer to a request that has lost its ID is not sent', () => {
		const seen = polled([], 1, request());
		const ballot = createBallot(seen, undefined, 1, {});
		const voted = recordVotes(recordAsked(seen, seen, 1), seen[0], [vote()]);
		const plan = planDecisions(polled(voted, 2, request({ id: '' })), [ballot], () => approve);
		expect(plan.due).toEqual([]);
		expect(plan.undecided).toMatchObject([{ because: 'it has no ID to answer to' }]);
	});

	test.each([
		['under one ID', () => 'r1'],
		['under another ID each time', (note: string) => `r-${note}`],
	])(
		'metadata that changes at each poll keeps one request %s, which nobody can approve',
		(_, idOf) => {
			const at = (note: string) => request({ id: idOf(note), metadata: { note } });
			let records = polled([], 1, at('a'));
			for (const [index, note] of ['b', 'c', 'd', 'e'].entries())
				records = polled(records, index, at(note));
			const [pending, ...others] = records.filter(({ interaction }) => interaction);
			expect(others).toEqual([]);
			expect(pending.unsteady).toEqual(['note']);
			const plan = planDecisions(records, [], () => approve);
			expect(plan.due).toEqual([]);
			expect(plan.undecided[0].because).toContain('note');
			const ballot = createBallot([pending], undefined, 9, {});
			const voted = recordVotes(recordAsked(records, [pending], 9), pending, [vote()]);
			expect(planDecisions(voted, [ballot], () => approve).due).toEqual([]);
			expect(planDecisions(records, [], () => deny).due).toHaveLength(1);
		},
	);

	test('thousands of fields that change at each poll are one request, with the first names', () => {
		const at = (value: number) =>
			request({
				metadata: Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`k${n}`, value])),
			});
		let records = polled([], 1, at(0));
		for (const value of [1, 2, 3, 4]) records = polled(records, value, at(value));
		const [pending, ...others] = records.filter(({ interaction }) => interaction);
		expect(others).toEqual([]);
		expect(pending.unsteady).toHaveLength(100);
		const plan = planDecisions(records, [], () => approve);
		expect(plan.due).toEqual([]);
		expect(plan.undecided[0].because).toBe(
			'its k0 and k1 and k2 and many more changes with each reading',
		);
		const other = polled(records, 5, { ...at(5), patterns: ['rm'] });
		expect(other.filter(({ interaction }) => interaction)).toMatchObject([{ patterns: ['rm'] }]);
	});
});

describe('what is sent', () => {
	const fields = fc.record({
		permission: fc.constantFrom('bash', 'edit'),
		patterns: fc.constantFrom(['a'], ['b'], ['a', 'b']),
		metadata: fc.option(
			fc.dictionary(
				fc.constantFrom('at', 'elapsedMs', 'count', 'note', 'id', 'deep'),
				fc.oneof(
					fc.integer({ min: 0, max: 40_000 }),
					fc.integer({ min: -60, max: 60 }).map((seconds) => time(seconds * 1_000)),
					fc.constantFrom('2026-12-24', 'x', { at: 1 }, { at: 2 }),
				),
			),
			{ nil: undefined },
		),
	});
	const step = fc.record({
		shows: fields,
		seconds: fc.integer({ min: 1, max: 30 }),
		repeats: fc.boolean(),
		answers: fc.boolean(),
		hasNewId: fc.boolean(),
	});
	/** A request without what may tick */
	const withoutClocks = ({ id: _, metadata, ...others }: Interaction) => ({
		...others,
		metadata: Object.fromEntries(
			Object.entries((metadata ?? {}) as object).map(([name, value]) => {
				const isClock = typeof value === 'number' || /T.*Z$/.test(String(value));
				return [name, ['at', 'elapsedMs'].includes(name) && isClock ? 'a clock' : value];
			}),
		),
	});

	test('was seen by who answered, character by character, clocks aside, for any changes by the service', () => {
		fc.assert(
			fc.property(fc.array(step, { minLength: 2, maxLength: 12 }), (steps) => {
				let [records, ballots, now, id]: [RequestRecord[], Ballot[], number, number] = [
					[],
					[],
					START,
					0,
				];
				let shown = request(steps[0].shows);
				/** What the page showed when a vote was cast */
				const seen = new Map<number, Interaction>();
				for (const { shows, seconds, repeats, answers, hasNewId } of steps) {
					now += seconds * 1_000;
					if (!repeats) shown = request(shows);
					if (hasNewId) id++;
					shown = { ...shown, id: `r${id}` };
					records = polled(records, now, structuredClone(shown));
					const ask: AskVerdict = { decision: 'ask', because: 'x' };
					const { due, undecided } = planDecisions(records, ballots, () => ask);
					for (const { record, verdict } of due) {
						const votes = record.votes.map(({ at }) => seen.get(at)!);
						expect(votes.map(withoutClocks)).toEqual([withoutClocks(shown)]);
						expect(withoutClocks(record.interaction!)).toEqual(withoutClocks(shown));
						records = recordSending(records, record, verdict, now);
						records = recordRefused(records, record, true, now);
					}
					const unasked = undecided
						.map(({ record }) => record)
						.filter((record) => mustBeAsked(record, ballots));
					records = recordAsked(records, unasked, now);
					if (unasked.length > 0) ballots = [...ballots, createBallot(unasked, undefined, now, {})];
					const open = records.find(isOpen);
					if (!answers || !open) continue;
					seen.set(now, open.interaction!);
					const votes = castVote(open.votes, vote({ at: now }));
					records = recordVotes(records, open, votes!);
				}
			}),
			{ numRuns: 300 },
		);
	});
});

describe('what came of a decision', () => {
	const [seen] = polled([], 1, request());
	const sending = recordSending([seen], seen, approve, 1_000);
	const taken = recordTaken(sending, seen);
	const getState = ([record]: RequestRecord[]) => record.decision?.state;

	test.each<[string, RequestRecord[], string]>([
		['taken, and not shown anymore', polled(taken, 2_000), 'confirmed'],
		['taken, and still shown', polled(taken, 2_000, request()), 'sent'],
		[
			'taken, and still shown 30 s later',
			polled(taken, 1_000 + MAX_UNCONFIRMED_MS, request()),
			'unconfirmed',
		],
		[
			'taken, and shown when the session ended',
			endRequests(polled(taken, 2_000, request())),
			'unconfirmed',
		],
		[
			'taken, and the session failed',
			applyPoll(taken, session({ status: 'failed' }), 2_000),
			'unconfirmed',
		],
		['no response, and not shown anymore', polled(sending, 2_000), 'unconfirmed'],
		['the service does not know the request', recordRefused(sending, seen, true, 3), 'gone'],
		[
			'the same after an earlier try',
			recordRefused(recordSending(sending, sending[0], approve, 2), seen, true, 3),
			'unconfirmed',
		],
		['refused', recordRefused(sending, seen, false, 3), 'refused'],
		[
			'unconfirmed, whatever comes after',
			polled(polled(taken, 1_000 + MAX_UNCONFIRMED_MS, request()), 99_000),
			'unconfirmed',
		],
	])('%s', (_name, records, state) => {
		expect(getState(records)).toBe(state);
	});

	test.each<[string, RequestRecord[]]>([
		['taken, without an effect', taken],
		[
			'refused as unknown after an earlier try',
			recordRefused(recordSending(sending, sending[0], approve, 2), seen, true, 3),
		],
	])('approvers are asked again about a request that is still pending: %s', (_, records) => {
		const ballot = createBallot([seen], undefined, 1, {});
		const again = polled(records, 99_000, request());
		const { due, undecided } = planDecisions(again, [ballot], () => approve);
		expect(due).toEqual([]);
		expect(undecided).toMatchObject([{ because: expect.stringMatching(/still lists it/) }]);
		const [{ record }] = undecided;
		expect(mustBeAsked(record, [ballot])).toBe(true);
		const answered = recordVotes(again, record, [vote()]);
		const asked = createBallot([record], undefined, 100_000, {});
		expect(planDecisions(answered, [ballot, asked], () => deny).due).toMatchObject([
			{ verdict: { decision: 'approve', decidedBy: 'page' } },
		]);
	});

	test('a decision without a response is not sent to another ID', () => {
		const reissued = polled([seen], 2, request({ id: 'r2' }));
		const lost = recordSending(reissued, reissued[0], approve, 3);
		expect(
			planDecisions(polled(lost, 4, request({ id: 'r2' })), [], () => approve).due,
		).toHaveLength(1);
		const other = polled(lost, 4, request({ id: 'r3' }));
		expect(planDecisions(other, [], () => approve).due).toEqual([]);
		expect(getState(other)).toBe('unconfirmed');
	});

	test('approvals come before denials', () => {
		const records = polled(
			[],
			1,
			request(),
			request({ id: 'r2', patterns: ['b'] }),
			request({ id: 'r3', patterns: ['c'] }),
		);
		const verdicts = new Map<unknown, SettledVerdict | AskVerdict>([
			['r1', deny],
			['r2', approve],
			['r3', deny],
		]);
		const { due } = planDecisions(records, [], ({ id }) => verdicts.get(id)!);
		expect(due.map(({ record }) => record.id)).toEqual(['r2', 'r1', 'r3']);
	});
});

describe('votes', () => {
	test.each<[string, Vote[], number, unknown]>([
		['one approval of one', [vote()], 1, { decision: 'approve', option: 'once' }],
		['one approval of two', [vote()], 2, undefined],
		[
			'one denial denies',
			[vote(), vote({ approver: 1, decision: 'deny', option: 'reject' })],
			3,
			{ decision: 'deny', option: 'reject' },
		],
		[
			'two ways to approve have both approved once',
			[vote({ option: 'always' }), vote({ approver: 1 })],
			2,
			{ decision: 'approve', option: 'once' },
		],
		[
			'two lasting ways without a way to approve once decide nothing',
			[vote({ option: 'a', once: undefined }), vote({ approver: 1, option: 'b', once: undefined })],
			2,
			undefined,
		],
	])('%s', (_name, votes, needed, verdict) => {
		expect(tally(votes, needed)).toEqual(verdict);
	});

	test.each<[string, Vote[], unknown]>([
		[
			'the session',
			[
				vote({ option: 'always', lastsFor: 'ever', once: undefined }),
				vote({ approver: 1, option: 'session', lastsFor: 'session', once: undefined }),
			],
			{ decision: 'approve', option: 'session' },
		],
		[
			'once, if the words of one do not say for how long it lasts',
			[vote({ option: 'folder' }), vote({ approver: 1, option: 'session', lastsFor: 'session' })],
			{ decision: 'approve', option: 'once' },
		],
	])('of two lasting choices, the narrower one counts: %s', (_name, votes, verdict) => {
		expect(tally(votes, 2)).toEqual(verdict);
		expect(tally([...votes].reverse(), 2)).toEqual(verdict);
	});

	test("an approver's later answer replaces the earlier one, and never the other way round", () => {
		const [first, second] = [vote({ at: 1 }), vote({ at: 2, decision: 'deny', option: 'reject' })];
		const other = vote({ approver: 1 });
		expect(castVote([first, other], second)).toEqual([second, other]);
		expect(castVote([second, other], first)).toBeUndefined();
		expect(castVote([first], other)).toEqual([first, other]);
	});
});

test('a request with the content of one that was decided is asked again', () => {
	const seen = polled([], 1, request());
	const ballot = createBallot(seen, undefined, 2, {});
	const first = recordAsked(seen, seen, 2);
	const decided = recordTaken(recordSending(first, first[0], approve, 3), first[0]);
	const again = polled(polled(decided, 4), 5, request({ id: 'r2' }));
	expect(mustBeAsked(again[1], [ballot])).toBe(true);
	expect(mustBeAsked(first[0], [ballot])).toBe(false);
});

test('an answer wins over the policy, also over a denial', () => {
	const records = polled([], 1, request());
	const ballot = createBallot(records, undefined, 1, {});
	const voted = recordVotes(records, records[0], [vote()]);
	expect(planDecisions(voted, [ballot], () => deny).due).toMatchObject([
		{ verdict: { decision: 'approve', decidedBy: 'page' } },
	]);
});

test('a decision keeps the ID that it was sent for, whatever ID its request gets later', () => {
	const first = polled([], START, request());
	const reissued = polled(first, START + 5_000, request({ id: 'r2' }));
	const sent = recordSending(reissued, reissued[0], approve, START + 6_000);
	const later = polled(sent, START + 10_000, request({ id: 'r3' }));
	const open = later.find(({ interaction, decision }) => interaction && !decision)!;
	const both = recordSending(later, open, approve, START + 11_000);
	const ids = summarizeDecisions(both).decisions.map(({ interactionId }) => interactionId);
	expect(ids).toEqual(['r2', 'r3']);
});

test('only as many votes count as are needed', () => {
	const late = vote({ approver: 2, option: 'always', once: undefined });
	expect(tally([vote({ once: undefined }), vote({ approver: 1 }), late], 2)?.option).toBe('once');
	expect(tally([vote({ option: 'always' }), late, vote({ approver: 1 })], 2)?.option).toBe(
		'always',
	);
});

test('a ballot for an earlier request with the same content does not show a later one', () => {
	const [early] = polled([], 1, request());
	const ballot = createBallot([early], undefined, 2, {});
	expect(findBallot([ballot], early)).toBe(ballot);
	expect(findBallot([ballot], { ...early, seenAt: 3 })).toBeUndefined();
});
