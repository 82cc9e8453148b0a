import type { IDataObject } from 'n8n-workflow';

import type { Change, Entry, Mark } from './compare';
import type { TriggerEvent } from './events';
import type { Source } from './sources';
import { hash, shortKey, shortMark } from './state';

// Things of the service as they are compared, and changes as the workflow gets them.

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The values that count. Services write names in either way. */
function watched(thing: IDataObject, { watch }: TriggerEvent): IDataObject {
	const names = watch ?? Object.keys(thing).sort();
	const values = names.map((name) => [name, thing[name] ?? thing[snakeCase(name)]]);
	return Object.fromEntries(values.filter(([, value]) => value !== undefined)) as IDataObject;
}

/** JSON with the keys of objects in order, at every depth: their order is not a change. */
const stable = (value: unknown): string =>
	JSON.stringify(value, (_key, part: unknown) =>
		typeof part === 'object' && part !== null && !Array.isArray(part)
			? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
			: part,
	);

/** A thing as it is compared and kept. */
export function toEntry(thing: IDataObject, event: TriggerEvent, { idOf }: Source): Entry {
	const id = idOf(thing);
	if (event.keeping === 'ids') return { key: id, mark: '', json: thing };
	if (event.keeping === 'values') return { key: id, mark: watched(thing, event), json: thing };
	return { key: shortKey(id), mark: shortMark(stable(watched(thing, event))), json: thing };
}

const shortHash = (text: string) =>
	hash(text)
		.map((number) => number.toString(36))
		.join('');

/**
 * What tells a change from all others, the same when it is emitted again: the event and the ID; for a change what it is now; and
 * where nothing in that says when, the turn, because a domain may turn stale twice.
 */
function eventId(event: TriggerEvent, id: string, entry: Entry | undefined, turn: number): string {
	const isRow = event.resource === 'row';
	const now = event.on === 'changed' && entry && shortHash(stable(watched(entry.json, event)));
	const when = (isRow || (now && !event.isDated)) && turn.toString(36);
	return [event.value, isRow ? shortHash(id) : id, now, when].filter(Boolean).join(':');
}

/** The item of a change. */
export function toItem(
	{ list, key, entry, before }: Change,
	event: TriggerEvent,
	{ idOf }: Source,
	turn: number,
): IDataObject {
	const { on, value, resource } = event;
	const id = entry ? idOf(entry.json) : key;
	const hasValues = on !== 'added' && typeof before === 'object';
	return {
		...(entry?.json ?? { id, ...(resource === 'file' && { projectId: list }) }),
		event: value,
		eventId: eventId(event, id, entry, turn),
		...(hasValues && { previous: before as Exclude<Mark, string> }),
	};
}
