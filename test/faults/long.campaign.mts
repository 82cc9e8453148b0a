// The long form of the campaign. Seeds: 20 from the day's first on, or those in CAMPAIGN_SEEDS, separated by commas.
import { expect, test } from '@jest/globals';
import { useService } from '../engine/service.mts';
import { campaign } from './campaign.mts';

const service = useService(60);
const given = process.env.CAMPAIGN_SEEDS?.split(',').map(Number);
const first = Math.floor(Date.now() / 86_400_000) * 1000;
const seeds = given ?? Array.from({ length: 20 }, (_, index) => first + index);

test.each(seeds)(
	'300 sessions under the faults of seed %d',
	async (seed) => {
		const { violations, ...report } = await campaign(service, seed, 300);
		console.log(`seed ${seed}: ${JSON.stringify(report)}`);
		expect({ seed, violations }).toEqual({ seed, violations: [] });
	},
	600_000,
);
