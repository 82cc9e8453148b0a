import type { IDataObject } from 'n8n-workflow';

import { digest, excerpt, sortedJson } from '../shared/base/values';
import type { Change, Entry } from './compare';
import type { TriggerEvent } from './events';
import { MistakeError } from './failures';
import { mark } from './state';

// Things of the service as they are compared, and changes as the workflow gets them.

/** Characters of a value that are kept to show it; of a longer one the beginning and what tells it from others */
const LONGEST_VALUE = 1_000;

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function bounded(value: unknown): unknown {
	const text = sortedJson(value) ?? '';
	return text.length > LONGEST_VALUE ? `${excerpt(text, LONGEST_VALUE)} ${digest(text)}` : value;
}

/** JSON in which the order of keys makes no difference. @throws MistakeError for what is nested too deeply */
export function stable(value: unknown, what: string): string {
	const text = sortedJson(value);
	if (text !== undefined) return text;
	throw new MistakeError(
		`The ${what} cannot be compared`,
		'Its values are nested too deeply. Watch something else, or remove it.',
	);
}

/** The values that count. Services write names in either way. */
function watched(thing: IDataObject, watch: TriggerEvent['watch'] = []): IDataObject {
	if (watch === 'all') return thing;
	const values = watch.map((name) => [name, bounded(thing[name] ?? thing[snakeCase(name)])]);
	return Object.fromEntries(values) as IDataObject;
}

/** A thing as it is compared and kept. @throws MistakeError for one that cannot be compared */
export function toEntry(json: IDataObject, id: string, event: TriggerEvent, scope: string): Entry {
	const { keeping, resource, watch } = event;
	if (keeping === 'ids') return { key: id, mark: '', id, json };
	const values = stable(watched(json, watch), `${resource} ${excerpt(id)}`);
	if (keeping === 'values') return { key: id, mark: values, id, json };
	return { key: mark(scope, id), mark: mark(scope, values), id, json };
}

/**
 * What tells a change from all others, the same when it is emitted again: the event and the ID; for a change what it is now; and the
 * turn, because what left may come back. What existed from the start has none.
 */
function eventId({ value, resource, on }: TriggerEvent, change: Change, turn?: number): string {
	const { key, entry } = change;
	const id = entry?.id ?? key;
	const now = on === 'changed' && entry && digest(entry.mark, 8);
	return [value, resource === 'row' ? digest(id) : id, now, turn?.toString(36)]
		.filter(Boolean)
		.join(':');
}

/** The item of a change. */
export function toItem(change: Change, event: TriggerEvent, turn?: number): IDataObject {
	const { list, key, entry, before } = change;
	return {
		...(entry?.json ?? { id: key, ...(event.resource === 'file' && { projectId: list }) }),
		event: event.value,
		eventId: eventId(event, change, turn),
		...(event.keeping === 'values' &&
			before !== undefined && { previous: JSON.parse(before) as IDataObject }),
	};
}
