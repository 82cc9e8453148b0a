// An independent check of the service's shape: Prism makes a mock server from the contract, and refuses every request that doesn't fit.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { IDataObject } from 'n8n-workflow';
import { parse } from 'yaml';
import { contractFile } from '../../openapi/contract.mts';
import { endpoints } from '../support/endpoints.mts';
import { UUID } from '../../nodes/shared/validation.ts';
import { freePort } from '../../n8n-host/ports.mts';
import { ensureParts } from '../../tools/parts.mts';
import { documented } from '../support/documentRows.mts';
import { good, ID, rl } from './badInput.mts';
import { operation, run, type Setup } from './engine.mts';

const cli = fileURLToPath(
	new URL('../prism/node_modules/@stoplight/prism-cli/dist/index.js', import.meta.url),
);
const folder = mkdtempSync(join(tmpdir(), 'prism-'));
let prism: ChildProcess;
let recorder: Server;
let baseUrl: string;
/** Names in the requests since the last check, as in the document: `path`, `query.limit`, `body.source.type`, ... */
let sent: string[] = [];
let log = '';

/** The contract with the last segment of the base URL in its paths: Prism takes none from the server's URL */
function writeContract(): string {
	const contract = parse(readFileSync(contractFile, 'utf8')) as { paths: Record<string, unknown> };
	const paths = Object.entries(contract.paths).map(([path, item]) => [`/v1${path}`, item]);
	const file = join(folder, 'contract.json');
	// Entries of another project than the one that was asked for would be an error.
	const withId = (_key: string, value: any) =>
		typeof value === 'string' ? value.replace(new RegExp(UUID, 'g'), ID) : value;
	writeFileSync(file, JSON.stringify({ ...contract, paths: Object.fromEntries(paths) }, withId));
	return file;
}

/** The dotted paths of the values in JSON */
const findPaths = (value: unknown, at: string): string[] =>
	typeof value === 'object' && value !== null
		? Object.entries(value).flatMap(([name, inner]) => [
				`${at}${name}`,
				...findPaths(inner, `${at}${name}.`),
			])
		: [];

/** Stands before Prism, and notes what is sent. */
async function startRecorder(target: string): Promise<string> {
	recorder = createServer(async (request, response) => {
		let body = '';
		for await (const chunk of request) body += String(chunk);
		const url = new URL(request.url!, target);
		sent.push(...[...url.searchParams.keys()].map((name) => `query.${name}`));
		sent.push(...Object.keys(request.headers).map((name) => `header.${name}`));
		if (body !== '') sent.push(...findPaths(JSON.parse(body), 'body.'));
		const headers = Object.fromEntries(
			['authorization', 'content-type', 'service-api-version'].flatMap((name) =>
				request.headers[name] ? [[name, String(request.headers[name])]] : [],
			),
		);
		const answer = await fetch(url, {
			method: request.method,
			headers,
			...(body !== '' && { body }),
		});
		response.writeHead(answer.status, { 'content-type': 'application/json' });
		response.end(await answer.text());
	}).listen(0, '127.0.0.1');
	await once(recorder, 'listening');
	return `http://127.0.0.1:${(recorder.address() as AddressInfo).port}/v1`;
}

beforeAll(async () => {
	await ensureParts(['prism'], console.error);
	const port = await freePort();
	baseUrl = await startRecorder(`http://127.0.0.1:${port}`);
	const flags = ['mock', '-h', '127.0.0.1', '-p', String(port), writeContract()];
	prism = spawn(process.execPath, [cli, ...flags], { stdio: ['ignore', 'pipe', 'pipe'] });
	await new Promise<void>((resolve, reject) => {
		const read = (text: Buffer) => {
			log += String(text);
			if (log.includes('Prism is listening')) resolve();
		};
		prism.stdout!.on('data', read);
		prism.stderr!.on('data', read);
		prism.on('exit', (code) => reject(new Error(`Prism ended with ${code}: ${log}`)));
	});
});
afterAll(() => {
	prism.removeAllListeners('exit').kill();
	recorder.closeAllConnections();
	recorder.close();
	rmSync(folder, { recursive: true, force: true });
});

