// Prints what an approver is sent, for a demo without a channel: the message with its link, as soon as an execution waits.
import { setTimeout as sleep } from 'node:timers/promises';
import { listExecutions, readExecution } from '../n8n-host/executions.mts';
import type { Host } from '../n8n-host/host.mts';

const CHECK_MS = 2_000;

/** Returns the messages of all executions that wait, each with its link. */
async function readMessages({ rest }: Host): Promise<string[]> {
	const waiting = (await listExecutions(rest)).filter(({ status }) => status === 'waiting');
	const executions = await Promise.all(waiting.map(({ id }) => readExecution(rest, id)));
	return executions
		.flatMap(({ runData }) => Object.values(runData).flat())
		.flatMap(({ data }) => data?.main.flat() ?? [])
		.flatMap((item) => (item?.json.approvalUrl ? [String(item.json.message)] : []));
}

/** Prints each message once, until the signal, also of workflows that people make themselves. */
export async function printMessages(
	host: Host,
	print: (line: string) => void,
	signal: AbortSignal,
): Promise<void> {
	const printed = new Set<string>();
	for (; !signal.aborted; await sleep(CHECK_MS)) {
		// A busy n8n answers at the next check.
		for (const message of await readMessages(host).catch(() => [])) {
			if (!printed.has(message)) print(`\n${message.replaceAll('  \n', '\n')}`);
			printed.add(message);
		}
	}
}
