// Answers of the approval page, from the link until they are votes.
import { describe, expect, test } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';
import {
	nextAnswerTime,
	listUnapplied,
	saveWithRecent,
	takeAnswers,
} from '../../nodes/RunAgentSession/page/links.ts';
import {
	castAnswer,
	createBallot,
	type FormAnswer,
	type TeamSettings,
} from '../../nodes/RunAgentSession/requests/ballots.ts';
import { requestKey, type RequestRecord } from '../../nodes/RunAgentSession/requests/record.ts';

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
	votes: [],
	...changes,
});

const answerAt = (at: number, id = 'r1'): FormAnswer => ({
	request: requestKey(record(id)),
	vote: { decision: 'approve', option: 'once', choice: 'Approve once', at },
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
		['a request that has this answer', false, { votes: [{ ...answerAt(20).vote, approver: 0 }] }],
		['a request with an earlier answer', true, { votes: [{ ...answerAt(1).vote, approver: 0 }] }],
	])('counts for %s: %s', (_, counts, changes) => {
		const requests = [record('r1', changes)];
		const ballot = createBallot(requests, undefined, 1, {});
		const after = castAnswer({ requests, ballots: [ballot] }, ballot, 0, answerAt(20));
		expect(after !== undefined).toBe(counts);
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
		const records = { requests: [record('r1')], ballots: [own, question] };
		expect(castAnswer(records, own, 0, answerAt(3)) !== undefined).toBe(counts);
	});
});

describe('an answer that n8n may not have saved', () => {
	let executions = 0;
	/** Saves an answer, and returns another copy of the node's context, in which n8n hasn't saved it. */
	const save = () => {
		const execution = `link-answers ${++executions}`;
		const saved = (nonce: string, now: number, contexts: Record<string, IDataObject> = {}) => {
			const answer = { nonce, answers: [answerAt(now)] };
			saveWithRecent(execution, contexts, { contextName: 'node', answer, form: nonce }, now);
			return contexts.node.answers;
		};
		const unapplied = (now: number) => listUnapplied(execution, 'node', {}, now).length;
		const taken = (now: number) => takeAnswers(execution, 'node', {}, () => [], now).length;
		return { saved, unapplied, taken };
	};

	test.each([
		[60 * SECOND, 2],
		[61 * SECOND, 1],
	])('is saved with another one %d ms later: %d answers', (later, count) => {
		const { saved } = save();
		saved('first', 0);
		expect(saved('second', later)).toHaveLength(count);
	});

	test.each([
		['before a run takes it, for a minute', false, 60 * SECOND, 1],
		['before a run takes it, not longer', false, 61 * SECOND, 0],
		['after a run took it, for ten seconds', true, 10 * SECOND, 1],
		['after a run took it, not longer', true, 11 * SECOND, 0],
	])('is shown as saved %s', (_, isTaken, now, count) => {
		const { saved, taken, unapplied } = save();
		saved('first', 0);
		if (isTaken) taken(0);
		expect(unapplied(now)).toBe(count);
	});

	const MINUTE = 60 * SECOND;
	const decision = {
		verdict: { decision: 'approve' as const, option: 'once', decidedBy: 'page' },
		at: 30,
		state: 'sent' as const,
		pollsShown: 0,
	};
	test.each<[string, number, number, Partial<RequestRecord>, boolean]>([
		['nothing is left of the run that took it', 1, 15 * MINUTE, {}, false],
		['that is too long ago', 0, 15 * MINUTE + 1, {}, false],
		['its vote is there', 0, 1, { votes: [{ ...answerAt(0).vote, approver: 0 }] }, false],
		[
			'only the vote of another approver is',
			1,
			1,
			{ votes: [{ ...answerAt(0).vote, approver: 1 }] },
			false,
		],
		['the request is decided', 0, 1, { decision }, false],
		['the request has another ID', 0, 1, { id: 'r2' }, false],
		['the request has another content', 0, 1, { contentHash: 'other' }, false],
		['nobody has been asked about it', 0, 1, { askedAt: undefined }, false],
		['approvers have been asked again since', 0, 1, {}, true],
	])('is taken again, if %s: %d', (_, count, at, changes, isAskedAgain) => {
		const execution = `link-answers ${++executions}`;
		const own = ask();
		const { nonce } = own.approvers[0];
		saveWithRecent(
			execution,
			{},
			{ contextName: 'node', answer: { nonce, answers: [answerAt(0)] }, form: '' },
			0,
		);
		const session = {
			state: 'running' as const,
			sessionId: 's1',
			requests: [record('r1', changes)],
			ballots: isAskedAgain ? [own, { ...ask(), at: 2 }] : [own],
		};
		const take = (context: IDataObject, now: number) =>
			takeAnswers(execution, 'node', context, () => [session], now).length;
		const context = {};
		expect([take(context, 0), take(context, at), take({}, at)]).toEqual([1, 0, count]);
	});
});

test('later answers have later times, also if the clock stands still or goes back', () => {
	const first = nextAnswerTime(5);
	expect([nextAnswerTime(5), nextAnswerTime(4), nextAnswerTime(first + 10)]).toEqual([
		first + 1,
		first + 2,
		first + 10,
	]);
});
