// The system clock is set during a wait: nothing changes.
import { describe, expect, test } from '@jest/globals';
import { FIRST_PAUSE_MS, MIN_PAUSE_MS } from '../../nodes/RunAgentSession/plan/plan.ts';
import { getError, nothingPending, page, simulation, type Weather } from './simulation.mts';

const HOUR_MS = 3_600_000;
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
		const error = await getError(service.run('[work 10m]', { maxWaitMs: 20 * 60_000 }));
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
		const { session } = await service.run('[say First]');
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
		const outcome = await service.continueWith(session.sessionId, '[say Second]');
		expect(outcome.warnings.join()).toMatch(/No new turn was seen/);
		expect(service.now() - since).toBeGreaterThanOrEqual(30_000);
		expect(service.now() - since).toBeLessThan(60_000);
	});

	test.each(SHIFTS)('a wake still plans the next one in 70 seconds (%d ms)', async (shiftMs) => {
		const service = simulation();
		const nodeContext = {};
		const first = await service.wake('[work 30m]', nodeContext);
		expect(first.wakeAt! - service.wallTime()).toBe(FIRST_PAUSE_MS);
		service.advance(FIRST_PAUSE_MS);
		service.meets('poll', () => {
			service.shiftWall(shiftMs);
			return nothingPending;
		});
		const second = await service.wake('[work 30m]', nodeContext);
		expect(second.wakeAt! - service.wallTime()).toBe(MIN_PAUSE_MS);
	});

	test('back before a wake, the wake still ends soon after the last change', async () => {
		const service = simulation();
		const nodeContext = {};
		await service.wake('[ask bash: a] [work 30m]', nodeContext);
		service.advance(FIRST_PAUSE_MS);
		await service.wake('[ask bash: a] [work 30m]', nodeContext);
		service.shiftWall(-HOUR_MS);
		service.advance(MIN_PAUSE_MS);
		const since = service.now();
		await service.wake('[ask bash: a] [work 30m]', nodeContext);
		expect(service.now() - since).toBeLessThan(3 * 60_000);
	});
});
