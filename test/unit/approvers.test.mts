// Several approvers: which votes count, what they decide, and who has to be asked when.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
	askDue,
	castVotes,
	createTeam,
	describeVotes,
	findSent,
	hasVoted,
	identifyRequests,
	listVoided,
	nextAskAt,
	tallyAll,
	tallyVotes,
	voidVotes,
	type Team,
	type TeamSettings,
	type Vote,
} from '../../nodes/RunAgentSession/approval/approvers.ts';

const HOUR = 3_600_000;
const NOW = Date.parse('2026-11-23T18:00:00.000Z');
const approver = (name: string, isBackup = false) => ({
	name,
	contact: `${name}@example.com`,
	...(isBackup && { isBackup: true as const }),
});
const settings = (changes: Partial<TeamSettings> = {}): TeamSettings => ({
	approvers: [approver('Anna'), approver('Ben'), approver('Carla')],
	needed: 2,
	maxReminders: 1,
	...changes,
});
const team = (changes: Partial<TeamSettings> = {}): Team =>
	createTeam(settings(changes), ['k1', 'k2'], NOW);

interface VoteChanges {
	decision?: 'approve' | 'deny';
	option?: string;
	content?: string;
	interactionId?: string;
	fromNowOn?: true;
	comment?: string;
	once?: string;
	at?: number;
}
const vote = (
	index: number,
	{
		decision = 'approve',
		content = 'c1',
		interactionId = 'i1',
		once,
		at = NOW,
		...more
	}: VoteChanges = {},
): Vote => ({
	approver: index,
	interactionId,
	answer: { decision, option: decision === 'deny' ? 'reject' : 'once', ...more },
	choice: { name: 'Approve once', decision, content, permission: 'bash', targets: [] },
	...(once !== undefined && { once }),
	at,
});
/** The team after these votes, one by one */
const after = (start: Team, ...votes: Vote[]): Team =>
	votes.reduce((now, each) => castVotes(now, [each]) ?? now, start);

