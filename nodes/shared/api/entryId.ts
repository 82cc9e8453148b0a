import type { IDataObject } from 'n8n-workflow';

import type { OperationId } from './assumedRequests';
import { readAnswer } from './operations';
import { WorkspaceAutomationError } from '../base/errors';
import { canBeId } from '../base/validation';
import { quote } from '../base/values';
import type { ApiClient } from '../transport/apiClient';

/** The ID of an entry of a list, as text. @throws WorkspaceAutomationError for an entry without one */
export function entryId(
	{ overrides }: Pick<ApiClient, 'overrides'>,
	operation: OperationId,
	entry: IDataObject,
): string {
	const id = readAnswer(operation, 'id', entry, overrides) ?? entry.id;
	if (typeof id === 'number') return String(id);
	if (typeof id === 'string' && canBeId(id)) return id;
	throw new WorkspaceAutomationError(
		'An entry of the list has no ID',
		`The entry is: ${quote(entry)}. If its ID has another name, enter it under 'Overrides' in the credential: {"${operation}": {"answer": {"id": "path.to.it"}}}.`,
	);
}
