// Workspace Automation Trigger: what it watches, its options, its state, what becomes of failures, the panel.
import { describe, expect, test } from '@jest/globals';
import { EVENTS } from '../../nodes/WorkspaceAutomationTrigger/events.ts';
import { nodeProperties, options, poller, search, type Poller } from './engine.mts';
import { byId, useTrigger } from './triggerEvents.mts';

const { service, setup, project, domain, files, file } = useTrigger();

describe('files', () => {
	test('of several projects are watched, oldest first, and each project separately', async () => {
		const [one, other] = service.seed.projects.slice(0, 2).map(({ id }) => id);
		const trigger = poller(setup('fileRemoved', { ...files(), projectIds: [one, other] }));
		for (const { id, projectId } of [...service.seed.files, ...service.seed.folders])
			if (projectId === other) await service.control.files.remove(id).catch(() => {});
		const { id } = await service.control.files.add({ projectId: other, name: 'last.md' });
		await trigger.poll();
		await service.control.files.remove(id);
		const found: any[] = [];
		for (let polls = 0; polls < 5; polls++) found.push(...((await trigger.poll()) ?? []));
		// The other project's list is empty now, which losing access looks like.
		expect(found).toEqual([]);
	});

	test('of all projects are watched if none is chosen, and those of a new project from the next poll on', async () => {
		const trigger = poller(setup('fileCreated', { ...files(), projectIds: [] }));
		await trigger.poll();
		const { id: projectId } = await service.control.projects.add({ name: 'New one' });
		await service.control.files.add({ projectId, name: 'existing.md' });
		await service.control.files.add({
			projectId: service.seed.projects[1].id,
			name: 'elsewhere.md',
		});
		expect(await trigger.poll()).toMatchObject([{ name: 'elsewhere.md' }]);
		await service.control.files.add({ projectId, name: 'later.md' });
		expect(await trigger.poll()).toMatchObject([{ name: 'later.md', projectId }]);
	});

	test('an empty expression for the projects watches nothing', async () => {
		const trigger = poller(setup('fileCreated', { ...files(), projectIds: '={{ undefined }}' }));
		await expect(trigger.poll()).rejects.toMatchObject({
			message: "'Project Names or IDs' is empty",
		});
		expect(await service.requests()).toEqual([]);
	});

	test('of a folder are its direct children', async () => {
		const folder = service.seed.folders.find(({ projectId }) => projectId === project())!;
		const trigger = poller(setup('fileCreated', { ...files(), parentId: byId(folder.id) }));
		await trigger.poll();
		await file('elsewhere.md');
		const name = 'within.md';
		await service.control.files.add({ projectId: project(), parentId: folder.id, name });
		expect(await trigger.poll()).toEqual([expect.objectContaining({ name })]);
	});

	test.each([
		[
			'a folder and no project',
			{ projectIds: [], parentId: 'folder' },
			"'Folder' goes with a single project",
		],
		[
			'a folder and two projects',
			{ projectIds: ['projects'], parentId: 'folder' },
			"'Folder' goes with a single project",
		],
		['what is no ID', { projectIds: ['site'] }, "'Project Names or IDs' isn't a valid ID"],
	])('%s: refused before anything is sent', async (_, given, message) => {
		const ids: Record<string, string[]> = {
			projects: service.seed.projects.slice(0, 2).map(({ id }) => id),
			site: ['shop.example'],
		};
		const parameters = {
			projectIds: given.projectIds.flatMap((name) => ids[name]),
			parentId: byId('parentId' in given ? service.seed.folders[0].id : ''),
		};
		const trigger = poller(setup('fileCreated', parameters));
		await expect(trigger.poll()).rejects.toMatchObject({ message });
		await expect(trigger.test()).rejects.toMatchObject({ message });
		expect(await service.requests()).toEqual([]);
	});
});

