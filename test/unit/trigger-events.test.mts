// Changes that each event of the trigger counts, and the saved state of an entry.
import { describe, expect, test } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';
import { EVENTS, eventsFor } from '../../nodes/WorkspaceAutomationTrigger/events.ts';

const NOW = Date.parse('2026-10-05T09:00:00Z');
const at = (minutes: number) => new Date(NOW + minutes * 60_000).toISOString();
const event = (value: string) => EVENTS.find((one) => one.value === value)!;

test('every event says when it fires, what it watches, and how entries are kept', () => {
	const task = ['title', 'emoji', 'rrule', 'updatedAt'];
	const domain = ['status', 'is_pending', 'is_stale'];
	expect(EVENTS.map(({ value, on, watch, keeping }) => [value, on, watch, keeping])).toEqual([
		['customDomainAdded', 'added', undefined, 'digests'],
		['customDomainChanged', 'changed', domain, 'values'],
		['customDomainRemoved', 'removed', ['domain', ...domain], 'values'],
		['fileCreated', 'added', undefined, 'digests'],
		['fileRemoved', 'removed', undefined, 'values'],
		['fileUpdated', 'changed', ['updatedAt', 'name', 'parentId', 'sizeBytes'], 'digests'],
		['productAdded', 'added', undefined, 'digests'],
		['productRemoved', 'removed', undefined, 'values'],
		['productUpdated', 'changed', 'all', 'digests'],
		['projectAdded', 'added', undefined, 'digests'],
		['rowsFound', 'added', undefined, 'digests'],
		['taskAdded', 'added', undefined, 'digests'],
		['taskRan', 'changed', ['nextRunAt', 'rrule'], 'values'],
		['taskRemoved', 'removed', task, 'values'],
		['taskUpdated', 'changed', [...task, 'nextRunAt'], 'values'],
	]);
	for (const { description } of EVENTS) expect(description).toMatch(/^When /);
	expect(eventsFor('project', 'row').map(({ resource }) => resource)).toEqual(['project', 'row']);
});

describe('a task', () => {
	const rrule = 'FREQ=DAILY';
	const due = { title: 'a', emoji: 'b', rrule, nextRunAt: at(0) };
	const cases: Array<[string, IDataObject, IDataObject, boolean]> = [
		['whose time has come and whose next run moved on', due, { ...due, nextRunAt: at(60) }, true],
		['that has no next run any more', due, { ...due, nextRunAt: undefined }, true],
		['that had no next run', { ...due, nextRunAt: undefined }, due, false],
		['whose next run stayed', due, due, false],
		['whose next run was moved earlier', due, { ...due, nextRunAt: at(-60) }, false],
		['whose next run is the same moment otherwise written', due, { ...due, nextRunAt: NOW }, false],
		['whose rule changed', due, { ...due, rrule: 'FREQ=WEEKLY', nextRunAt: at(60) }, false],
		[
			'whose time comes in a minute by our clock',
			{ ...due, nextRunAt: at(1) },
			{ ...due, nextRunAt: at(60) },
			true,
		],
		[
			'whose time comes later than that',
			{ ...due, nextRunAt: NOW + 60_001 },
			{ ...due, nextRunAt: at(60) },
			false,
		],
		[
			'whose times cannot be read',
			{ ...due, nextRunAt: 'soon' },
			{ ...due, nextRunAt: 'later' },
			true,
		],
	];

	test.each(cases)('%s: ran?', (_, before, now, hasRun) => {
		expect(event('taskRan').isChange!(before, now, NOW)).toBe(hasRun);
		// A run is no separate update.
		expect(event('taskUpdated').isChange!(before, now, NOW)).toBe(!hasRun);
	});

	test.each(['title', 'emoji'])('that ran and has another %s was also updated', (field) => {
		const now = { ...due, nextRunAt: at(60), [field]: 'new' };
		expect(event('taskRan').isChange!(due, now, NOW)).toBe(true);
		expect(event('taskUpdated').isChange!(due, now, NOW)).toBe(true);
	});
});
