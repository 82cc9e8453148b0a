// Stage for the benchmarks of whole workflows: the real n8n with the package, and the data in its database.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { startHost, type Host, type HostOptions } from '../n8n-host/host.mts';
import { ensureHost } from '../n8n-host/install.mts';
import type { Log } from '../n8n-host/pinned.mts';
import type { WorkflowFile } from '../n8n-host/workflows.mts';
import { packedPackage } from '../tools/package.mts';
import { AS_TEXT, http, isOk } from '../tools/http.mts';

/** Written bytes of one execution's data */
export interface Writes {
	count: number;
	bytes: number;
}

export interface N8nStage {
	host: Host;
	/** By execution id: n8n writes the data of an execution whole each time, into `execution_data`. */
	writes: Map<string, Writes>;
}

/** n8n's log of what it asks its database, with the values: `query: UPDATE "execution_data" SET ... -- PARAMETERS: ["...", ...]` */
const LOG_QUERIES = { DB_LOGGING_ENABLED: 'true', DB_LOGGING_OPTIONS: 'query' };
const INSERTED = /^query: INSERT INTO "execution_data".*? VALUES \(\?, \?, (\d+)/;
const UPDATED = /^query: UPDATE "execution_data" .*? WHERE "executionId" = (\d+)/;
const VALUES = ' -- PARAMETERS: ';

/** Calls `work` with a new n8n, which is gone afterwards. */
export async function onN8nStage<T>(
	{ log, env }: { log: Log } & Pick<HostOptions, 'env'>,
	work: (stage: N8nStage) => Promise<T>,
): Promise<T> {
	await ensureHost({ log });
	const packed = await packedPackage(false);
	const writes: N8nStage['writes'] = new Map();
	try {
		const host = await startHost({
			packageDir: packed.folder,
			env: { ...LOG_QUERIES, ...env },
			log: (line) => note(line, writes),
		});
		try {
			return await work({ host, writes });
		} finally {
			await host.close();
		}
	} finally {
		packed.remove();
	}
}

function note(line: string, writes: N8nStage['writes']): void {
	const id = (INSERTED.exec(line) ?? UPDATED.exec(line))?.[1];
	if (id === undefined) return;
	const { count, bytes } = writes.get(id) ?? { count: 0, bytes: 0 };
	const values = JSON.parse(line.slice(line.indexOf(VALUES) + VALUES.length)) as string[];
	writes.set(id, { count: count + 1, bytes: bytes + Buffer.byteLength(values.join('')) });
}

/** A workflow of this folder, with the addresses and names in it replaced. */
export function workflowFile(name: string, replacements: Record<string, string>): WorkflowFile {
	const text = readFileSync(new URL(`./${name}.workflow.json`, import.meta.url), 'utf8');
	return JSON.parse(
		Object.entries(replacements).reduce(
			(changed, [from, to]) => changed.replaceAll(from, to),
			text,
		),
	);
}

/** Has n8n start an execution. Webhooks are there a few seconds after the workflow was made live. */
export async function callWebhook(url: string, body: object): Promise<void> {
	for (const end = Date.now() + 60_000; ; await sleep(250)) {
		const answer = await http.post(url, body, AS_TEXT);
		if (isOk(answer)) return;
		if (answer.status !== 404 || Date.now() > end)
			throw new Error(`The webhook answered ${answer.status}: ${answer.data}`);
	}
}
