// Every operation of the Workspace Automation node, as the engine runs it, against the local service over real HTTP. The service
// validates each request against the contract, and each of its own answers.
import { describe, expect, test } from '@jest/globals';
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { IDataObject, INodePropertyOptions } from 'n8n-workflow';
import { OPERATIONS } from '../../nodes/shared/api/operations.ts';
import type { Operation } from '../../nodes/shared/n8n/operation.ts';
import { endpoints } from '../../openapi/endpoints.mts';
import { operations } from '../../openapi/contract.mts';
import { nodeProperties, run, start, type Execution, type Setup } from './engine.mts';
import { useService } from './service.mts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const service = useService();
const rl = (value: unknown) => ({ __rl: true, mode: 'id', value });
const setup = (
	operation: string,
	parameters: IDataObject = {},
	more: Partial<Setup> = {},
): Setup => {
	const [resource, name] = operation.split('.');
	return {
		node: 'workspaceAutomation',
		parameters: { resource, operation: name, ...parameters },
		credentials: service.credentials,
		...more,
	};
};
const jsons = ({ outputs }: Execution) => outputs[0].map(({ json }) => json);
const only = async (...given: Parameters<typeof setup>) => {
	const execution = await run(setup(...given));
	if (execution.error) throw execution.error;
	expect(execution.outputs[0]).toHaveLength(1);
	return execution.outputs[0][0].json;
};
const sent = async (method?: string) =>
	(await service.requests()).filter((request) => method === undefined || request.method === method);
const fault = async (rule: object) => await service.control('POST', '/faults', rule);
const idOf = (kind: string, index = 0) => service.seed[kind][index].id as string;
const session = async (prompt: string) =>
	(await service.call('POST', '/agent/sessions', { projectId: service.projectId, prompt }))
		.sessionId as string;