describe('a request', () => {
	test('is approved when enough approvers have approved it, and not before', () => {
		const one = after(team(), vote(0));
		expect(tallyVotes(one, 'c1')).toBeUndefined();
		const at = new Date(NOW).toISOString();
		expect(tallyVotes(after(one, vote(2, { comment: 'Go.' })), 'c1')).toEqual({
			decision: 'approve',
			option: 'once',
			approvers: [
				{ name: 'Anna', decision: 'approve', at },
				{ name: 'Carla', decision: 'approve', at, comment: 'Go.' },
			],
		});
	});

	test('is denied by one approver, and the record names the others who have answered', () => {
		const decided = tallyVotes(after(team(), vote(0), vote(1, { decision: 'deny' })), 'c1');
		expect(decided).toMatchObject({
			decision: 'deny',
			option: 'reject',
			approvers: [
				{ name: 'Anna', decision: 'approve' },
				{ name: 'Ben', decision: 'deny' },
			],
		});
	});

	test('that is decided accepts no further answer', () => {
		const approved = after(team(), vote(0), vote(1));
		expect(castVotes(approved, [vote(2, { decision: 'deny' })])).toBeUndefined();
		const denied = after(team(), vote(0, { decision: 'deny' }));
		expect(castVotes(denied, [vote(1), vote(2)])).toBeUndefined();
	});

	test('keeps its decision, and the record of it, if a further vote is cast at the same time', () => {
		const all = castVotes(team(), [vote(0), vote(1), vote(2, { decision: 'deny' })])!;
		expect(all.votes).toHaveLength(3);
		expect(tallyVotes(all, 'c1')).toMatchObject({
			decision: 'approve',
			approvers: [{ name: 'Anna' }, { name: 'Ben' }],
		});
		const lasting = castVotes(
			team(),
			[0, 1, 2].map((index) =>
				vote(index, { option: index === 0 ? 'once' : 'always', once: 'once' }),
			),
		)!;
		expect(tallyVotes(lasting, 'c1')).toMatchObject({
			option: 'once',
			approvers: [{ name: 'Anna' }, { name: 'Ben' }],
		});
	});

	test('is answered once by each approver', () => {
		const one = after(team(), vote(0));
		for (const decision of ['approve', 'deny'] as const)
			expect(castVotes(one, [vote(0, { decision })])).toBeUndefined();
		expect(castVotes(one, [vote(0), vote(0, { content: 'c2' })])!.votes).toHaveLength(2);
	});

	test('is approved with a lasting option only if enough approvers chose the same one', () => {
		const option = (...options: string[]) =>
			tallyVotes(
				after(team(), ...options.map((each, index) => vote(index, { option: each, once: 'once' }))),
				'c1',
			)?.option;
		expect(option('always', 'always')).toBe('always');
		expect(option('always', 'once')).toBe('once');
		expect(option('forever', 'always')).toBe('once');
		const first = vote(0, { option: 'forever' });
		const second = vote(1, { option: 'always', once: 'once' });
		expect(tallyVotes(after(team(), first, second), 'c1')).toMatchObject({ option: 'once' });
		const lasting = ['forever', 'always', 'forever'].map((each, index) =>
			vote(index, { option: each }),
		);
		expect(tallyVotes(after(team(), ...lasting.slice(0, 2)), 'c1')).toBeUndefined();
		expect(tallyVotes(after(team(), ...lasting), 'c1')).toMatchObject({ option: 'forever' });
	});

	test('is approved from now on only if every needed approver chose it', () => {
		const fromNowOn = true as const;
		const both = after(team(), vote(0, { fromNowOn }), vote(1, { fromNowOn }));
		expect(tallyVotes(both, 'c1')).toMatchObject({ fromNowOn });
		const one = after(team(), vote(0, { fromNowOn }), vote(1));
		expect(tallyVotes(one, 'c1')).not.toHaveProperty('fromNowOn');
	});

	test('counts each approver exactly once, in any order and for any number of answers', () => {
		const anyVote = fc.record({
			index: fc.nat({ max: 2 }),
			decision: fc.constantFrom<'approve' | 'deny'>('approve', 'approve', 'deny'),
			content: fc.constantFrom('c1', 'c2'),
		});
		fc.assert(
			fc.property(
				fc.array(anyVote, { maxLength: 12 }),
				fc.integer({ min: 1, max: 3 }),
				(votes, needed) => {
					const counts = { c1: new Map<number, string>(), c2: new Map<number, string>() };
					const decided: Record<string, string> = {};
					let now = team({ needed });
					for (const { index, decision, content } of votes) {
						const key = content as 'c1' | 'c2';
						if (!decided[key] && !counts[key].has(index)) counts[key].set(index, decision);
						if (decision === 'deny' && counts[key].get(index) === 'deny') decided[key] ??= 'deny';
						if (counts[key].size >= needed) decided[key] ??= 'approve';
						now = after(now, vote(index, { decision, content }));
					}
					for (const key of ['c1', 'c2'] as const) {
						expect(tallyVotes(now, key)?.decision).toBe(decided[key]);
						const { answered, missing } = describeVotes(now, key, 0);
						expect(answered).toHaveLength(counts[key].size);
						expect(missing).toEqual([]);
					}
					expect(Object.keys(tallyAll([{ team: now }, {}])).sort()).toEqual(
						Object.keys(decided).sort(),
					);
				},
			),
		);
	});
});

describe('a request that changes after an approver answered', () => {
	const changed = [{ id: 'i1', key: 'k1', content: 'c1 changed' }];

	test('has no approvals, and its approver has to answer again', () => {
		const before = after(team(), vote(0));
		const now = voidVotes(before, changed);
		expect(hasVoted(now, 0, 'c1')).toBe(false);
		expect(tallyVotes(after(now, vote(1), vote(2)), 'c1')).toMatchObject({
			approvers: [{ name: 'Ben' }, { name: 'Carla' }],
		});
		expect(now.approvers.map(({ mustAnswerAgain }) => mustAnswerAgain)).toEqual([
			true,
			undefined,
			undefined,
		]);
		expect(listVoided([{ team: now }], changed[0])).toEqual(['Anna']);
		expect(findSent(now, 0)).toBeUndefined();
	});

	test('is asked again once, with the same link', () => {
		const asked = askDue(team(), ['c1'], NOW).team;
		const now = voidVotes(after(asked, vote(0)), changed);
		const again = askDue(now, ['c1 changed'], NOW + 1);
		expect(again.asks).toEqual([{ approver: 0 }]);
		expect(again.team.approvers[0].nonce).toBe(asked.approvers[0].nonce);
		expect(askDue(again.team, ['c1 changed'], NOW + 2).asks).toEqual([]);
	});

	test.each<[string, Array<{ id: string; key: string; content: string }>]>([
		['is still as it was', [{ id: 'i1', key: 'k1', content: 'c1' }]],
		['is not pending anymore', []],
		['is pending beside another', [{ id: 'i1', key: 'k1', content: 'c1' }, ...changed]],
		['is not the one that changed', [{ id: 'i2', key: 'k2', content: 'x' }]],
	])('keeps its approvals if it %s', (_, pending) => {
		const before = after(team(), vote(0));
		expect(voidVotes(before, pending)).toBe(before);
	});

	test.each<[string, Array<{ id: string; key: string; content: string }>]>([
		['alone', []],
		['beside a request that is still here', [{ id: 'i2', key: 'k2', content: 'c2' }]],
	])('and then belongs to another question is asked only there, %s', (_, others) => {
		const now = voidVotes(after(team(), vote(0)), [{ ...changed[0], key: 'k9' }, ...others]);
		expect(now.votes[0].isVoid).toBe(true);
		expect(now.approvers[0].mustAnswerAgain).toBeUndefined();
	});

	test('has no approvals even if another request now has its earlier content', () => {
		const now = voidVotes(after(team(), vote(0)), [
			...changed,
			{ id: 'i2', key: 'k2', content: 'c1' },
		]);
		expect(now.votes[0].isVoid).toBe(true);
		expect(now.approvers[0].mustAnswerAgain).toBe(true);
	});

	test('names each approver once whose answer to an earlier version no longer counts', () => {
		const one = after(
			team(),
			vote(0),
			vote(0, { content: 'c0' }),
			vote(1, { content: 'c1 changed' }),
			vote(2, { interactionId: 'i2', content: 'c2' }),
		);
		const other = after(team({ approvers: [approver('Dora')] }), vote(0));
		expect(listVoided([{ team: one }, {}, { team: other }], changed[0])).toEqual(['Anna', 'Dora']);
		expect(listVoided([{ team: one }], { id: 'i3', content: 'c3' })).toEqual([]);
	});
});

