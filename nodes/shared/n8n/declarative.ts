import type {
	DeclarativeRestApiSettings,
	IExecutePaginationFunctions,
	INodeExecutionData,
} from 'n8n-workflow';

import { loadCode } from './loadCode';
import type { Operation } from './sendOperation';

export type { Operation };

/** Returns the `pagination` function of an operation. It replaces n8n's own sending, so that our client sends every request. */
export const sendRouted = (operation: Operation) =>
	async function (
		this: IExecutePaginationFunctions,
		settings: DeclarativeRestApiSettings.ResultOptions,
	): Promise<INodeExecutionData[]> {
		const { sendOperation } = await loadCode(async () => await import('./sendOperation.ts'));
		return await sendOperation.call(this, operation, settings);
	};
