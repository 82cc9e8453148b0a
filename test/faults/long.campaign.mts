// The long form of the campaigns. Seeds: 20 from the day's first on, or those in CAMPAIGN_SEEDS, separated by commas.
// In simulated time CAMPAIGN_SESSIONS executions for each seed, 1,000 if nothing is said, under a mixture of dialects; in n8n-core's
// engine 300 items of one execution; and for the first seven, which makes 2,100 sessions, the same in a whole n8n with Retry On Fail.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { useService } from '../engine/service.mts';
import { campaign, inEngine } from './campaign.mts';
import { startCampaignHost, type CampaignHost } from './inN8n.mts';
import { simulatedCampaign } from './simulated.mts';

const service = useService(60);
const given = process.env.CAMPAIGN_SEEDS?.split(',').map(Number);
const first = Math.floor(Date.now() / 86_400_000) * 1000;
const seeds = given ?? Array.from({ length: 20 }, (_, index) => first + index);
const executions = Number(process.env.CAMPAIGN_SESSIONS ?? 1000);

test.each(seeds)(
	`${executions} executions under the faults and dialects of seed %d, in simulated time`,
	async (seed) => {
		const { violations, ...report } = await simulatedCampaign(seed, executions);
		console.log(`seed ${seed}: ${JSON.stringify(report)}`);
		expect({ seed, violations }).toEqual({ seed, violations: [] });
	},
	1_200_000,
);

test.each(seeds)(
	'300 sessions under the faults of seed %d',
	async (seed) => {
		const { violations, ...report } = await campaign(service, inEngine(service), seed, 300);
		console.log(`seed ${seed}: ${JSON.stringify(report)}`);
		expect({ seed, violations }).toEqual({ seed, violations: [] });
	},
	600_000,
);

describe('in a whole n8n', () => {
	let host: CampaignHost;
	beforeAll(async () => {
		host = await startCampaignHost();
	}, 600_000);
	afterAll(async () => await host.close());

	test.each(seeds.slice(0, 7))(
		'300 sessions under the faults of seed %d',
		async (seed) => {
			const { service, execute } = await host.withService(60);
			const { violations, ...report } = await campaign(service, execute, seed, 300, 1.5);
			await service.close();
			console.log(`in n8n, seed ${seed}: ${JSON.stringify(report)}`);
			expect({ seed, violations }).toEqual({ seed, violations: [] });
		},
		600_000,
	);
});
