import type { IDataObject } from 'n8n-workflow';

import { parseTimestamp } from '../shared/values';
import type { ChangeRule } from './compare';

export type WatchedResource = 'customDomain' | 'file' | 'product' | 'project' | 'row' | 'task';

/** Fingerprints only, or IDs with the watched values, if any */
export type Storage = 'digests' | 'values';

interface EventDetails {
	on: ChangeRule['on'];
	description: string;
	/** Fields that count. Without any, only the ID does. */
	watch?: readonly string[] | 'all';
	/** Returns whether a difference is a change, at a time in milliseconds. By default, each one is. */
	isChange?: (before: IDataObject, now: IDataObject, at: number) => boolean;
}

export interface TriggerEvent extends EventDetails {
	value: string;
	resource: WatchedResource;
	keeping: Storage;
}

const DOMAIN_FIELDS = ['status', 'is_pending', 'is_stale'];
const FILE_FIELDS = ['updatedAt', 'name', 'parentId', 'sizeBytes'];
const TASK_FIELDS = ['title', 'emoji', 'rrule', 'updatedAt'];

const NEXT_RUN_SKEW_MS = 60_000;

/** Returns whether a task ran: its next run was due and moved or vanished, under the same rule. An unreadable time counts as due. */
function hasRun(before: IDataObject, now: IDataObject, at: number): boolean {
	const next = parseTimestamp(before.nextRunAt);
	if (before.nextRunAt === undefined || before.nextRunAt === now.nextRunAt) return false;
	if (before.rrule !== now.rrule || next > at + NEXT_RUN_SKEW_MS) return false;
	return !(parseTimestamp(now.nextRunAt) <= next);
}

/** Ignores the changes that a run makes: it moves the next run, and may count as an update of the task. */
const isUpdate: EventDetails['isChange'] = (before, now, at) =>
	!hasRun(before, now, at) || before.title !== now.title || before.emoji !== now.emoji;

const addedEvent = (description: string): EventDetails => ({ on: 'added', description });

const removedEvent = (description: string, watch?: EventDetails['watch']): EventDetails => ({
	on: 'removed',
	description,
	watch,
});

const changedEvent = (
	description: string,
	watch: EventDetails['watch'],
	isChange?: EventDetails['isChange'],
): EventDetails => ({ on: 'changed', description, watch, isChange });

const RESOURCE_EVENTS: Record<WatchedResource, Record<string, EventDetails>> = {
	customDomain: {
		customDomainAdded: addedEvent('When a custom domain is added to a site'),
		customDomainChanged: changedEvent(
			'When the status of a custom domain changes, such as when it turns stale',
			DOMAIN_FIELDS,
		),
		customDomainRemoved: removedEvent('When a custom domain is removed from a site', [
			'domain',
			...DOMAIN_FIELDS,
		]),
	},
	file: {
		fileCreated: addedEvent(
			'When a file or folder is created, uploaded or moved to where you watch',
		),
		fileRemoved: removedEvent(
			'When a file or folder is removed, or moved away from where you watch',
		),
		fileUpdated: changedEvent('When a file or folder is changed, renamed or moved', FILE_FIELDS),
	},
	product: {
		productAdded: addedEvent('When a product is added to a project'),
		productRemoved: removedEvent('When a product is removed from a project'),
		productUpdated: changedEvent('When any field of a product changes', 'all'),
	},
	project: {
		projectAdded: addedEvent(
			'When the API key can act on a project that it could not act on before',
		),
	},
	row: {
		rowsFound: addedEvent(
			'When an analytics query returns a row that it did not return at the last poll',
		),
	},
	task: {
		taskAdded: addedEvent('When a recurring task is added'),
		taskRan: changedEvent(
			'When the time of a recurring task has come and its next run has moved on',
			['nextRunAt', 'rrule'],
			hasRun,
		),
		taskRemoved: removedEvent('When a recurring task is removed', TASK_FIELDS),
		taskUpdated: changedEvent(
			'When the title, emoji or rule of a recurring task changes, or its next run is moved or paused',
			[...TASK_FIELDS, 'nextRunAt'],
			isUpdate,
		),
	},
};

/** Removals need the ID. Domains and tasks are few, so their values are saved and shown. */
function chooseStorage(resource: WatchedResource, on: ChangeRule['on']): Storage {
	const isFew = resource === 'customDomain' || resource === 'task';
	return on === 'removed' || (on === 'changed' && isFew) ? 'values' : 'digests';
}

export const EVENTS = (Object.keys(RESOURCE_EVENTS) as WatchedResource[]).flatMap((resource) =>
	Object.entries(RESOURCE_EVENTS[resource]).map(([value, details]): TriggerEvent => ({
		...details,
		value,
		resource,
		keeping: chooseStorage(resource, details.on),
	})),
);

export const eventsFor = (...resources: WatchedResource[]): TriggerEvent[] =>
	EVENTS.filter(({ resource }) => resources.includes(resource));
