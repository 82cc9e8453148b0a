// Every example in the real n8n: it's published, and those that need no account beside Slack's run to their end, with each request approved.
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from '@jest/globals';
import { hasEnded, type Execution } from '../../n8n-host/executions.mts';
import { examples, exampleWorkflow } from '../../tools/examples.mts';
import { fillExample, importAllCredentials } from './channels/filledIn.mts';
import { atHost } from './channels/standIn.mts';
import { useChannels } from './channels/useChannels.mts';
import { getChoice, openPage, send } from './page.mts';
import { expectSuccess, FASTER } from './pausing.mts';

const { stage } = useChannels({ clock: { faster: FASTER, origin: Date.now() } });

beforeAll(async () => {
	await importAllCredentials(stage.host);
	await stage.service.control.setSpeed(FASTER);
});

/** Nodes with data of other services, or with models */
const NEEDS_DATA =
	/langchain|dataTable|notion|github|googleSheets|gmail$|httpRequest|(form|chat|error|Automation)Trigger$|HitlTool$|executeWorkflow$/i;

/** Examples that a run by hand takes through all of their nodes */
const runnable = examples().filter((name) => {
	const types = exampleWorkflow(name).nodes.map(({ type }) => type);
	return (
		types.some((type) => type.endsWith('manualTrigger')) &&
		!types.some((type) => NEEDS_DATA.test(type))
	);
});

/** The links of the items that ask approvers */
const approvalUrls = ({ runData }: Execution): string[] =>
	Object.values(runData)
		.flat()
		.flatMap(({ data }) => data?.main.flat() ?? [])
		.flatMap((item) => (item?.json.approvalUrl as string | undefined) ?? []);

/** Approves each request of a page, and chooses the first option of each question. */
async function approvePage(link: string): Promise<void> {
	const page = await openPage(link);
	const names = [...new Set(page.html.match(/(?<=name="request)\d+/g))].map(Number);
	const choices = names.map((n) => {
		const isPermission = new RegExp(`name="request${n}"[^>]*>\\s*<span>Approve once<`).test(
			page.html,
		);
		return [`request${n}`, isPermission ? getChoice(page, n, 'Approve once') : '0'];
	});
	await send(link, page, Object.fromEntries(choices));
}

/** Approves each request, until the execution has ended. */
async function approveAll(executionId: string): Promise<Execution> {
	const { host } = stage;
	const answered = new Set<string>();
	for (;;) {
		const execution = await host.waitForExecution(executionId, { until: 'waiting' });
		if (hasEnded(execution)) return execution;
		for (const url of approvalUrls(execution)) {
			if (answered.has(url)) continue;
			answered.add(url);
			await approvePage(atHost(url, host.url));
		}
		await sleep(250);
	}
}

test.each(examples())('%s.json is published', async (name) => {
	const { host } = stage;
	const file = fillExample(name);
	const id = await host.importWorkflow(file);
	// n8n publishes nothing that starts by hand only.
	const isByHand = file.nodes.every(
		({ type }) => !/trigger$/i.test(type) || /manual|executeWorkflow|error/i.test(type),
	);
	if (!isByHand) await host.activate(id);
	const saved = await host.rest.get(`/workflows/${id}`);
	expect(saved.nodes).toHaveLength(file.nodes.length);
	if (!isByHand) await host.deactivate(id);
});

test.each(runnable)('%s.json runs to its end', async (name) => {
	const { host } = stage;
	const id = await host.importWorkflow(fillExample(name));
	expectSuccess(await approveAll(await host.run(id)));
});
