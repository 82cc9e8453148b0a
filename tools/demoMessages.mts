// Prints what an approver is sent, for a demo without a channel: the message with its link, as soon as an execution waits.
import { setTimeout as sleep } from 'node:timers/promises';
import { listExecutions, readExecution } from '../n8n-host/executions.mts';
import type { Host } from '../n8n-host/host.mts';

const CHECK_MS = 2_000;

/** Returns the messages of all executions of a workflow that wait, each with its link. */
async function readMessages({ rest }: Host, workflowId: string): Promise<string[]> {
	const waiting = (await listExecutions(rest, workflowId)).filter(
		({ status }) => status === 'waiting',
	);
	const executions = await Promise.all(waiting.map(({ id }) => readExecution(rest, id)));
	return executions
		.flatMap(({ runData }) => Object.values(runData).flat())
		.flatMap(({ data }) => data?.main.flat() ?? [])
		.flatMap((item) => (item?.json.approvalUrl ? [String(item.json.message)] : []));
}

/** Prints each message of these workflows once, until the signal. */
export async function printMessages(
	host: Host,
	workflowIds: string[],
	print: (line: string) => void,
	signal: AbortSignal,
): Promise<void> {
	const printed = new Set<string>();
	for (; !signal.aborted; await sleep(CHECK_MS)) {
		// A busy n8n answers at the next check.
		const found = workflowIds.map((id) => readMessages(host, id).catch(() => []));
		for (const message of (await Promise.all(found)).flat()) {
			if (!printed.has(message)) print(`\n${message.replaceAll('  \n', '\n')}`);
			printed.add(message);
		}
	}
}
