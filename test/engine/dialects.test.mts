// The Workspace Automation node against services that fill the gaps of the API document differently: every operation under each
// dialect, unaided or with the overrides that the dialect carries. Run Agent Session: test/rules/dialects.
import { describe, expect, test } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';
import { dialectNames, dialects } from '../../local-service/dialects/index.mts';
import { endpoints } from '../../openapi/endpoints.mts';
import { run, type Execution, type Setup } from './engine.mts';
import { useService, type TestService } from './service.mts';

const rl = (value: unknown) => ({ __rl: true, mode: 'id', value });
const firstOutput = ({ outputs, error }: Execution) => {
	if (error) throw new Error(`${error.message}: ${error.description}`);
	return outputs[0].map(({ json }) => json);
};

/** A person at the canvas of a workflow with this service's credential */
function user(service: TestService) {
	const done = new Set<string>();
	const operation = async (does: string, parameters: IDataObject, more: Partial<Setup> = {}) => {
		const [resource, operation] = does.split('.');
		done.add(does);
		return firstOutput(
			await run({
				node: 'workspaceAutomation',
				parameters: { resource, operation, ...parameters },
				credentials: service.credentials,
				...more,
			}),
		);
	};
	const only = async (...given: Parameters<typeof operation>) => {
		const items = await operation(...given);
		expect(items).toHaveLength(1);
		return items[0];
	};
	/** Again and again until a list shows what was done, as late as the service may show it */
	const eventually = async <T,>(look: () => Promise<T | undefined>): Promise<T> => {
		for (;;) {
			const found = await look();
			if (found !== undefined) return found;
			await new Promise((resolve) => setTimeout(resolve, 50));
		}
	};
	return { done, operation, only, eventually };
}

describe.each(dialectNames)('%s', (name) => {
	// No query here reads what visitors did.
	const traffic = () => ({ events: [], rates: [] });
	const service = useService(100, { dialects: [name], traffic });

	test('every operation works', async () => {
		const { done, operation, only, eventually } = user(service);
		const projectId = rl(service.projectId);
		const site = service.seed.sites.find((each: any) => each.projectId === service.projectId);
		const [asset] = service.seed.assets.filter(
			(each: any) => (each.projectId ?? service.projectId) === service.projectId,
		);

		const projects = await operation('project.getAll', { returnAll: true });
		expect(projects.map(({ id }) => id)).toContain(service.projectId);
		const [task] = await operation('task.getAll', { returnAll: true });
		const taskId = rl(task.id);
		expect(await only('task.get', { taskId })).toMatchObject({ id: task.id });
		expect(await only('task.update', { taskId, updateFields: { title: 'New' } })).toMatchObject({
			title: 'New',
		});

		await only('file.createFolder', { projectId, name: 'Folder' });
		const files = async (filters = {}) =>
			await operation('file.getAll', { projectId, returnAll: true, filters });
		const named = (wanted: string, filters = {}) =>
			eventually(async () => (await files(filters)).find((file) => file.name === wanted)?.id);
		const folder = await named('Folder');
		const parentId = rl(folder);
		await only('file.create', {
			projectId,
			parentId,
			name: 'a.md',
			contentSource: 'text',
			text: 'Hi',
		});
		const fileId = rl(await named('a.md', { parentId }));
		expect(await only('file.getContent', { fileId })).toMatchObject({ text: 'Hi' });
		await only('file.rename', { fileId, name: 'b.md' });
		await only('file.move', { fileId });
		expect(await only('file.get', { fileId })).toMatchObject({ name: 'b.md' });
		const bytes = Buffer.from([0, 200, 255]);
		const data = { data: bytes.toString('base64'), mimeType: 'image/png', fileName: 'x.png' };
		await only(
			'file.create',
			{ projectId, contentSource: 'binary', binaryPropertyName: 'data' },
			{ binary: [{ data }] },
		);
		const binaryId = rl(await named('x.png'));
		const { outputs } = await run({
			node: 'workspaceAutomation',
			parameters: {
				resource: 'file',
				operation: 'getContent',
				fileId: binaryId,
				outputAs: 'binary',
			},
			credentials: service.credentials,
		});
		expect((outputs[0][0] as any).binary.data.data).toBe(bytes.toString('base64'));
		await only('file.create', {
			projectId,
			name: 'copy.png',
			contentSource: 'asset',
			assetId: asset.id,
		});

		const [domain] = await operation('customDomain.getAll', { siteId: site.id, returnAll: true });
		expect(await only('customDomain.delete', { customDomainId: rl(domain.id) })).toMatchObject({
			id: domain.id,
			deleted: true,
		});

		const product = { projectId, fields: '{"name":"Gift card"}' };
		await only('product.create', product);
		const productId = await eventually(
			async () =>
				(await operation('product.getAll', { projectId, returnAll: true })).find(
					(each) => each.name === 'Gift card',
				)?.id,
		);
		await only('product.update', { projectId, productId: rl(productId), fields: '{"price":5}' });

		const { sessionId } = await only('agentSession.create', {
			projectId,
			prompt: '[ask bash: x] [work 10h]',
		});
		const pending = await eventually(
			async () => (await only('agentSession.get', { sessionId })).pendingInteractions?.[0],
		);
		await only('agentSession.resolveInteraction', {
			sessionId,
			interactionId: pending.id,
			...(dialects[name].nodeOptions
				? { decision: 'option', optionValue: dialects[name].nodeOptions.approveValues }
				: { decision: 'approve' }),
		});
		await only('agentSession.sendMessage', { sessionId, message: '[work 10h]' });
		await only('agentSession.abort', { sessionId });
		const [record] = await service.sessions();
		expect(record).toMatchObject({ turns: 2, aborted: true });
		expect(record.interactions).toHaveLength(1);

		expect(
			await only('sharedPreview.create', { projectId, siteId: site.id, route: '/' }),
		).toMatchObject({ url: expect.stringContaining('http') });
		expect(await only('analytics.query', { query: 'SELECT 7 AS seven' })).toMatchObject({
			seven: 7,
		});
		expect([...done].sort()).toEqual(Object.values(endpoints).flat().sort());
	}, 120_000);
});
