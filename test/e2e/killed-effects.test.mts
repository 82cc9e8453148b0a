// n8n killed with -9 while effects are requested or just after: a retry starts no second session. Other nodes run again, as n8n's own do.
import { beforeAll, expect, test } from '@jest/globals';
import type { Execution } from '../../n8n-host/executions.mts';
import { around, expectSuccess, importCalled, publish, usePausingStage } from './pausing.mts';
import {
	agentSession,
	arrival,
	eventually,
	fromList,
	NODE,
	projectId,
	workspaceAutomation,
} from './support.mts';

const stage = usePausingStage();

const range = (count: number) => Array.from({ length: count }, (_, index) => index);
const prompts = (name: string, count: number, script = '[work 10m]') =>
	range(count).map((n) => ({ prompt: `${name}: ${n} ${script} [say Done ${n}.]` }));
const running = (options = {}) =>
	agentSession({ prompt: '={{ $json.prompt }}', permissionPolicy: 'approve', options });
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
	Products: around(
		'Products',
		range(20).map((n) => ({ name: `Killed ${n}` })),
		workspaceAutomation(NODE, 'product.create', {
			projectId: fromList(projectId),
			fields: '={{ JSON.stringify({ name: $json.name }) }}',
			options: { maxConcurrentRequests: 4 },
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
	const { call } = await importCalled(stage.host, around('Child', prompts('Child', 2), running()));
	return await publish(
		stage.host,
		around('Calls', [{}], arrival(NODE), {
			first: 'Call',
			more: [call, arrival('After')],
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
	for (const name of ['Starts', 'Products'] as const) ids[name] = await published.get(name)!.call();
	await eventually(async () => {
		const counts = await Promise.all([listPrompts('Starts'), listProducts()]);
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

test('sessions: none starts twice', async () => {
	expectOnce(await listPrompts('Starts'));
	expect(outcomes.Starts.error?.message).toContain(MAY_HAVE);
});

test('Workspace Automation runs again as every node: what may have been created blocks nothing', async () => {
	expectSuccess(outcomes.Products);
	expect(new Set(await listProducts()).size).toBe(20);
});

test('killed in a later node: the retry starts no second session', async () => {
	expect(await listPrompts('Later')).toHaveLength(2);
	expect(outcomes.Later.error?.message).toContain(MAY_HAVE);
});

test('a sub-workflow that keeps running: the retry of its parent starts no second session', async () => {
	expect(await listPrompts('Child')).toHaveLength(2);
	expect(outcomes.Calls.error?.message).toContain(MAY_HAVE);
});
