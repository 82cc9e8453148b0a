// The long form of the campaigns. Seeds: 20 from the day's first on, or those in CAMPAIGN_SEEDS, separated by commas.
// In n8n-core's engine 300 items of one execution, and for the first seven seeds the same in a whole n8n with Retry On Fail.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { useService } from '../engine/service.mts';
import { campaign, inEngine, type Report } from './campaign.mts';
import { startCampaignHost, type CampaignHost } from './inN8n.mts';

const service = useService(60);
const given = process.env.CAMPAIGN_SEEDS?.split(',').map(Number);
const first = Math.floor(Date.now() / 86_400_000) * 1000;
const seeds = given ?? Array.from({ length: 20 }, (_, index) => first + index);

/** Says what a campaign found as soon as it is known: jest itself does so after the last of them. */
function check(where: string, seed: number, report: Pick<Report, 'violations'>) {
	process.stderr.write(`${where}, seed ${seed}: ${JSON.stringify(report)}\n`);
	expect({ seed, violations: report.violations }).toEqual({ seed, violations: [] });
}

test.each(seeds)(
	'300 sessions under the faults of seed %d',
	async (seed) => {
		check('in the engine', seed, await campaign(service, inEngine(service), seed, 300));
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
			// A faulty service is asked less often than the settings say, so that a round of 300 polls may take minutes.
			const report = await campaign(service, execute, seed, 300, 4);
			await service.close();
			check('in n8n', seed, report);
		},
		1_200_000,
	);
});
