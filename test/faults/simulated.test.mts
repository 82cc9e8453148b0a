// A short campaign in simulated time; `npm run test:faults` runs 20,000 sessions.
import { expect, test } from '@jest/globals';
import { simulatedCampaign } from './simulated.mts';

test.each([20261005])(
	'100 executions with one key under the faults and dialects of seed %d',
	async (seed) => {
		const { violations, ...report } = await simulatedCampaign(seed, 100);
		expect({ seed, violations }).toEqual({ seed, violations: [] });
		// It proves nothing unless there was weather, and every kind of outcome.
		expect(report.faults).toBeGreaterThan(50);
		expect(Object.keys(report.outcomes).length).toBeGreaterThan(3);
	},
);
