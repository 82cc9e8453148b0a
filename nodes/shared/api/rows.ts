import type { IDataObject } from 'n8n-workflow';

import { readAnswer, unreadableResponse } from './operations';
import { isRecord } from '../base/values';
import type { ApiClient } from '../transport/apiClient';

/**
 * The document allows a query to run for 60 seconds (API document, Limits), and its rows have to arrive, too. An attempt that was cut
 * off earlier would only run the query again.
 */
export const QUERY_MS = 75_000;

/**
 * The rows that a query returned.
 * @param warn told where the service names another number of them
 * @throws WorkspaceAutomationError where there is no list of rows
 */
export function rowsOf(
	{ overrides }: Pick<ApiClient, 'overrides'>,
	body: unknown,
	warn: (message: string) => void,
): IDataObject[] {
	const rows = readAnswer('queryAnalytics', 'data', body, overrides);
	if (!Array.isArray(rows) || !rows.every(isRecord))
		throw unreadableResponse('queryAnalytics', 'data', 'rows', body);
	const count = isRecord(body) ? body.rowCount : undefined;
	if (typeof count === 'number' && count !== rows.length)
		warn(`The analytics query returned ${rows.length} rows and says that there are ${count}.`);
	return rows as IDataObject[];
}
