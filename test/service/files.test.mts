import { beforeEach, describe, expect, test } from '@jest/globals';
import type { SeedView } from '../../local-service/control/views.mts';
import { getError, useService, type Schemas } from './support.mts';
import { http } from '../../tools/http.mts';

const { api, seed, advance } = useService();
type File = Schemas['File'];
let found: SeedView;
let projectId: string;
beforeEach(async () => {
	found = await seed();
	projectId = found.projects[0].id;
});

const folder = (name: string, project = projectId) =>
	found.folders.find((item) => item.name === name && item.projectId === project)!;
const file = (name: string, project = projectId) =>
	found.files.find((item) => item.name === name && item.projectId === project)!;
const create = (body: Record<string, unknown>, token?: string) =>
	api<File>('POST', '/files', {
		body: { projectId, kind: 'file', source: { type: 'text', text: 'hello' }, ...body },
		token,
	});
const createFolder = (name: string, parentId?: string) =>
	create({ kind: 'folder', name, parentId, source: undefined });
const content = (id: string) => api<{ text?: string; url?: string }>('GET', `/files/${id}/content`);

describe('creating', () => {
	test('under the name of a sibling is a conflict, and overwrites nothing', async () => {
		const readme = file('readme.md');
		const before = (await content(readme.id)).body;
		expect(getError(await create({ name: 'readme.md' }))).toEqual([409, 'conflict']);
		expect(getError(await createFolder('readme.md'))).toEqual([409, 'conflict']);
		expect((await content(readme.id)).body).toEqual(before);
		expect((await create({ name: 'readme.md', parentId: folder('Empty').id })).status).toBe(201);
		expect((await create({ name: 'Readme.md' })).status).toBe(201);
	});
});

describe('content', () => {
	const download = async (name: string) => (await content(file(name).id)).body.url!;

	test('can be fetched for 15 minutes and no longer', async () => {
		const url = await download('team.jpg');
		advance(15 * 60 - 1);
		expect((await http.get(url)).status).toBe(200);
		advance(1);
		expect((await http.get(url)).status).toBe(403);
	});
});
