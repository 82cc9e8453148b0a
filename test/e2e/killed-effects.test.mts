// n8n killed with -9 while effects are requested or just after: a retry repeats none, and continues the sessions whose IDs had arrived.
import { beforeAll, expect, test } from '@jest/globals';
import { listExecutions, type Execution } from '../../n8n-host/executions.mts';
import { around, expectSuccess, publish, usePausingStage } from './pausing.mts';
import {
	agentSession,
	arrival,
	arrived,
	eventually,
	fromList,
	node,
	NODE,
	projectId,
	workspaceAutomation,
} from './support.mts';

const stage = usePausingStage();
const isN8n1 = process.env.N8N_HOST === '1.123';

const range = (count: number) => Array.from({ length: count }, (_, index) => index);
const prompts = (name: string, count: number, script = '[work 10m]') =>
	range(count).map((n) => ({ prompt: `${name}: ${n} ${script} [say Done ${n}.]` }));
const running = (options = {}) =>
	agentSession({ prompt: '={{ $json.prompt }}', permissionPolicy: 'approve', options });
const slow = { options: { maxConcurrentRequests: 4 } };
const later = agentSession(
	{ prompt: 'Later: 1 [work 10m] [say Later.]' },
	{ id: 'Later', name: 'Later' },
);

const WORKFLOWS = {
	Starts: around('Starts', prompts('Starts', 20), running({ maxConcurrentSessions: 10 })),
	Later: around('Later', prompts('Later', 1, '[work 1m]'), running(), {
		outputs: [['Later']],
		more: [later],
		follows: { Later: [['Completed']] },
	}),
	Sessions: around(
		'Sessions',
		prompts('Sessions', 20),
		workspaceAutomation(NODE, 'agentSession.create', {
			projectId: fromList(projectId),
			prompt: '={{ $json.prompt }}',
			...slow,
		}),
		{ outputs: [['Completed']] },
	),
	Products: around(
		'Products',
		range(20).map((n) => ({ name: `Killed ${n}` })),
		workspaceAutomation(NODE, 'product.create', {
			projectId: fromList(projectId),
			fields: '={{ JSON.stringify({ name: $json.name }) }}',
			...slow,
		}),
		{ outputs: [['Completed']] },
	),
};

type Name = keyof typeof WORKFLOWS | 'Calls';
const ids = {} as Record<Name, string>;
const outcomes = {} as Record<Name, Execution>;

const listPrompts = async (name: string) =>
	(await stage.service.sessions())
		.map(({ prompt }) => prompt)
		.filter((prompt) => prompt.startsWith(`${name}:`));
const listProducts = async () =>
	(await stage.service.control.seed()).products
		.map(({ name }: any) => String(name))
		.filter((name: string) => name.startsWith('Killed'));

async function publishParent(): Promise<{ call(): Promise<string> }> {
	const child = around('Child', prompts('Child', 2), running());
	const trigger = node('Start', 'n8n-nodes-base.executeWorkflowTrigger', 1.1, {
		parameters: { inputSource: 'passthrough' },
	});
	const childId = await stage.host.importWorkflow({
		...child,
		nodes: [trigger, ...child.nodes.slice(1)],
	});
	// n8n 2 calls no workflow that isn't published. n8n 1 has nothing there to publish.
	await stage.host.activate(childId).catch(() => {});
	const calls = node('Call', 'n8n-nodes-base.executeWorkflow', 1.2, {
		parameters: {
			workflowId: { __rl: true, mode: 'id', value: childId },
			options: { waitForSubWorkflow: true },
		},
	});
	return await publish(
		stage.host,
		around('Calls', [{}], arrival(NODE), {
			first: 'Call',
			more: [calls, arrival('After')],
			follows: { Call: [['After']] },
		}),
	);
}

beforeAll(async () => {
	const { control } = stage.service;
	const entries = Object.entries(WORKFLOWS) as Array<[keyof typeof WORKFLOWS, never]>;
	const published = new Map<Name, { call(): Promise<string> }>();
	for (const [name, file] of entries) published.set(name, await publish(stage.host, file));
	published.set('Calls', await publishParent());
	ids.Later = await published.get('Later')!.call();
	await eventually(async () => {
		return (await listPrompts('Later')).length === 2;
	});
	ids.Calls = await published.get('Calls')!.call();
	await eventually(async () => (await listPrompts('Child')).length === 2);
	for (const operationId of ['createAgentSession', 'createProduct'] as const)
		await control.addFaults({ operationId, kind: 'latency', ms: 1_500, times: 0 });
	for (const name of ['Starts', 'Sessions', 'Products'] as const)
		ids[name] = await published.get(name)!.call();
	await eventually(async () => {
		const counts = await Promise.all([
			listPrompts('Starts'),
			listPrompts('Sessions'),
			listProducts(),
		]);
		return counts.every(({ length }) => length >= 8);
	});
	await stage.kill();
	await control.clearFaults();
	await stage.restart();
	for (const name of Object.keys(ids) as Name[]) {
		await eventually(
			async () => (await stage.host.rest.get(`/executions/${ids[name]}`)).status === 'crashed',
		);
		const retry = await stage.host.retry(ids[name]);
		outcomes[name] = await stage.host.waitForExecution(retry);
	}
});

const expectOnce = (names: string[]) => expect(names).toHaveLength(new Set(names).size);

const MAY_HAVE = 'may have been';

test('sessions: none starts twice, and those whose IDs had arrived are continued on n8n 2', async () => {
	expectOnce(await listPrompts('Starts'));
	const { message = '', description = '' } = outcomes.Starts.error ?? {};
	if (isN8n1) return expect(message).toContain(MAY_HAVE);
	// At most ten are in flight.
	expect(`${message} ${description}`.split(MAY_HAVE).length - 1).toBeLessThanOrEqual(10);
	if (!message) expect(arrived(outcomes.Starts, 'Completed')).toHaveLength(20);
});

test.each(['Sessions', 'Products'] as const)(
	'%s of Workspace Automation: none is created twice',
	async (name) => {
		const created = name === 'Products' ? await listProducts() : await listPrompts(name);
		expectOnce(created);
		expect(outcomes[name].error?.message).toContain(MAY_HAVE);
		// What records them leaves no execution in n8n's list, except one that the kill hit.
		const list = await listExecutions(stage.host.rest, outcomes[name].workflowId);
		const own = list.filter(({ mode, status }) => mode === 'integrated' && status !== 'crashed');
		expect(own).toEqual([]);
	},
);

test('killed in a later node: the retry starts no second session', async () => {
	expect(await listPrompts('Later')).toHaveLength(2);
	if (isN8n1) return expect(outcomes.Later.error?.message).toContain(MAY_HAVE);
	expectSuccess(outcomes.Later);
	expect(arrived(outcomes.Later, 'Completed')).toMatchObject([{ text: 'Later.' }]);
});

test('a sub-workflow that keeps running: the retry of its parent starts no second session', async () => {
	expect(await listPrompts('Child')).toHaveLength(2);
	if (isN8n1) return expect(outcomes.Calls.error?.message).toContain(MAY_HAVE);
	expectSuccess(outcomes.Calls);
});
