import { WorkspaceAutomationError } from '../errors';
import { isRecord, quote } from '../values';
import type { ApiRequest, AskedResource } from './types';

// A response counts only for the resource that was asked for: a cache or a mixed-up replica may answer with another one.

type AskedOperation = Pick<ApiRequest, 'method' | 'effect'> & { resource?: AskedResource };

const toKey = (value: unknown): string => String(value).toLowerCase();

export const isName = (value: unknown): value is string | number =>
	(typeof value === 'string' && value !== '') || typeof value === 'number';

/** Returns the first name that the places have, if it isn't the one that was asked for. */
export function findOtherName(
	places: readonly unknown[],
	names: readonly string[],
	asked: unknown,
): string | number | undefined {
	const named = places
		.filter(isRecord)
		.flatMap((place) => names.map((name) => place[name]))
		.find(isName);
	return named === undefined || toKey(named) === toKey(asked) ? undefined : named;
}

const EFFECTS: Partial<Record<string, string>> = {
	DELETE: 'deleted',
	PATCH: 'changed',
	PUT: 'changed',
	POST: 'changed',
};

function otherResourceError(
	{ method, effect }: AskedOperation,
	asked: string,
	found: string,
): WorkspaceAutomationError {
	const done = effect === 'read' ? undefined : EFFECTS[method];
	const mayHave = done ? `The one that you asked for may have been ${done}: get it to see. ` : '';
	const error = new WorkspaceAutomationError(
		'The service answered about something else',
		`${mayHave}You asked for ${asked}, and the response is about ${found}. Run the node again. If it happens again, check for a cache or a proxy in front of the service.`,
	);
	error.kind = 'unusable';
	return error;
}

/** @throws WorkspaceAutomationError that names both, if a response is about another resource than the one that was asked for */
export function requireAsked(
	operation: AskedOperation,
	values: Record<string, unknown>,
	body: unknown,
): void {
	const { resource } = operation;
	if (!resource || !isRecord(body)) return;
	const asked = values[resource.id];
	const { objects = [] } = resource;
	const [object] = [body.object].filter(isName);
	const isOther = objects.length > 0 && object !== undefined && !objects.includes(toKey(object));
	if (isOther) throw otherResourceError(operation, `a ${objects[0]}`, `a ${quote(object, 50)}`);
	const places = typeof body.id === 'object' || body.id === undefined ? [body.data] : [body];
	const other = isName(asked) ? findOtherName(places, ['id'], asked) : undefined;
	if (other !== undefined)
		throw otherResourceError(operation, quote(asked, 100), quote(other, 100));
}
