// Every operation of the Workspace Automation node but those of agent sessions and files, which have separate files, and what they have in common.
import { describe, expect, test } from '@jest/globals';
import { declared, endpoints } from '../support/endpoints.mts';
import { operations } from '../../openapi/contract.mts';
import { run } from './engine.mts';
import { rl, jsons, useOperations } from './operations.mts';

const { fault, idOf, only, sent, service, session, setup } = useOperations();

describe('the document, the contract and the node', () => {
	test('have the same endpoints', () => {
		expect(operations.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(
			Object.keys(endpoints).sort(),
		);
		// Files and folders are created by one endpoint, and we assume one for renaming and moving.
		const shared = Object.values(endpoints).filter((names) => names.length !== 1);
		expect(shared).toEqual([
			['file.create', 'file.createFolder'],
			['file.move', 'file.rename'],
		]);
	});

	test('have one request function for every operation', () => {
		expect(declared.filter(({ option }) => option.routing!.send!.paginate !== true)).toEqual([]);
	});
});

describe('lists', () => {
	test('a limit of 150 is two requests, the second for 50', async () => {
		await service.control.fillFiles(service.projectId, 300);
		const items = jsons(
			await run(setup('file.getAll', { projectId: rl(service.projectId), limit: 150 })),
		);
		expect(new Set(items.map(({ id }) => id)).size).toBe(150);
		expect((await sent('GET')).map(({ query }) => query.limit)).toEqual(['100', '50']);
	});

	test('return all reads every page once and none after the last', async () => {
		const { folderId } = await service.control.fillFiles(service.projectId, 300);
		const items = jsons(
			await run(
				setup('file.getAll', {
					projectId: rl(service.projectId),
					returnAll: true,
					filters: { parentId: rl(folderId) },
				}),
			),
		);
		expect(new Set(items.map(({ id }) => id)).size).toBe(300);
		expect(await sent('GET')).toHaveLength(3);
	});

	test('an empty list is no item, and no error', async () => {
		const { id } = await service.call('POST', '/files', {
			projectId: service.projectId,
			kind: 'folder',
			name: 'An empty one',
		});
		expect(
			jsons(
				await run(
					setup('file.getAll', { projectId: rl(service.projectId), filters: { parentId: rl(id) } }),
				),
			),
		).toEqual([]);
	});

	test("a response that isn't a list is requested again, and then an error quotes it", async () => {
		await fault({ operationId: 'listTasks', kind: 'html', times: 1 });
		expect(jsons(await run(setup('task.getAll', { limit: 1 })))).toHaveLength(1);
	});
});

describe('tasks', () => {
	test('get sends the older version, and the credential cannot change that', async () => {
		expect(await only('task.get', { taskId: rl(idOf('tasks')) })).toMatchObject({
			object: 'task',
			id: idOf('tasks'),
		});
		expect((await sent())[0].version).toBe('2026-08-21');
	});

	test('update sends only the added fields', async () => {
		const task = await only('task.update', {
			taskId: rl(idOf('tasks')),
			updateFields: { title: 'Renamed', prompt: 'Look again' },
		});
		expect(task).toMatchObject({ title: 'Renamed' });
		expect(task).not.toHaveProperty('prompt');
		expect((await sent())[0]).toMatchObject({
			method: 'PATCH',
			body: { title: 'Renamed', prompt: 'Look again' },
			version: '2026-10-05',
		});
	});
});

describe('custom domains', () => {
	test('get many, simplified and raw, with the older version', async () => {
		const { siteId } = service.seed.domains[0];
		const [domain] = jsons(await run(setup('customDomain.getAll', { siteId })));
		expect(domain).toMatchObject({
			id: idOf('domains'),
			is_pending: expect.any(Boolean),
			dns_records: expect.any(Array),
		});
		const [raw] = jsons(await run(setup('customDomain.getAll', { siteId, simplify: false })));
		expect(raw).toMatchObject({
			object: 'custom_domain',
			dns_instructions: { records: expect.any(Array) },
		});
		expect((await sent()).map(({ version }) => version)).toEqual(['2026-08-21', '2026-08-21']);
	});

	test('delete returns deleted, and a second delete reports a missing domain', async () => {
		const customDomainId = rl(idOf('domains'));
		expect(await only('customDomain.delete', { customDomainId })).toMatchObject({
			deleted: true,
			id: idOf('domains'),
		});
		expect((await run(setup('customDomain.delete', { customDomainId }))).error).toMatchObject({
			httpCode: '404',
			context: { code: 'not_found' },
		});
	});

	test('a delete with a lost response has succeeded if the retry finds nothing', async () => {
		await fault({ operationId: 'deleteCustomDomain', kind: 'reset-after' });
		expect(
			await only('customDomain.delete', { customDomainId: rl(idOf('domains')) }),
		).toMatchObject({ deleted: true });
		expect(await sent('DELETE')).toHaveLength(2);
	});
});

describe('shared previews', () => {
	const getSite = (projectId: string) =>
		service.seed.sites.find((site) => site.projectId === projectId)!;

	test('create, and get the same preview again', async () => {
		await session('[say Hello]');
		const site = getSite(service.projectId);
		const parameters = {
			projectId: rl(service.projectId),
			siteId: site.id,
			route: '/pricing',
			locale: 'en',
		};
		const first = await only('sharedPreview.create', parameters);
		expect(first).toMatchObject({ object: 'shared_preview', url: expect.stringContaining('http') });
		expect(await only('sharedPreview.create', parameters)).toEqual(first);
	});

	test('without a session in the project is an error that says so', async () => {
		const site = getSite(service.projectId);
		const { error } = await run(
			setup('sharedPreview.create', {
				projectId: rl(service.projectId),
				siteId: site.id,
				route: '/',
			}),
		);
		expect(error?.httpCode).toBe('409');
		expect(error?.description).toMatch(/The service says: .*session/i);
	});
});