describe('several sites or projects', () => {
	test('sites, separated by commas, are watched separately', async () => {
		const [one, other] = service.seed.sites.slice(0, 2).map(({ id }) => id);
		const trigger = poller(setup('customDomainAdded', { siteId: ` ${one}, ${other},` }));
		await trigger.poll();
		const added = await service.control.domains.add({ ...domain(), siteId: other });
		expect(await trigger.poll()).toMatchObject([{ id: added.id }]);
	});

	test.each([
		['', "'Site IDs' is empty"],
		[' , ', "'Site IDs' is empty"],
		['shop.example', "'Site IDs' isn't a valid ID"],
	])('the sites "%s" are refused before anything is sent', async (siteId, message) => {
		const trigger = poller(setup('customDomainAdded', { siteId }));
		await expect(trigger.poll()).rejects.toMatchObject({ message });
		expect(await service.requests()).toEqual([]);
	});

	test('the products of all projects are watched if no project is chosen', async () => {
		const trigger = poller(setup('productAdded', { projectId: byId('') }));
		await trigger.poll();
		await service.control.products.add({ projectId: service.seed.projects[1].id, name: 'New' });
		expect(await trigger.poll()).toMatchObject([{ name: 'New' }]);
	});
});

describe('tasks', () => {
	test('that are chosen are watched, and no others', async () => {
		const [one, other] = [await service.control.tasks.add({}), await service.control.tasks.add({})];
		const trigger = poller(setup('taskUpdated', { taskIds: [one.id] }));
		await trigger.poll();
		await service.control.tasks.change(other.id, { title: 'Other' });
		expect(await trigger.poll()).toBeNull();
		await service.control.tasks.change(one.id, { title: 'One' });
		expect(await trigger.poll()).toMatchObject([{ id: one.id }]);
	});
});

describe('the state', () => {
	test('is assigned only if it changed', async () => {
		const trigger = poller(setup('taskAdded'));
		await trigger.poll();
		expect(trigger.isChanged()).toBe(true);
		await trigger.poll();
		expect(trigger.isChanged()).toBe(false);
		await service.control.tasks.add({});
		await trigger.poll();
		expect(trigger.isChanged()).toBe(true);
	});

	test.each([
		['another event', setup('taskRemoved')],
		['other tasks', () => setup('taskUpdated', { taskIds: [service.seed.tasks[0].id] })],
	])('of %s is no baseline', async (_, other) => {
		const before = poller(setup('taskUpdated'));
		await before.poll();
		await service.control.tasks.change(service.seed.tasks[0].id, { title: 'Changed' });
		const after = poller(
			{ ...(typeof other === 'function' ? other() : other), credentials: service.credentials },
			{ state: before.state() },
		);
		expect(await after.poll()).toBeNull();
		expect(after.state().state.scope).not.toBe(before.state().state.scope);
	});

	test("of a poll without items isn't lost if n8n saves nothing or discards the items", async () => {
		let trigger = poller(setup('taskUpdated'));
		await trigger.poll();
		const saved = trigger.state();
		/** As n8n 2.41's durable scheduler does: each poll begins with what is in the database */
		const pollAfresh = async () => {
			trigger = poller(setup('taskUpdated'), { state: saved, id: trigger.id });
			return await trigger.poll();
		};
		const { id } = await service.control.tasks.add({ title: 'New' });
		expect(await pollAfresh()).toBeNull();
		await service.control.tasks.change(id, { title: 'Changed' });
		expect(await pollAfresh()).toMatchObject([{ id, title: 'Changed' }]);
		const { id: old } = service.seed.tasks[0];
		await service.control.tasks.change(old, { title: 'Changed' });
		expect(await pollAfresh()).toMatchObject([{ id: old }]);
		expect(await pollAfresh()).toMatchObject([{ id: old }]);
	});

	test('is not changed by a poll that overlaps another, which finds nothing', async () => {
		const trigger = poller(setup('taskAdded'));
		await trigger.poll();
		await service.control.tasks.add({});
		const [one, other] = await Promise.all([trigger.poll(), trigger.poll()]);
		expect(one).toHaveLength(1);
		expect(other).toBeNull();
		expect(await trigger.poll()).toBeNull();
	});
});

const nothingNamedAuthorization = (error: Error) =>
	expect(error.message).not.toContain('Authorization');

