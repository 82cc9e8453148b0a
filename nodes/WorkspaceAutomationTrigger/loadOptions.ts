import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';

import { readPages } from '../shared/api/pages';
import { setupRequiredError } from '../shared/api/setupRequired';
import type { OperationId } from '../shared/api/assumedRequests';
import { toNodeError } from '../shared/base/nodeErrors';
import { LIMITS } from '../shared/base/limits';
import { createApiClient } from '../shared/transport/apiClient';

// The entries of multiple selections. n8n filters them itself, so all of them are read.

const optionsOf = (operation: OperationId) =>
	async function (this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
		const read = async () => {
			const client = await createApiClient(this);
			const deadline = client.clock.now() + LIMITS.pickerMs;
			const options: INodePropertyOptions[] = [];
			for await (const { data, setupRequired } of readPages(client, { operation }, Infinity, {
				deadline,
			})) {
				if (data.length === 0 && setupRequired) throw setupRequiredError(setupRequired);
				for (const { id, name, title, emoji } of data)
					options.push({
						value: String(id),
						name: [emoji, name ?? title ?? id].filter(Boolean).join(' '),
					});
			}
			return options;
		};
		return await read().catch((error: unknown) => {
			throw toNodeError(this.getNode(), error, 0);
		});
	};

export const getProjectOptions = optionsOf('listProjects');
export const getTaskOptions = optionsOf('listTasks');