describe('approvers are asked', () => {
	const backups = { approvers: [approver('Anna'), approver('Ben'), approver('Dora', true)] };
	const names = (now: Team, asks: Array<{ approver: number; reminder?: number }>) =>
		asks.map(({ approver: index, reminder }) => [now.approvers[index].name, reminder]);

	test('at once, each with a secret of 128 bits, and backups later', () => {
		const start = team({ ...backups, askBackupsAfterMs: 2 * HOUR });
		const { team: asked, asks } = askDue(start, ['c1'], NOW);
		expect(names(asked, asks)).toEqual([
			['Anna', undefined],
			['Ben', undefined],
		]);
		expect(new Set(asked.approvers.map(({ nonce }) => nonce)).size).toBe(3);
		for (const { nonce } of asked.approvers)
			expect(Buffer.from(nonce, 'base64url')).toHaveLength(16);
		expect(nextAskAt(asked, ['c1'])).toBe(NOW + 2 * HOUR);
		expect(askDue(asked, ['c1'], NOW + 2 * HOUR - 1).asks).toEqual([]);
		const later = askDue(asked, ['c1'], NOW + 2 * HOUR);
		expect(names(asked, later.asks)).toEqual([['Dora', undefined]]);
		expect(nextAskAt(later.team, ['c1'])).toBe(Infinity);
		expect(tallyVotes(after(later.team, vote(0), vote(2)), 'c1')).toMatchObject({
			decision: 'approve',
		});
	});

	test('never again without Remind After, and backups never without a time', () => {
		const { team: asked } = askDue(team(backups), ['c1'], NOW);
		expect(nextAskAt(asked, ['c1'])).toBe(Infinity);
	});

	test("again up to Reminders times if they haven't answered", () => {
		let now = askDue(team({ remindAfterMs: HOUR, maxReminders: 2 }), ['c1'], NOW).team;
		now = after(now, vote(0));
		const said: unknown[] = [];
		for (let hour = 1; hour <= 5; hour++) {
			const { team: next, asks } = askDue(now, ['c1'], NOW + hour * HOUR);
			said.push(names(now, asks));
			expect(next.votes).toEqual(now.votes);
			expect(next.approvers.map(({ nonce }) => nonce)).toEqual(
				now.approvers.map(({ nonce }) => nonce),
			);
			now = next;
		}
		expect(said).toEqual([
			[
				['Ben', 1],
				['Carla', 1],
			],
			[
				['Ben', 2],
				['Carla', 2],
			],
			[],
			[],
			[],
		]);
	});

	test('once after a long time, not once for each missed reminder', () => {
		const { team: asked } = askDue(team({ remindAfterMs: HOUR, maxReminders: 9 }), ['c1'], NOW);
		const late = askDue(asked, ['c1'], NOW + 50 * HOUR);
		expect(late.asks).toHaveLength(3);
		expect(nextAskAt(late.team, ['c1'])).toBe(NOW + 51 * HOUR);
	});

	test('never about a request that is decided or not pending', () => {
		const start = team({ ...backups, remindAfterMs: HOUR, askBackupsAfterMs: HOUR });
		const { team: asked } = askDue(start, ['c1'], NOW);
		expect(askDue(asked, [], NOW + 9 * HOUR).asks).toEqual([]);
		expect(nextAskAt(asked, [])).toBe(Infinity);
		expect(askDue(start, [], NOW)).toEqual({ team: start, asks: [] });
	});

	test('at the time of nextAskAt, for any team and any moment', () => {
		fc.assert(
			fc.property(
				fc.record({
					remindAfterMs: fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined }),
					askBackupsAfterMs: fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined }),
					maxReminders: fc.integer({ min: 1, max: 3 }),
				}),
				fc.array(fc.nat({ max: 2 }), { maxLength: 3 }),
				fc.nat({ max: 12 }),
				(limits, voters, ms) => {
					let now = askDue(team({ ...backups, ...limits }), ['c1'], NOW).team;
					for (let at = 0; at <= ms; at++) now = askDue(now, ['c1'], NOW + at).team;
					now = after(now, ...voters.map((index) => vote(index)));
					const next = nextAskAt(now, ['c1']);
					expect(askDue(now, ['c1'], Math.min(next - 1, NOW + 100)).asks).toEqual([]);
					if (next < Infinity) expect(askDue(now, ['c1'], next).asks.length).toBeGreaterThan(0);
				},
			),
		);
	});
});