const call = async (
	does: string,
	parameters: IDataObject,
	overrides = {},
	binary?: Setup['binary'],
) => {
	const credentials = {
		baseUrl,
		accessToken: 'wa_key',
		apiVersion: '2026-10-05',
		overrides: JSON.stringify(overrides),
	};
	// The example of a page says that there is more, and its cursor is always the same.
	return await run(operation(does, { limit: 1, ...parameters }, credentials, { binary }));
};

test('every operation of the contract is run here', () => {
	expect(Object.keys(good).sort()).toEqual(Object.values(endpoints).flat().sort());
});

test.each(Object.entries(good))('Prism accepts the request of %s', async (does, parameters) => {
	// The form of a product's ID is not shown, and the contract assumes a UUID.
	const product = does === 'product.update' ? { productId: rl(ID) } : {};
	const { error, outputs } = await call(does, { ...parameters, ...product });
	expect(error).toBeUndefined();
	expect(outputs[0]).toHaveLength(1);
});

const binary = [{ data: { data: 'AAAA', mimeType: 'image/png', fileName: 'a.png' } }];

/** Uses that together send everything that an operation can */
const everything: Record<string, IDataObject[]> = {
	'task.update': [{ updateFields: { title: 'x', prompt: 'x', rrule: 'x', emoji: 'x' } }],
	'file.create': [
		{ parentId: rl(ID) },
		{ contentSource: 'asset', assetId: ID },
		{ contentSource: 'binary', binaryPropertyName: 'data' },
	],
	'file.getAll': [{ filters: { parentId: rl(ID) } }],
	'sharedPreview.create': [{ locale: 'en' }],
	'product.update': [{ productId: rl(ID) }],
};

test.each(documented)('$endpoint: every parameter is sent', async ({ names, parameters }) => {
	sent = [];
	for (const does of names)
		for (const more of everything[does] ?? [{}])
			await call(
				does,
				{ ...good[does], ...more, ...(does.endsWith('getAll') && { limit: 2 }) },
				{},
				binary,
			);
	// The path is where the request went.
	const named = parameters.filter((name) => !name.startsWith('path.'));
	const found = sent.map((name) => name.toLowerCase());
	expect(named.filter((name) => !found.includes(name.toLowerCase()))).toEqual([]);
});

/** Fields that the node reads itself, by operation: they have the rows, and the place of a file */
const READ_BY_THE_NODE: Record<string, string[]> = {
	'analytics.query': ['rowCount', 'data'],
	'file.getContent': ['url'],
};

/** Returns the fields that an item has. Of a list, the node reads the envelope itself. */
const itemFields = (does: string, fields: string[]): string[] =>
	does.endsWith('getAll')
		? fields.filter((path) => path.startsWith('data.')).map((path) => path.slice('data.'.length))
		: fields.filter((path) => !READ_BY_THE_NODE[does]?.includes(path));

test.each(documented)(
	'$endpoint: every field of the response is in the item',
	async ({ names, fields }) => {
		const [does] = names;
		const product = does === 'product.update' ? { productId: rl(ID) } : {};
		const asText = does === 'file.getContent' ? { outputAs: 'text' } : {};
		const parameters = { ...good[does], ...product, ...asText, simplify: false };
		const { outputs } = await call(does, parameters);
		const found = findPaths(outputs[0][0].json, '').map((path) =>
			path.replace(/\.\d+(?=\.|$)/g, ''),
		);
		expect(itemFields(does, fields).filter((path) => !found.includes(path))).toEqual([]);
	},
);

test('Prism refuses invalid requests, such as another version, and no others', async () => {
	const other = { getTask: { version: '2027-01-01' } };
	const { error } = await call('task.get', { taskId: rl(ID) }, other);
	expect(error?.httpCode).toBe('400');
	while (!log.includes('Violation')) await new Promise((resolve) => setTimeout(resolve, 50));
	expect(log.match(/did not pass the validation rules/g)).toHaveLength(1);
});
