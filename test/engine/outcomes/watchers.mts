// The trigger, the pickers, the multiple selections and the credential's test.
import type { IDataObject } from 'n8n-workflow';
import { builtCredential } from '../engine.mts';
import { differences, wrongIds, type Speaker } from './speakers.mts';
import { byId, type World } from './world.mts';

interface Watch {
	event: string;
	parameters?: (world: World) => IDataObject;
	/** Causes one event, and says whose */
	cause(world: World): Promise<unknown>;
	/** Causes what is of another folder, site or project */
	elsewhere?(world: World): Promise<unknown>;
}

const inFolder = ({ projectId, folderId }: World): IDataObject => ({
	projectIds: [projectId],
	parentId: byId(folderId),
});
const onSite = ({ siteId }: World) => ({ siteId });
const inProject = ({ projectId }: World) => ({ projectId: byId(projectId) });

const watches: Watch[] = [
	{
		event: 'projectAdded',
		cause: async ({ control }) => (await control.projects.add({ name: 'New' })).id,
	},
	{
		event: 'taskAdded',
		cause: async ({ control }) => (await control.tasks.add({ title: 'New' })).id,
	},
	{
		event: 'taskUpdated',
		async cause({ control, seed }) {
			const { id } = seed.tasks[1];
			await control.tasks.change(id, { title: 'Changed' });
			return id;
		},
	},
	{
		event: 'taskRemoved',
		async cause({ control, seed }) {
			const { id } = seed.tasks[2];
			await control.tasks.remove(id);
			return id;
		},
	},
	{
		event: 'fileCreated',
		parameters: inFolder,
		cause: async ({ control, projectId, folderId: parentId }) =>
			(await control.files.add({ projectId, parentId, name: 'new one.md' })).id,
		elsewhere: async ({ control, projectId }) =>
			await control.files.add({ projectId, name: 'elsewhere.md' }),
	},
	{
		event: 'fileUpdated',
		parameters: inFolder,
		async cause({ control, seed, folderId }) {
			const { id } = seed.files.find(({ parentId }) => parentId === folderId)!;
			await control.files.change(id, { text: 'Much longer than before' });
			return id;
		},
	},
	{
		event: 'fileRemoved',
		parameters: inFolder,
		async cause({ control, seed, folderId }) {
			const { id } = seed.files.findLast(({ parentId }) => parentId === folderId)!;
			await control.files.remove(id);
			return id;
		},
	},
	{
		event: 'customDomainAdded',
		parameters: onSite,
		cause: async ({ control, siteId }) =>
			(await control.domains.add({ siteId, domain: 'new.example' })).id,
		elsewhere: async ({ control, seed }) =>
			await control.domains.add({ siteId: seed.sites[1].id, domain: 'elsewhere.example' }),
	},
	{
		event: 'customDomainChanged',
		parameters: onSite,
		async cause({ control, seed, siteId }) {
			const { id } = seed.domains.findLast((domain) => domain.siteId === siteId)!;
			await control.domains.change(id, { stale: true });
			return id;
		},
	},
	{
		event: 'productAdded',
		parameters: inProject,
		cause: async ({ control, projectId }) =>
			(await control.products.add({ projectId, name: 'New' })).id,
		elsewhere: async ({ control, seed }) =>
			await control.products.add({ projectId: seed.projects[1].id, name: 'Elsewhere' }),
	},
	{
		event: 'productRemoved',
		parameters: inProject,
		async cause({ control, seed, projectId }) {
			const { id } = seed.products.findLast((product) => product.projectId === projectId)!;
			await control.products.remove(id);
			return id;
		},
	},
];

const getId = (item: any) => String(item.id ?? item.uuid ?? item.sku);

