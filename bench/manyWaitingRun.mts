// One execution with many sessions that wait, in a process of its own, so that what the waiting takes can be told from all else.
// Started by many-waiting.bench.mts with what to do as its argument; says what came of it as a line of JSON.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { ICredentialsHelper } from 'n8n-workflow';
import { start } from './n8n.mts';
import type { Stage } from './stage.mts';

export interface ManyWaiting {
	credentials: Stage['credentials'];
	projectId: string;
	controlUrl: string;
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
	/** How often n8n was asked for the credential in the whole execution */
	credentialReads: number;
	/** Of the heap with what lies outside of it, in bytes, against before the execution */
	memory: number;
	/** How late a timer was in milliseconds: half of them, and 99 of 100 */
	lateMedianMs: number;
	lateWorstMs: number;
}

const { credentials, projectId, controlUrl, sessions, measureMs }: ManyWaiting = JSON.parse(
	process.argv[2],
);

let credentialReads = 0;
const served = async () =>
	((await (await fetch(`${controlUrl}/statistics`)).json()) as { requests: number }).requests;
const inUse = () => {
	for (let time = 0; time < 3; time++) globalThis.gc!();
	const { heapUsed, external } = process.memoryUsage();
	return heapUsed + external;
};
