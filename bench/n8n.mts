// The built package in n8n-core's own engine, as the engine tests run it, but outside jest.
import { mkdtempSync, rmSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// n8n-core reads its settings when it is loaded. What a node logs would stand between the lines of the tables, and the key that
// n8n-core makes for itself does not belong into the home of the person who measures.
const folder = mkdtempSync(join(tmpdir(), 'n8n-bench-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
process.env.N8N_USER_FOLDER = folder;
process.env.N8N_LOG_LEVEL ??= 'silent';

// n8n-workflow's ES modules name each other without extension, which Node does not follow. Its CommonJS build is the copy that
// n8n-core and the nodes use anyway.
registerHooks({
	resolve: (specifier, context, next) =>
		next(
			specifier,
			specifier === 'n8n-workflow' ? { ...context, conditions: ['node', 'require'] } : context,
		),
});

/** Runs a workflow of a source and one node of the package, `run` to its end; or a trigger of it. */
export const { poller, run, start } = await import('../test/engine/engine.mts');
