// Which of n8n's nodes can hold a response back until the workflow ends: the engine tests run each of them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { INodeTypeDescription } from 'n8n-workflow';
import { hostFolder, hostVersion } from '../../n8n-host/versions.mts';
import { RESPONDING_NODES } from '../engine/respondingNodes.mts';

test.each(['n8n-nodes-base', '@n8n/n8n-nodes-langchain'])(
	"knows all of %s' nodes that can respond when the workflow ends",
	(name) => {
		const folder = join(hostFolder(hostVersion()), 'node_modules', name);
		const types = JSON.parse(
			readFileSync(join(folder, 'dist/types/nodes.json'), 'utf8'),
		) as INodeTypeDescription[];
		expect(types.length).toBeGreaterThan(50);
		const found = types.filter(({ webhooks = [] }) =>
			webhooks.some(({ responseMode = '' }) => /^=|^lastNode$/.test(responseMode)),
		);
		const known = RESPONDING_NODES.map(([type]) => type).filter((type) =>
			type.startsWith(`${name}.`),
		);
		expect(new Set(known)).toEqual(new Set(found.map((type) => `${name}.${type.name}`)));
	},
);
