import type { IDataObject } from 'n8n-workflow';

import { isRecord } from '../base/values';
import { unreadableResponse } from './answers';
import type { Api } from './types';

/**
 * The rows that a query returned.
 * @param warn told where the service names another number of them
 * @throws WorkspaceAutomationError where there is no list of rows
 */
export function rowsOf(api: Api, body: unknown, warn: (message: string) => void): IDataObject[] {
	const rows = api.answer('queryAnalytics', 'data', body);
	if (!Array.isArray(rows) || !rows.every(isRecord))
		throw unreadableResponse('queryAnalytics', 'data', 'rows', body);
	const count = isRecord(body) ? body.rowCount : undefined;
	if (typeof count === 'number' && count !== rows.length)
		warn(`The analytics query returned ${rows.length} rows and says that there are ${count}.`);
	return rows as IDataObject[];
}
