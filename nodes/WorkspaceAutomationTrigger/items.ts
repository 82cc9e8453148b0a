import type { IDataObject } from 'n8n-workflow';

import { digest } from '../shared/base/digest';
import { excerpt } from '../shared/base/values';
import type { Change, Entry } from './compare';
import type { TriggerEvent } from './events';
import { stable } from './sources';
import { mark } from './state';

// Things of the service as they are compared, and changes as the workflow gets them.

/** Characters of a value that are kept to show it; of a longer one the beginning and what tells it from others */
const LONGEST_VALUE = 1_000;

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function bounded(value: unknown, what: string): unknown {
	const text = stable(value, what);
	return text.length > LONGEST_VALUE ? `${excerpt(text, LONGEST_VALUE)} ${digest(text)}` : value;
}

/** The values that count, as JSON. Services write names in either way. */
function watched(thing: IDataObject, { watch = [], keeping }: TriggerEvent, what: string): string {
	if (watch === 'all') return stable(thing, what);
	const values = watch
		.map((name) => [name, thing[name] ?? thing[snakeCase(name)]])
		.filter(([, value]) => value !== undefined)
		.map(([name, value]) => [name, keeping === 'values' ? bounded(value, what) : value]);
	return stable(Object.fromEntries(values), what);
}

/** A thing as it is compared and kept. @throws MistakeError for one that cannot be compared */
export function toEntry(json: IDataObject, id: string, event: TriggerEvent, scope: string): Entry {
	if (event.keeping === 'ids') return { key: id, mark: '', id, json };
	const values = watched(json, event, `${event.resource} ${excerpt(id)}`);
	if (event.keeping === 'values') return { key: id, mark: values, id, json };
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
