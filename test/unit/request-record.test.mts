// The record of a request: what each event makes of it, as pure functions.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
	planDecisions,
	summarizeDecisions,
} from '../../nodes/RunAgentSession/requests/decisions.ts';
import type { AskVerdict } from '../../nodes/RunAgentSession/policy/rules.ts';
import {
	createBallot,
	findBallot,
	renewBallot,
	votesOf,
	type LinkAnswer,
	type Ballot,
	type Voting,
} from '../../nodes/RunAgentSession/requests/ballots.ts';
import {
	applyPoll,
	endRequests,
	isOpen,
	recordAsked,
	recordRefused,
	recordSending,
	recordTaken,
	requestKey,
	type RequestRecord,
} from '../../nodes/RunAgentSession/requests/requestRecord.ts';
import {
	tally,
	type Vote,
	type SettledVerdict,
} from '../../nodes/RunAgentSession/requests/votes.ts';
import { unansweredAt } from '../../nodes/RunAgentSession/requests/ballots.ts';
import type { Interaction } from '../../nodes/shared/client/session.ts';
import { answerTo } from './forms.mts';
import { request as anyRequest, session } from './interactions.mts';

const NO_VOTING: Voting = { ballots: [], answers: [] };

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

describe('a request is its ID and its whole content', () => {
	/** Returns the pending records after two readings, of which the later ones count. */
	const isSame = (one: Interaction, other: Interaction): boolean => {
		const [first] = polled([], 1, one);
		const pending = polled([first], 2, other).filter(({ interaction }) => interaction);
		return requestKey(pending[0]) === requestKey(first);
	};

	test.each<[string, object, object, boolean]>([
		['nothing changed', {}, {}, true],
		['keys in another order', { metadata: { a: 1, b: 2 } }, { metadata: { b: 2, a: 1 } }, true],
		['another ID', {}, { id: 'r2' }, false],
		['another command', {}, { patterns: ['npm run x'] }, false],
		['other options', {}, { response: { options: [] } }, false],
		['a count', { metadata: { duration: 1 } }, { metadata: { duration: 5_001 } }, false],
		['a clock', { metadata: { elapsedMs: 5 } }, { metadata: { elapsedMs: 6 } }, false],
		['a date', { metadata: { at: '2026-10-05' } }, { metadata: { at: '2026-10-06' } }, false],
		['a field that is gone', { note: 'x' }, {}, false],
		['a list in another order', { metadata: ['a', 'b'] }, { metadata: ['b', 'a'] }, false],
	])('%s', (_, one, other, same) => {
		expect(isSame(request(one), request(other))).toBe(same);
	});

	const ticking = (count: number) => request({ metadata: { count } });
	const pendingOf = (records: RequestRecord[]) =>
		records.filter(({ interaction }) => interaction !== undefined);
	const ask: AskVerdict = { decision: 'ask', because: 'x' };

	test('what was answered before a change is not sent, and approvers are asked again', () => {
		const seen = polled([], 1, ticking(1));
		const ballot = createBallot(seen, undefined, 1, {});
		const voting = { ballots: [ballot], answers: [answerTo(ballot, seen[0])] };
		expect(planDecisions(seen, voting, () => ask).due).toHaveLength(1);
		const plan = planDecisions(polled(seen, 2, ticking(2)), voting, () => ask);
		expect(plan.due).toEqual([]);
		expect(plan.undecided.map(({ record }) => findBallot([ballot], record))).toEqual([undefined]);
	});

	const reissued = (count: number) => request({ id: `r${count}` });

	/** The records after readings with these contents or IDs, of which approvers were asked about each. The first at 1 */
	const readings = (counts: number[], show = ticking) => {
		let records: RequestRecord[] = [];
		for (const [index, count] of counts.entries()) {
			records = polled(records, index + 1, show(count));
			records = recordAsked(records, pendingOf(records), index + 1);
		}
		return records;
	};

	const ROWS: Array<[string, number[], boolean]> = [
		['two changes', [1, 2, 3], false],
		['three changes', [1, 2, 3, 4], true],
		['more changes', [1, 2, 3, 4, 5, 6, 7], true],
		['three changes that are not in a row', [1, 2, 3, 3, 4], false],
		['a reading without a change after three', [1, 2, 3, 4, 4], true],
	];
	test.each(
		ROWS.flatMap(([name, counts, isLeft]) =>
			[ticking, reissued].map((show) => ({ name, counts, isLeft, show })),
		),
	)(
		'after $name in a row, it is left to the dashboard: $counts of $show.name',
		({ counts, isLeft, show }) => {
			const records = readings(counts, show);
			const [{ isBlocked, because, record }, ...others] = planDecisions(
				records,
				NO_VOTING,
				() => ask,
			).undecided;
			expect(others).toEqual([]);
			expect([isBlocked, because]).toEqual(
				isLeft ? [true, 'it changes with each reading'] : [undefined, 'x'],
			);
			expect(planDecisions(records, NO_VOTING, () => deny).due).toHaveLength(1);
			const timeouts = {
				maxWaitMs: Infinity,
				onMaxWait: 'abort' as const,
				ifNobodyAnswers: 'deny' as const,
				unansweredAfterMs: 100,
			};
			const since = isLeft ? 1 : record.seenAt;
			expect(unansweredAt([record], timeouts)).toBe(since + 100);
		},
	);

	test.each([ticking, reissued])(
		'once it is left to the dashboard, approvers are not asked for each change: %p',
		(show) => {
			const records = readings([1, 2, 3, 4], show);
			const ballot = createBallot(pendingOf(records), undefined, 4, {});
			const later = polled(polled(records, 5, show(5)), 6, show(6));
			const voting = { ballots: [ballot], answers: [] };
			const [{ record }, ...others] = planDecisions(later, voting, () => ask).undecided;
			expect(others).toEqual([]);
			expect(findBallot([ballot], record)).toBe(ballot);
			expect(record.interaction).toEqual(show(6));
		},
	);

	test('requests with the same content are counted apart', () => {
		let records: RequestRecord[] = [];
		for (const at of [1, 2, 3, 4, 5])
			records = polled(records, at, ...['a', 'b'].map((name) => request({ id: `${name}${at}` })));
		expect(pendingOf(records).map(({ interaction }) => interaction?.id)).toEqual(['a5', 'b5']);
	});

	test('a decision that was taken is not sent again while its request still changes', () => {
		const seen = polled([], 1, ticking(1));
		const taken = recordTaken(recordSending(seen, seen[0], approve, 2), seen[0]);
		const soon = polled(taken, 3, ticking(2));
		expect(planDecisions(soon, NO_VOTING, () => approve)).toEqual({ due: [], undecided: [] });
		const later = polled(soon, 2 + 30_000, ticking(3));
		expect(summarizeDecisions(later).decisions).toMatchObject([{ state: 'unconfirmed' }]);
		expect(planDecisions(later, NO_VOTING, () => approve)).toMatchObject({
			due: [],
			undecided: [{ because: expect.stringMatching(/still lists it/) }],
		});
	});
});

