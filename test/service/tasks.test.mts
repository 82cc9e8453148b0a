import { beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isRule, nextRun, findNextRun } from '../../local-service/recurrence.mts';
import type { SeedView } from '../../local-service/control/views.mts';
import { getError, older, unknownId, useService, type Schemas } from './support.mts';

const { api, all, seed, keyFor, clock, advance } = useService();
type Task = Schemas['Task'];
let tasks: SeedView['tasks'];
beforeEach(async () => {
	({ tasks } = await seed());
});

const read = (id: string, token?: string) =>
	api<Task>('GET', `/tasks/${id}`, { version: older, token });
const update = (id: string, body: unknown, token?: string) =>
	api<Task>('PATCH', `/tasks/${id}`, { body, token });

test('are listed and read, without their prompt', async () => {
	const listed = await all<Task>('/tasks');
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
	expect(listed.every(({ nextRunAt }) => Date.parse(nextRunAt!) > clock.now())).toBe(true);
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

test('stay unchanged after a repeated update', async () => {
	const first = (await update(tasks[0].id, { title: 'New' })).body;
	advance(60);
	expect((await update(tasks[0].id, { title: 'New' })).body).toEqual(first);
	expect((await update(tasks[0].id, {})).body).toEqual(first);
});

test('run next as the new rule says', async () => {
	const { body } = await update(tasks[0].id, { rrule: 'FREQ=DAILY;BYHOUR=23;BYMINUTE=15' });
	expect(body.nextRunAt).toMatch(/T23:15:00.000Z$/);
	expect(getError(await update(tasks[0].id, { rrule: 'every day' }))).toEqual([
		400,
		'invalid_request',
	]);
	expect(getError(await update(tasks[0].id, { title: 5 }))).toEqual([400, 'invalid_request']);
});

test('are not found when missing or in a project without access', async () => {
	const token = await keyFor({ projects: [tasks[1].projectId] });
	expect((await all<Task>('/tasks', { token })).map(({ id }) => id)).toEqual([tasks[1].id]);
	expect(getError(await read(unknownId))).toEqual([404, 'not_found']);
	expect(getError(await read(tasks[0].id, token))).toEqual([404, 'not_found']);
	expect(getError(await update(tasks[0].id, { title: 'x' }, token))).toEqual([404, 'not_found']);
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

	test('have the same next run for a task and for its rule, after any earlier requests', () => {
		const hour = 3_600_000;
		const change = fc.record(
			{
				rrule: fc.constantFrom('FREQ=DAILY', 'FREQ=WEEKLY', 'FREQ=DAILY;COUNT=3', 'sometimes'),
				createdAt: fc.constantFrom(anchor, anchor + hour),
				ranUntil: fc.integer({ min: 0, max: 200 }).map((hours) => anchor + hours * hour),
			},
			{ requiredKeys: [] },
		);
		const asked = fc.tuple(change, fc.integer({ min: -100, max: 200 }));
		fc.assert(
			fc.property(fc.array(asked, { maxLength: 20 }), (questions) => {
				const task = { rrule: 'FREQ=DAILY', createdAt: anchor, ranUntil: -Infinity };
				for (const [changes, hours] of questions) {
					Object.assign(task, changes);
					const now = anchor + hours * hour;
					expect(findNextRun(task, now)).toBe(
						nextRun(task.rrule, task.createdAt, Math.max(now, task.ranUntil)),
					);
				}
			}),
		);
	});

	test("are accepted up to hourly, and refused if they can't be read", () => {
		const refused = [
			'FREQ=SECONDLY',
			'DAILY',
			'',
			'INTERVAL=2',
			'FREQ=DAILY;INTERVAL=0',
			'FREQ=DAILY;INTERVAL=-1',
			'FREQ=DAILY;BYHOUR=x',
			'FREQ=DAILY;BYHOUR=24',
			'FREQ=DAILY;FREQ=WEEKLY',
			'FREQ=WEEKLY;BYDAY=XX',
		];
		expect(refused.filter(isRule)).toEqual([]);
		expect(['FREQ=DAILY', 'freq=weekly;byday=mo', 'FREQ=MONTHLY;BYDAY=1MO'].map(isRule)).toEqual([
			true,
			true,
			true,
		]);
	});
});
