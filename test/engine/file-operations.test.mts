// Files and folders: the operations of the Workspace Automation node.
import { describe, expect, test } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';
import { run, type Setup } from './engine.mts';
import { rl, jsons, useOperations } from './operations.mts';

const { idOf, only, sent, service, setup } = useOperations();

describe('files', () => {
	const created = async (parameters: IDataObject, more: Partial<Setup> = {}) =>
		await only(
			'file.create',
			{ projectId: rl(service.projectId), contentSource: 'text', ...parameters },
			more,
		);

	test('create from text, read as text and as binary data', async () => {
		const { id } = await created({ name: 'a.md', text: 'Grüße 👋' });
		expect(await only('file.getContent', { fileId: rl(id) })).toEqual({
			fileId: id,
			text: 'Grüße 👋',
		});
		const { outputs } = await run(
			setup('file.getContent', {
				fileId: rl(id),
				outputAs: 'binary',
				binaryPropertyName: 'report',
			}),
		);
		expect(outputs[0][0].json).toMatchObject({ fileId: id, name: 'a.md' });
		const { data, fileName, mimeType } = (outputs[0][0] as any).binary.report;
		expect([Buffer.from(data, 'base64').toString(), fileName]).toEqual(['Grüße 👋', 'a.md']);
		expect(mimeType).toMatch(/text/);
	});

	test('creates a file from binary data of any type, and downloads the same bytes without the token', async () => {
		const bytes = Buffer.from(Array.from({ length: 1000 }, (_, index) => (index * 7) % 256));
		const binary = {
			data: { data: bytes.toString('base64'), mimeType: 'image/png', fileName: 'logo.png' },
		};
		const { id } = await created(
			{ contentSource: 'binary', binaryPropertyName: 'data' },
			{ binary: [binary] },
		);
		expect((await service.call('GET', `/files/${id}`)).name).toBe('logo.png');
		const { outputs } = await run(setup('file.getContent', { fileId: rl(id), outputAs: 'binary' }));
		const { data, mimeType } = (outputs[0][0] as any).binary.data;
		expect(Buffer.from(data, 'base64').equals(bytes)).toBe(true);
		expect(mimeType).toBe('image/png');
	});

	test('create from an asset', async () => {
		const { id } = await created({
			name: 'copy.png',
			contentSource: 'asset',
			assetId: idOf('assets'),
		});
		expect((await service.call('GET', `/files/${id}`)).sizeBytes).toBe(
			service.seed.assets[0].sizeBytes,
		);
	});

	test('a taken name is reported, and nothing is overwritten', async () => {
		const { id } = await created({ name: 'a.md', text: 'First' });
		const { error } = await run(
			setup('file.create', {
				projectId: rl(service.projectId),
				name: 'a.md',
				text: 'Second',
				contentSource: 'text',
			}),
		);
		expect(error).toMatchObject({ httpCode: '409', context: { code: 'conflict' } });
		expect((await only('file.getContent', { fileId: rl(id) })).text).toBe('First');
	});

	test("the project that fills the list of files isn't sent", async () => {
		const { id } = await created({ name: 'listed.md', text: 'A' });
		const projectId = rl(String(service.seed.projects[1].id));
		await only('file.rename', { projectId, fileId: rl(id), name: 'renamed.md' });
		await only('file.get', { projectId, fileId: rl(id) });
		const requests = (await sent()).filter(({ path }) => path.endsWith(`/files/${id}`));
		expect(requests.map(({ method, query, body }) => ({ method, query, body }))).toEqual([
			{ method: 'PATCH', query: {}, body: { name: 'renamed.md' } },
			{ method: 'GET', query: {}, body: undefined },
		]);
	});

	test('folders: create, put in, rename, move', async () => {
		const folder = await only('file.createFolder', {
			projectId: rl(service.projectId),
			name: 'New reports',
		});
		const inner = await only('file.createFolder', {
			projectId: rl(service.projectId),
			name: '2026',
			parentId: rl(folder.id),
		});
		const file = await created({ name: 'a.md', text: 'x', parentId: rl(folder.id) });
		expect(await only('file.rename', { fileId: rl(file.id), name: 'b.md' })).toMatchObject({
			name: 'b.md',
			parentId: folder.id,
		});
		expect(await only('file.move', { fileId: rl(file.id), parentId: rl(inner.id) })).toMatchObject({
			name: 'b.md',
			parentId: inner.id,
		});
		expect(await only('file.get', { fileId: rl(file.id) })).toMatchObject({
			name: 'b.md',
			parentId: inner.id,
		});
		expect(
			jsons(
				await run(
					setup('file.getAll', {
						projectId: rl(service.projectId),
						filters: { parentId: rl(inner.id) },
					}),
				),
			),
		).toMatchObject([{ id: file.id }]);
	});

	test('a missing scope reads like a missing file, and the error names both causes', async () => {
		const key = await service.control.createKey({ name: 'reader', scopes: [] });
		const { error } = await run(
			setup(
				'file.get',
				{ fileId: rl(idOf('files')) },
				{ credentials: { ...service.credentials, accessToken: key } },
			),
		);
		expect(error?.description).toMatch(/key's scopes/);
	});
});
