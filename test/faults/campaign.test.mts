// A short campaign of a fixed seed; `npm run test:faults` runs many long ones.
import { expect, test } from '@jest/globals';
import { useService } from '../engine/service.mts';
import { campaign, inEngine } from './campaign.mts';

const service = useService(60);

test.each([20261005])('60 sessions under the faults of seed %d', async (seed) => {
	const report = await campaign(service, inEngine(service), seed, 60);
	expect({ seed, violations: report.violations }).toEqual({ seed, violations: [] });
	// It proves nothing unless there was weather, and every kind of outcome.
	expect(report.faultsMet).toBeGreaterThan(50);
	expect(Object.values(report.outcomes).every((count) => count > 0)).toBe(true);
});
