// Calls every operation once, as the overrides of the dialects say, and checks in the service's own record that it took effect.
import { expect } from '@jest/globals';
import type { OperationId } from '../../local-service/dialects/assumed-requests.mts';
import type { Values } from '../../local-service/dialects/templates.mts';
import { latestSession, findPending, startSession, type Speaker } from './speaker.mts';

/** Longer than any dialect takes to show a change */
const LATE_SECONDS = 40;

/** Runs them all; fails the test where one is refused or has no effect. Returns what was called. */
export async function everyOperation(service: Speaker): Promise<Set<OperationId>> {
	const called = new Set<OperationId>();
	async function call(operationId: OperationId, values: Values, extra?: object) {
		const answer = await service.call(operationId, values, { extra });
		called.add(operationId);
		// The answer's text says what is wrong
		expect([operationId, answer.status < 300 ? 'ok' : answer.text]).toEqual([operationId, 'ok']);
		service.advance(LATE_SECONDS);
		return answer;
	}
	const seed = service.seed();
	const [{ id: projectId }] = seed.projects;
	const [{ id: taskId }] = seed.tasks;
	const [{ id: siteId }] = seed.sites;
	const inProject = ({ projectId: other }: { projectId: string }) => other === projectId;
	const files = async () => {
		const { files, folders } = service.seed();
		return [...folders, ...files].filter(inProject);
	};
	const fileNamed = async (name: string) => (await files()).find((file) => file.name === name)!;

	for (const operationId of ['listProjects', 'listTasks'] as const)
		await call(operationId, { limit: 2 });
	await call('getTask', { taskId });
	await call('updateTask', { taskId, title: 'Renamed' });
	expect(service.seed().tasks[0].title).toBe('Renamed');
	await call('queryAnalytics', { query: 'SELECT 1 AS n' });

	await call('createAgentSession', { projectId, prompt: '[ask bash: git push] [say done]' });
	const sessionId = await latestSession(service);
	expect(await service.control.sessions()).toMatchObject([
		{ projectId, prompt: '[ask bash: git push] [say done]' },
	]);
	const [{ id: interactionId, response }] = await findPending(service, sessionId);
	called.add('getAgentSession');
	await call('resolveInteraction', {
		sessionId,
		interactionId,
		type: 'permission',
		option: response.options[0].value,
	});
	expect((await service.control.sessions())[0].interactions[0]).toMatchObject({ value: 'once' });
	await call('sendAgentMessage', { sessionId, text: '[work 9h]' });
	expect((await service.control.sessions())[0]).toMatchObject({ turns: 2, status: 'running' });
	await call('abortAgentSession', { sessionId });
	expect((await service.control.sessions())[0]).toMatchObject({ aborted: true });
	await startSession(service, '[say hello]');
	await call('createSharedPreview', { projectId, siteId, route: '/about' });

	await call('createFile', { projectId, kind: 'folder', name: 'New folder' });
	const { id: folderId } = await fileNamed('New folder');
	const sources: Array<[string, Values]> = [
		['a.txt', { type: 'text', text: 'hello' }],
		['b.bin', { type: 'base64', data: 'AAEC', contentType: 'application/x-odd' }],
		['c.png', { type: 'asset', assetId: seed.assets.find(inProject)!.id }],
	];
	for (const [name, source] of sources)
		await call('createFile', { projectId, parentId: folderId, kind: 'file', name, ...source });
	expect(
		(await files()).filter(({ parentId }) => parentId === folderId).map((file) => file.name),
	).toEqual(['a.txt', 'b.bin', 'c.png']);
	expect(await fileNamed('b.bin')).toMatchObject({
		contentType: 'application/x-odd',
		sizeBytes: 3,
	});
	await call('listFiles', { projectId, parentId: folderId, limit: 2 });
	const { id: fileId } = await fileNamed('a.txt');
	await call('getFile', { fileId });
	await call('getFileContent', { fileId });
	await call('renameFile', { fileId, name: 'z.txt' });
	await call('moveFile', { fileId, parentId: null });
	expect(await fileNamed('z.txt')).toMatchObject({ id: fileId });
	expect((await fileNamed('z.txt')).parentId).toBeUndefined();

	const { id: customDomainId } = seed.domains[0];
	await call('listCustomDomains', { siteId, limit: 2 });
	await call('deleteCustomDomain', { customDomainId });
	expect(service.seed().domains[0].id).not.toBe(customDomainId);

	await call('createProduct', { projectId }, { name: 'Mug', sizes: [1, 2] });
	const product = service.seed().products.at(-1)!;
	expect(product).toMatchObject({ projectId, name: 'Mug', sizes: [1, 2] });
	await call('updateProduct', { productId: product.id, projectId }, { name: 'Cup' });
	expect(service.seed().products.at(-1)).toEqual({ ...product, name: 'Cup' });
	await call('listProducts', { projectId, limit: 2 });
	return called;
}
