// Measures 200 sessions of one execution between two polls: with a paused execution, and with one that keeps running.
import { setTimeout as sleep } from 'node:timers/promises';
import { listExecutions } from '../n8n-host/executions.mts';
import { startHost, type Host } from '../n8n-host/host.mts';
import { ensureHost } from '../n8n-host/install.mts';
import { startLocalService, type LocalService } from '../tools/demoService.mts';
import { packedPackage } from '../tools/package.mts';
import { decimals, type Table } from './benchmark.mts';
import type { Gauge } from './gauge.mts';
import { callWebhook, workflowFile } from './n8nStage.mts';
import { importCredential } from '../tools/demoStage.mts';

export const name = 'paused';
export const about =
	'200 sessions of an execution that pauses, and of one that keeps running, in the real n8n: processor, memory and requests meanwhile';

const SESSIONS = 200;
/** Intervals of ten seconds: fewer than lie between two polls */
const INTERVALS = 4;

interface Figures {
	title: string;
	/** Per second */
	cpuMs: number;
	heap: number;
	requests: number;
}

export async function run(log: (line: string) => void): Promise<Table> {
	await ensureHost({ log });
	const packed = await packedPackage(false);
	const service = await startLocalService();
	const gauges: Gauge[] = [];
	const host = await startHost({
		packageDir: packed.folder,
		env: { NODE_OPTIONS: `--import ${new URL('gauge.mts', import.meta.url).href}` },
		log: (line) => line.startsWith('gauge ') && gauges.push(JSON.parse(line.slice(6))),
	});
	/** Measures n8n in the intervals from now on. */
	async function watch(title: string): Promise<Figures> {
		log(title);
		const first = gauges.length;
		while (gauges.length <= first) await sleep(100);
		await service.control.clearRequests();
		while (gauges.length <= first + INTERVALS) await sleep(100);
		const [from, to] = [gauges[first], gauges.at(-1)!];
		const seconds = INTERVALS * 10;
		const requests = (await service.requests()).length / seconds;
		return { title, cpuMs: (to.cpuMs - from.cpuMs) / seconds, heap: to.heap, requests };
	}
	try {
		await service.control.setRateLimit(null);
		await importCredential(host, service, 'Workspace Automation');
		const figures: Figures[] = [];
		const inTurn = { nothing: undefined, paused: 'pause', 'kept running': 'keepRunning' };
		// Once for itself: what is loaded and connected at first use is no matter of the waiting.
		await (
			await begin(host, service, 'warm-up', 'keepRunning', 5)
		)();
		await sleep(60_000);
		for (const [title, wait] of Object.entries(inTurn)) {
			const stop = wait ? await begin(host, service, wait, wait, SESSIONS) : undefined;
			figures.push(await watch(wait ? `${SESSIONS} sessions, ${title}` : title));
			await stop?.();
		}
		return makeTable(figures);
	} finally {
		await Promise.allSettled([host.close(), service.close()]);
		packed.remove();
	}
}

/** Starts sessions of hours in one execution, until all of them have been polled: the pause after the start is short. Returns how to stop that. */
async function begin(
	host: Host,
	service: LocalService,
	path: string,
	wait: string,
	count: number,
): Promise<() => Promise<void>> {
	const file = workflowFile('paused', { '"paused"': `"${path}"`, '"pause"': `"${wait}"` });
	const workflowId = await host.importWorkflow({ ...file, name: path });
	await host.activate(workflowId);
	const { projects } = await service.control.seed();
	const orders = Array.from({ length: count }, (_, index) => ({
		projectId: projects[0].id,
		prompt: `${path} ${index} [work 9h]`,
	}));
	await callWebhook(`${host.url}/webhook/${path}`, { orders });
	const wanted = wait === 'pause' ? 'waiting' : 'running';
	for (;;) {
		await sleep(500);
		const [execution] = await listExecutions(host.rest, workflowId);
		const sessions = (await service.sessions()).filter(({ prompt }) => prompt.startsWith(path));
		if (execution?.status !== wanted || sessions.filter(({ polls }) => polls > 0).length < count)
			continue;
		return async () => await host.stop(execution.id);
	}
}

function makeTable(figures: Figures[]): Table {
	const [nothing, paused, running] = figures;
	const MiB = 1024 * 1024;
	return {
		columns: ['what n8n waits for', 'processor ms a second', 'heap MiB', 'requests a second'],
		rows: figures.map(({ title, cpuMs, heap, requests }) => [
			title,
			...[cpuMs, heap / MiB, requests].map(decimals),
		]),
		expectations: [
			{ what: 'paused: requests', measured: paused.requests, atMost: 0 },
			{
				what: 'processor, paused - nothing / kept running - nothing',
				measured: (paused.cpuMs - nothing.cpuMs) / (running.cpuMs - nothing.cpuMs),
				atMost: 0.1,
			},
			{
				what: 'KiB of heap for each session, paused',
				measured: (paused.heap - nothing.heap) / SESSIONS / 1024,
				atMost: 25,
			},
		],
	};
}
