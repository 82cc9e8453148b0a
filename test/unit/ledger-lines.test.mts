// Each line of the ledger: when a decision waits, when it is sent again, when a person is asked, and what the output says of it.
import { describe, expect, test } from '@jest/globals';
import {
	recordConfirmed,
	isStillPending,
	hasUnknownDecision,
	MAX_PENDING,
	MAX_DECISIONS,
	applyPollToLedger,
	planDecisions,
	recordRefused,
	recordSent,
	summarizeDecisions,
	wasSent,
	type DueDecision,
	type Ledger,
} from '../../nodes/RunAgentSession/session/ledger.ts';
import type { Policy } from '../../nodes/RunAgentSession/policy/rules.ts';
import { NOT_A_LIST, type Interaction, type Session } from '../../nodes/shared/client/session.ts';

const AT = '2026-10-05T09:00:00.000Z';
const policy: Policy = { mode: 'approve', rules: [], defaultDecision: 'ask', approveWith: 'once' };
const request = (id: string, changes: object = {}): Interaction => ({
	id,
	type: 'permission',
	permission: 'bash',
	patterns: ['x'],
	response: { options: [{ value: 'once', label: 'Allow once' }] },
	...changes,
});
const session = (pendingInteractions: Interaction[] = [], status = 'running'): Session => ({
	sessionId: 's',
	status,
	pendingInteractions,
});
const a = request('a');
const due = (interaction = a): DueDecision =>
	planDecisions([], session([interaction]), policy).due[0];
const after = (ledger: Ledger, ...readings: Session[]) =>
	readings.reduce(applyPollToLedger, ledger);
const states = (ledger: Ledger) => ledger.map(({ state, polls }) => [state, polls]);
const planned = (ledger: Ledger, ...pending: Interaction[]) => {
	const next = planDecisions(ledger, session(pending), policy);
	return {
		due: next.due.map(({ interaction }) => interaction.id),
		undecided: next.undecided.map(({ interaction, because }) => [interaction.id, because]),
	};
};
const [without, listing] = [session(), session([a])];

describe('a decision with a lost response', () => {
	const lost = recordSent([], due(), AT);

	test('waits for the next poll, and is sent again if that poll still lists it', () => {
		expect([hasUnknownDecision([]), hasUnknownDecision(lost), wasSent(lost, due())]).toEqual([
			false,
			true,
			true,
		]);
		expect(planned(lost, a)).toEqual({ due: [], undecided: [] });
		const listed = after(lost, listing);
		expect(states(listed)).toEqual([['sent', 1]]);
		expect([hasUnknownDecision(listed), planned(listed, a).due]).toEqual([false, ['a']]);
	});

	test("counts as carried out when two more polls don't list it, and before that as unconfirmed", () => {
		expect(states(after(lost, without))).toEqual([['inferred', 0]]);
		const after2 = after(lost, without, without, without);
		expect(states(after2)).toEqual([['inferred', 2]]);
		expect(summarizeDecisions(after2, without).decisions).toMatchObject([{ interactionId: 'a' }]);
		expect(summarizeDecisions(after2, without).doubts).toEqual([]);
		const one = summarizeDecisions(after(lost, without, without), without);
		expect(one.decisions).toEqual([]);
		expect(one.doubts).toEqual([
			expect.stringMatching(/may have been decided.*Fewer than 2 polls/),
		]);
		expect(
			summarizeDecisions(after(lost, without), session([], 'completed')).decisions,
		).toHaveLength(1);
		expect(summarizeDecisions(after(lost, without), undefined).decisions).toEqual([]);
	});

	test('is not sent again on the first poll that lists it once more', () => {
		const inferred = after(lost, without);
		expect(planned(inferred, a)).toEqual({ due: [], undecided: [] });
		expect(states(after(inferred, listing))).toEqual([['sent', 1]]);
	});

	test('is unconfirmed until a poll proves it', () => {
		const { decisions, doubts } = summarizeDecisions(lost, undefined);
		expect([decisions, doubts]).toEqual([
			[],
			[expect.stringMatching(/and there was no response\.$/)],
		]);
	});

	test("isn't confirmed by the list of a failed session", () => {
		expect(after(lost, session([], 'failed'))).toBe(lost);
	});
});

describe('a confirmed decision', () => {
	const done = recordConfirmed(recordSent([], due(), AT), due());

	test('is listed, without a note', () => {
		expect(summarizeDecisions(done, without)).toEqual({
			decisions: [
				{
					interactionId: 'a',
					permission: 'bash',
					patterns: ['x'],
					decision: 'approve',
					option: 'once',
					decidedBy: 'policy',
					at: AT,
				},
			],
			doubts: [],
		});
		expect(wasSent(done, due())).toBe(false);
	});

	test('can be listed as pending for four polls before an approver is asked', () => {
		const polls = (count: number) => after(done, ...Array.from({ length: count }, () => listing));
		expect(states(polls(3))).toEqual([['confirmed', 3]]);
		expect(planned(polls(3), a)).toEqual({ due: [], undecided: [] });
		expect(planned(polls(4), a).undecided).toEqual([
			['a', expect.stringMatching(/^it was resolved/)],
		]);
		expect(states(after(done, without, session([request('b')])))).toEqual([['confirmed', 0]]);
	});

	test("doesn't change another request with its ID", () => {
		const other = request('a', { patterns: ['y'] });
		expect(planned(done, other).due).toEqual(['a']);
		expect(states(after(done, session([other])))).toEqual([['confirmed', 0]]);
		const both = recordSent(done, due(other), AT);
		expect(both.map(({ record }) => record.patterns)).toEqual([['x'], ['y']]);
		expect(states(after(done, session([other, a])))).toEqual([['confirmed', 1]]);
	});
});

