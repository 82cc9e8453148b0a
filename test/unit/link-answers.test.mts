// Answers of the approval page, from the link until they are votes.
import { describe, expect, test } from '@jest/globals';
import {
	acceptAnswers,
	addAnswers,
	listAnswers,
	recallAnswers,
} from '../../nodes/RunAgentSession/execution/itemRecords.ts';
import {
	createBallot,
	mergeAnswers,
	renewBallot,
	votesOf,
	type LinkAnswer,
	type TeamSettings,
} from '../../nodes/RunAgentSession/requests/ballots.ts';
import {
	requestKey,
	type RequestRecord,
} from '../../nodes/RunAgentSession/requests/requestRecord.ts';

const SECOND = 1_000;
const CONTENT = 'content';

const record = (id: string, changes: Partial<RequestRecord> = {}): RequestRecord => ({
	id,
	contentHash: CONTENT,
	interaction: { id, type: 'permission' },
	permission: 'bash',
	patterns: ['git status'],
	seenAt: 0,
	askedAt: 0,
	...changes,
});

const answerAt = (at: number, link = 'link'): LinkAnswer => ({
	link,
	request: requestKey(record('r1')),
	vote: { decision: 'approve', option: 'once', choice: 'Approve once' },
	at,
	form: '',
});

const ask = (team?: TeamSettings) => createBallot([record('r1')], team, 1, {});
const ANNA: TeamSettings = {
	approvers: [{ name: 'Anna', contact: 'anna@example.com' }],
	needed: 1,
	maxReminders: 0,
};

describe('a vote', () => {
	test.each<[string, boolean, Partial<RequestRecord>]>([
		['the request', true, {}],
		['a request with another ID', false, { id: 'r2' }],
		['a request with other content', false, { contentHash: 'other' }],
		['a later request that looks the same', false, { seenAt: 1 }],
	])('counts for %s: %s', (_, counts, changes) => {
		const requests = [record('r1', changes)];
		const ballot = createBallot(requests, undefined, 1, {});
		const answers = [answerAt(20, ballot.approvers[0].nonce)];
		expect(votesOf(requests[0], { ballots: [ballot], answers })).toHaveLength(counts ? 1 : 0);
	});

	test.each([
		['a link without approvers', 'a single approver', true, undefined, undefined],
		['a link without approvers', 'a team', false, undefined, ANNA],
		['the link of a team', 'a single approver', false, ANNA, undefined],
		['the link of a team', 'the same team', true, ANNA, ANNA],
	])('of %s counts for a later question to %s: %s', (_own, _later, counts, owner, later) => {
		const own = ask(owner);
		const [asked] = ask(later).approvers;
		const question = { ...ask(later), at: 2, approvers: [{ ...asked, askedAt: 2 }] };
		const voting = { ballots: [own, question], answers: [answerAt(3, own.approvers[0].nonce)] };
		expect(votesOf(record('r1'), voting)).toHaveLength(counts ? 1 : 0);
	});

	test('still counts in a retry, whose links are others', () => {
		const own = ask();
		const answers = [answerAt(2, own.approvers[0].nonce)];
		const ballots = [renewBallot(renewBallot(own, 3, undefined), 4, undefined)];
		expect(votesOf(record('r1'), { ballots, answers })).toMatchObject([{ at: 2 }]);
	});

	test("is each approver's latest answer through any of their links, the earliest first", () => {
		const two = { ...ANNA, approvers: [...ANNA.approvers, { name: 'Ben', contact: 'ben' }] };
		const [own, later] = [ask(two), ask(two)];
		const [[anna, ben], [again]] = [own.approvers, later.approvers];
		const answers = [answerAt(1, anna.nonce), answerAt(2, ben.nonce), answerAt(3, again.nonce)];
		const votes = votesOf(record('r1'), { ballots: [own, later], answers: answers.toReversed() });
		expect(votes.map(({ name, at }) => [name, at])).toEqual([
			['Ben', 2],
			['Anna', 3],
		]);
	});
});

describe('answers of several copies', () => {
	const [first, changed] = [answerAt(1), { ...answerAt(2), form: 'changed' }];
	const other = { ...answerAt(1), link: 'other' };

	test('are merged, and the later one of the same link to the same request wins, in any order', () => {
		const copies = [[first], [changed, other], [other], []];
		for (const given of [copies, copies.toReversed()])
			expect(new Set(mergeAnswers(...given))).toEqual(new Set([changed, other]));
		expect(mergeAnswers([first, other], [first, other])).toEqual([first, other]);
	});

	test('grow by links and requests only', () => {
		const contexts = {};
		const isNew = [1, 2, 3, 3].map((at) => addAnswers(contexts, [answerAt(at)]));
		expect(isNew).toEqual([true, true, true, false]);
		expect(listAnswers(contexts)).toEqual([answerAt(3)]);
	});

	test('has what this process accepted, for a quarter of an hour', () => {
		const MINUTE = 60 * SECOND;
		acceptAnswers('one', [first], 0);
		acceptAnswers('one', [other], 15 * MINUTE);
		acceptAnswers('two', [first], 30 * MINUTE);
		const recalled = (execution: string) => {
			const contexts = {};
			recallAnswers(execution, contexts);
			return listAnswers(contexts);
		};
		expect([recalled('one'), recalled('none')]).toEqual([[first, other], []]);
		acceptAnswers('three', [], 30 * MINUTE + 1);
		expect([recalled('one'), recalled('two')]).toEqual([[], [first]]);
	});
});