test("the page names its reader, the approvers who have answered, and those who haven't", () => {
	const asked = askDue(team(), ['c1'], NOW).team;
	expect(describeVotes(after(asked, vote(1, { at: NOW + 5 })), 'c1', 0)).toEqual({
		needed: 2,
		approvals: 1,
		answered: [{ name: 'Ben', isReader: false, decision: 'approve', at: NOW + 5 }],
		missing: [
			{ name: 'Anna', isReader: true },
			{ name: 'Carla', isReader: false },
		],
		isDecided: false,
	});
});

test('the page counts only approvals, and calls a request decided after one denial', () => {
	const denied = after(askDue(team(), ['c1'], NOW).team, vote(2), vote(0, { decision: 'deny' }));
	expect(describeVotes(denied, 'c1', 2)).toMatchObject({
		approvals: 1,
		answered: [
			{ name: 'Carla', isReader: true, decision: 'approve' },
			{ name: 'Anna', isReader: false, decision: 'deny' },
		],
		missing: [{ name: 'Ben', isReader: false }],
		isDecided: true,
	});
});

test("the page doesn't wait for a backup who wasn't asked", () => {
	const start = team({ approvers: [approver('Anna'), approver('Dora', true)] });
	const { missing } = describeVotes(askDue(start, ['c1'], NOW).team, 'c1', 0);
	expect(missing).toEqual([{ name: 'Anna', isReader: true }]);
});

describe("an approver's own answer", () => {
	const own = (comment?: string) =>
		after(
			team(),
			vote(0, { comment: 'First.' }),
			vote(1, { comment: 'Not mine.' }),
			vote(0, { content: 'c2', at: NOW + HOUR, comment }),
			vote(1, { content: 'c2', at: NOW + 2 * HOUR, decision: 'deny' }),
		);

	test('has all the choices, and the time and the comment of the latest', () => {
		expect(findSent(own('Second.'), 0)).toEqual({
			at: NOW + HOUR,
			choices: [vote(0).choice, vote(0, { content: 'c2' }).choice],
			comment: 'Second.',
		});
	});

	test('has no comment if the latest has none', () => {
		expect(findSent(own(), 0)).not.toHaveProperty('comment');
	});

	test('is missing until there is one that counts', () => {
		expect(findSent(own(), 2)).toBeUndefined();
		const changed = voidVotes(own(), [{ id: 'i1', key: 'k1', content: 'c3' }]);
		expect(findSent(changed, 0)).toBeUndefined();
	});
});

describe('a pending request', () => {
	const request = { id: 'i1', type: 'permission', permission: 'bash', patterns: ['ls'] };
	const identify = (changes: object) => identifyRequests([{ ...request, ...changes }])[0];

	test('keeps its key but not its content if only its metadata changes', () => {
		const one = identify({});
		const aged = identify({ metadata: { age: 1 } });
		expect(one.id).toBe('i1');
		expect(aged.key).toBe(one.key);
		expect(aged.content).not.toBe(one.content);
	});

	test('has another key if its patterns change', () => {
		expect(identify({ patterns: ['rm'] }).key).not.toBe(identify({}).key);
	});

	test('has an empty content if it is nested too deeply, which no vote has', () => {
		const metadata = JSON.parse('['.repeat(200) + ']'.repeat(200)) as unknown;
		expect(identify({ metadata }).content).toBe('');
	});
});
