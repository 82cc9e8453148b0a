import type { IDataObject } from 'n8n-workflow';

import type { Mark, Rule } from './compare';
import type { Keeping } from './state';

// Every event, as a row: what is watched, what a change is, and what is kept of an entry to see it.

export type Resource = 'customDomain' | 'file' | 'product' | 'project' | 'row' | 'task';

export interface TriggerEvent {
	name: string;
	value: string;
	description: string;
	resource: Resource;
	on: Rule['on'];
	keeping: Keeping;
	/** The fields that count, and those that are kept where values are; all of them where none are named */
	watch?: readonly string[];
	isChange?: Rule['isChange'];
	/** Whether the watched fields say when: then the same fields are the same change, also later */
	isDated?: true;
}

const DOMAIN = ['status', 'is_pending', 'is_stale'];
const FILE = ['updatedAt', 'name', 'parentId', 'sizeBytes'];
const TASK = ['title', 'emoji', 'rrule', 'updatedAt'];

const valueOf = (mark: Mark, name: string) => (mark as IDataObject)[name];

/** The next run moved on while the rule stayed, or there is none any more: the one before has come. */
function hasRun(before: Mark, now: Mark): boolean {
	const next = valueOf(before, 'nextRunAt');
	if (next === undefined || valueOf(before, 'rrule') !== valueOf(now, 'rrule')) return false;
	return !(Date.parse(String(valueOf(now, 'nextRunAt'))) <= Date.parse(String(next)));
}

export const EVENTS: readonly TriggerEvent[] = [
	{
		name: 'Custom Domain Added',
		value: 'customDomainAdded',
		description: 'When a custom domain is added to a site',
		resource: 'customDomain',
		on: 'added',
		keeping: 'fingerprints',
		watch: [],
	},
	{
		name: 'Custom Domain Changed',
		value: 'customDomainChanged',
		description: 'When the status of a custom domain changes, such as when it turns stale',
		resource: 'customDomain',
		on: 'changed',
		keeping: 'values',
		watch: DOMAIN,
	},
	{
		name: 'Custom Domain Removed',
		value: 'customDomainRemoved',
		description: 'When a custom domain is removed from a site',
		resource: 'customDomain',
		on: 'removed',
		keeping: 'values',
		watch: ['domain', ...DOMAIN],
	},
	{
		name: 'File Created',
		value: 'fileCreated',
		description: 'When a file or folder is created, uploaded or moved to where you watch',
		resource: 'file',
		on: 'added',
		keeping: 'fingerprints',
		watch: [],
	},
	{
		name: 'File Removed',
		value: 'fileRemoved',
		description: 'When a file or folder is removed, or moved away from where you watch',
		resource: 'file',
		on: 'removed',
		keeping: 'ids',
	},
	{
		name: 'File Updated',
		value: 'fileUpdated',
		description: 'When a file or folder is changed, renamed or moved',
		resource: 'file',
		on: 'changed',
		keeping: 'fingerprints',
		watch: FILE,
		isDated: true,
	},
	{
		name: 'Product Added',
		value: 'productAdded',
		description: 'When a product is added to a project',
		resource: 'product',
		on: 'added',
		keeping: 'fingerprints',
		watch: [],
	},
	{
		name: 'Product Removed',
		value: 'productRemoved',
		description: 'When a product is removed from a project',
		resource: 'product',
		on: 'removed',
		keeping: 'ids',
	},
	{
		name: 'Product Updated',
		value: 'productUpdated',
		description: 'When any field of a product changes',
		resource: 'product',
		on: 'changed',
		keeping: 'fingerprints',
	},
	{
		name: 'Project Added',
		value: 'projectAdded',
		description: 'When the API key can act on a project that it could not act on before',
		resource: 'project',
		on: 'added',
		keeping: 'fingerprints',
		watch: [],
	},
	{
		name: 'Rows Found',
		value: 'rowsFound',
		description: 'When an analytics query returns a row that it did not return at the last poll',
		resource: 'row',
		on: 'added',
		keeping: 'fingerprints',
		watch: [],
	},
	{
		name: 'Task Added',
		value: 'taskAdded',
		description: 'When a recurring task is added',
		resource: 'task',
		on: 'added',
		keeping: 'fingerprints',
		watch: [],
	},
	{
		name: 'Task Ran',
		value: 'taskRan',
		description: 'When the time of a recurring task has come and its next run has moved on',
		resource: 'task',
		on: 'changed',
		keeping: 'values',
		watch: ['nextRunAt', 'rrule'],
		isChange: hasRun,
		isDated: true,
	},
	{
		name: 'Task Removed',
		value: 'taskRemoved',
		description: 'When a recurring task is removed',
		resource: 'task',
		on: 'removed',
		keeping: 'values',
		watch: TASK,
	},
	{
		name: 'Task Updated',
		value: 'taskUpdated',
		description: 'When the title, emoji or rule of a recurring task changes',
		resource: 'task',
		on: 'changed',
		keeping: 'values',
		watch: TASK,
		isDated: true,
	},
];

/** The values of the events of a resource, for showing its fields */
export const eventsOf = (...resources: Resource[]): string[] =>
	EVENTS.filter(({ resource }) => resources.includes(resource)).map(({ value }) => value);
