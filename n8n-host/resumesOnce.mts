// Preloaded into n8n 1 (`node --import`) where hours pass in minutes. If n8n 1 looks for paused executions while it resumes one, it resumes that one
// twice, and all nodes behind a Wait node run twice. That's rare once a minute, and common every three seconds, so here it doesn't happen. n8n 2 claims
// an execution before it resumes it.
import Module from 'node:module';

interface WaitTracker {
	/** Those with a timer. n8n sets none for what is in here. */
	waitingExecutions: Record<string, unknown>;
	executionRepository: { findOneBy(where: { id: string }): Promise<{ status: string } | null> };
	startExecution(executionId: string): Promise<void>;
}

const guarded = new WeakSet<WaitTracker>();

function guard(tracker: WaitTracker): void {
	if (guarded.has(tracker)) return;
	guarded.add(tracker);
	const { startExecution } = tracker;
	const starting = new Set<string>();
	tracker.startExecution = async function (id) {
		delete this.waitingExecutions[id];
		if (starting.has(id)) return;
		starting.add(id);
		try {
			const execution = await this.executionRepository.findOneBy({ id });
			if (execution?.status !== 'running') await startExecution.call(this, id);
		} finally {
			starting.delete(id);
		}
	};
}

const loader = Module as unknown as { _load(...call: unknown[]): any };
const { _load: load } = loader;

loader._load = function (...call) {
	const loaded = load.apply(this, call);
	// Asked for what it doesn't have yet, a module of a circle warns.
	const tracker = loaded && Object.hasOwn(loaded, 'WaitTracker') && loaded.WaitTracker;
	if (tracker) guard(tracker.prototype);
	return loaded;
};
