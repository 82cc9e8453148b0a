// Runs one execution with many waiting sessions. It has a separate process, so that its processor time is that of the wait alone.
// Started by many-waiting.bench.mts with what to do as its argument; says what came of it as a line of JSON.
import { subscribe } from 'node:diagnostics_channel';
import { Session } from 'node:inspector/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { start } from '../test/engine/engine.mts';
import type { Stage } from './stage.mts';
import { byId } from '../n8n-host/workflows.mts';

export interface ManyWaiting {
	credentials: Stage['credentials'];
	projectId: string;
	sessions: number;
	/** How long to measure, in milliseconds, once all have started and been polled */
	measureMs: number;
}

export interface Waited {
	/** Processor time and the time it was measured for, in milliseconds */
	cpuMs: number;
	tookMs: number;
	/** Requests of these sessions while it was measured */
	requests: number;
	/** The share of the processor time that the package's own code takes, from a profile of the time after */
	ownShare: number;
	/** How often n8n was asked for the credential in the whole execution */
	credentialReads: number;
	/** Of the heap with what lies outside of it, in bytes, against before the execution */
	memory: number;
	/** How late a timer was in milliseconds: half of them, and 99 of 100 */
	lateMedianMs: number;
	lateWorstMs: number;
	/** The most processor time that went by between two turns of a timer that is always due, in milliseconds */
	longestTurnMs: number;
}

const { credentials, projectId, sessions, measureMs }: ManyWaiting = JSON.parse(process.argv[2]);

let requests = 0;
subscribe('http.client.request.start', () => requests++);
let credentialReads = 0;
const counted = {
	...credentials,
	/** The engine copies the credential whenever it is read. */
	get accessToken() {
		credentialReads++;
		return credentials.accessToken;
	},
};

function inUse(): number {
	for (let time = 0; time < 3; time++) globalThis.gc!();
	const { heapUsed, external } = process.memoryUsage();
	return heapUsed + external;
}

/** Profiles the process for a while. Returns the share of our code in all that isn't idle. */
async function profileOwnShare(ms: number): Promise<number> {
	const session = new Session();
	session.connect();
	await session.post('Profiler.enable');
	await session.post('Profiler.start');
	await sleep(ms);
	const { profile } = await session.post('Profiler.stop');
	session.disconnect();
	const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]));
	let [own, busy] = [0, 0];
	for (const [index, id] of profile.samples!.entries()) {
		const { functionName, url } = frames.get(id)!;
		if (functionName === '(idle)') continue;
		busy += profile.timeDeltas![index];
		if (/[\\/]dist[\\/](nodes|credentials)[\\/]/.test(url)) own += profile.timeDeltas![index];
	}
	return own / busy;
}

const before = inUse();
const execution = start({
	node: 'runAgentSession',
	credentials: counted,
	items: Array.from({ length: sessions }, () => ({})),
	parameters: {
		operation: 'start',
		projectId: byId(projectId),
		prompt: '[work 10h]',
		permissionPolicy: 'ask',
		whileWaiting: 'keepRunning',
		maxWait: 600,
		options: { maxConcurrentSessions: sessions, abortOnStop: false },
	},
});
// Each has been started and polled twice: what happens at first does not count.
while (requests < 3 * sessions) await sleep(100);

const late = monitorEventLoopDelay({ resolution: 10 });
late.enable();
// Against how late timers are, other work on the machine changes nothing here.
let [longestTurnMs, usedBefore] = [0, process.threadCpuUsage()];
const turns = setInterval(() => {
	const { user, system } = process.threadCpuUsage(usedBefore);
	longestTurnMs = Math.max(longestTurnMs, (user + system) / 1000);
	usedBefore = process.threadCpuUsage();
}, 1);
const [cpu, from, sent] = [process.cpuUsage(), performance.now(), requests];
await sleep(measureMs);
clearInterval(turns);
const { user, system } = process.cpuUsage(cpu);
const waited: Waited = {
	cpuMs: (user + system) / 1000,
	tookMs: performance.now() - from,
	requests: requests - sent,
	credentialReads,
	lateMedianMs: late.percentile(50) / 1e6 - 10,
	lateWorstMs: late.percentile(99) / 1e6 - 10,
	longestTurnMs,
	memory: inUse() - before,
	ownShare: await profileOwnShare(10_000),
};
execution.stop();
console.log(JSON.stringify(waited));
process.exit(0);
