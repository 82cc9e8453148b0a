import type { IDataObject } from 'n8n-workflow';

import { momentOf } from '../shared/base/values';
import type { Rule } from './compare';
import type { Keeping } from './state';

// Every event, as a row: what is watched, what a change is, and what is kept of an entry to see it.

export type Resource = 'customDomain' | 'file' | 'product' | 'project' | 'row' | 'task';

export interface TriggerEvent {
	name: string;
	value: string;
	description: string;
	resource: Resource;
	on: Rule['on'];
	/** The fields that count; none where only the ID does */
	watch?: readonly string[] | 'all';
	/** Whether an item shows the watched fields as they were, which then have to be kept */
	hasPrevious?: true;
	/** Whether watched fields that differ are a change, at a time in milliseconds; they are by default */
	isChange?: (before: IDataObject, now: IDataObject, at: number) => boolean;
}

/** How the entries of an event are kept. */
export const keepingOf = ({ on, hasPrevious }: TriggerEvent): Keeping =>
	hasPrevious ? 'values' : on === 'removed' ? 'ids' : 'digests';

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
const isUpdate: TriggerEvent['isChange'] = (before, now, at) =>
	!hasRun(before, now, at) || before.title !== now.title || before.emoji !== now.emoji;

export const EVENTS: readonly TriggerEvent[] = [
	{
		name: 'Custom Domain Added',
		value: 'customDomainAdded',
		description: 'When a custom domain is added to a site',
		resource: 'customDomain',
		on: 'added',
	},
	{
		name: 'Custom Domain Changed',
		value: 'customDomainChanged',
		description: 'When the status of a custom domain changes, such as when it turns stale',
		resource: 'customDomain',
		on: 'changed',
		hasPrevious: true,
		watch: DOMAIN,
	},
	{
		name: 'Custom Domain Removed',
		value: 'customDomainRemoved',
		description: 'When a custom domain is removed from a site',
		resource: 'customDomain',
		on: 'removed',
		hasPrevious: true,
		watch: ['domain', ...DOMAIN],
	},
	{
		name: 'File Created',
		value: 'fileCreated',
		description: 'When a file or folder is created, uploaded or moved to where you watch',
		resource: 'file',
		on: 'added',
	},
	{
		name: 'File Removed',
		value: 'fileRemoved',
		description: 'When a file or folder is removed, or moved away from where you watch',
		resource: 'file',
		on: 'removed',
	},
	{
		name: 'File Updated',
		value: 'fileUpdated',
		description: 'When a file or folder is changed, renamed or moved',
		resource: 'file',
		on: 'changed',
		watch: FILE,
	},
	{
		name: 'Product Added',
		value: 'productAdded',
		description: 'When a product is added to a project',
		resource: 'product',
		on: 'added',
	},
	{
		name: 'Product Removed',
		value: 'productRemoved',
		description: 'When a product is removed from a project',
		resource: 'product',
		on: 'removed',
	},
	{
		name: 'Product Updated',
		value: 'productUpdated',
		description: 'When any field of a product changes',
		resource: 'product',
		on: 'changed',
		watch: 'all',
	},
	{
		name: 'Project Added',
		value: 'projectAdded',
		description: 'When the API key can act on a project that it could not act on before',
		resource: 'project',
		on: 'added',
	},
	{
		name: 'Rows Found',
		value: 'rowsFound',
		description: 'When an analytics query returns a row that it did not return at the last poll',
		resource: 'row',
		on: 'added',
	},
	{
		name: 'Task Added',
		value: 'taskAdded',
		description: 'When a recurring task is added',
		resource: 'task',
		on: 'added',
	},
	{
		name: 'Task Ran',
		value: 'taskRan',
		description: 'When the time of a recurring task has come and its next run has moved on',
		resource: 'task',
		on: 'changed',
		hasPrevious: true,
		watch: ['nextRunAt', 'rrule'],
		isChange: hasRun,
	},
	{
		name: 'Task Removed',
		value: 'taskRemoved',
		description: 'When a recurring task is removed',
		resource: 'task',
		on: 'removed',
		hasPrevious: true,
		watch: TASK,
	},
	{
		name: 'Task Updated',
		value: 'taskUpdated',
		description:
			'When the title, emoji or rule of a recurring task changes, or its next run is moved or paused',
		resource: 'task',
		on: 'changed',
		hasPrevious: true,
		watch: [...TASK, 'nextRunAt'],
		isChange: isUpdate,
	},
];

/** The values of the events of a resource, for showing its fields */
export const eventsOf = (...resources: Resource[]): string[] =>
	EVENTS.filter(({ resource }) => resources.includes(resource)).map(({ value }) => value);
