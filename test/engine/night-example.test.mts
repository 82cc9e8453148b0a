// The example of the night, by the clock and with projects that have no site, in n8n-core's engine and in simulated time.
import { expect, test } from '@jest/globals';
import { byId } from '../../n8n-host/workflows.mts';
import { exampleWorkflow } from '../../tools/examples.mts';
import { createStage, NODE, runsOf } from './flow.mts';

const nodeOf = (name: string) => exampleWorkflow('night').nodes.find((each) => each.name === name)!;

test.each([
	['in summer', '2026-07-01T22:00:00.000+02:00', '2026-07-02T07:00:00.000+02:00'],
	['when summer ends', '2026-10-24T22:00:00.000+02:00', '2026-10-25T07:00:00.000+01:00'],
	['when summer begins', '2026-03-28T22:00:00.000+01:00', '2026-03-29T07:00:00.000+02:00'],
])('7 am is 7 am %s', async (_, timestamp, morning) => {
	const dateTime = String(nodeOf('Wait until 7 am').parameters.dateTime);
	const expression = dateTime.replace('Every night', 'Source').slice('={{'.length, -'}}'.length);
	const run = await createStage().run({
		items: [{ timestamp }],
		parameters: { prompt: `=[say {{ (${expression}).toISO() }}]` },
		timezone: 'Europe/Berlin',
	});
	expect(runsOf(run, NODE).flat()).toMatchObject([{ text: morning }]);
});

test("a project that isn't in Sites gets no preview, and the others get theirs", async () => {
	const stage = createStage();
	const [{ id: siteId, projectId }] = stage.service.seed().sites;
	const { options } = nodeOf('Run Agent Session').parameters as { options: { preview: object } };
	const preview = JSON.parse(JSON.stringify(options.preview).replace("$('Sites')", "$('Source')"));
	const project = stage.service.seed().projects.find(({ id }) => id === projectId)!;
	const run = await stage.run({
		items: [{ name: project.name, [project.name]: siteId }, { name: 'Not in Sites' }],
		parameters: { projectId: byId(projectId), prompt: '[say Done]', options: { preview } },
	});
	const [one, other] = runsOf(run, NODE).flat();
	expect(one.previewUrl).toMatch(/^https:/);
	expect(other).not.toHaveProperty('previewUrl');
	expect(other).not.toHaveProperty('warnings');
	expect(stage.of('POST', '/shared-previews')).toHaveLength(1);
});

test('the line of an open session has its error and what was done as sentences', async () => {
	const { assignments } = nodeOf('Summary line').parameters as Record<string, any>;
	const line = String(assignments.assignments[0].value).replace("$('Projects')", "$('Source')");
	const run = await createStage().run({
		items: [
			{ name: 'A', error: 'The agent session failed: Out of disk', text: 'Half done' },
			{ name: 'B', error: 'The agent session failed: Out of memory.' },
		],
		parameters: { prompt: `=[say ${line.slice(1)}]` },
	});
	expect(runsOf(run, NODE).flat()).toMatchObject([
		{ text: '*A*: OPEN. The agent session failed: Out of disk. So far: Half done' },
		{ text: '*B*: OPEN. The agent session failed: Out of memory.' },
	]);
});
