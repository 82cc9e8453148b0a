import { beforeEach, describe, expect, test } from '@jest/globals';
import { isRule, nextRun } from '../../local-service/rrule.mts';
import { errorOf, older, useService } from './support.mts';

const { api, all, seed, keyFor, clock, advance } = useService();
const nobody = '00000000-0000-4000-8000-000000000000';
let tasks: any[];
beforeEach(async () => {
	({ tasks } = await seed());
});

const read = (id: string, token?: string) => api('GET', `/tasks/${id}`, { version: older, token });
const update = (id: string, body: unknown, token?: string) =>
	api('PATCH', `/tasks/${id}`, { body, token });

test('are listed and read, without their prompt', async () => {
	const listed = await all('/tasks');
	expect(listed.map(({ id }) => id)).toEqual(tasks.map(({ id }) => id));
	expect((await read(tasks[0].id)).body).toEqual(listed[0]);
	expect(Object.keys(listed[0]).sort()).toEqual([
		'createdAt',
		'emoji',
		'id',
		'nextRunAt',
		'object',
		'rrule',
		'title',
		'updatedAt',
	]);
	expect(listed.every(({ nextRunAt }) => Date.parse(nextRunAt) > clock.now())).toBe(true);
});

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

test('stay as they are when the same is said again', async () => {
	const first = (await update(tasks[0].id, { title: 'New' })).body;
	advance(60);
	expect((await update(tasks[0].id, { title: 'New' })).body).toEqual(first);
	expect((await update(tasks[0].id, {})).body).toEqual(first);
});

test('run next when the new rule says', async () => {
	const { body } = await update(tasks[0].id, { rrule: 'FREQ=DAILY;BYHOUR=23;BYMINUTE=15' });
	expect(body.nextRunAt).toMatch(/T23:15:00.000Z$/);
	expect(errorOf(await update(tasks[0].id, { rrule: 'every day' }))).toEqual([
		400,
		'invalid_request',
	]);
	expect(errorOf(await update(tasks[0].id, { title: 5 }))).toEqual([400, 'invalid_request']);
});

test('are not found when missing or in a project without access', async () => {
	const token = await keyFor({ projects: [tasks[1].projectId] });
	expect((await all('/tasks', { token })).map(({ id }) => id)).toEqual([tasks[1].id]);
	expect(errorOf(await read(nobody))).toEqual([404, 'not_found']);
	expect(errorOf(await read(tasks[0].id, token))).toEqual([404, 'not_found']);
	expect(errorOf(await update(tasks[0].id, { title: 'x' }, token))).toEqual([404, 'not_found']);
	expect((await read(tasks[1].id, token)).status).toBe(200);
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
		['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29', '2028-02-29T07:45'],
	])('%s runs at %s', (rrule, expected) => {
		expect(new Date(nextRun(rrule, anchor, from)!).toISOString().slice(0, 16)).toBe(expected);
	});

	test('that strike never, or are none', () => {
		expect(nextRun('FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30', anchor, from)).toBeUndefined();
		expect(nextRun('sometimes', anchor, from)).toBeUndefined();
		expect(['FREQ=DAILY', 'FREQ=SECONDLY', 'DAILY', ''].map(isRule)).toEqual([
			true,
			false,
			false,
			false,
		]);
	});
});
