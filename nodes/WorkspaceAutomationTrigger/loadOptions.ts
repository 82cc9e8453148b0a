import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';

import { entryId } from '../shared/api/entryId';
import { readPages } from '../shared/api/pages';
import { setupRequiredError } from '../shared/api/setupRequired';
import type { OperationId } from '../shared/api/assumedRequests';
import { toNodeError } from '../shared/base/nodeErrors';
import { LIMITS } from '../shared/base/limits';
import { textOf } from '../shared/base/values';
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
				for (const entry of data) {
					const value = entryId(client, operation, entry);
					const { name, title = name, emoji } = entry;
					options.push({ value, name: [emoji, title ?? value].filter(textOf).join(' ') });
				}
			}
			return options;
		};
		return await read().catch((error: unknown) => {
			throw toNodeError(this.getNode(), error, 0);
		});
	};

export const getProjectOptions = optionsOf('listProjects');
export const getTaskOptions = optionsOf('listTasks');
