import { fileId } from '../fields';
import type { Operation } from '../../../shared/n8n/operation';

export const get: Operation = {
	description:
		'Get the metadata of a file or folder, such as its name and size. The service calls this beta: it may change.',
	request: 'getFile',
	fields: [fileId],
};
