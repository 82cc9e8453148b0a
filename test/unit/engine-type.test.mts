// n8n's new engine, which a workflow's setting chooses, runs no cycles: Wait In the Database needs one.
import { expect, test } from '@jest/globals';
import type { IExecuteFunctions } from 'n8n-workflow';
import { requireCyclesSupported } from '../../nodes/RunAgentSession/session/engine.ts';

const context = (settings: object, mode: string) =>
	({ getWorkflowSettings: () => settings, getMode: () => mode }) as unknown as IExecuteFunctions;

test.each(['manual', 'webhook', 'trigger'])(
	'refuses In the Database in the new engine, before anything is started: %s',
	(mode) => {
		expect(() => requireCyclesSupported(context({ engineType: 'v2' }, mode))).toThrow(
			"'In the Database' doesn't work in n8n's new engine",
		);
	},
);

test.each([
	['the first engine', {}, 'trigger'],
	['the first engine by name', { engineType: 'v1' }, 'manual'],
	['a sub-workflow, which n8n runs in the first engine', { engineType: 'v2' }, 'integrated'],
	['a retry, which n8n runs in the first engine', { engineType: 'v2' }, 'retry'],
])('allows it in %s', (_, settings, mode) => {
	expect(() => requireCyclesSupported(context(settings, mode))).not.toThrow();
});
