// Preloaded into n8n (`node --import`) to test a restart: n8n's recovery reads an execution while a wake is running, and takes its time until it
// marks the execution as crashed, as it does on a busy server.
import Module from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';

const MARKS_AFTER_MS = 2_000;

interface Recovery {
	executionRepository: { findOneBy(where: { id: string }): Promise<{ status: string } | null> };
	amend(executionId: string, ...rest: unknown[]): Promise<unknown>;
}

const slowed = new WeakSet<Recovery>();

function slowDown(service: Recovery): void {
	if (slowed.has(service)) return;
	slowed.add(service);
	const { amend } = service;
	service.amend = async function (executionId, ...rest) {
		const isRunning = async () =>
			(await this.executionRepository.findOneBy({ id: executionId }))?.status === 'running';
		while (!(await isRunning())) await sleep(10);
		const amended = await amend.call(this, executionId, ...rest);
		await sleep(MARKS_AFTER_MS);
		return amended;
	};
}

const loader = Module as unknown as { _load(...call: unknown[]): any };
const { _load: load } = loader;

loader._load = function (...call) {
	const loaded = load.apply(this, call);
	const service = loaded?.ExecutionRecoveryService?.prototype;
	if (service) slowDown(service);
	return loaded;
};
