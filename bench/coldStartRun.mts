// Loads one package as n8n does when it starts, in its own process. Started by cold-start.bench.mts with the package's folder as
// its argument; says what it took as a line of JSON.
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { PackageDirectoryLoader } from 'n8n-core';

export interface ColdStart {
	ms: number;
	/** Bytes of heap that are in use afterwards and were not before */
	heap: number;
	/** Number of loaded code files */
	files: number;
}

const { cache } = createRequire(import.meta.url);

/** A nearly empty package. */
function leastPackage(): string {
	const folder = join(process.env.N8N_USER_FOLDER!, 'least');
	const put = (file: string, text: string) => writeFileSync(join(folder, file), text);
	mkdirSync(folder, { recursive: true });
	put(
		'package.json',
		JSON.stringify({
			name: 'n8n-nodes-least',
			version: '1.0.0',
			n8n: { nodes: ['Least.node.js'], credentials: ['LeastApi.credentials.js'] },
		}),
	);
	put(
		'Least.node.js',
		`exports.Least = class { description = {
			displayName: 'Least', name: 'least', icon: 'file:least.svg', group: ['transform'], version: 1, description: '', defaults: { name: 'Least' },
			inputs: ['main'], outputs: ['main'], credentials: [{ name: 'leastApi' }], requestDefaults: {}, properties: [],
		} };`,
	);
	put('Least.node.json', JSON.stringify({ categories: [], resources: {} }));
	put(
		'LeastApi.credentials.js',
		"exports.LeastApi = class { name = 'leastApi'; displayName = 'Least API'; properties = []; };",
	);
	return folder;
}

const load = async (folder: string) => {
	const loader = new PackageDirectoryLoader(folder);
	await loader.loadAll();
	return loader;
};

function heapInUse(): number {
	// Once is not enough: what the first one finalizes, the second one frees.
	globalThis.gc!();
	globalThis.gc!();
	const { heapUsed, external } = process.memoryUsage();
	return heapUsed + external;
}

// First next to nothing: what n8n's loader does once, and the nodes that come with n8n have it do long before, does not count toward the package.
await load(leastPackage());

const filesBefore = Object.keys(cache).length;
const heapBefore = heapInUse();
const begin = performance.now();
const loader = await load(process.argv[2]);
const ms = performance.now() - begin;
const heap = heapInUse() - heapBefore;
if (loader.loadedNodes.length === 0) throw new Error(`${process.argv[2]} has no nodes.`);

const result: ColdStart = { ms, heap, files: Object.keys(cache).length - filesBefore };
console.log(JSON.stringify(result));
