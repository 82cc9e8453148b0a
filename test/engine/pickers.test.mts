// Lists of resource locators in the editor.
import { describe, expect, test } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';
import { search } from './engine.mts';
import { useService } from './service.mts';
import { byId, fromList } from '../../n8n-host/workflows.mts';

const service = useService();
const list = async (
	method: string,
	parameters: IDataObject = {},
	filter?: string,
	token?: unknown,
	credentials: object = {},
) =>
	await search(
		{
			node: 'workspaceAutomation',
			parameters,
			credentials: { ...service.credentials, ...credentials },
		},
		method,
		filter,
		token,
	);
/** The IDs in all pages of a list */
const all = async (method: string, parameters: IDataObject = {}) => {
	const found: unknown[] = [];
	let token: unknown;
	do {
		const page = await list(method, parameters, undefined, token);
		found.push(...page.results.map(({ value }) => value));
		token = page.paginationToken;
	} while (token !== undefined);
	return found;
};

describe('projects', () => {
	test('are listed a page at a time, each project once', async () => {
		const ids = service.seed.projects.map(({ id }) => id);
		expect(await all('getProjects')).toEqual(ids);
		expect((await service.requests()).map(({ query }) => query.limit)).toEqual(['100', '100']);
	});

	test('are found by a part of the name, in any case, even on a later page', async () => {
		const { name, id } = service.seed.projects.at(-1)!;
		const { results } = await list('getProjects', {}, name.slice(1).toUpperCase());
		expect(results).toContainEqual({ name, value: id });
	});

	test('are found by ID', async () => {
		const { name, id } = service.seed.projects[3];
		expect((await list('getProjects', {}, id)).results).toEqual([{ name, value: id }]);
	});

	test("that don't exist are an empty list", async () => {
		const nothing = { results: [], paginationToken: undefined };
		expect(await list('getProjects', {}, 'no such project')).toEqual(nothing);
	});

	test('with a wrong key are an error that names the cause, without the key', async () => {
		const error = await list('getProjects', {}, undefined, undefined, {
			accessToken: 'wa_wrong',
		}).catch((thrown) => thrown);
		expect(error.message).toBe('The API key was refused');
		expect(JSON.stringify(error)).not.toContain('wa_wrong');
	});
});

describe('the lists of the Workspace Automation node', () => {
	const files = () => ({
		resource: 'file',
		operation: 'getAll',
		projectId: byId(service.projectId),
	});

	test('tasks are shown with their emoji', async () => {
		const [{ id, title }] = service.seed.tasks;
		const label = { value: id, name: expect.stringContaining(title) };
		expect((await list('getTasks')).results).toContainEqual(label);
		expect(await all('getTasks')).toHaveLength(service.seed.tasks.length);
	});

	test('files are those of the project in the panel', async () => {
		const expected = [...service.seed.files, ...service.seed.folders].filter(
			({ projectId }) => projectId === service.projectId,
		);
		const found = await all('getFiles', files());
		expect(found.sort()).toEqual(expected.map(({ id }) => id).sort());
	});

	test.each(['getFiles', 'getFolders'])(
		'%s needs a project, and no other list does',
		async (method) => {
			const none = { projectId: fromList('') };
			for (const project of [{}, none]) {
				const asked = { resource: 'file', operation: 'get', ...project };
				await expect(list(method, asked)).rejects.toMatchObject({
					message: 'No project is chosen',
					description: expect.stringContaining("'Project'"),
				});
			}
			expect(await service.requests()).toEqual([]);
		},
	);

	test('folders have no files', async () => {
		const expected = service.seed.folders.filter(
			({ projectId }: { projectId: string }) => projectId === service.projectId,
		);
		const found = await all('getFolders', files());
		expect(found.sort()).toEqual(expected.map(({ id }) => id).sort());
	});

	test('custom domains are those of the site in the panel, and need a site', async () => {
		const { siteId, id } = service.seed.domains[0];
		expect(
			(await list('getCustomDomains', { resource: 'customDomain', operation: 'delete', siteId }))
				.results,
		).toContainEqual({ value: id, name: expect.any(String) });
		const error = await list('getCustomDomains', {
			resource: 'customDomain',
			operation: 'delete',
			siteId: '',
		}).catch((thrown) => thrown);
		expect(error.message).toBe("'Site' is empty");
	});

	test('sites say where to find their IDs, if the service shows none', async () => {
		const error = await list('getSites', { resource: 'sharedPreview' }).catch((thrown) => thrown);
		expect(error.message).toBe('The service shows no sites');
		expect(error.description).toMatch(/Choose 'By ID'.*ask the service for the ID/);
		expect((await list('getSites', { resource: 'sharedPreview' }, 'x')).results).toEqual([]);
	});
});
