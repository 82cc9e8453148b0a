import { optionalId } from '../../../shared/base/validation';
import { fileId, optionalParentId } from '../fields';
import type { Operation } from '../resource';

export const move: Operation = {
	name: 'Move',
	value: 'move',
	action: 'Move file',
	description: 'Move a file or folder to another folder, or to My Files',
	request: 'moveFile',
	fields: [
		fileId,
		{
			...optionalParentId,
			description: 'The folder to move it to; leave it empty for My Files',
			check: optionalId,
		},
	],
	// `null` says My Files, where nothing would say to leave it where it is.
	prepare: ({ parentId = null }, api) => ({
		values: { parentId: parentId ?? api.word('moveFile', 'myFiles') ?? null },
	}),
};
