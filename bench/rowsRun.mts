// One answer of many rows in its own process, so that its memory can be told from everything else's. Started by
// analytics.bench.mts with the way as its argument; says what it took as a line of JSON.
import axios from 'axios';
import { run } from '../test/engine/engine.mts';
import type { Stage } from './stage.mts';

/** `parse` is what it is compared with: the same bytes over the same wire, and JSON.parse */
export type Way = 'parse' | 'items' | 'one item';

export interface Reading {
	way: Way;
	/** Base URL of the API. It answers every request with the measured response, except for a `limit` in the query. */
	credentials: Stage['credentials'];
}

export interface Read {
	/** Returned rows */
	rows: number;
	/** Processor time, which says more than time where others use the machine too */
	cpuMs: number;
	/** Milliseconds of these that JSON.parse alone took, for `parse` */
	parseMs?: number;
	/** The most bytes by which the process's memory grew */
	growth: number;
}

const { way, credentials }: Reading = JSON.parse(process.argv[2]);

function processorMs(begin: NodeJS.CpuUsage): number {
	const { user, system } = process.cpuUsage(begin);
	return (user + system) / 1000;
}

async function parse(query: string) {
	const { data } = await axios.post<string>(
		`${credentials.baseUrl}/analytics/query`,
		{ query },
		{ responseType: 'text', transformResponse: (text: string) => text },
	);
	const begin = process.cpuUsage();
	const answer = JSON.parse(data) as { data: unknown[] };
	return { rows: answer.data.length, parseMs: processorMs(begin) };
}

async function node(query: string) {
	const options = { rowsInOneItem: way === 'one item' };
	const { outputs, error } = await run({
		node: 'workspaceAutomation',
		parameters: { resource: 'analytics', operation: 'query', query, options },
		credentials,
	});
	if (error) throw error;
	return { rows: way === 'items' ? outputs[0].length : outputs[0][0].json.data.length };
}

const work = way === 'parse' ? parse : node;
// Code loaded at first use doesn't count toward the rows.
for (let round = 0; round < 3; round++) await work('SELECT few');
globalThis.gc!();
const before = process.memoryUsage.rss();
const begin = process.cpuUsage();
const read = await work('SELECT many');
const cpuMs = processorMs(begin);
console.log(
	JSON.stringify({
		...read,
		cpuMs,
		growth: process.resourceUsage().maxRSS * 1024 - before,
	} satisfies Read),
);
