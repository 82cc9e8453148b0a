// Lists of resource locators in the editor.
import { describe, expect, test } from '@jest/globals';
import { search, type Setup } from './engine.mts';
import { useService } from './service.mts';
import { byId, fromList } from '../../n8n-host/workflows.mts';

const service = useService();
const setup = (credentials: object = {}): Setup => ({
	node: 'runAgentSession',
	parameters: { operation: 'start' },
	credentials: { ...service.credentials, ...credentials },
});
const projects = (filter?: string, token?: unknown, credentials?: object) =>
	search(setup(credentials), 'getProjects', filter, token);

describe('projects', () => {
	test('are listed a page at a time, each project once', async () => {
		const found: unknown[] = [];
		let token: unknown;
		do {
			const page = await projects(undefined, token);
			found.push(...page.results.map(({ value }) => value));
			token = page.paginationToken;
		} while (token !== undefined);
		expect(found).toEqual(service.seed.projects.map(({ id }) => id));
		expect((await service.requests()).map(({ query }) => query.limit)).toEqual(['100', '100']);
	});

	test('are found by a part of the name, in any case, even on a later page', async () => {
		const { name, id } = service.seed.projects.at(-1)!;
		const { results } = await projects(name.slice(1).toUpperCase());
		expect(results).toContainEqual({ name, value: id });
	});

	test('are found by ID', async () => {
		const { name, id } = service.seed.projects[3];
		expect((await projects(id)).results).toEqual([{ name, value: id }]);
	});

	test("that don't exist are an empty list", async () => {
		expect(await projects('no such project')).toEqual({ results: [], paginationToken: undefined });
	});

	test('with a wrong key are an error that names the cause, without the key', async () => {
		const error = await projects(undefined, undefined, { accessToken: 'wa_wrong' }).catch(
			(thrown) => thrown,
		);
		expect(error.message).toBe('The API key was refused');
		expect(JSON.stringify(error)).not.toContain('wa_wrong');
	});
});

describe('the lists of the Workspace Automation node', () => {
	const list = async (
		method: string,
		parameters: object = {},
		filter?: string,
		token?: unknown,
		credentials: object = {},
	) =>
		await search(
			{
				node: 'workspaceAutomation',
				parameters: { ...parameters } as Setup['parameters'],
				credentials: { ...service.credentials, ...credentials },
			},
			method,
			filter,
			token,
		);
	const all = async (method: string, parameters: object = {}, filter?: string) => {
		const found: Array<{ name: string; value: unknown }> = [];
		let token: unknown;
		do {
			const page = await list(method, parameters, filter, token);
			found.push(...page.results);
			token = page.paginationToken;
		} while (token !== undefined);
		return found;
	};
	const files = () => ({
		resource: 'file',
		operation: 'getAll',
		projectId: byId(service.projectId),
	});

	test('tasks are shown with their emoji', async () => {
		const [{ id, title }] = service.seed.tasks;
		expect(await all('getTasks')).toContainEqual({
			value: id,
			name: expect.stringContaining(title),
		});
		expect(await all('getTasks')).toHaveLength(service.seed.tasks.length);
	});

	test('files are those of the project in the panel', async () => {
		const expected = [...service.seed.files, ...service.seed.folders].filter(
			({ projectId }) => projectId === service.projectId,
		);
		const found = await all('getFiles', files());
		expect(found.map(({ value }) => value).sort()).toEqual(expected.map(({ id }) => id).sort());
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
		expect((await all('getFolders', files())).map(({ value }) => value).sort()).toEqual(
			expected.map(({ id }) => id).sort(),
		);
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