describe('failures', () => {
	const fail = async (status: number, more: { retryAfter?: number } = {}) =>
		await service.control.addFaults({
			operationId: 'listTasks',
			kind: 'status',
			status,
			times: 0,
			...more,
		});
	const baseline = async (): Promise<Poller> => {
		const trigger = poller(setup('taskAdded'));
		await trigger.poll();
		return trigger;
	};

	test.each([
		[401, 'credential-invalid'],
		[403, 'credential-invalid'],
	])('%d is an error at once', async (status, cause) => {
		const trigger = await baseline();
		const saved = trigger.state();
		await fail(status);
		const error: any = await trigger.poll().catch((thrown: unknown) => thrown);
		expect(error).toMatchObject({ httpCode: String(status), failure: { cause } });
		nothingNamedAuthorization(error);
		expect(trigger.state()).toEqual(saved);
	});

	test("a service that's down: two warnings, then errors, then the missed events", async () => {
		const trigger = await baseline();
		const saved = trigger.state();
		await fail(404);
		await service.control.tasks.add({ title: 'Missed' });
		expect(await trigger.poll()).toBeNull();
		expect(await trigger.poll()).toBeNull();
		expect(trigger.warnings).toHaveLength(2);
		await expect(trigger.poll()).rejects.toMatchObject({
			failure: { cause: 'configuration-invalid' },
		});
		await expect(trigger.poll()).rejects.toThrow();
		expect(trigger.state()).toEqual(saved);
		await service.control.clearFaults();
		expect(await trigger.poll()).toMatchObject([{ title: 'Missed' }]);
		await fail(404);
		expect(await trigger.poll()).toBeNull();
	});

	test.each([
		[404, { cause: 'configuration-invalid' }],
		[429, { cause: 'rate-limited', retryAfterMs: 900_000 }],
	])('without state, publishing fails at once with the cause of a %d', async (status, failure) => {
		await fail(status, { retryAfter: 900 });
		await expect(poller(setup('taskAdded')).poll()).rejects.toMatchObject({ failure });
	});

	test.each(['init', 'leadershipChange'] as const)(
		'without state, a start of n8n by %s continues',
		async (activation) => {
			await fail(404);
			expect(await poller(setup('taskAdded'), { activation }).poll()).toBeNull();
		},
	);
});

describe('the panel', () => {
	test('offers all projects and all tasks', async () => {
		const projects = await options(setup('fileCreated'), 'getProjectOptions');
		expect(projects).toEqual(service.seed.projects.map(({ id, name }) => ({ value: id, name })));
		const tasks = await options(setup('taskRan'), 'getTaskOptions');
		expect(tasks.map(({ value }) => value).sort()).toEqual(
			service.seed.tasks.map(({ id }) => id).sort(),
		);
		expect(tasks[0].name).toContain(service.seed.tasks[0].title);
	});

	test('the error names the problem with the key', async () => {
		const refused = {
			...setup('taskRan'),
			credentials: { ...service.credentials, accessToken: 'x' },
		};
		await expect(options(refused, 'getTaskOptions')).rejects.toMatchObject({
			message: 'The API key was refused',
		});
		const empty = {
			...setup('taskRan'),
			credentials: { ...service.credentials, accessToken: service.seed.keys.noProjects },
		};
		await expect(options(empty, 'getProjectOptions')).rejects.toMatchObject({
			description: expect.stringContaining('Create a project'),
		});
	});

	test('lists the folders of the first chosen project', async () => {
		const { results } = await search(setup('fileCreated', files()), 'getFolders');
		const own = service.seed.folders.filter(({ projectId }) => projectId === project());
		expect(results.map(({ value }) => value).sort()).toEqual(own.map(({ id }) => id).sort());
	});

	test('makes an entry of the node panel from each event', () => {
		const [first] = nodeProperties('workspaceAutomationTrigger').filter(
			({ name }) => name !== 'pollTimes',
		);
		expect(first).toMatchObject({ displayName: 'Trigger On', name: 'event' });
		expect(first.options).toHaveLength(EVENTS.length);
	});
});
