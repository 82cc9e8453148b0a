// The package, installed by hand as the README says, in a new n8n.
import { execFile } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startHost, type OwnHost } from '../../n8n-host/host.mts';
import { packedPackage, type PackedPackage } from '../../tools/package.mts';

let userFolder: string;
let packed: PackedPackage;
let host: OwnHost | undefined;

beforeAll(async () => {
	packed = await packedPackage(false);
	// n8n compares the real paths of files.
	userFolder = realpathSync(mkdtempSync(join(tmpdir(), 'n8n-install-')));
	// Without `--prefix`, npm installs into the first folder above that has a package.json. Without `--legacy-peer-deps`, it installs
	// n8n-workflow too, which needs a compiler.
	await promisify(execFile)(
		'npm',
		['install', '--prefix', '.n8n/nodes', '--legacy-peer-deps', packed.archive],
		{ cwd: userFolder },
	);
	host = await startHost({ userFolder });
});
afterAll(async () => {
	await host?.close();
	packed.remove();
	rmSync(userFolder, { recursive: true, force: true });
});

test('n8n lists the nodes of a package that npm has installed into its folder', async () => {
	const names = ['runAgentSession', 'workspaceAutomation', 'workspaceAutomationTrigger'];
	const nodeInfos = names.map((name) => ({
		name: `n8n-nodes-workspace-automation.${name}`,
		version: 1,
	}));
	const listed = await host!.rest.post('/node-types', { nodeInfos });
	expect(listed.map(({ name }: { name: string }) => name)).toEqual(names);
});
