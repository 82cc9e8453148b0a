// The panel of Run Agent Session: its fields in their order, their names, and when they show.
import { describe, expect, test } from '@jest/globals';
import type { INodeProperties } from 'n8n-workflow';
import { builtPackage, n8nWorkflow } from '../../n8n-host/core.mts';
import { PACKAGE } from '../../n8n-host/workflows.mts';
import { properties } from '../../nodes/RunAgentSession/panel/properties.ts';

const { NodeHelpers } = n8nWorkflow;
const node = (parameters: object) => ({ typeVersion: 1, parameters }) as never;

/** The fields that a user sees with these parameters */
function shown(parameters: Record<string, unknown>): INodeProperties[] {
	const all = NodeHelpers.getNodeParameters(
		properties,
		parameters as never,
		true,
		false,
		node(parameters),
		null,
	)!;
	return properties.filter(
		(each) =>
			each.type !== 'hidden' &&
			each.type !== 'notice' &&
			NodeHelpers.displayParameter(all, each, node(all), null),
	);
}
const names = (parameters: Record<string, unknown>) => shown(parameters).map(({ name }) => name);

const AFTER_POLICY = ['whileWaiting', 'maxWait', 'onMaxWait', 'approvals', 'options'];

describe('the fields of each operation', () => {
	test.each<[Record<string, unknown>, string[]]>([
		[
			{},
			['operation', 'projectId', 'prompt', 'hasOutputParser', 'permissionPolicy', ...AFTER_POLICY],
		],
		[
			{ operation: 'continue', permissionPolicy: 'rules' },
			[
				'operation',
				'sessionId',
				'message',
				'hasOutputParser',
				'permissionPolicy',
				'permissionRules',
				'defaultDecision',
				...AFTER_POLICY,
			],
		],
		[
			{ permissionPolicy: 'deny' },
			[
				'operation',
				'projectId',
				'prompt',
				'hasOutputParser',
				'permissionPolicy',
				'whileWaiting',
				'maxWait',
				'onMaxWait',
				'approvals',
				'options',
			],
		],
		[
			{ operation: 'applyAnswer' },
			['operation', 'sessionId', 'answer', 'askedInteractions', 'comment'],
		],
		[
			{ operation: 'tryRules' },
			[
				'operation',
				'requestsFrom',
				'sessionId',
				'permissionPolicy',
				'permissionRules',
				'defaultDecision',
				'approvals',
			],
		],
		[
			{ operation: 'tryRules', requestsFrom: 'json' },
			[
				'operation',
				'requestsFrom',
				'requests',
				'permissionPolicy',
				'permissionRules',
				'defaultDecision',
				'approvals',
			],
		],
	])('%j', (parameters, expected) => {
		expect(names(parameters)).toEqual(expected);
	});
});

const find = (name: string, parameters: Record<string, unknown> = {}) =>
	shown(parameters).find((each) => each.name === name)!;

test.each<[string, Record<string, unknown>, unknown]>([
	['permissionPolicy', {}, 'ask'],
	['permissionPolicy', { operation: 'tryRules' }, 'rules'],
	['requestsFrom', { operation: 'tryRules' }, 'session'],
	['requests', { operation: 'tryRules', requestsFrom: 'json' }, '={{ $json.pendingInteractions }}'],
	['whileWaiting', {}, 'pause'],
	['maxWait', {}, 1440],
	['maxWait', { whileWaiting: 'keepRunning' }, 30],
	['onMaxWait', {}, 'abort'],
	['answer', { operation: 'applyAnswer' }, '={{ $json }}'],
])('the default of %s with %j is %p', (name, parameters, value) => {
	expect(find(name, parameters).default).toBe(value);
});

test("Workspace Automation and its trigger have the same description, because n8n's nodes panel shows the trigger's for both", () => {
	const [actions, trigger] = ['workspaceAutomation', 'workspaceAutomationTrigger'].map(
		(name) => builtPackage().nodes[PACKAGE + name].description.description,
	);
	expect(actions).toBe(trigger);
});
