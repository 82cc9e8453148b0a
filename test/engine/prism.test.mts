// An independent check of the service's shape: Prism makes a mock server from the contract, and refuses every request that doesn't fit.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import getPort from 'get-port';
import type { IDataObject } from 'n8n-workflow';
import { parse } from 'yaml';
import { contractFile } from '../../openapi/contract.mts';
import { endpoints } from '../../openapi/endpoints.mts';
import { good, ID, rl } from './badInput.mts';
import { run } from './engine.mts';

const cli = fileURLToPath(
	new URL('../prism/node_modules/@stoplight/prism-cli/dist/index.js', import.meta.url),
);
const folder = mkdtempSync(join(tmpdir(), 'prism-'));
let prism: ChildProcess;
let baseUrl: string;
let log = '';

/** The contract with the last segment of the base URL in its paths: Prism takes none from the server's URL */
function writeContract(): string {
	const contract = parse(readFileSync(contractFile, 'utf8')) as { paths: Record<string, unknown> };
	const paths = Object.entries(contract.paths).map(([path, item]) => [`/v1${path}`, item]);
	const file = join(folder, 'contract.json');
	// Entries of another project than the one that was asked for would be an error.
	const withId = (_key: string, value: any) =>
		value?.format === 'uuid' ? { ...value, example: ID } : value;
	writeFileSync(file, JSON.stringify({ ...contract, paths: Object.fromEntries(paths) }, withId));
	return file;
}

beforeAll(async () => {
	const port = await getPort();
	baseUrl = `http://127.0.0.1:${port}/v1`;
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
}, 60_000);
afterAll(() => {
	prism.removeAllListeners('exit').kill();
	rmSync(folder, { recursive: true, force: true });
});

const call = async (does: string, parameters: IDataObject, overrides = {}) => {
	const [resource, operation] = does.split('.');
	return await run({
		node: 'workspaceAutomation',
		// A generated page says that there is more, and its cursor is always the same.
		parameters: { resource, operation, limit: 1, ...parameters },
		credentials: {
			baseUrl,
			accessToken: 'wa_key',
			apiVersion: '2026-10-05',
			overrides: JSON.stringify(overrides),
		},
	});
};

test('every operation of the contract has an operation that is run here', () => {
	expect(Object.keys(good).sort()).toEqual(Object.values(endpoints).flat().sort());
});

test.each(Object.entries(good))('Prism accepts the request of %s', async (does, parameters) => {
	// The form of a product's ID is not shown, and the contract assumes a UUID.
	const product = does === 'product.update' ? { productId: rl(ID) } : {};
	const { error, outputs } = await call(does, { ...parameters, ...product });
	expect(error).toBeUndefined();
	expect(outputs[0]).toHaveLength(1);
});

test('Prism refuses what does not fit, such as another version, and refused nothing else', async () => {
	const other = { getTask: { version: '2027-01-01' } };
	const { error } = await call('task.get', { taskId: rl(ID) }, other);
	expect(error?.httpCode).toBe('422');
	while (!log.includes('Violation')) await new Promise((resolve) => setTimeout(resolve, 50));
	expect(log.match(/did not pass the validation rules/g)).toHaveLength(1);
});
