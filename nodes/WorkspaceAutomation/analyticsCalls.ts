import type { IDataObject, IExecuteSingleFunctions, INodeExecutionData } from 'n8n-workflow';

import { boundQuery } from '../shared/analytics/query';
import type { Values } from '../shared/client/operations';
import { readRows } from '../shared/client/responses';
import { queryParameters } from '../shared/n8n/commonFields';
import { setCustomData } from '../shared/n8n/executionDisplay';
import { createEvaluator, readParameter } from '../shared/n8n/fields';

/** The service's limit (API document, Limits) */
const MAX_ROWS = 100_000;

export function prepareQuery(context: IExecuteSingleFunctions, query: string): Values {
	const parameters = readParameter(context, queryParameters, 'options.');
	return { query: boundQuery(query, parameters, createEvaluator(context)) };
}

export function readResult(context: IExecuteSingleFunctions, body: unknown): INodeExecutionData {
	const warn = (message: string) => context.logger.warn(message, { node: context.getNode().name });
	const data = readRows(body, warn);
	const json: IDataObject = { rowCount: data.length, data };
	if (data.length >= MAX_ROWS) {
		const warning = `The analytics query returned ${MAX_ROWS} rows, the most that the service returns: there may be more. Narrow it down or group it.`;
		warn(warning);
		setCustomData(context, { analyticsRows: warning });
		json.rowLimitReached = true;
	}
	return { json };
}
