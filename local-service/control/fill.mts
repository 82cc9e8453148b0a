// Many files at once, for tests of long lists.
import { randomUUID } from 'node:crypto';
import type { ServiceState } from '../state.mts';

/** Adds `count` small files to a project, in a new folder. */
export function fillFiles(
	{ clock, store }: ServiceState,
	projectId: string,
	count: number,
): { folderId: string; created: number } {
	const now = clock.now();
	const common = { projectId, createdAt: now, updatedAt: now };
	const folderId = randomUUID();
	store.files.add({
		...common,
		id: folderId,
		name: `Many ${folderId}`,
		kind: 'folder',
		content: Buffer.alloc(0),
	});
	for (let index = 1; index <= count; index++) {
		const name = `file-${String(index).padStart(7, '0')}.txt`;
		store.files.add({
			...common,
			id: randomUUID(),
			parentId: folderId,
			name,
			kind: 'file',
			content: Buffer.from(`${name}\n`),
			contentType: 'text/plain',
		});
	}
	return { folderId, created: count };
}
