import { fileId } from '../fields';
import type { Operation } from '../resource';

export const get: Operation = {
	name: 'Get',
	value: 'get',
	action: 'Get file',
	description:
		'Get the metadata of a file or folder, such as its name and size. The service calls this beta: it may change.',
	request: 'getFile',
	fields: [fileId],
};
