// The built package, loaded again for each process of n8n: a kill takes its memory. So does another worker, which the modules' maps show.
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
const PARAMETERS = [
	...['exports', 'require', 'module', '__filename', '__dirname'],
	...['Map', 'Set', 'WeakMap', 'WeakSet'],
	...['whenForgotten', 'look'],
];

type Compiled = (...given: unknown[]) => void;

/** Runs code where it sees what a module declares. */
export type Look = (code: string) => unknown;

/** A variable of a module, and its value at first */
const VARIABLE = /^let (\w+)(?: = (.*))?;$/gm;

/** By file, because only the memory is new */
const compiled = new Map<string, Compiled>();
function compile(file: string, isLookedAt: boolean): Compiled {
	const known = compiled.get(file);
	if (known && !isLookedAt) return known;
	const text = readFileSync(file, 'utf8');
	const resets = [...text.matchAll(VARIABLE)].map(
		([, name, value = 'undefined']) => `whenForgotten(() => void (${name} = ${value}));`,
	);
	const code = [text, ...resets, ...(isLookedAt ? ['look((code) => eval(code));'] : [])].join('\n');
	const fresh = compileFunction(code, PARAMETERS, { filename: file }) as Compiled;
	if (!isLookedAt) compiled.set(file, fresh);
	return fresh;
}

export interface LoadedPackage extends BuiltPackage {
	/** Empties what modules remember, as if another worker went on. */
	forget(): void;
	/** Loads a file, of those that n8n loads on first use. */
	load(file: string): void;
}

/** Keeps the maps and sets that modules make while they are loaded, with what is in them by then, and resets their variables. */
function createMemory() {
	let isLoading = false;
	const made: Array<Map<unknown, unknown> | Set<unknown>> = [];
	const initial = new Map<object, unknown[]>();
	const resets: Array<() => void> = [];

	/** Makes a weak map or set that can be emptied. */
	function watchWeak<T extends WeakMap<object, unknown> | WeakSet<object>>(
		it: T,
		create: () => T,
	): T {
		let current = create();
		for (const name of ['get', 'set', 'add', 'has', 'delete'] as const)
			if (name in it)
				Object.defineProperty(it, name, {
					value(...given: unknown[]) {
						const result = (current as any)[name](...given);
						return result === current ? it : result;
					},
				});
		resets.push(() => void (current = create()));
		return it;
	}

	const watched = <T extends object>(type: new () => T, keep: (it: any) => T): new () => T =>
		new Proxy(type, {
			construct(target, given) {
				const it = Reflect.construct(target, given) as T;
				return isLoading ? keep(it) : it;
			},
		});
	const keep = <T extends Map<unknown, unknown> | Set<unknown>>(it: T): T => (made.push(it), it);

	return {
		types: {
			Map: watched(Map, keep),
			Set: watched(Set, keep),
			WeakMap: watched(WeakMap, (it) => watchWeak(it, () => new WeakMap())),
			WeakSet: watched(WeakSet, (it) => watchWeak(it, () => new WeakSet())),
		},
		whenForgotten: (reset: () => void) => void resets.push(reset),
		/** Keeps what the work makes. */
		load<T>(work: () => T): T {
			const isOutermost = !isLoading;
			isLoading = true;
			const result = work();
			if (!isOutermost) return result;
			isLoading = false;
			for (const each of made.splice(0)) initial.set(each, [...each]);
			return result;
		},
		forget(): void {
			for (const [it, entries] of initial) {
				const all = it as Map<unknown, unknown> & Set<unknown>;
				all.clear();
				for (const entry of entries)
					if (it instanceof Map) all.set(...(entry as [unknown, unknown]));
					else all.add(entry);
			}
			for (const reset of resets) reset();
		},
	};
}

/** Loads the package as a new process does. @param look is called for each file with what looks into it */
export function loadPackage(random: Random, look?: (into: Look) => void): LoadedPackage {
	const memory = createMemory();
	const { types, whenForgotten } = memory;
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
		memory.load(() =>
			compile(file, look !== undefined)(
				...[module.exports, requireFrom, module, file, folder],
				...[types.Map, types.Set, types.WeakMap, types.WeakSet],
				...[whenForgotten, look],
			),
		);
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
	const credential = create(n8n.credentials[0]);
	return { nodes: Object.fromEntries(nodes), credential, forget: memory.forget, load };
}
