// Until when an answer counts, and how the approval page and the question word it. Pure.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { findDeadline } from '../../nodes/RunAgentSession/requests/ballots.ts';
import { formatMoment } from '../../nodes/RunAgentSession/requests/sheet.ts';

const HOUR = 3_600_000;

describe('a time', () => {
	const at = Date.parse('2026-11-23T17:00:00Z');

	test.each<[string | undefined, number | undefined, string, string]>([
		['Europe/Berlin', at, '6:00 PM', 'Europe/Berlin'],
		['Europe/Berlin', at - 24 * HOUR, 'Nov 23, 6:00 PM', 'Europe/Berlin'],
		['Europe/Berlin', at - 365 * 24 * HOUR, 'Nov 23, 2026, 6:00 PM', 'Europe/Berlin'],
		[undefined, undefined, 'Nov 23, 2026, 5:00 PM', 'UTC'],
		// Still the same day there
		['Pacific/Honolulu', at + 16 * HOUR, '7:00 AM', 'Pacific/Honolulu'],
		['Nowhere/Land', at, '5:00 PM', 'UTC'],
		['', at, '5:00 PM', 'UTC'],
	])('%p, seen at %p, is %s (%s)', (timeZone, today, time, zone) => {
		expect(formatMoment(at, timeZone, today)).toEqual({ time, zone });
	});

	test('never throws, for any time and place', () => {
		fc.assert(
			fc.property(fc.double(), fc.string(), fc.integer(), (time, zone, today) => {
				expect(formatMoment(time, zone, today).time).toMatch(/[AP]M$|an unknown time/);
			}),
		);
	});
});

test.each([
	[1, 'deny'],
	[3, 'abort'],
])('a request that nobody answers for %d hours ends by Max Wait or before: %s', (hours, after) => {
	const unanswered = { ifNobodyAnswers: 'deny' as const, unansweredAfterMs: hours * HOUR };
	const limits = { maxWaitMs: 2 * HOUR, onMaxWait: 'abort' as const, ...unanswered };
	const at = Math.min(hours, 2) * HOUR;
	expect(findDeadline({ since: 0, askedAt: 0 }, limits)).toEqual({ at, after });
});
