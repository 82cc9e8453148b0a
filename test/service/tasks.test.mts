import { beforeEach, describe, expect, test } from '@jest/globals';
import { nextRun } from '../../local-service/recurrence.mts';
import type { SeedView } from '../../local-service/control/views.mts';
import { older, useService, type Schemas } from './support.mts';

const { api, seed, clock, advance } = useService();
type Task = Schemas['Task'];
let tasks: SeedView['tasks'];
beforeEach(async () => {
	({ tasks } = await seed());
});

const read = (id: string, token?: string) =>
	api<Task>('GET', `/tasks/${id}`, { version: older, token });
const update = (id: string, body: unknown, token?: string) =>
	api<Task>('PATCH', `/tasks/${id}`, { body, token });

test('are changed field by field; the prompt is stored', async () => {
	const before = (await read(tasks[0].id)).body;
	advance(60);
	const { status, body } = await update(tasks[0].id, {
		title: 'New',
		prompt: 'Secret words',
		nonsense: 1,
	});
	expect(status).toBe(200);
	expect(body).toEqual({ ...before, title: 'New', updatedAt: new Date(clock.now()).toISOString() });
	expect((await seed()).tasks[0]).toMatchObject({ title: 'New', prompt: 'Secret words' });
});

test('stay unchanged after a repeated update', async () => {
	const first = (await update(tasks[0].id, { title: 'New' })).body;
	advance(60);
	expect((await update(tasks[0].id, { title: 'New' })).body).toEqual(first);
	expect((await update(tasks[0].id, {})).body).toEqual(first);
});

describe('recurrence rules', () => {
	const anchor = Date.UTC(2026, 0, 31, 7, 45);
	// A Monday
	const from = Date.UTC(2026, 9, 5, 9);

	test.each([
		['FREQ=DAILY;BYHOUR=9;BYMINUTE=0', '2026-10-06T09:00'],
		['FREQ=DAILY;BYHOUR=18,10;BYMINUTE=30', '2026-10-05T10:30'],
		['FREQ=HOURLY', '2026-10-05T09:45'],
		['RRULE:FREQ=WEEKLY;BYDAY=TU,FR;BYHOUR=14;BYMINUTE=0', '2026-10-06T14:00'],
		['FREQ=WEEKLY', '2026-10-10T07:45'],
		['FREQ=MONTHLY', '2026-10-31T07:45'],
		['FREQ=MONTHLY;BYMONTHDAY=1;BYHOUR=8;BYMINUTE=0', '2026-11-01T08:00'],
		['FREQ=MONTHLY;BYMONTHDAY=-1', '2026-10-31T07:45'],
		['FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=8', '2026-10-30T08:45'],
		['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29', '2028-02-29T07:45'],
		// Every second day, third day and so on, counted from the anchor
		['FREQ=DAILY;INTERVAL=2', '2026-10-06T07:45'],
		['FREQ=DAILY;INTERVAL=3', '2026-10-07T07:45'],
		['FREQ=WEEKLY;INTERVAL=2', '2026-10-10T07:45'],
		['FREQ=WEEKLY;INTERVAL=5', '2026-11-07T07:45'],
		['FREQ=DAILY;UNTIL=20261231T000000Z', '2026-10-06T07:45'],
	])('%s runs at %s', (rule, expected) => {
		expect(new Date(nextRun(rule, anchor, from)!).toISOString().slice(0, 16)).toBe(expected);
	});

	test.each([
		'FREQ=DAILY;UNTIL=20261005T090000Z',
		'FREQ=DAILY;COUNT=3',
		'FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30',
		'FREQ=HOURLY;BYMONTH=4,6;BYMONTHDAY=31',
		'sometimes',
	])('%s does not run again', (rule) => expect(nextRun(rule, anchor, from)).toBeUndefined());
});