describe('a refused decision', () => {
	test("is sent again after the next poll, and isn't listed", () => {
		const no = recordRefused([], due(), AT, false);
		expect(states(no)).toEqual([['refused', 0]]);
		expect(planned(no, a).due).toEqual([]);
		expect(states(after(no, without))).toEqual([['refused', 1]]);
		expect(planned(after(no, listing), a).due).toEqual(['a']);
		expect(summarizeDecisions(no, without)).toEqual({ decisions: [], doubts: [] });
	});

	test('counts as sent, with a note, if the request was already answered', () => {
		const [{ state, record }] = recordRefused([], due(), AT, true);
		expect([state, record.note]).toEqual(['sent', expect.stringContaining('already answered')]);
	});

	test('after a lost one may be refused because the lost one took effect', () => {
		const listed = after(recordSent([], due(), AT), listing);
		expect(states(recordRefused(listed, due(), AT, false))).toEqual([['sent', 0]]);
		expect(states(recordRefused(listed, due(), AT, true))).toEqual([['sent', 0]]);
	});
});

describe('an approver is asked', () => {
	const deep = (): unknown => {
		let value: unknown = 0;
		for (let depth = 0; depth < 20_000; depth++) value = [value];
		return value;
	};
	test.each<[string, Interaction[], string]>([
		['what is no list', [request('a', { type: NOT_A_LIST })], "aren't a list"],
		['what is nested too deeply', [request('a', { metadata: deep() })], 'nested too deeply'],
		['two with one ID', [a, request('a', { patterns: ['y'] })], 'has the same ID'],
	])('about %s', (_, pending, because) => {
		const { undecided, due: sendable } = planned([], ...pending);
		expect(sendable).toEqual([]);
		for (const [, why] of undecided) expect(why).toContain(because);
		expect(undecided).toHaveLength(pending.length);
	});

	test('about requests without an ID, each separately', () => {
		const { undecided } = planned([], request(''), request('', { patterns: ['y'] }));
		for (const [, why] of undecided) expect(why).not.toContain('same ID');
	});

	test('about the hundred and first of many requests, and after a thousand decisions', () => {
		const many = Array.from({ length: MAX_PENDING + 1 }, (_, index) => request(`i${index}`));
		const first = planned([], ...many);
		expect(first.due).toHaveLength(MAX_PENDING);
		expect(first.undecided).toEqual([
			['i100', expect.stringContaining('at most 100 pending requests')],
		]);

		const line = recordConfirmed(recordSent([], due(), AT), due())[0];
		const lines = (count: number): Ledger =>
			Array.from({ length: count }, (_, index) => ({
				...line,
				record: { ...line.record, interactionId: `d${index}` },
			}));
		const next = planned(lines(MAX_DECISIONS - 1), request('x'), request('y'));
		expect(next.due).toEqual(['x']);
		expect(next.undecided).toEqual([['y', expect.stringContaining('1000 requests')]]);
		// One that was sent already is no further decision.
		const again = { ...line, state: 'sent' as const, polls: 1 };
		expect(planned([...lines(MAX_DECISIONS), again], a).due).toEqual(['a']);
	});
});

test('a request is pending while an equal request is listed', () => {
	expect(isStillPending(listing, a)).toBe(true);
	expect(isStillPending(session([request('b')]), a)).toBe(false);
	expect(isStillPending(session([request('a', { patterns: ['y'] })]), a)).toBe(false);
	expect(hasUnknownDecision([...recordConfirmed(recordSent([], due(), AT), due())])).toBe(false);
});

describe('several requests', () => {
	const [b, changed] = [request('b'), request('a', { patterns: ['y'] })];

	test('are pending each by its ID and content', () => {
		expect(isStillPending(session([b, a]), a)).toBe(true);
		expect(isStillPending(session([b]), a)).toBe(false);
		expect(isStillPending(session([{ ...a, id: 'c' }]), a)).toBe(false);
		expect(isStillPending(session([changed]), a)).toBe(false);
	});

	test("don't change each other's decisions", () => {
		const ledger = after(recordSent([], due(), AT), session([b]), session([b]));
		expect(states(ledger)).toEqual([['inferred', 1]]);
		expect(planned(ledger, b).due).toEqual(['b']);
	});

	test('without permission and patterns are recorded as empty', () => {
		const [{ record }] = recordSent(
			[],
			{ ...due(), interaction: request('a', { permission: undefined, patterns: 'x' }) },
			AT,
		);
		expect([record.permission, record.patterns]).toEqual(['', []]);
		expect(record).not.toHaveProperty('note');
	});
});
