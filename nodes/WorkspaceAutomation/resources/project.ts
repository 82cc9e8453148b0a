import { returnAllOrLimit } from '../../shared/n8n/commonFields';
import type { Operation } from '../../shared/n8n/sendOperation';

export const project: Record<string, Operation> = {
	getAll: {
		description: 'Get many projects that the API key can act on',
		request: 'listProjects',
		fields: returnAllOrLimit,
	},
};
