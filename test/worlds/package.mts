// The built package, loaded again for each process of n8n: a kill takes its memory.
import * as crypto from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { compileFunction } from 'node:vm';
import type { INodeType } from 'n8n-workflow';
import { core, n8nWorkflow, type BuiltPackage } from '../../n8n-host/core.mts';
import { PACKAGE } from '../../n8n-host/workflows.mts';
import type { Random } from './random.mts';

const root = join(import.meta.dirname, '../..');
const require = createRequire(import.meta.url);
const PARAMETERS = ['exports', 'require', 'module', '__filename', '__dirname'];

type Compiled = (...given: unknown[]) => void;

/** By file, because only the memory is new */
const compiled = new Map<string, Compiled>();
function compile(file: string): Compiled {
	const known = compiled.get(file);
	if (known) return known;
	const text = readFileSync(file, 'utf8');
	const fresh = compileFunction(text, PARAMETERS, { filename: file }) as Compiled;
	compiled.set(file, fresh);
	return fresh;
}

/** Loads the package as a new process does. */
export function loadPackage(random: Random): BuiltPackage {
	const modules = new Map<string, { exports: any }>();
	const bytes = (count: number) => Buffer.from(Array.from({ length: count }, () => random() * 256));
	const ownCrypto = {
		...crypto,
		randomBytes: bytes,
		randomUUID() {
			const hex = bytes(16).toString('hex');
			return [
				hex.slice(0, 8),
				hex.slice(8, 12),
				hex.slice(12, 16),
				hex.slice(16, 20),
				hex.slice(20),
			].join('-');
		},
	};
	function load(file: string): any {
		const known = modules.get(file);
		if (known) return known.exports;
		const module = { exports: {} as any };
		modules.set(file, module);
		const folder = dirname(file);
		const requireFrom = (name: string) => {
			if (name.startsWith('.')) return load(join(folder, name));
			if (name === 'n8n-workflow') return n8nWorkflow;
			return name === 'node:crypto' ? ownCrypto : require(name);
		};
		compile(file)(module.exports, requireFrom, module, file, folder);
		return module.exports;
	}
	const { n8n } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
	const create = (file: string) => {
		const name = file.split('/').pop()!.split('.')[0];
		return new (load(join(root, file))[name])();
	};
	const nodes = n8n.nodes.map((file: string) => {
		const node = create(file) as INodeType;
		core.DirectoryLoader.applyDeclarativeNodeOptionParameters(node);
		return [PACKAGE + node.description.name, node];
	});
	return { nodes: Object.fromEntries(nodes), credential: create(n8n.credentials[0]) };
}
