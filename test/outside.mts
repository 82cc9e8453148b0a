// Node's own realm. Jest runs a test in another realm with other globals. Shared packages run in Node's (test/environment.mjs).
import { createRequire } from 'node:module';
import type { VirtualClock } from './virtualClock.mts';

/** Node's own `require`. Without jest it's the only one. */
export const { requireOutside = createRequire(import.meta.url) } = globalThis as {
	requireOutside?: NodeJS.Require;
};

interface Realm extends Pick<VirtualClock['timers'], 'setTimeout' | 'clearTimeout'> {
	Date: { now(): number };
	performance: { now(): number };
}

/** The globals of n8n-core, n8n-workflow and the built package */
export const outside = (requireOutside('node:vm') as typeof import('node:vm')).runInThisContext(
	'globalThis',
) as Realm;
