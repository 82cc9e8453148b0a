import { beforeEach, describe, expect, test } from '@jest/globals';
import type { SeedView } from '../../local-service/control/views.mts';
import { getError, unknownId, useService, type List, type Schemas } from './support.mts';
import { http } from '../../tools/http.mts';

const AS_BYTES = { responseType: 'arraybuffer' } as const;

const { api, all, seed, keyFor, advance, clock } = useService();
const mebibyte = 1024 * 1024;
type File = Schemas['File'];
let found: SeedView;
let projectId: string;
let otherId: string;
beforeEach(async () => {
	found = await seed();
	projectId = found.projects[0].id;
	otherId = found.projects[1].id;
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
const update = (id: string, body: unknown) => api<File>('PATCH', `/files/${id}`, { body });

describe('listing', () => {
	test('returns everything in the project, or the direct children of a folder', async () => {
		const everything = await all<File>('/files', { query: { projectId, limit: 100 } });
		expect(everything.length).toBeGreaterThan(100);
		expect(everything.every((item) => item.object === 'file' && item.projectId === projectId)).toBe(
			true,
		);
		const inContent = await all<File>('/files', {
			query: { projectId, parentId: folder('Content').id },
		});
		expect(inContent.map(({ name }) => name)).toEqual(['Blog', 'navigation.json']);
		expect(
			await all<File>('/files', { query: { projectId, parentId: folder('Empty').id } }),
		).toEqual([]);
	});

	test('of a parent that is not a folder, or not in the project, is refused', async () => {
		const of = async (parentId: string) =>
			getError(await api('GET', '/files', { query: { projectId, parentId } }));
		expect(await of(file('readme.md').id)).toEqual([400, 'invalid_request']);
		expect(await of(folder('Content', otherId).id)).toEqual([404, 'not_found']);
		expect(await of(unknownId)).toEqual([404, 'not_found']);
	});

	test('returns cursors that are valid for this folder only', async () => {
		const { body } = await api<List<File>>('GET', '/files', { query: { projectId, limit: 5 } });
		const query = { projectId, parentId: folder('Content').id, cursor: body.next_cursor! };
		expect(getError(await api('GET', '/files', { query }))).toEqual([400, 'invalid_request']);
	});
});

describe('creating', () => {
	test('a text file in My Files', async () => {
		const { status, body } = await create({
			name: 'notes.md',
			source: { type: 'text', text: 'Grüße 👋' },
		});
		expect(status).toBe(201);
		const now = new Date(clock.now()).toISOString();
		expect(body).toEqual({
			object: 'file',
			id: expect.any(String),
			projectId,
			name: 'notes.md',
			kind: 'file',
			sizeBytes: 12,
			contentType: 'text/markdown',
			createdAt: now,
			updatedAt: now,
		});
		expect((await api('GET', `/files/${body.id}`)).body).toEqual(body);
		expect((await content(body.id)).body).toEqual({ text: 'Grüße 👋' });
	});

	test('a folder, and a file in it', async () => {
		const made = (await createFolder('New')).body;
		expect(made).toMatchObject({ kind: 'folder', sizeBytes: 0 });
		const inside = (await create({ name: 'a.txt', parentId: made.id })).body;
		expect(inside.parentId).toBe(made.id);
		expect(await all<File>('/files', { query: { projectId, parentId: made.id } })).toEqual([
			inside,
		]);
	});

	test('from base64, with the given or a guessed type', async () => {
		const data = Buffer.from([0, 255, 1, 254]).toString('base64');
		expect((await create({ name: 'a.png', source: { type: 'base64', data } })).body).toMatchObject({
			sizeBytes: 4,
			contentType: 'image/png',
		});
		const typed = await create({
			name: 'b',
			source: { type: 'base64', data, contentType: 'application/x-odd' },
		});
		expect(typed.body.contentType).toBe('application/x-odd');
		for (const wrong of [{ data: '%%%' }, { data: 'AAA' }, { data, contentType: 'a\nb' }]) {
			expect(getError(await create({ name: 'c', source: { type: 'base64', ...wrong } }))).toEqual([
				400,
				'invalid_request',
			]);
		}
	});

	test('from an asset of the same project, with the scope for assets', async () => {
		const getAsset = (project: string) =>
			found.assets.find((asset) => asset.projectId === project && asset.name === 'logo.png')!;
		const source = { type: 'asset', assetId: getAsset(projectId).id };
		expect((await create({ name: 'logo', source })).body).toMatchObject({
			contentType: 'image/png',
			sizeBytes: getAsset(projectId).sizeBytes,
		});
		const token = await keyFor({ scopes: ['files.read', 'files.write'] });
		expect(getError(await create({ name: 'again', source }, token))).toEqual([404, 'not_found']);
		expect((await create({ name: 'text is fine' }, token)).status).toBe(201);
		for (const assetId of [getAsset(otherId).id, unknownId]) {
			expect(getError(await create({ name: 'other', source: { type: 'asset', assetId } }))).toEqual(
				[404, 'not_found'],
			);
		}
	});

	test('under the name of a sibling is a conflict, and overwrites nothing', async () => {
		const readme = file('readme.md');
		const before = (await content(readme.id)).body;
		expect(getError(await create({ name: 'readme.md' }))).toEqual([409, 'conflict']);
		expect(getError(await createFolder('readme.md'))).toEqual([409, 'conflict']);
		expect((await content(readme.id)).body).toEqual(before);
		expect((await create({ name: 'readme.md', parentId: folder('Empty').id })).status).toBe(201);
		expect((await create({ name: 'Readme.md' })).status).toBe(201);
	});

	test('accepts up to 10 MiB of content in any encoding, and not a byte more', async () => {
		const text = (size: number) => ({ type: 'text', text: 'x'.repeat(size) });
		const base64 = (size: number) => ({
			type: 'base64',
			data: Buffer.alloc(size).toString('base64'),
		});
		for (const source of [text, base64]) {
			expect(
				getError(await create({ name: `big ${source.name}`, source: source(10 * mebibyte + 1) })),
			).toEqual([413, 'payload_too_large']);
			expect(
				(await create({ name: `big ${source.name}`, source: source(10 * mebibyte) })).body
					.sizeBytes,
			).toBe(10 * mebibyte);
		}
		expect(
			getError(
				await create({ name: 'umlauts', source: { type: 'text', text: 'ü'.repeat(6 * mebibyte) } }),
			),
		).toEqual([413, 'payload_too_large']);
	});

	test('needs a folder of the project as parent, and a source only for files', async () => {
		expect(getError(await create({ name: 'x', parentId: file('readme.md').id }))).toEqual([
			400,
			'invalid_request',
		]);
		expect(getError(await create({ name: 'x', parentId: folder('Content', otherId).id }))).toEqual([
			404,
			'not_found',
		]);
		expect(getError(await create({ name: 'x', parentId: unknownId }))).toEqual([404, 'not_found']);
		expect(getError(await create({ name: 'x', source: undefined }))).toEqual([
			400,
			'invalid_request',
		]);
		expect(getError(await create({ name: 'x', kind: 'folder' }))).toEqual([400, 'invalid_request']);
		expect(getError(await create({ name: 'x', source: { type: 'ftp' } }))).toEqual([
			400,
			'invalid_request',
		]);
	});
});

describe('content', () => {
	const download = async (name: string) => (await content(file(name).id)).body.url!;

	test('is returned as text if it is a short text', async () => {
		expect((await content(file('übersicht.md').id)).body.text).toContain('日本語 👋');
		expect((await content(file('navigation.json').id)).body).toHaveProperty('text');
		for (const name of ['log.txt', 'team.jpg', 'floor-plan.pdf'])
			expect((await content(file(name).id)).body).toEqual({ url: expect.any(String) });
	});

	test("with a text type that isn't text is returned as a URL", async () => {
		const data = Buffer.from([0xff, 0xfe, 0x80]).toString('base64');
		const { body } = await create({ name: 'broken.txt', source: { type: 'base64', data } });
		expect((await content(body.id)).body).toEqual({ url: expect.any(String) });
	});

	test('is fetched from the URL without a token, byte for byte', async () => {
		const { body } = await create({
			name: 'odd näme "1".bin',
			source: { type: 'base64', data: Buffer.from([0, 1, 255]).toString('base64') },
		});
		const url = (await content(body.id)).body.url!;
		expect(new URL(url).pathname).not.toContain('/v1');
		const response = await http.get(url, AS_BYTES);
		expect([response.status, response.headers['content-type']]).toEqual([
			200,
			'application/octet-stream',
		]);
		expect([...response.data]).toEqual([0, 1, 255]);
		const big = await http.get(await download('teaser.mp4'), AS_BYTES);
		expect(big.data.byteLength).toBe(file('teaser.mp4').sizeBytes);
	});

	test('can be fetched for 15 minutes and no longer', async () => {
		const url = await download('team.jpg');
		advance(15 * 60 - 1);
		expect((await http.get(url)).status).toBe(200);
		advance(1);
		expect((await http.get(url)).status).toBe(403);
	});

	test("can't be fetched with a changed URL", async () => {
		const url = await download('team.jpg');
		const later = new URL(url);
		later.searchParams.set('expires', String(clock.now() + 1e9));
		const otherFile = url.replace(file('team.jpg').id, file('teaser.mp4').id);
		for (const forged of [
			later,
			otherFile,
			url.replace(/signature=.*/, 'signature=x'),
			url.split('?')[0],
		]) {
			expect((await http.get(String(forged))).status).toBe(403);
		}
	});

	test("doesn't exist for a folder", async () => {
		expect(getError(await content(folder('Empty').id))).toEqual([400, 'invalid_request']);
	});
});

describe('renaming and moving', () => {
	test('keep the file and its content', async () => {
		const { id } = file('readme.md');
		const before = (await api<File>('GET', `/files/${id}`)).body;
		advance(5);
		const renamed = await update(id, { name: 'start.md' });
		expect(renamed.body).toEqual({
			...before,
			name: 'start.md',
			updatedAt: new Date(clock.now()).toISOString(),
		});
		const parentId = folder('Empty').id;
		expect((await update(id, { parentId })).body).toEqual({ ...renamed.body, parentId });
		expect((await content(id)).body).toHaveProperty('text');
		expect((await create({ name: 'readme.md' })).status).toBe(201);
		expect(getError(await create({ name: 'start.md', parentId }))).toEqual([409, 'conflict']);
	});

	test('to My Files needs null', async () => {
		const { id } = found.files.find(
			({ name, parentId }) => name === 'navigation.json' && parentId !== undefined,
		)!;
		expect((await update(id, { parentId: null })).body).not.toHaveProperty('parentId');
		expect((await update(id, { parentId: null })).status).toBe(200);
		expect(getError(await update(id, { parentId: null, name: 'readme.md' }))).toEqual([
			409,
			'conflict',
		]);
	});

	test('to a taken name is a conflict', async () => {
		const { id } = file('readme.md');
		await create({ name: 'taken.md' });
		expect(getError(await update(id, { name: 'taken.md' }))).toEqual([409, 'conflict']);
		await create({ name: 'readme.md', parentId: folder('Empty').id });
		expect(getError(await update(id, { parentId: folder('Empty').id }))).toEqual([409, 'conflict']);
		expect((await update(id, { parentId: folder('Empty').id, name: 'free.md' })).status).toBe(200);
	});

	test('to the current place changes nothing', async () => {
		const { id } = file('readme.md');
		const before = (await api<File>('GET', `/files/${id}`)).body;
		advance(5);
		expect((await update(id, { name: 'readme.md' })).body).toEqual(before);
	});

	test('a folder into itself or below itself is a conflict', async () => {
		const [content, drafts] = [folder('Content'), folder('Drafts')];
		expect(getError(await update(content.id, { parentId: content.id }))).toEqual([409, 'conflict']);
		expect(getError(await update(content.id, { parentId: drafts.id }))).toEqual([409, 'conflict']);
		expect((await update(drafts.id, { parentId: folder('Empty').id })).status).toBe(200);
		expect((await update(content.id, { parentId: drafts.id })).status).toBe(200);
	});

	test('need a folder of the same project', async () => {
		const { id } = file('readme.md');
		expect(getError(await update(id, { parentId: file('log.txt').id }))).toEqual([
			400,
			'invalid_request',
		]);
		expect(getError(await update(id, { parentId: folder('Empty', otherId).id }))).toEqual([
			404,
			'not_found',
		]);
		expect(getError(await update(id, {}))).toEqual([400, 'invalid_request']);
	});
});

test('files of a project without access are not found', async () => {
	const token = await keyFor({ projects: [otherId] });
	const { id } = file('readme.md');
	const attempts = [
		api('GET', '/files', { query: { projectId }, token }),
		api('GET', `/files/${id}`, { token }),
		api('GET', `/files/${id}/content`, { token }),
		api('PATCH', `/files/${id}`, { body: { name: 'x' }, token }),
		create({ name: 'x' }, token),
		create({ name: 'x', projectId: otherId, parentId: folder('Empty').id }, token),
	];
	for (const got of await Promise.all(attempts)) expect(getError(got)).toEqual([404, 'not_found']);
	expect((await api('GET', '/files', { query: { projectId: otherId }, token })).status).toBe(200);
});
