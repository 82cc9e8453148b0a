// What the editor shows in the lists of resource locators.
import { describe, expect, test } from '@jest/globals';
import { search, type Setup } from './engine.mts';
import { useService } from './service.mts';

const service = useService();
const setup = (credentials: object = {}): Setup => ({ node: 'runAgentSession', parameters: { mode: 'start' }, credentials: { ...service.credentials, ...credentials } });
const projects = (filter?: string, token?: unknown, credentials?: object) => search(setup(credentials), 'getProjects', filter, token);

describe('projects', () => {
	test('come a page at a time, all of them, each once', async () => {
		const found: unknown[] = [];
		let token: unknown;
		do {
			const page = await projects(undefined, token);
			found.push(...page.results.map(({ value }) => value));
			token = page.paginationToken;
		} while (token !== undefined);
		expect(found).toEqual(service.seed.projects.map(({ id }: { id: string }) => id));
		expect((await service.requests()).map(({ query }) => query.limit)).toEqual(['100', '100']);
	});

	test('are found by a part of the name, in any case, also on a later page', async () => {
		const { name, id } = service.seed.projects.at(-1);
		const { results } = await projects(name.slice(1).toUpperCase());
		expect(results).toContainEqual({ name, value: id });
	});

	test('are found by ID', async () => {
		const { name, id } = service.seed.projects[3];
		expect((await projects(id)).results).toEqual([{ name, value: id }]);
	});

	test('that nobody has are an empty list', async () => {
		expect(await projects('no such project')).toEqual({ results: [], paginationToken: undefined });
	});

	test("of a key without any are the service's own words on what to set up", async () => {
		const error = await projects(undefined, undefined, { accessToken: service.seed.keys.noProjects }).catch((thrown) => thrown);
		expect(error.message).toMatch(/project/i);
		expect(error.description).toMatch(/Workspaces that could hold one: \w/);
	});

	test('of a wrong key are an error that says so, without the key', async () => {
		const error = await projects(undefined, undefined, { accessToken: 'wa_wrong' }).catch((thrown) => thrown);
		expect(error.message).toBe('The access token was refused');
		expect(JSON.stringify(error)).not.toContain('wa_wrong');
	});
});
