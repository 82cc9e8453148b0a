// A poll over 10,000 files in its own process, so that its memory can be told from everything else's. Started by trigger.bench.mts with
// the way as its argument; says what it took as a line of JSON.
import { poller, run } from '../test/engine/engine.mts';
import type { Stage } from './stage.mts';
import { byId } from '../n8n-host/workflows.mts';

/** A poll of the trigger that finds nothing new, or the list that a workflow made by hand reads to find out */
export type Way = 'trigger' | 'get many';

export interface Looking {
	way: Way;
	credentials: Stage['credentials'];
	projectId: string;
	folderId: string;
}

export interface Looked {
	ms: number;
	/** The most bytes by which the process's memory grew */
	growth: number;
	/** Bytes that n8n saves of the trigger */
	stateBytes: number;
}

const { way, credentials, projectId, folderId }: Looking = JSON.parse(process.argv[2]);

async function getMany(limit?: number): Promise<void> {
	const { error } = await run({
		node: 'workspaceAutomation',
		parameters: {
			resource: 'file',
			operation: 'getAll',
			projectId: byId(projectId),
			filters: { parentId: byId(folderId) },
			...(limit === undefined ? { returnAll: true } : { limit }),
		},
		credentials,
	});
	if (error) throw error;
}

const trigger = poller({
	node: 'workspaceAutomationTrigger',
	parameters: { event: 'fileUpdated', projectIds: [projectId], parentId: byId(folderId) },
	credentials,
});

// Code loaded at first use doesn't count toward the list. Neither does the trigger's first poll.
await getMany(100);
if (way === 'trigger') await trigger.poll();
globalThis.gc!();
const before = process.memoryUsage.rss();
const begin = performance.now();
if (way === 'get many') await getMany();
else if ((await trigger.poll()) !== null) throw new Error('The trigger found something new.');
console.log(
	JSON.stringify({
		ms: performance.now() - begin,
		growth: Math.max(0, process.resourceUsage().maxRSS * 1024 - before),
		stateBytes: Buffer.byteLength(JSON.stringify(trigger.state())),
	} satisfies Looked),
);
