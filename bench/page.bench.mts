// Measures the approval page in the real n8n: the time to its first byte with one request, and with fifty of eleven sessions.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Host } from '../n8n-host/host.mts';
import { setStage } from '../tools/demoStage.mts';
import { filledInExample } from '../tools/examples.mts';
import { decimals, type Table } from './benchmark.mts';
import { median } from './statistics.mts';

export const name = 'page';
export const about =
	'the time to the first byte of the approval page, with one request and with many';

const ROUNDS = 30;
const ASKS =
	'[ask bash: npm run build + edit: a.html + edit: b.html + edit: c.html + edit: d.html]';

/** Starts sessions in one execution, and returns the link of the first once all of them ask. */
async function openLink(host: Host, sessions: number, prompt: string): Promise<string> {
	const workflow = filledInExample('approve-on-a-page');
	const node = workflow.nodes.find(({ type }) => type.endsWith('.runAgentSession'))!;
	const trigger = workflow.nodes.find(({ type }) => type.endsWith('Trigger'))!;
	const split = {
		id: 'split',
		name: 'Sessions',
		type: 'n8n-nodes-base.splitOut',
		typeVersion: 1,
		position: [0, 300] as [number, number],
		parameters: { fieldToSplitOut: 'all', options: {} },
	};
	const list = {
		...split,
		id: 'list',
		name: 'List',
		type: 'n8n-nodes-base.set',
		typeVersion: 3.4,
		parameters: {
			mode: 'raw',
			jsonOutput: JSON.stringify({ all: Array.from({ length: sessions }, (_, index) => index) }),
			options: {},
		},
	};
	Object.assign(node.parameters, { permissionPolicy: 'ask', prompt });
	const next = (name: string) => ({ main: [[{ node: name, type: 'main', index: 0 }]] });
	const id = await host.run(
		await host.importWorkflow({
			...workflow,
			nodes: [trigger, list, split, node],
			connections: {
				[trigger.name]: next(list.name),
				[list.name]: next(split.name),
				[split.name]: next(node.name),
			},
		}),
	);
	for (;;) {
		const { runData } = await host.waitForExecution(id, { until: 'waiting' });
		const asked = (runData[node.name] ?? []).flatMap(({ data }) => data?.main[1] ?? []);
		if (asked.length >= sessions) return String(asked[0].json.approvalUrl);
		await sleep(2000);
	}
}

async function firstByteMs(url: string): Promise<number> {
	const start = performance.now();
	const response = await fetch(url);
	const ms = performance.now() - start;
	const page = await response.text();
	if (!page.includes('Approve once'))
		throw new Error(`The page shows no request: ${page.slice(0, 500)}`);
	return ms;
}

export async function run(log: (line: string) => void): Promise<Table> {
	const { host, close } = await setStage(log, { build: false });
	try {
		const one = await openLink(host, 1, '[ask bash: npm run build]');
		const many = await openLink(host, 11, ASKS);
		const times: Record<'one' | 'many', number[]> = { one: [], many: [] };
		for (let round = 0; round < ROUNDS; round++) {
			times.one.push(await firstByteMs(one));
			times.many.push(await firstByteMs(many));
		}
		const [few, lots] = [median(times.one), median(times.many)];
		return {
			columns: ['requests on the page', 'first byte ms, median'],
			rows: [
				['1', decimals(few)],
				['55 of 11 sessions', decimals(lots)],
			],
			expectations: [{ what: '55 requests / 1 request', measured: lots / few, atMost: 4 }],
		};
	} finally {
		await close();
	}
}