const numbered = (n: number) => request({ id: `r${n}`, patterns: [`npm run ${n}`] });

test('of more than 100 pending requests, those that were seen are taken first, and the others stay pending', () => {
	const some = (from: number, to: number) =>
		Array.from({ length: to - from }, (_, at) => numbered(from + at));
	const idsOf = (records: RequestRecord[]) =>
		records.flatMap(({ interaction }) => (interaction ? [interaction.id] : []));
	const ids = (from: number, to: number) => some(from, to).map(({ id }) => id);
	const first = polled([], 1, ...some(0, 150));
	expect(idsOf(first)).toEqual(ids(0, 100));
	expect(idsOf(polled(first, 2, ...some(0, 150).reverse()))).toEqual(ids(0, 100));
	const others = polled(first, 2, ...some(100, 200));
	expect(idsOf(polled(others, 3, ...some(0, 200)))).toEqual(ids(0, 200));
});

test('of requests that are gone without a decision, the latest 200 are kept for their pages', () => {
	let records: RequestRecord[] = [];
	for (let at = 0; at <= 300; at++) records = polled(records, at, numbered(at));
	expect(records.map(({ id }) => id)).toEqual(
		Array.from({ length: 201 }, (_, index) => `r${index + 100}`),
	);
});

test('a retry asks with links of its own', () => {
	const ballot = createBallot(polled([], 1, request()), undefined, 1, {});
	const [{ nonce }] = renewBallot(ballot, 2, undefined).approvers;
	expect(nonce).toMatch(/^[\w-]{22}$/);
	expect(nonce).not.toBe(ballot.approvers[0].nonce);
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
	test('was seen by who answered, character by character, for any changes by the service', () => {
		fc.assert(
			fc.property(fc.array(step, { minLength: 2, maxLength: 12 }), (steps) => {
				let records: RequestRecord[] = [];
				let [now, id] = [1, 0];
				const ballots: Ballot[] = [];
				const given: LinkAnswer[] = [];
				const voting: Voting = { ballots, answers: given };
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
					const { due, undecided } = planDecisions(records, voting, () => ask);
					for (const { record, verdict } of due) {
						const votes = votesOf(record, voting).map(({ at }) => seen.get(at)!);
						expect(votes).toEqual([shown]);
						expect(record.interaction).toEqual(shown);
						records = recordSending(records, record, verdict, now);
						records = recordRefused(records, record, true, now);
					}
					const unasked = undecided
						.map(({ record }) => record)
						.filter((record) => !findBallot(ballots, record));
					records = recordAsked(records, unasked, now);
					if (unasked.length > 0) ballots.push(createBallot(unasked, undefined, now, {}));
					const open = records.find(isOpen);
					if (!answers || !open) continue;
					seen.set(now, open.interaction!);
					given.push(answerTo(findBallot(ballots, open)!, open, { at: now }));
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
		['taken, and still shown 30 s later', polled(taken, 1_000 + 30_000, request()), 'unconfirmed'],
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
			polled(polled(taken, 1_000 + 30_000, request()), 99_000),
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
		const { due, undecided } = planDecisions(
			again,
			{ ballots: [ballot], answers: [] },
			() => approve,
		);
		expect(due).toEqual([]);
		expect(undecided).toMatchObject([{ because: expect.stringMatching(/still lists it/) }]);
		const [{ record }] = undecided;
		expect(findBallot([ballot], record)).toBeUndefined();
		const asked = createBallot([record], undefined, 100_000, {});
		const voting = { ballots: [ballot, asked], answers: [answerTo(asked, record)] };
		expect(planDecisions(again, voting, () => deny).due).toMatchObject([
			{ verdict: { decision: 'approve', decidedBy: 'page' } },
		]);
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
		const { due } = planDecisions(records, NO_VOTING, ({ id }) => verdicts.get(id)!);
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
});

test('an answer wins over the policy, also over a denial', () => {
	const records = polled([], 1, request());
	const ballot = createBallot(records, undefined, 1, {});
	const voting = { ballots: [ballot], answers: [answerTo(ballot, records[0])] };
	expect(planDecisions(records, voting, () => deny).due).toMatchObject([
		{ verdict: { decision: 'approve', decidedBy: 'page' } },
	]);
});

test('only as many votes count as are needed', () => {
	const late = vote({ approver: 2, option: 'always', once: undefined });
	expect(tally([vote({ once: undefined }), vote({ approver: 1 }), late], 2)?.option).toBe('once');
	expect(tally([vote({ option: 'always' }), late, vote({ approver: 1 })], 2)?.option).toBe(
		'always',
	);
});
