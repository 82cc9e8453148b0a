// The system clock is set during a wait: nothing changes.
import { describe, expect, test } from '@jest/globals';
import {
	getError,
	nothingPending,
	page,
	simulation,
	type Saved,
	type Weather,
} from './simulation.mts';

const HOUR_MS = 3_600_000;
/** The pause before the first reading, and the shortest one later */
const FIRST_PAUSE_MS = 5_000;
const MIN_PAUSE_MS = 70_000;
const SHIFTS = [-HOUR_MS, HOUR_MS];

/** Returns a service whose node's clock is set right before the second poll. */
function shiftedService(shiftMs: number, weather: Weather = 'fine') {
	const service = simulation();
	service.meets(
		'poll',
		() => {
			service.shiftWall(shiftMs);
			return weather;
		},
		{ skip: 1, first: 1 },
	);
	return service;
}

describe('the system clock is set by an hour', () => {
	test.each(SHIFTS)('web pages still end the wait after three minutes (%d ms)', async (shiftMs) => {
		const service = shiftedService(shiftMs, page);
		service.meets('poll', page);
		const error = await getError(service.run('[work 10m]', { maxWait: 20 }));
		expect(error.description).toMatch(/unusable for 18\d(\.\d+)? seconds/);
		expect(service.now()).toBeLessThan(3.5 * 60_000);
	});

	test.each(SHIFTS)('two web pages still end no wait (%d ms)', async (shiftMs) => {
		const service = shiftedService(shiftMs, page);
		service.meets('poll', page, { first: 2 });
		const { kind } = await service.run('[work 1m] [say Done]');
		expect(kind).toBe('completed');
	});

	test.each(SHIFTS)('a new turn still has 30 seconds to show (%d ms)', async (shiftMs) => {
		const service = simulation();
		const { sessionId } = await service.run('[say First]');
		service.meets(
			'poll',
			() => {
				service.shiftWall(shiftMs);
				return 'lost';
			},
			{ after: 'message', first: 1 },
		);
		service.stale('message');
		const since = service.now();
		const outcome = await service.continueWith(sessionId, '[say Second]');
		expect(outcome.warnings.join()).toMatch(/No new turn was seen/);
		expect(service.now() - since).toBeGreaterThanOrEqual(30_000);
		expect(service.now() - since).toBeLessThan(60_000);
	});

	test.each(SHIFTS)('a wake still plans the next one in 70 seconds (%d ms)', async (shiftMs) => {
		const service = simulation();
		const saved: Saved = {};
		const first = await service.wake('[work 30m]', saved);
		expect(first.wakeAt! - service.wallTime()).toBe(FIRST_PAUSE_MS);
		service.advance(FIRST_PAUSE_MS);
		service.meets('poll', () => {
			service.shiftWall(shiftMs);
			return nothingPending;
		});
		const second = await service.wake('[work 30m]', saved);
		expect(second.wakeAt! - service.wallTime()).toBe(MIN_PAUSE_MS);
	});

	test('back before a wake, the wake still ends soon after the last change', async () => {
		const service = simulation();
		const saved: Saved = {};
		await service.wake('[ask bash: a] [work 30m]', saved);
		service.advance(FIRST_PAUSE_MS);
		await service.wake('[ask bash: a] [work 30m]', saved);
		service.shiftWall(-HOUR_MS);
		service.advance(MIN_PAUSE_MS);
		const since = service.now();
		await service.wake('[ask bash: a] [work 30m]', saved);
		expect(service.now() - since).toBeLessThan(3 * 60_000);
	});
});
