// Loads a package as n8n does when it starts, in its own process. Started by cold-start.bench.mts with the package's folder and an empty
// one as its arguments. It prints its figures as a line of JSON.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PackageDirectoryLoader } from 'n8n-core';

export interface ColdStart {
	ms: number;
	/** Bytes of heap that stay in use */
	heap: number;
}

const [folder, empty] = process.argv.slice(2);

/** Files of a package with next to nothing in it */
const LEAST = {
	'package.json':
		'{"name":"n8n-nodes-least","n8n":{"nodes":["Least.node.js"],"credentials":["Least.credentials.js"]}}',
	'Least.node.js': `exports.Least = class { description = { displayName: 'Least', name: 'least', group: [], version: 1, defaults: {},
		inputs: ['main'], outputs: ['main'], credentials: [{ name: 'least' }], requestDefaults: {}, properties: [] } };`,
	'Least.node.json': '{}',
	'Least.credentials.js':
		"exports.Least = class { name = 'least'; displayName = 'Least'; properties = []; };",
};

function heapInUse(): number {
	// Once is not enough: what the first one finalizes, the second one frees.
	globalThis.gc!();
	globalThis.gc!();
	const { heapUsed, external } = process.memoryUsage();
	return heapUsed + external;
}

// n8n's own nodes come first in n8n, so what the loader does once doesn't count.
for (const [file, text] of Object.entries(LEAST)) writeFileSync(join(empty, file), text);
await new PackageDirectoryLoader(empty).loadAll();

const loader = new PackageDirectoryLoader(folder);
const heapBefore = heapInUse();
const begin = performance.now();
await loader.loadAll();
const ms = performance.now() - begin;
const heap = heapInUse() - heapBefore;
if (loader.loadedNodes.length === 0) throw new Error(`${folder} has no nodes.`);
console.log(JSON.stringify({ ms, heap } satisfies ColdStart));
