import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
	courseAfter,
	nextWakeAt,
	type WaitState,
	type Timeouts,
} from '../../nodes/RunAgentSession/session/schedule.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const patient: Timeouts = {
	giveUpAfterMs: 24 * HOUR,
	onGiveUp: 'abort',
	ifNobodyAnswers: 'wait',
	unansweredAfterMs: 24 * HOUR,
};
const patience: fc.Arbitrary<Timeouts> = fc.record({
	giveUpAfterMs: fc.nat(48 * HOUR),
	onGiveUp: fc.constantFrom('abort', 'error'),
	ifNobodyAnswers: fc.constantFrom('wait', 'deny', 'abort'),
	unansweredAfterMs: fc.nat(48 * HOUR),
});
const moment = fc.nat(72 * HOUR);
const parkedAt: fc.Arbitrary<WaitState> = fc.record(
	{
		since: fc.constant(0),
		asked: fc.record({ what: fc.constantFrom('one', 'other'), since: moment }),
	},
	{ requiredKeys: ['since'] },
);

describe('the next look (rule 3)', () => {
	test('is a twentieth of the age away, at least 70 s and at most 10 minutes', () => {
		const waits = [0, 5, 23, 24, 60, 199, 200, 600].map(
			(minutes) =>
				(nextWakeAt({ since: 0 }, patient, minutes * MINUTE) - minutes * MINUTE) / SECOND,
		);
		expect(waits).toEqual([70, 70, 70, 72, 180, 597, 600, 600]);
	});

	test('counts the age from when the session was taken up', () => {
		const since = 10 * HOUR;
		expect(nextWakeAt({ since }, patient, since + 60 * MINUTE)).toBe(since + 63 * MINUTE);
	});

	test('is never sooner than 70 s nor later than 10 minutes, whoever is waited for', () => {
		fc.assert(
			fc.property(parkedAt, patience, moment, (parked, own, now) => {
				const wait = nextWakeAt(parked, own, now) - now;
				expect(wait).toBeGreaterThanOrEqual(70 * SECOND);
				expect(wait).toBeLessThanOrEqual(10 * MINUTE);
			}),
		);
	});

	test('comes within 70 s of the moment at which waiting is over', () => {
		fc.assert(
			fc.property(fc.integer({ min: 1, max: 48 * HOUR }), (giveUpAfterMs) => {
				const own = { ...patient, giveUpAfterMs };
				let now = 0;
				while (courseAfter('stillRunning', '', { since: 0 }, own, now).course === 'park')
					now = nextWakeAt({ since: 0 }, own, now);
				expect(now).toBeGreaterThanOrEqual(giveUpAfterMs);
				expect(now - giveUpAfterMs).toBeLessThan(70 * SECOND);
			}),
		);
	});
});

describe('what becomes of an item after a look', () => {
	test('what has ended leaves, whatever the time', () => {
		fc.assert(
			fc.property(parkedAt, patience, moment, (parked, own, now) => {
				for (const kind of ['completed', 'failed'] as const)
					expect(courseAfter(kind, '', parked, own, now)).toEqual({
						course: 'leave',
						parked: { since: parked.since },
					});
			}),
		);
	});

	test('what goes on parks until it is given up', () => {
		const at = (now: number) => courseAfter('stillRunning', '', { since: 0 }, patient, now).course;
		expect([0, 24 * HOUR - 1, 24 * HOUR, 90 * HOUR].map(at)).toEqual([
			'park',
			'park',
			'giveUp',
			'giveUp',
		]);
	});

	test('people are asked once, and again only when something else is pending (rule 5)', () => {
		const looks = fc.array(fc.constantFrom(undefined, 'one', 'other', 'third'), { maxLength: 30 });
		fc.assert(
			fc.property(looks, (seen) => {
				let parked: WaitState = { since: 0 };
				let before: string | undefined;
				for (const [index, pending] of seen.entries()) {
					const kind = pending === undefined ? 'stillRunning' : 'needsApproval';
					const after = courseAfter(kind, pending ?? '', parked, patient, index * MINUTE);
					expect(after.course).toBe(pending !== undefined && pending !== before ? 'leave' : 'park');
					parked = after.parked;
					before = pending;
				}
			}),
		);
	});

	test('the time that people have counts from when their request was first seen', () => {
		const own: Timeouts = { ...patient, ifNobodyAnswers: 'deny', unansweredAfterMs: 2 * HOUR };
		const first = courseAfter('needsApproval', 'one', { since: 0 }, own, 5 * HOUR);
		expect(first).toEqual({
			course: 'leave',
			parked: { since: 0, asked: { what: 'one', since: 5 * HOUR } },
		});
		const at = (now: number) => courseAfter('needsApproval', 'one', first.parked, own, now).course;
		expect([5 * HOUR + 1, 7 * HOUR - 1, 7 * HOUR].map(at)).toEqual(['park', 'park', 'unanswered']);
		expect(nextWakeAt(first.parked, own, 7 * HOUR - 80 * SECOND)).toBe(7 * HOUR);
	});

	test('If Nobody Answers that says wait leaves a request pending', () => {
		const own = { ...patient, unansweredAfterMs: HOUR };
		const parked = { since: 0, asked: { what: 'one', since: 0 } };
		expect(courseAfter('needsApproval', 'one', parked, own, 23 * HOUR).course).toBe('park');
	});

	test('what is asked anew has all of its time', () => {
		const own: Timeouts = { ...patient, ifNobodyAnswers: 'deny', unansweredAfterMs: HOUR };
		const parked = { since: 0, asked: { what: 'one', since: 0 } };
		const changed = courseAfter('needsApproval', 'other', parked, own, 3 * HOUR);
		expect(changed).toMatchObject({ course: 'leave', parked: { asked: { since: 3 * HOUR } } });
	});
});