const triggers = watches.map(({ event, parameters, cause, elsewhere }): Speaker => ({
	name: event,
	async use(world) {
		const trigger = world.trigger(event, parameters?.(world) ?? {});
		const early = [...(await trigger.poll()), ...(await trigger.poll())];
		await elsewhere?.(world);
		early.push(...(await trigger.poll()));
		const id = await cause(world);
		const found: any[] = [];
		for (let polls = 0; polls < 4; polls++) found.push(...(await trigger.poll()));
		return differences({
			'what was emitted for nothing': [early.length, 0],
			'what was emitted': [found.map(getId), [String(id)]],
		});
	},
}));

const picker = (
	node: string,
	method: string,
	parameters: (world: World) => IDataObject,
	wanted: (world: World) => Array<{ id: unknown }>,
): Speaker => ({
	name: method,
	use: async (world) =>
		wrongIds(
			await world.pick(node, method, parameters(world)),
			wanted(world).map(({ id }) => id),
		),
});

const ofProject = <T extends { projectId?: string }>(world: World, things: T[]) =>
	things.filter(({ projectId }) => projectId === world.projectId);

const pickers: Speaker[] = [
	picker(
		'runAgentSession',
		'getProjects',
		() => ({ operation: 'start' }),
		({ seed }) => seed.projects,
	),
	picker(
		'workspaceAutomation',
		'getTasks',
		() => ({}),
		({ seed }) => seed.tasks,
	),
	picker(
		'workspaceAutomation',
		'getFiles',
		(world) => ({ resource: 'file', operation: 'getAll', ...inProject(world) }),
		(world) => ofProject(world, [...world.seed.files, ...world.seed.folders]),
	),
	picker(
		'workspaceAutomation',
		'getFolders',
		(world) => ({ resource: 'file', operation: 'getAll', ...inProject(world) }),
		(world) => ofProject(world, world.seed.folders),
	),
	picker(
		'workspaceAutomation',
		'getProducts',
		(world) => ({ resource: 'product', operation: 'update', ...inProject(world) }),
		(world) => ofProject(world, world.seed.products),
	),
	picker(
		'workspaceAutomation',
		'getCustomDomains',
		({ siteId }) => ({ resource: 'customDomain', operation: 'delete', siteId }),
		({ seed, siteId }) => seed.domains.filter((domain) => domain.siteId === siteId),
	),
	{
		name: 'getProjectOptions',
		use: async (world) =>
			wrongIds(
				await world.choose('getProjectOptions'),
				world.seed.projects.map(({ id }) => id),
			),
	},
	{
		name: 'getTaskOptions',
		use: async (world) =>
			wrongIds(
				await world.choose('getTaskOptions'),
				world.seed.tasks.map(({ id }) => id),
			),
	},
];

interface CredentialTest {
	request: { url: string; method?: string; qs?: object; headers: Record<string, string> };
	rules: Array<{
		type: string;
		properties: { key?: string; value: unknown; message: string };
	}>;
}

/** n8n evaluates such a text; what is in it is JavaScript. */
const evaluated = (text: string, $credentials: object): string =>
	text.startsWith('={{')
		? String(new Function('$credentials', `return ${text.slice(3, -2)}`)($credentials))
		: text;

const credential: Speaker = {
	name: "The credential's test",
	async use(world) {
		const { test } = builtCredential() as unknown as { test: CredentialTest };
		const headers = Object.fromEntries(
			Object.entries(test.request.headers).map(([name, value]) => [
				name,
				evaluated(value, world.credentials),
			]),
		);
		const path = evaluated(test.request.url, world.credentials);
		const { status, body } = await world.request(`/v1${path}`, headers);
		const json: any = /^\s*[{[]/.test(body) ? JSON.parse(body) : body;
		const failed = test.rules.find(({ type, properties: { key = '', value } }) =>
			type === 'responseCode' ? value === status : json?.[key] === value,
		);
		if (failed) throw new Error(failed.properties.message);
		if (status >= 400) throw new Error(`n8n's own words for ${status}`);
		const understood = Array.isArray(json) || typeof json === 'object';
		return understood ? undefined : 'a page counts as a success';
	},
};

export const watchers = {
	Trigger: triggers,
	'Pickers and selections': pickers,
	'Credential test': [credential],
};
