import { fileId, optionalParentId } from '../fields';
import type { Operation } from '../../../shared/n8n/operation';

export const move: Operation = {
	description: 'Move a file or folder to another folder, or to My Files',
	request: 'moveFile',
	fields: [
		fileId,
		{
			...optionalParentId,
			description: 'The folder to move it to; leave it empty for My Files',
		},
	],
	// `null` says My Files, where nothing would say to leave it where it is.
	prepare: ({ values: { parentId } }, api) => ({
		parentId: parentId ?? api.word('moveFile', 'myFiles') ?? null,
	}),
};