/** Waits until a new session can be read */
const settled = async (sessionId: string, ready = (found: any) => found.status !== 'starting') => {
	for (;;) {
		const found = await service.call('GET', `/agent/sessions/${sessionId}`).catch(() => undefined);
		if (found && ready(found)) return found;
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
};

describe('the document, the contract and the node', () => {
	const places = nodeProperties('workspaceAutomation')
		.filter(({ name }) => name === 'operation')
		.flatMap(({ displayOptions, options }) =>
			(options as INodePropertyOptions[]).map(({ value, routing }) => ({
				name: `${String(displayOptions!.show!.resource![0])}.${String(value)}`,
				paginate: routing!.send!.paginate,
			})),
		);
	/** The operations as the resources' files define them, with the endpoint of each */
	const defined = async () => {
		const files = globSync('nodes/WorkspaceAutomation/resources/*.ts', { cwd: root });
		const all = await Promise.all(
			files.map(async (file) => {
				const resource = basename(file, '.ts');
				const exported = (await import(join(root, file))) as Record<string, unknown>;
				const found = exported[resource] as Record<string, Operation>;
				return Object.entries(found).map(([value, { request }]) => {
					const { method, path } = OPERATIONS[request];
					return [`${resource}.${value}`, `${method} ${path}`];
				});
			}),
		);
		return all.flat().sort();
	};

	test('have the same operations', async () => {
		expect(operations.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(
			Object.keys(endpoints).sort(),
		);
		const table = Object.entries(endpoints).flatMap(([endpoint, names]) =>
			names.map((name) => [name, endpoint]),
		);
		expect(await defined()).toEqual(table.sort());
		expect(places.map(({ name }) => name).sort()).toEqual(table.map(([name]) => name).sort());
	});

	test('and every operation goes the one way to the API', () => {
		expect(places.filter(({ paginate }) => paginate !== true)).toEqual([]);
	});
});

describe('projects', () => {
	test('get many', async () => {
		const items = jsons(await run(setup('project.getAll', { limit: 3 })));
		expect(items).toHaveLength(3);
		expect(items[0]).toMatchObject({ object: 'project', id: service.projectId });
	});

	test('a key without any is told what to set up', async () => {
		const { error } = await run(
			setup(
				'project.getAll',
				{},
				{ credentials: { ...service.credentials, accessToken: service.seed.keys.noProjects } },
			),
		);
		expect(error?.message).toMatch(/project/i);
		expect(error?.description).toMatch(/Workspaces that could hold one/);
	});
});

describe('lists', () => {
	test('a limit of 150 is two requests, the second for 50', async () => {
		await service.control('POST', '/files', { projectId: service.projectId, count: 300 });
		const items = jsons(
			await run(setup('file.getAll', { projectId: rl(service.projectId), limit: 150 })),
		);
		expect(new Set(items.map(({ id }) => id)).size).toBe(150);
		expect((await sent('GET')).map(({ query }) => query.limit)).toEqual(['100', '50']);
	});

	test('return all reads every page once and none after the last', async () => {
		const { folderId } = await service.control('POST', '/files', {
			projectId: service.projectId,
			count: 300,
		});
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

	test('an answer that is no list is asked for again, and then named', async () => {
		await fault({ operationId: 'listTasks', kind: 'html', times: 1 });
		expect(jsons(await run(setup('task.getAll', { limit: 1 })))).toHaveLength(1);
	}, 20_000);
});

describe('tasks', () => {
	test('get sends the older version, and the credential cannot change that', async () => {
		expect(await only('task.get', { taskId: rl(idOf('tasks')) })).toMatchObject({
			object: 'task',
			id: idOf('tasks'),
		});
		expect((await sent())[0].version).toBe('2026-08-21');
	});

	test('update sends only what was added', async () => {
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

	test('get many', async () => {
		expect(jsons(await run(setup('task.getAll', { returnAll: true })))).toHaveLength(
			service.seed.tasks.length,
		);
	});
});

describe('agent sessions', () => {
	test('create', async () => {
		const created = await only('agentSession.create', {
			projectId: rl(service.projectId),
			prompt: 'Hello',
			additionalFields: { body: '{"model":"large"}' },
		});
		expect(created).toMatchObject({ sessionId: (await service.sessions())[0].sessionId });
		expect((await sent())[0].body).toEqual({
			projectId: service.projectId,
			prompt: 'Hello',
			model: 'large',
		});
	});

	test('get, simplified and raw', async () => {
		const sessionId = await session('[say Done]');
		await settled(sessionId, ({ status }) => status === 'completed');
		expect(await only('agentSession.get', { sessionId })).toMatchObject({
			sessionId,
			status: 'completed',
			text: 'Done',
		});
		expect(await only('agentSession.get', { sessionId, simplify: false })).toMatchObject({
			sessionId,
			latestMessage: { text: 'Done' },
		});
	}, 20_000);

	test('send message', async () => {
		const sessionId = await session('[say One]');
		await settled(sessionId);
		await only('agentSession.sendMessage', { sessionId, message: '[say Two]' });
		expect((await service.sessions())[0].turns).toBe(2);
	}, 20_000);

	test('abort, twice', async () => {
		const sessionId = await session('[work 10m]');
		await settled(sessionId);
		await only('agentSession.abort', { sessionId });
		await only('agentSession.abort', { sessionId });
		expect((await service.sessions())[0].aborted).toBe(true);
	}, 20_000);

	test.each([
		['approve', {}, 'once'],
		['deny', {}, 'reject'],
		['option', { optionValue: 'always' }, 'always'],
	])(
		'resolve an interaction: %s',
		async (decision, more, value) => {
			const sessionId = await session('[ask bash: x]');
			const { pendingInteractions } = await settled(
				sessionId,
				(found) => found.pendingInteractions.length > 0,
			);
			await only('agentSession.resolveInteraction', {
				sessionId,
				interactionId: pendingInteractions[0].id,
				decision,
				...more,
			});
			expect((await service.sessions())[0].interactions).toMatchObject([{ value }]);
		},
		20_000,
	);

	test('resolve an interaction of a kind that is not documented', async () => {
		const sessionId = await session('[question Which colour?]');
		const { pendingInteractions } = await settled(
			sessionId,
			(found) => found.pendingInteractions.length > 0,
		);
		const additionalFields = { body: '{"type":"question","answer":"blue"}' };
		await only('agentSession.resolveInteraction', {
			sessionId,
			interactionId: pendingInteractions[0].id,
			decision: 'option',
			additionalFields,
		});
		expect((await service.sessions())[0].interactions).toMatchObject([{ value: 'blue' }]);
	}, 20_000);

	test('an interaction whose options are not understood is not guessed at', async () => {
		const sessionId = await session('[ask bash: x {left=Left, right=Right}]');
		const { pendingInteractions } = await settled(
			sessionId,
			(found) => found.pendingInteractions.length > 0,
		);
		const { error } = await run(
			setup('agentSession.resolveInteraction', {
				sessionId,
				interactionId: pendingInteractions[0].id,
				decision: 'approve',
			}),
		);
		expect(error?.description).toMatch(/left, right/);
		expect((await sent('POST')).filter(({ path }) => path.endsWith('/resolve'))).toEqual([]);
	}, 20_000);
});

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

	test('create from binary data of any type, and get the same bytes back from a download URL that never sees the token', async () => {
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

	test('a name that is taken is reported, and nothing is overwritten', async () => {
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

	test('a missing scope reads like a missing file, and the error says both', async () => {
		const { key } = await service.control('POST', '/keys', { name: 'reader', scopes: [] });
		const { error } = await run(
			setup(
				'file.get',
				{ fileId: rl(idOf('files')) },
				{ credentials: { ...service.credentials, accessToken: key } },
			),
		);
		expect(error?.description).toMatch(/lacks a scope/);
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

	test('delete answers deleted, and a second delete that there is none', async () => {
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

	test('a delete whose answer was lost has succeeded when the resend finds nothing', async () => {
		await fault({ operationId: 'deleteCustomDomain', kind: 'reset-after' });
		expect(
			await only('customDomain.delete', { customDomainId: rl(idOf('domains')) }),
		).toMatchObject({ deleted: true });
		expect(await sent('DELETE')).toHaveLength(2);
	}, 20_000);
});

describe('shared previews', () => {
	test('create, and get the same again', async () => {
		await session('[say Hello]');
		const site = service.seed.sites.find((found: any) => found.projectId === service.projectId);
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

	test('without a session in the project says so', async () => {
		const site = service.seed.sites.find((found: any) => found.projectId === service.projectId);
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

describe('products', () => {
	test('create, update, get many', async () => {
		const created = await only('product.create', {
			projectId: rl(service.projectId),
			fields: '{"name":"Gift card","price":25}',
		});
		expect(created).toMatchObject({ name: 'Gift card', projectId: service.projectId });
		expect(
			await only('product.update', { productId: created.id, fields: { price: 30 } }),
		).toMatchObject({ name: 'Gift card', price: 30 });
		expect(
			jsons(
				await run(setup('product.getAll', { projectId: rl(service.projectId), returnAll: true })),
			),
		).toContainEqual(expect.objectContaining({ id: created.id }));
	});
});

describe('what must not be sent twice', () => {
	const product = { projectId: '', fields: '{"name":"Only once"}' };
	const products = async () => (await service.control('GET', '/seed')).products.length as number;

	test.each(['reset-after', 'half', 'empty'])(
		'a file whose answer was lost (%s) is found and returned',
		async (kind) => {
			await fault({ operationId: 'createFile', kind });
			const file = await only('file.create', {
				projectId: rl(service.projectId),
				name: 'once.md',
				text: 'x',
				contentSource: 'text',
			});
			expect(file).toMatchObject({ object: 'file', name: 'once.md' });
			expect(await sent('POST')).toHaveLength(1);
		},
		20_000,
	);

	test('a file that did not arrive is sent again', async () => {
		await fault({ operationId: 'createFile', kind: 'reset' });
		expect(
			await only('file.create', {
				projectId: rl(service.projectId),
				name: 'once.md',
				text: 'x',
				contentSource: 'text',
			}),
		).toMatchObject({ name: 'once.md' });
		expect(await sent('POST')).toHaveLength(2);
	}, 20_000);

	test('a product that may have been created is reported, not repeated', async () => {
		const before = await products();
		await fault({ operationId: 'createProduct', kind: 'reset-after' });
		const { error } = await run(
			setup('product.create', { ...product, projectId: rl(service.projectId) }),
		);
		expect(error?.message).toBe('It is not known whether the product was created');
		expect(await products()).toBe(before + 1);
	}, 20_000);

	test('a product that may not have arrived is not created again on a guess', async () => {
		const before = await products();
		await fault({ operationId: 'createProduct', kind: 'reset' });
		const { error } = await run(
			setup('product.create', { ...product, projectId: rl(service.projectId) }),
		);
		expect(error?.message).toBe('It is not known whether the product was created');
		expect(await products()).toBe(before);
		expect((await sent('POST')).length).toBeLessThanOrEqual(1);
	}, 20_000);

	test('a message whose answer was lost is not repeated when the session moved', async () => {
		const sessionId = await session('[say One]');
		await settled(sessionId, ({ status }) => status === 'completed');
		await fault({ operationId: 'sendAgentMessage', kind: 'reset-after' });
		await only('agentSession.sendMessage', { sessionId, message: '[say Two]' });
		expect((await service.sessions())[0].turns).toBe(2);
	}, 20_000);

	test('a session that may have been started is reported, not repeated', async () => {
		await fault({ operationId: 'createAgentSession', kind: 'reset-after' });
		const { error } = await run(
			setup('agentSession.create', { projectId: rl(service.projectId), prompt: 'x' }),
		);
		expect(error?.message).toBe('It is not known whether the session was started');
		expect(await service.sessions()).toHaveLength(1);
	}, 20_000);
});

describe('a node that is tried again', () => {
	const again = { settings: { retryOnFail: true, maxTries: 2, waitBetweenTries: 10 } };
	const items = [{ prompt: '[say One]' }, { prompt: '[say Two]' }];
	const create = (more: Partial<Setup>) =>
		setup(
			'agentSession.create',
			{
				projectId: rl(service.projectId),
				prompt: '={{ $json.prompt }}',
				options: { maxConcurrentRequests: 1 },
			},
			{ items, ...more },
		);

	test('does not start a second session for an item that went well', async () => {
		await fault({ operationId: 'createAgentSession', kind: 'status', status: 403, after: 1 });
		const { outputs } = await run(create(again));
		const sessions = await service.sessions();
		expect(sessions.map(({ prompt }) => prompt)).toEqual(['[say One]', '[say Two]']);
		expect(outputs[0].map(({ json }) => json.sessionId)).toEqual(
			sessions.map(({ sessionId }) => sessionId),
		);
	}, 20_000);

	test('does not start one for an item whose start may have happened, nor does a retry of the execution', async () => {
		await fault({ operationId: 'createAgentSession', kind: 'reset-after' });
		const failed = await run(create(again));
		expect(failed.error?.message).toBe('It is not known whether the session was started');
		const retried = await run(create({ retryOf: failed }));
		expect(retried.error?.message).toBe('It is not known whether the session was started');
		expect((await service.sessions()).map(({ prompt }) => prompt)).toEqual([
			'[say One]',
			'[say Two]',
		]);
	}, 20_000);

	test('sends again what was refused', async () => {
		await fault({ operationId: 'createProduct', kind: 'status', status: 403 });
		await only(
			'product.create',
			{ projectId: rl(service.projectId), fields: '{"name":"x"}' },
			again,
		);
		expect((await sent('POST')).map(({ status }) => status)).toEqual([403, 201]);
	}, 20_000);
});

describe('many items', () => {
	test('never have more requests under way than the option says, and keep order and pairing', async () => {
		await fault({ operationId: 'updateTask', kind: 'latency', ms: 30, times: 0 });
		const items = Array.from({ length: 40 }, (_, index) => ({ title: `Title ${index}` }));
		const parameters = {
			taskId: rl(idOf('tasks')),
			updateFields: { title: '={{ $json.title }}' },
			options: { maxConcurrentRequests: 3 },
		};
		const { outputs } = await run(setup('task.update', parameters, { items }));
		expect(outputs[0].map(({ json }) => json.title)).toEqual(items.map(({ title }) => title));
		expect(outputs[0].map(({ pairedItem }) => (pairedItem as { item: number }).item)).toEqual(
			items.map((_, index) => index),
		);
		// Each lasts 30 ms at least: with three under way, the fourth comes 30 ms after the first or later, and so on.
		const at = (await sent('PATCH')).map((request) => Date.parse(request.at));
		for (let index = 3; index < at.length; index++)
			expect(at[index] - at[index - 3]).toBeGreaterThanOrEqual(25);
	}, 20_000);

	test('one 429 slows all of them, and none is lost or done twice', async () => {
		await service.control('POST', '/rate-limit', { perSecond: 20, burst: 20 });
		const items = Array.from({ length: 60 }, (_, index) => ({ title: `Title ${index}` }));
		const { outputs } = await run(
			setup(
				'task.update',
				{ taskId: rl(idOf('tasks')), updateFields: { title: '={{ $json.title }}' } },
				{ items },
			),
		);
		expect(outputs[0]).toHaveLength(60);
		const requests = await sent('PATCH');
		expect(requests.filter(({ status }) => status === 200)).toHaveLength(60);
		// After a refusal only those come that were under way with it.
		expect(requests.filter(({ status }) => status === 429).length).toBeLessThanOrEqual(3 * 5);
	}, 30_000);

	test('with On Error = continue each item succeeds or fails by itself', async () => {
		const items = [
			{ id: idOf('tasks') },
			{ id: 'nonsense' },
			{ id: '00000000-0000-4000-8000-000000000000' },
			{ id: idOf('tasks', 1) },
		];
		const { outputs } = await run(
			setup(
				'task.get',
				{ taskId: rl('={{ $json.id }}') },
				{ items, settings: { onError: 'continueRegularOutput' } },
			),
		);
		expect(outputs[0].map(({ json }) => json.error ?? json.id)).toEqual([
			idOf('tasks'),
			"'Task' is not a valid ID",
			'The resource was not found',
			idOf('tasks', 1),
		]);
		expect(outputs[0].map(({ pairedItem }) => (pairedItem as { item: number }).item)).toEqual([
			0, 1, 2, 3,
		]);
		expect(outputs[0][2].json).toMatchObject({
			httpStatus: 404,
			code: 'not_found',
			docUrl: expect.stringContaining('http'),
		});
	});

	test('with the error output they part', async () => {
		const items = [{ id: idOf('tasks') }, { id: 'nonsense' }];
		const { outputs } = await run(
			setup(
				'task.get',
				{ taskId: rl('={{ $json.id }}') },
				{ items, settings: { onError: 'continueErrorOutput' } },
			),
		);
		expect(outputs.map((output) => output.map(({ json }) => json.error ?? json.id))).toEqual([
			[idOf('tasks')],
			["'Task' is not a valid ID"],
		]);
	});

	test('stop when the execution is stopped', async () => {
		await fault({ operationId: 'updateTask', kind: 'latency', ms: 200, times: 0 });
		const items = Array.from({ length: 50 }, () => ({}));
		const execution = start(
			setup('task.update', { taskId: rl(idOf('tasks')), updateFields: { title: 'x' } }, { items }),
		);
		while ((await sent('PATCH')).length < 5)
			await new Promise((resolve) => setTimeout(resolve, 20));
		execution.stop();
		await execution.result;
		const count = (await sent('PATCH')).length;
		await new Promise((resolve) => setTimeout(resolve, 500));
		expect((await sent('PATCH')).length).toBeLessThanOrEqual(count + 5);
	}, 20_000);
});
