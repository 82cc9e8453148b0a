// Many sessions in one execution in its own process, so that what the waiting takes can be told from everything else's memory.
// Started by waiting.bench.mts with what to do as its argument; says what came of it as a line of JSON.
import { setTimeout as sleep } from 'node:timers/promises';
import { outputIndex } from '../nodes/RunAgentSession/outputs.ts';
import { run } from '../test/engine/engine.mts';
import type { Stage } from './stage.mts';
import { byId } from '../n8n-host/workflows.mts';

export interface Waiting {
	credentials: Stage['credentials'];
	projectId: string;
	prompts: string[];
	/** For the time before: sessions that are over soon */
	warmUp: string[];
	concurrency: number;
	/** Times of memory measurements, in milliseconds after the start */
	looks: number[];
}

export interface Memory {
	at: number;
	heap: number;
	rss: number;
}

export interface Waited {
	/** By prompt, in their order; what left by Completed */
	sessionIds: string[];
	startedAt: number;
	endedAt: number;
	before: Memory;
	during: Memory[];
}

const { credentials, projectId, prompts, warmUp, concurrency, looks }: Waiting = JSON.parse(
	process.argv[2],
);

async function runAll(all: string[]): Promise<string[]> {
	const { outputs, error } = await run({
		node: 'runAgentSession',
		credentials,
		items: all.map((prompt) => ({ prompt })),
		parameters: {
			operation: 'start',
			projectId: byId(projectId),
			prompt: '={{ $json.prompt }}',
			permissionPolicy: 'approve',
			options: { maxConcurrentSessions: concurrency },
		},
	});
	if (error) throw error;
	return outputs[outputIndex('completed')].map(({ json }) => json.sessionId as string);
}

/** Memory in use after a garbage collection. */
function memory(): Memory {
	for (let time = 0; time < 3; time++) globalThis.gc!();
	const { heapUsed, external, rss } = process.memoryUsage();
	return { at: Date.now(), heap: heapUsed + external, rss };
}

// Once with as many at once: what is loaded and connected at first use is no matter of the waiting.
await runAll(warmUp);
const before = memory();
const startedAt = Date.now();
const during: Memory[] = [];
const [sessionIds] = await Promise.all([
	runAll(prompts),
	...looks.map(async (delay) => {
		await sleep(delay);
		during.push(memory());
	}),
]);
const waited: Waited = { sessionIds, startedAt, endedAt: Date.now(), before, during };
console.log(JSON.stringify(waited));
