import type { IDataObject } from 'n8n-workflow';

import { momentOf } from '../shared/base/values';
import type { Rule } from './compare';
import type { Keeping } from './state';

// Every event: what is watched, what a change is, and what is kept of an entry to see it.

export type Resource = 'customDomain' | 'file' | 'product' | 'project' | 'row' | 'task';

interface Details {
	on: Rule['on'];
	description: string;
	/** The fields that count; none where only the ID does */
	watch?: readonly string[] | 'all';
	/** Whether watched fields that differ are a change, at a time in milliseconds; they are by default */
	isChange?: (before: IDataObject, now: IDataObject, at: number) => boolean;
}

export interface TriggerEvent extends Details {
	value: string;
	resource: Resource;
	keeping: Keeping;
}

const DOMAIN = ['status', 'is_pending', 'is_stale'];
const FILE = ['updatedAt', 'name', 'parentId', 'sizeBytes'];
const TASK = ['title', 'emoji', 'rrule', 'updatedAt'];

/** How far the clocks of n8n and the service may be apart. */
const CLOCK_SKEW_MS = 60_000;

/**
 * Whether a task has run: the time of its next run has come, and that is later now, or there is none any more, while the rule stayed.
 * A time that cannot be read is taken for one that has come.
 */
function hasRun(before: IDataObject, now: IDataObject, at: number): boolean {
	const next = momentOf(before.nextRunAt);
	if (before.nextRunAt === undefined || before.nextRunAt === now.nextRunAt) return false;
	if (before.rrule !== now.rrule || next > at + CLOCK_SKEW_MS) return false;
	return !(momentOf(now.nextRunAt) <= next);
}

/** A run moves the next one, and may count as an update of the task; what a run does not do is a change of its own. */
const isUpdate: Details['isChange'] = (before, now, at) =>
	!hasRun(before, now, at) || before.title !== now.title || before.emoji !== now.emoji;

const added = (description: string): Details => ({ on: 'added', description });

const removed = (description: string, watch?: Details['watch']): Details => ({
	on: 'removed',
	description,
	watch,
});

const changed = (
	description: string,
	watch: Details['watch'],
	isChange?: Details['isChange'],
): Details => ({ on: 'changed', description, watch, isChange });

const BY_RESOURCE: Record<Resource, Record<string, Details>> = {
	customDomain: {
		customDomainAdded: added('When a custom domain is added to a site'),
		customDomainChanged: changed(
			'When the status of a custom domain changes, such as when it turns stale',
			DOMAIN,
		),
		customDomainRemoved: removed('When a custom domain is removed from a site', [
			'domain',
			...DOMAIN,
		]),
	},
	file: {
		fileCreated: added('When a file or folder is created, uploaded or moved to where you watch'),
		fileRemoved: removed('When a file or folder is removed, or moved away from where you watch'),
		fileUpdated: changed('When a file or folder is changed, renamed or moved', FILE),
	},
	product: {
		productAdded: added('When a product is added to a project'),
		productRemoved: removed('When a product is removed from a project'),
		productUpdated: changed('When any field of a product changes', 'all'),
	},
	project: {
		projectAdded: added('When the API key can act on a project that it could not act on before'),
	},
	row: {
		rowsFound: added(
			'When an analytics query returns a row that it did not return at the last poll',
		),
	},
	task: {
		taskAdded: added('When a recurring task is added'),
		taskRan: changed(
			'When the time of a recurring task has come and its next run has moved on',
			['nextRunAt', 'rrule'],
			hasRun,
		),
		taskRemoved: removed('When a recurring task is removed', TASK),
		taskUpdated: changed(
			'When the title, emoji or rule of a recurring task changes, or its next run is moved or paused',
			[...TASK, 'nextRunAt'],
			isUpdate,
		),
	},
};

/** What is gone is known by its ID; domains and tasks are few enough to keep their values, which their items show as they were. */
function keepingOf(resource: Resource, on: Rule['on']): Keeping {
	const isFew = resource === 'customDomain' || resource === 'task';
	return on === 'removed' || (on === 'changed' && isFew) ? 'values' : 'digests';
}

export const EVENTS = (Object.keys(BY_RESOURCE) as Resource[]).flatMap((resource) =>
	Object.entries(BY_RESOURCE[resource]).map(([value, details]): TriggerEvent => ({
		...details,
		value,
		resource,
		keeping: keepingOf(resource, details.on),
	})),
);

export const eventsOf = (...resources: Resource[]): TriggerEvent[] =>
	EVENTS.filter(({ resource }) => resources.includes(resource));
