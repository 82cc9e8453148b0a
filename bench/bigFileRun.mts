// One transfer of a big file in its own process, so that its memory can be told from everything else's. Started by
// big-file.bench.mts with the transfer as its argument; says what came of it as a line of JSON.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import { BinaryDataService } from 'n8n-core';
import type { IBinaryData, IDataObject } from 'n8n-workflow';
import { run } from '../test/engine/engine.mts';
import type { Stage } from './stage.mts';
import { byId } from '../n8n-host/workflows.mts';

export interface Transfer {
	direction: 'up' | 'down';
	credentials: Stage['credentials'];
	projectId: string;
	bytes: number;
	/** The file to download */
	fileId?: string;
	/** True if garbage is collected all the time, so that only what is in use counts */
	collect: boolean;
}

export interface Transferred {
	fileId: string;
	/** Size of the sent or received content */
	sha256: string;
	/** The most bytes by which the process's memory grew */
	growth: number;
}

const require = createRequire(createRequire(import.meta.url).resolve('n8n-core'));
const { Container } = require('@n8n/di') as {
	Container: { get<T>(type: new (...parts: never[]) => T): T };
};
const binaryData = Container.get(BinaryDataService);
// As an n8n server does it by default: binary data lies in files, and items only name them.
await binaryData.init();

const { direction, credentials, projectId, bytes, fileId, collect }: Transfer = JSON.parse(
	process.argv[2],
);

async function perform(operation: string, parameters: IDataObject, data?: IBinaryData) {
	const binary = data ? [{ data }] : [];
	const { outputs, error } = await run({
		node: 'workspaceAutomation',
		parameters: { resource: 'file', operation, ...parameters },
		credentials,
		binary,
	});
	if (error) throw error;
	return outputs[0][0] as { json: IDataObject; binary?: { data: IBinaryData } };
}

/** Random bytes as binary data of an item, never all of them in memory */
async function made(size: number): Promise<{ data: IBinaryData; sha256: string }> {
	const hash = createHash('sha256');
	function* chunks() {
		for (let left = size; left > 0; left -= 65_536) {
			const chunk = randomBytes(Math.min(left, 65_536));
			hash.update(chunk);
			yield chunk;
		}
	}
	const about: IBinaryData = {
		data: '',
		mimeType: 'application/octet-stream',
		fileName: `${randomUUID()}.bin`,
	};
	const data = await binaryData.store(
		{ type: 'execution', workflowId: 'bench', executionId: 'bench' },
		Readable.from(chunks()),
		about,
	);
	return { data, sha256: hash.digest('hex') };
}

const send = async (data: IBinaryData) =>
	(
		await perform(
			'create',
			{ projectId: byId(projectId), contentSource: 'binary', binaryPropertyName: 'data' },
			data,
		)
	).json.id as string;

const receive = async (file: string) =>
	(
		await perform('getContent', {
			fileId: byId(file),
			outputAs: 'binary',
			binaryPropertyName: 'data',
		})
	).binary!.data;

async function getHash(data: IBinaryData): Promise<string> {
	const hash = createHash('sha256');
	for await (const chunk of await binaryData.getAsStream(data.id!)) hash.update(chunk as Buffer);
	return hash.digest('hex');
}

/** Runs `work`, and returns its result and its memory. */
async function watched<T>(work: () => Promise<T>): Promise<{ result: T; growth: number }> {
	globalThis.gc!();
	const before = process.memoryUsage.rss();
	const collecting = collect ? setInterval(() => globalThis.gc!(), 2) : undefined;
	const result = await work();
	clearInterval(collecting);
	// The highest of the process's whole life, as the system kept it: loading n8n and the first transfer took less.
	return { result, growth: process.resourceUsage().maxRSS * 1024 - before };
}

async function transfer(): Promise<Transferred> {
	if (direction === 'down') {
		const { result, growth } = await watched(async () => await receive(fileId!));
		return { fileId: fileId!, sha256: await getHash(result), growth };
	}
	const { data, sha256 } = await made(bytes);
	const { result, growth } = await watched(async () => await send(data));
	return { fileId: result, sha256, growth };
}

// Once with a tiny file: what is loaded at first use does not count toward the file's size.
await receive(await send((await made(1024)).data));
console.log(JSON.stringify(await transfer()));
